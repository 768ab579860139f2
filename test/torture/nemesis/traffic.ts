/**
 * Orders at a steady rate from a client that does not wait for answers: what each was told and how long after its planned moment. A request
 * that got no answer, or one that leaves open what became of it, is asked again with its key when the gateway is well.
 */
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { LeanSet } from "../../../src/foundation/lean.ts"
import { type Envelope, until } from "../../kit/servers/gateway.ts"
import type { Stage, Trader } from "../failpoints/stage.ts"
import { briefOf, eachOf, unsettled } from "../kill/kill-judge.ts"
import { none, short, type Verdict } from "../kill/kill-verdict.ts"

export interface Sent {
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  /** performance.now(): when it should have left. */
  readonly plannedAt: number
  /** When it really left, the last time. */
  leftAt: number
  /** 0: the connection failed. */
  status: number
  errno: number
  answeredAt: number
  tradeOrderId: string | undefined
  /** What it was told when it was asked for the first time; `failure`: why there was no answer. */
  first:
    | { readonly status: number; readonly errno: number; readonly answeredAt: number; readonly failure: string }
    | undefined
}

const PERSISTENCE_MILLIS = 180_000
const SETTLE_MILLIS = 120_000
/** Ten thousand that were refused, one after the other, take longer than the persistence. */
const REPEATED_AT_ONCE = 16

export class Traffic {
  readonly sent: Array<Sent> = []
  readonly #inFlight = new LeanSet<Promise<void>>()
  #isEnding = false
  #loop: Promise<void> | undefined

  constructor(
    readonly traders: ReadonlyArray<Trader>,
    readonly ratePerSecond: number,
    readonly terms: (index: number) => Readonly<Record<string, unknown>>,
  ) {}

  begin(): void {
    this.#loop = this.#run()
  }

  /** Nothing new; what is on its way is waited for. */
  async end(): Promise<void> {
    this.#isEnding = true
    await this.#loop
    await Promise.all([...this.#inFlight])
  }

  async #run(): Promise<void> {
    const from = performance.now()
    for (let index = 0; !this.#isEnding; index += 1) {
      const plannedAt = from + (index * 1000) / this.ratePerSecond
      const early = plannedAt - performance.now()
      if (early > 0) await sleep(early)
      const trader = this.traders[index % this.traders.length]
      if (trader === undefined || this.#isEnding) return
      const key = randomUUID()
      const { tradingAccountId, instrumentId } = trader
      const body = { tradingAccountId, instrumentId, idempotencyKey: key, quantity: "0.001", ...this.terms(index) }
      const one: Sent = {
        key,
        body,
        plannedAt,
        leftAt: 0,
        status: 0,
        errno: 0,
        answeredAt: 0,
        tradeOrderId: undefined,
        first: undefined,
      }
      this.sent.push(one)
      const done = ask(trader, one).finally(() => this.#inFlight.delete(done))
      this.#inFlight.add(done)
    }
  }

  /** Until each has an answer that says what became of it. */
  async repeat(): Promise<void> {
    const byAccount = new Map(this.traders.map((trader) => [trader.tradingAccountId, trader]))
    const open = (): ReadonlyArray<Sent> => this.sent.filter(({ status }) => isOpen(status))
    await until(
      () => `an answer for ${open().length} keys, the first ${JSON.stringify(open()[0])}`,
      async () => {
        const left = [...open()]
        const askOn = async (): Promise<void> => {
          for (let one = left.pop(); one !== undefined; one = left.pop()) {
            const trader = byAccount.get(String(one.body["tradingAccountId"]))
            if (trader !== undefined) await ask(trader, one)
          }
        }
        await Promise.all(Array.from({ length: REPEATED_AT_ONCE }, askOn))
        return open().length === 0
      },
      PERSISTENCE_MILLIS,
    )
  }
}

/** Of one trader: orders that rest and orders at market by turns. */
export const mixedTraffic = (trader: Trader, ratePerSecond: number): Traffic =>
  new Traffic([trader], ratePerSecond, (index) =>
    index % 2 === 0
      ? { orderSide: "BUY", orderType: "LIMIT", limitPrice: "30000" }
      : { orderSide: index % 4 === 1 ? "BUY" : "SELL", orderType: "MARKET" },
  )

const isOpen = (status: number): boolean => status === 0 || status >= 500 || status === 429

/**
 * Node's own client: `fetch` takes several times its processor time, which the gateway shares. It ends idle connections before the proxy and the gateway do, after 6 and 8 s, as
 * `fetch` does by itself: on one that is just being ended an order is lost unread.
 */
const agent = new Agent({ keepAlive: true, timeout: 4_000 })
/** When a line had its last answer: one that fails tells by it whose time for idle lines it met. */
const idleSince = new WeakMap<Socket, number>()

const post = (url: string, token: string, body: object): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(JSON.stringify(body))
    const headers = {
      "content-type": "application/json",
      "content-length": bytes.byteLength,
      authorization: `Bearer ${token}`,
    }
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      response.on("error", reject).on("end", () => {
        if (sent.socket !== null) idleSince.set(sent.socket, performance.now())
        resolve({ status: response.statusCode ?? 0, text })
      })
    })
    let line = ""
    sent.once("socket", (socket) => {
      const since = idleSince.get(socket)
      const seconds = since === undefined ? 0 : Math.round((performance.now() - since) / 100) / 10
      line = since === undefined ? "a new line" : `a line that had been idle for ${seconds} s`
    })
    sent.on("error", (error) => reject(Object.assign(error, { line }))).end(bytes)
  })

/** What was told first is kept: a later answer adds the order. */
const ask = async ({ calls }: Trader, one: Sent): Promise<void> => {
  one.leftAt = performance.now()
  let failure = ""
  try {
    const { status, text } = await post(`${calls.base}/api/v3/tradeOrder/submit`, calls.token ?? "", one.body)
    failure = `HTTP ${status} without an envelope`
    const envelope: Envelope<TradeOrderRecord> = JSON.parse(text)
    one.status = status
    one.errno = envelope.errno
    if (status === 200) one.tradeOrderId = envelope.data?.tradeOrderId
  } catch (error) {
    // A lost connection has the code of the call that failed; half a body is no JSON.
    const { code, line } = error as NodeJS.ErrnoException & { readonly line?: string }
    if (code === undefined && !(error instanceof SyntaxError)) throw error
    one.status = 0
    failure = code === undefined ? failure : `${code} on ${line}`
  } finally {
    one.answeredAt = performance.now()
    const { status, errno, answeredAt } = one
    one.first ??= { status, errno, answeredAt, failure }
  }
}

export const quantile = (values: ReadonlyArray<number>, q: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0) * 10) / 10
}

/** BINANCE's -1021: the time of the request. Nothing of it was done, so that it is sent again by the venue's clock. */
const isOfClock = (refusal: number): boolean => refusal === -1021

/** Acknowledged and gone, two for one key, not at rest: each must be none. */
export const reckon = async (
  traffic: Traffic,
  acknowledged: ReadonlySet<string>,
  stage?: Pick<Stage, "exchange">,
): Promise<ReadonlyArray<Verdict>> => {
  const deadlineAt = performance.now() + SETTLE_MILLIS
  const stored = async () => (await Promise.all(traffic.traders.map((trader) => eachOf(trader, briefOf)))).flat()
  await until(
    "orders to come to rest",
    async () => unsettled(await stored()).length === 0 || performance.now() > deadlineAt || void (await sleep(500)),
    2 * SETTLE_MILLIS,
  )
  const orders = await stored()
  const ids = new Set(orders.map(({ tradeOrderId }) => tradeOrderId))
  const keys = new Map<string, number>()
  for (const { idempotencyKey } of orders)
    if (idempotencyKey !== null) keys.set(idempotencyKey, (keys.get(idempotencyKey) ?? 0) + 1)
  const doubled = [...keys].flatMap(([key, count]) => (count > 1 ? [`${key}: ${count} orders`] : []))
  const twice = (stage?.exchange.placements() ?? [])
    .filter(({ count, created, refusals }) => count - refusals.filter(isOfClock).length > 1 || created > 1)
    .map(({ clientOrderId, count, refusals }) => `${clientOrderId}: arrived ${count}, refused ${refusals.join(" ")}`)
  return [
    none(
      "acknowledged orders lost",
      [...acknowledged].filter((id) => !ids.has(id)),
      `${acknowledged.size}`,
    ),
    none("orders twice", [...doubled, ...twice], `${orders.length} orders`),
    none("stuck", unsettled(orders).map(short), `${orders.length} orders`),
    none(
      "refused for good",
      traffic.sent.filter(({ status }) => status >= 400 && status < 500 && status !== 429).map((it) => `${it.errno}`),
      `${traffic.sent.length} requests`,
    ),
  ]
}

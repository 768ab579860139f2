/**
 * The clients of a gateway that keeps dying: they place, cancel and repeat orders, and write down what they were told.
 * The one thing to know: a request without an answer is repeated with the same key, as a careful client does, and never changed.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Centrifuge, type PublicationContext } from "centrifuge"
import { WebSocket } from "ws"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { type Answer, type Api, type Ready, until } from "../../kit/servers/gateway.ts"

export interface KillAccount {
  readonly index: number
  readonly tradingAccountId: string
  readonly calls: Api
  readonly token: string
  readonly apiKey: string
}

/** One order that a client wants, and all it heard of it. */
export interface Wanted {
  readonly account: KillAccount
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  /** Every tradeOrderId ever answered for this key: more than one is an order too many. */
  readonly ids: Set<string>
  /** Refused for good: errno of a 4xx. */
  refused: number | undefined
  inFlight: boolean
}

/** What one connection of one account heard, in order. */
export interface Heard {
  readonly account: KillAccount
  readonly events: Array<{ readonly sequence: number; readonly eventId: string }>
}

export const TERMINAL = new Set(["FILLED", "CANCELLED", "REJECTED", "EXPIRED", "REVOKED"])
const LANES = 3
const RESTING_MAX = 20
const UNANSWERED_MAX = 5
const PAUSE_MILLIS = 60

export class Load {
  readonly wanted = new Map<string, Wanted>()
  /** tradeOrderId of every order that was answered with HTTP 200. */
  readonly acknowledged = new Map<string, Wanted>()
  /** The first terminal record that was answered for an order: it must stand for ever. */
  readonly final = new Map<string, TradeOrderRecord>()
  readonly heard: Array<Heard> = []
  readonly #resting = new Map<number, Array<string>>()
  readonly #clients: Array<Centrifuge> = []
  readonly #lanes: Array<Promise<void>> = []
  #isEnding = false
  #price = 0

  constructor(
    readonly accounts: ReadonlyArray<KillAccount>,
    readonly instrumentId: string,
    readonly random: () => number,
  ) {}

  unanswered(): number {
    return [...this.wanted.values()].filter(({ ids, refused }) => ids.size === 0 && refused === undefined).length
  }

  async begin(gateway: Ready): Promise<void> {
    const book = (await this.accounts[0]!.calls.orderBook(this.instrumentId, 1)).record
    this.#price = Number(book.asks[0]?.[0])
    for (const account of this.accounts) {
      this.#listen(gateway, account)
      this.#resting.set(account.index, [])
      for (let lane = 0; lane < LANES; lane += 1) this.#lanes.push(this.#work(account))
    }
  }

  /** Stops the lanes and repeats every request that never got an answer until it has one. */
  async end(): Promise<void> {
    this.#isEnding = true
    await Promise.all(this.#lanes)
    const deadlineAt = Date.now() + 60_000
    while (this.unanswered() > 0 && Date.now() < deadlineAt) {
      for (const wanted of this.wanted.values())
        if (wanted.ids.size === 0 && wanted.refused === undefined) await this.#ask(wanted)
    }
    // And some that were answered: a key that is spent answers its own order.
    for (const wanted of [...this.acknowledged.values()].slice(-50)) await this.#ask(wanted)
    await this.#stopFollowing()
  }

  /** The market moves on: an order that follows it would fire while it is judged. Where it fired first, that stands. */
  async #stopFollowing(): Promise<void> {
    for (const [tradeOrderId, { account, body }] of this.acknowledged)
      if (body["orderType"] === "TRAILING_STOP")
        await until("the end of an order that follows the market", async () => {
          const answer = await attempt(() => account.calls.cancel(account.tradingAccountId, tradeOrderId))
          return answer !== undefined && answer.status < 500
        })
  }

  close(): void {
    for (const client of this.#clients) client.disconnect()
  }

  async #work(account: KillAccount): Promise<void> {
    while (!this.#isEnding) {
      await this.#step(account)
      await sleep(this.random() * 2 * PAUSE_MILLIS)
    }
  }

  async #step(account: KillAccount): Promise<void> {
    const resting = this.#resting.get(account.index)!
    const chance = this.random()
    if (chance < 0.3 || resting.length > RESTING_MAX) {
      const at = Math.floor(this.random() * resting.length)
      const [tradeOrderId] = resting.splice(at, 1)
      if (tradeOrderId !== undefined)
        return this.random() < 0.3 ? this.#replace(account, tradeOrderId) : this.#cancel(account, tradeOrderId)
    }
    const open = [...this.wanted.values()].filter(
      (each) => each.account === account && each.ids.size === 0 && each.refused === undefined && !each.inFlight,
    )
    // While the gateway is away a client does not think of ever new orders: it repeats what it waits for.
    if (open[0] !== undefined && (chance < 0.45 || open.length > UNANSWERED_MAX)) return this.#ask(open[0])
    return this.#ask(this.#newOrder(account))
  }

  #newOrder(account: KillAccount): Wanted {
    const isBuy = this.random() < 0.5
    const chance = this.random()
    const price = (factor: number): string => (this.#price * factor).toFixed(2)
    const terms =
      chance < 0.04
        ? { orderType: "TRAILING_STOP", trailingAmount: "0.5" }
        : chance < 0.08
          ? { orderType: "STOP", stopPrice: price(isBuy ? 1.2 : 0.8) }
          : chance < 0.12
            ? {
                orderType: "MARKET",
                takeProfitPrice: price(isBuy ? 1.2 : 0.8),
                stopLossPrice: price(isBuy ? 0.8 : 1.2),
              }
            : chance < 0.5
              ? { orderType: "LIMIT", limitPrice: price(isBuy ? 0.8 : 1.2) }
              : chance < 0.7
                ? { orderType: "LIMIT", timeInForce: "IOC", limitPrice: price(isBuy ? 1.02 : 0.98) }
                : { orderType: "MARKET", awaitClosed: this.random() < 0.5 }
    const key = randomUUID()
    const { tradingAccountId } = account
    const side = isBuy ? "BUY" : "SELL"
    const own = { tradingAccountId, instrumentId: this.instrumentId, idempotencyKey: key }
    const body = { ...own, orderSide: side, quantity: "0.001", ...terms }
    const wanted: Wanted = { account, key, body, ids: new Set(), refused: undefined, inFlight: false }
    this.wanted.set(key, wanted)
    return wanted
  }

  async #ask(wanted: Wanted): Promise<void> {
    wanted.inFlight = true
    const answer = await attempt(() => wanted.account.calls.submit(wanted.body))
    wanted.inFlight = false
    if (answer === undefined) return
    const { data } = answer.envelope
    if (answer.status === 200 && data !== null) {
      wanted.ids.add(data.tradeOrderId)
      this.acknowledged.set(data.tradeOrderId, wanted)
      this.#note(data)
      const rests = wanted.body["limitPrice"] !== undefined && wanted.body["timeInForce"] === undefined
      if (rests && !TERMINAL.has(data.orderStatus)) this.#resting.get(wanted.account.index)!.push(data.tradeOrderId)
    } else if (answer.status < 500 && answer.status !== 429) wanted.refused = answer.envelope.errno
    else await sleep(PAUSE_MILLIS)
  }

  /** A renewal has a new order in the old one's place, an amend the old one. */
  async #replace(account: KillAccount, tradeOrderId: string): Promise<void> {
    const { calls, tradingAccountId } = account
    const wanted = this.acknowledged.get(tradeOrderId)
    const limitPrice = (this.#price * (wanted?.body["orderSide"] === "BUY" ? 0.81 : 1.19)).toFixed(2)
    const answer = await attempt(() =>
      calls.post<TradeOrderRecord>("/tradeOrder/replace", { tradingAccountId, tradeOrderId, limitPrice }),
    )
    const now = answer?.envelope.data
    if (answer?.status !== 200 || now === null || now === undefined || wanted === undefined) return
    this.acknowledged.set(now.tradeOrderId, wanted)
    this.#note(now)
    if (!TERMINAL.has(now.orderStatus)) this.#resting.get(account.index)?.push(now.tradeOrderId)
  }

  async #cancel({ calls, tradingAccountId }: KillAccount, tradeOrderId: string): Promise<void> {
    const answer = await attempt(() => calls.cancel(tradingAccountId, tradeOrderId))
    if (answer?.status === 200 && answer.envelope.data !== null) this.#note(answer.envelope.data)
  }

  #note(record: TradeOrderRecord): void {
    if (TERMINAL.has(record.orderStatus) && !this.final.has(record.tradeOrderId))
      this.final.set(record.tradeOrderId, record)
  }

  #listen(gateway: Ready, account: KillAccount): void {
    const client = new Centrifuge(gateway.ws, {
      token: account.token,
      websocket: WebSocket,
      minReconnectDelay: 20,
      maxReconnectDelay: 200,
    })
    this.#clients.push(client)
    const subscription = client.newSubscription(`tradingAccount:${account.tradingAccountId}`)
    let current: Heard | undefined
    subscription.on("subscribed", () => {
      current = { account, events: [] }
      this.heard.push(current)
    })
    subscription.on("publication", ({ data: { sequence, eventId } }: PublicationContext) => {
      current?.events.push({ sequence, eventId })
    })
    subscription.subscribe()
    client.connect()
  }
}

/** Undefined when there was no answer: the gateway is gone, or went in the middle of it. */
export const attempt = async <A>(call: () => Promise<Answer<A>>): Promise<Answer<A> | undefined> => {
  try {
    return await call()
  } catch (error) {
    // fetch says TypeError for a lost connection, JSON.parse SyntaxError for half a body.
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error
    await sleep(PAUSE_MILLIS)
    return undefined
  }
}

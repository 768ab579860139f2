/**
 * Bots on our own clients while the gateway is killed and the network between them is cut, many times. The one thing to know: a bot is believed in
 * nothing; what it thinks of its orders is held against the exchange's own ledger, order by order, and against the gateway's.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { SubmitOrder } from "../../../clients/typescript/src/index.ts"
import type { CreatedApiKey } from "../../../src/domain/user/api-key.ts"
import { seededRandom } from "../../exchanges/binance/replay/synthetic.ts"
import { cutProxy } from "../../kit/proxies/cut-proxy.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { keysOf, startExchange } from "../kill/kill-orders.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { judgeBots, settleBots } from "./sdk-judge.ts"
import { SdkBot, type SdkClient } from "./sdk-process.ts"
import type { Asked, Trading } from "./sdk-trading.ts"

export interface SdkBotsOptions {
  readonly client: SdkClient
  readonly kills: number
  readonly cuts: number
  readonly seed: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

const VENUES = ["BINANCE", "BINANCE", "MOCK"] as const
const LANES = 3
const RESTING_MAX = 15
const UNANSWERED_MAX = 5
/** Shorter than a restart, so that submits are given up and have to be resolved by their keys. */
const PATIENCE_MILLIS = 1_500
const RESOLVE_MILLIS = 180_000

const isOpen = ({ ids, refused }: Asked): boolean => ids.size === 0 && refused === null

const beginTrading = async (gateway: Gateway, url: string, client: SdkClient): Promise<ReadonlyArray<Trading>> => {
  const made: Array<Trading> = []
  for (const [index, venue] of VENUES.entries()) {
    const calls = api(gateway).as((await api(gateway).signup(`sdk-${index}@example.com`)).record.accessToken)
    const keys = keysOf(index)
    const credentialIds =
      venue === "MOCK" ? [] : [(await calls.createCredential({ venue, ...keys })).record.credentialId]
    const body = venue === "MOCK" ? { externalTradingAccountId: "sdk" } : { credentialIds }
    const { tradingAccountId } = (await calls.connect({ venue, ...body })).record
    await until("an ACTIVE account", async () =>
      (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
    const terms = { name: "sdk bot", scopes: ["trade"], tradingAccountIds: [tradingAccountId] }
    const { apiKey } = (await calls.post<CreatedApiKey>("/apiKey/create", terms)).record
    const instrumentId = `${venue}:BTC/USDT`
    const bot = new SdkBot({ client, url, apiKey, tradingAccountId, instrumentId, patienceMillis: PATIENCE_MILLIS })
    made.push({ bot, venue, exchangeKey: keys.apiKey, calls, tradingAccountId, asked: [], resting: [] })
  }
  await Promise.all(made.map(({ bot }) => bot.ready()))
  return made
}

const newOrder = ({ venue, tradingAccountId }: Trading, price: number, random: () => number): SubmitOrder => {
  const isBuy = random() < 0.5
  const chance = random()
  const at = (factor: number): string => (price * factor).toFixed(2)
  const terms =
    chance < 0.45
      ? ({ orderType: "LIMIT", limitPrice: at(isBuy ? 0.8 : 1.2) } as const)
      : chance < 0.7
        ? ({ orderType: "LIMIT", timeInForce: "IOC", limitPrice: at(isBuy ? 1.02 : 0.98) } as const)
        : ({ orderType: "MARKET" } as const)
  const instrumentId = `${venue}:BTC/USDT`
  return { tradingAccountId, instrumentId, orderSide: isBuy ? "BUY" : "SELL", quantity: "0.001", ...terms }
}

/** Submits it, or again by its key; what comes back is written down. */
const ask = async (trading: Trading, asked: Asked): Promise<void> => {
  const { bot } = trading
  const answer = await (asked.key === null ? bot.submit(asked.order) : bot.submit(asked.order, asked.key))
  asked.key = answer.key
  if (answer.outcome === "Unanswered") asked.unanswered += 1
  else if (answer.outcome === "Refused") asked.refused = answer.code ?? "without a code"
  else if (answer.tradeOrderId !== null) {
    asked.ids.add(answer.tradeOrderId)
    const rests = asked.order.orderType === "LIMIT" && asked.order.timeInForce === undefined
    if (rests && answer.outcome === "Stored") trading.resting.push(answer.tradeOrderId)
  }
}

const step = async (trading: Trading, price: number, random: () => number, busy: Set<Asked>): Promise<void> => {
  const { resting, asked, bot } = trading
  if (random() < 0.3 || resting.length > RESTING_MAX) {
    const [tradeOrderId] = resting.splice(Math.floor(random() * resting.length), 1)
    if (tradeOrderId === undefined) return
    // Without an answer it may rest on: asked for again some time.
    if ((await bot.cancel(tradeOrderId)).outcome === "NoAnswer") resting.push(tradeOrderId)
    return
  }
  const open = asked.filter((one) => isOpen(one) && !busy.has(one))
  let one = open[0]
  if (one === undefined || (open.length < UNANSWERED_MAX && random() < 0.6)) {
    one = { order: newOrder(trading, price, random), key: null, ids: new Set(), refused: null, unanswered: 0 }
    asked.push(one)
  }
  busy.add(one)
  await ask(trading, one)
  busy.delete(one)
}

/** Kills and cuts in an order by chance. */
const blows = (kills: number, cuts: number, random: () => number): ReadonlyArray<"kill" | "cut"> => {
  const all = [...Array<"kill">(kills).fill("kill"), ...Array<"cut">(cuts).fill("cut")]
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    ;[all[at], all[other]] = [all[other]!, all[at]!]
  }
  return all
}

const answeredOf = (trading: ReadonlyArray<Trading>): number =>
  trading.reduce((sum, { asked }) => sum + asked.filter((one) => one.ids.size > 0).length, 0)

/** Runs it all. Leaves nothing running. */
export const sdkBots = async (options: SdkBotsOptions): Promise<ReadonlyArray<Verdict>> => {
  const { progress } = options
  const random = seededRandom(options.seed)
  const exchange = await startExchange()
  const port = await freePort()
  const proxy = await cutProxy({ host: "127.0.0.1", port }, { resets: true })
  const env = {
    PORT: String(port),
    MOCK_TICK_MS: "50",
    RATE_LIMITS: "off",
    VENUE_ROUTES: JSON.stringify(exchange.routes),
  }
  let trading: ReadonlyArray<Trading> = []
  try {
    let gateway = await startGateway({ env, built: options.built })
    const { dataDir } = gateway
    trading = await beginTrading(gateway, `http://127.0.0.1:${proxy.port}`, options.client)
    const prices = await Promise.all(
      trading.map(({ bot }) =>
        until("a book", async () => {
          const { ask } = await bot.report()
          return ask === null ? null : Number(ask)
        }),
      ),
    )
    let isEnding = false
    const lanes = trading.flatMap((one, index) => {
      const busy = new Set<Asked>()
      return Array.from({ length: LANES }, async () => {
        while (!isEnding) {
          await step(one, prices[index]!, random, busy)
          await sleep(random() * 120)
        }
      })
    })
    const failed = Promise.all(lanes)
    failed.catch(() => undefined)
    let [kills, cuts] = [0, 0]
    for (const blow of blows(options.kills, options.cuts, random)) {
      const before = answeredOf(trading)
      if (random() < 0.75) await until("orders under way", () => answeredOf(trading) > before, 120_000)
      await sleep(50 + random() ** 2 * 2_000)
      if (blow === "cut") {
        proxy.cut()
        await sleep(random() * 700)
        proxy.mend()
        cuts += 1
        continue
      }
      gateway.kill("SIGKILL")
      await gateway.exited
      gateway = await startGateway({ env, dataDir, built: options.built })
      kills += 1
      const unanswered = trading.flatMap(({ asked }) => asked).filter(isOpen).length
      progress(`${kills} kills, ${cuts} cuts, ${answeredOf(trading)} orders, ${unanswered} without an answer now`)
    }
    await sleep(1_000)
    isEnding = true
    await failed
    progress("resolving what was never answered, by its key")
    const giveUpAt = performance.now() + RESOLVE_MILLIS
    for (const one of trading)
      for (const asked of one.asked) while (isOpen(asked) && performance.now() < giveUpAt) await ask(one, asked)
    await settleBots(trading, exchange.url, progress)
    return await judgeBots(trading, exchange.url)
  } finally {
    await Promise.all(trading.map(({ bot }) => bot.end()))
    await proxy.close()
    await endGateways()
    await exchange.stop()
  }
}

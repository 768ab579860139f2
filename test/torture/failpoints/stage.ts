/**
 * Where a gateway is killed at a named place: an exchange that outlives it, a database that outlives it, one trader, and what the trader
 * was told. The one thing to know: a request that was never answered is kept with its key, and asked again when the gateway is back.
 */

import { randomBytes, randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import {
  type BinanceExchange,
  type BinanceExchangeOptions,
  startBinanceExchange,
} from "../../exchanges/binance/exchange.ts"
import { type Desk, openClient, openDesk } from "../../kit/desks/hedging-desk.ts"
import { laySeed, scratchDirectory } from "../../kit/postgres.ts"
import { founder } from "../../kit/servers/founder.ts"
import { freePort } from "../../kit/servers/free-port.ts"
import {
  type Answer,
  type Api,
  api,
  type Gateway,
  type Launched,
  launchGateway,
  startGateway,
  until,
} from "../../kit/servers/gateway.ts"
import { attempt } from "../kill/kill-load.ts"
import { BALANCES, OTHER_EXCHANGES, type OtherVenue, SOCKET_PLACES, type StageExchange } from "./exchanges.ts"

/** desk: a client of a dealer that hedges at binance. */
export type StageVenue = "binance" | "mock" | "desk" | OtherVenue

export interface Trader {
  readonly venue: StageVenue
  readonly calls: Api
  readonly tradingAccountId: string
  readonly apiKey: string
  readonly instrumentId: string
  /** Of a client: its dealer, whose linked account is at the exchange. */
  readonly desk: Desk | null
  /** Every tradeOrderId that was answered with HTTP 200. */
  readonly acknowledged: Set<string>
  /** Keys whose request got no answer, with the request. */
  readonly unanswered: Map<string, Readonly<Record<string, unknown>>>
  /** Answered with an error, for good: errno by key. */
  readonly refused: Map<string, number>
  /** The newest answer that decided nothing. */
  trouble: string
}

/** Those that were asked for. */
export type Others = Readonly<Partial<Record<StageVenue, StageExchange>>>

export interface Stage {
  readonly exchange: BinanceExchange
  /** How BINANCE counts an order that arrives. */
  readonly place: string
  readonly others: Others
  readonly databaseUrl: string
  /** The running gateway without a failpoint; null while there is none. */
  readonly gateway: () => Gateway
  /** From the question for a start to its ready line, ms. */
  readonly starts: ReadonlyArray<number>
  /** With a failpoint `NAME:N`: one that sleeps until `wake`. */
  readonly start: (failpoint?: string) => Promise<Gateway>
  /** From here on the hits of the failpoint that the running gateway was started with count. */
  readonly wake: () => Promise<Gateway>
  /** With `NAME:N` that counts from the beginning of the start; it may die before it is ready. */
  readonly arm: (failpoint: string) => Launched
  readonly kill: () => Promise<void>
  readonly enter: (venue: StageVenue) => Promise<Trader>
  readonly close: () => Promise<void>
}

const READY_MILLIS = 60_000
const RECONCILING = "ACCOUNT_RECONCILING"
const RECONCILING_MILLIS = 250

const isOther = (venue: StageVenue): venue is OtherVenue => Object.hasOwn(OTHER_EXCHANGES, venue)

const startOthers = async (
  venues: ReadonlyArray<StageVenue>,
  isOverSocket: (venue: StageVenue) => boolean,
): Promise<Others> => {
  const others: Partial<Record<StageVenue, StageExchange>> = {}
  for (const venue of new Set(venues))
    if (isOther(venue)) others[venue] = await OTHER_EXCHANGES[venue](isOverSocket(venue))
  return others
}

/** `built`: as in test/kit/servers/gateway.ts. `venues`: whose exchanges there are besides BINANCE's. */
export const openStage = async (
  extra: Readonly<Record<string, string>> = {},
  built?: boolean,
  terms: BinanceExchangeOptions = {},
  venues: ReadonlyArray<StageVenue> = [],
): Promise<Stage> => {
  const exchange = await startBinanceExchange(terms)
  const isOverSocket = (venue: StageVenue): boolean => extra["SOCKET_ORDERS"] === venue.toUpperCase()
  const others = await startOthers(venues, isOverSocket)
  const routes = Object.assign({}, exchange.routes, ...Object.values(others).map((it) => it.routes))
  const directory = scratchDirectory("failpoints")
  laySeed(directory)
  const server = await startEmbeddedPostgres({ dataDir: directory })
  const env = {
    PORT: String(await freePort()),
    DATABASE_URL: server.url(),
    VENUE_ROUTES: JSON.stringify(routes),
    MOCK_TICK_MS: "50",
    RATE_LIMITS: "off",
    // What an admin did last is known to the process alone, and after a start only when the session was refreshed: half an hour of kills would end it.
    ADMIN_IDLE_MINUTES: "0",
    ...extra,
  }
  const starts: Array<number> = []
  let running: Gateway | undefined
  let dataDir: string | undefined
  let admin: Api | undefined
  const start = async (failpoint?: string): Promise<Gateway> => {
    const askedAt = performance.now()
    const armed = failpoint === undefined ? {} : { FAILPOINT: `${failpoint}:kill:armed` }
    running = await startGateway({
      env: { ...env, ...armed },
      built,
      ...(dataDir !== undefined && { dataDir }),
    })
    dataDir = running.dataDir
    starts.push(performance.now() - askedAt)
    admin ??= await founder(running)
    return running
  }
  const gateway = (): Gateway => {
    if (running === undefined) throw new Error("no gateway runs")
    return running
  }
  return {
    exchange,
    place: isOverSocket("binance") ? SOCKET_PLACES.binance : "POST /api/v3/order",
    others,
    databaseUrl: server.url(),
    gateway,
    starts,
    start,
    wake: async () => {
      const { kill, stdout } = gateway()
      kill("SIGWINCH")
      await until("the failpoint to be awake", () => stdout.some((line) => line.startsWith("armed ")))
      return gateway()
    },
    arm: (failpoint) =>
      launchGateway({ env: { ...env, FAILPOINT: failpoint }, built, ...(dataDir !== undefined && { dataDir }) }),
    kill: async () => {
      gateway().kill("SIGKILL")
      await gateway().exited
      running = undefined
    },
    enter: (venue) =>
      venue === "desk" ? enterDesk(gateway(), exchange, admin!) : enter(gateway(), exchange, venue, others),
    close: async () => {
      running?.kill("SIGKILL")
      await running?.exited
      await server.stop()
      await exchange.stop()
      for (const other of Object.values(others)) await other.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A new user with an ACTIVE account; `exchange`: where its keys are known, for MOCK nobody. */
export const enter = async (
  gateway: Gateway,
  exchange: BinanceExchange | null,
  venue: StageVenue,
  others: Others = {},
): Promise<Trader> => {
  const session = (await api(gateway).signup(`failpoint-${randomUUID()}@example.com`)).record
  const calls = api(gateway).as(session.accessToken)
  const other = others[venue]
  const keys = other?.enter() ?? { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  let body: Readonly<Record<string, unknown>> =
    venue === "mock" || venue === "kraken" || venue === "gemini" ? { externalTradingAccountId: "failpoints" } : {}
  if (venue === "binance") exchange?.addUser({ ...keys, balances: BALANCES })
  if (venue !== "mock") {
    const { credentialId } = (await calls.createCredential({ venue: venue.toUpperCase(), ...keys })).record
    body = { ...body, credentialIds: [credentialId] }
  }
  const { tradingAccountId } = (await calls.connect({ venue: venue.toUpperCase(), ...body })).record
  const instrumentId = `${venue.toUpperCase()}:${other?.pair ?? "BTC/USDT"}`
  const trader: Trader = {
    venue,
    calls,
    tradingAccountId,
    apiKey: keys.apiKey,
    instrumentId,
    desk: null,
    acknowledged: new Set(),
    unanswered: new Map(),
    refused: new Map(),
    trouble: "",
  }
  await until("an ACTIVE account", () => isActive(trader), READY_MILLIS)
  await calls.orderBook(instrumentId, 1)
  return trader
}

/** A new client of a new dealer. */
const enterDesk = async (gateway: Gateway, exchange: BinanceExchange, admin: Api): Promise<Trader> => {
  const config = { hedge: { repriceMs: 100, retryMs: 1_000 } }
  const desk = await openDesk(admin, exchange, { balances: BALANCES, config })
  const client = await openClient(gateway, desk)
  await admin.orderBook("BINANCE:BTC/USDT", 1)
  return {
    venue: "desk",
    calls: client.calls,
    tradingAccountId: client.tradingAccountId,
    apiKey: desk.apiKey,
    instrumentId: "INTERNAL:BTC/USDT",
    desk,
    acknowledged: new Set(),
    unanswered: new Map(),
    refused: new Map(),
    trouble: "",
  }
}

/** False also while nobody answers. */
const isAccount = async ({ calls, tradingAccountId }: Trader, wanted: string): Promise<boolean> => {
  const found = await attempt(() => calls.accounts({ tradingAccountId }))
  return found?.envelope.data?.some(({ status }) => status === wanted) === true
}

export const isActive = (trader: Trader): Promise<boolean> => isAccount(trader, "ACTIVE")

/** A disconnect goes on after a restart; until it is done its orders are as it found them, or on their way out. */
export const isLeaving = (trader: Trader): Promise<boolean> => isAccount(trader, "LOCKED")

/** Submits under a new key; undefined when there was no answer, or none that says what became of it. */
export const submit = async (
  trader: Trader,
  terms: Readonly<Record<string, unknown>>,
): Promise<TradeOrderRecord | undefined> => {
  const { tradingAccountId, instrumentId } = trader
  const key = randomUUID()
  const body = { tradingAccountId, instrumentId, idempotencyKey: key, quantity: "0.001", ...terms }
  trader.unanswered.set(key, body)
  trader.trouble = ""
  const order = await ask(trader, key, body)
  // A definite no while the account agrees with its venue: it is asked again later, as a new order.
  if (trader.trouble.includes(RECONCILING)) {
    trader.unanswered.delete(key)
    await sleep(RECONCILING_MILLIS)
  }
  return order
}

/** With a key that may have been used: the answer must be the same order. */
export const ask = async (
  trader: Trader,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<TradeOrderRecord | undefined> => {
  const answer = await attempt(() => trader.calls.submit(body))
  const order = answer?.envelope.data ?? undefined
  if (answer?.status === 200 && order !== undefined) {
    trader.unanswered.delete(key)
    trader.acknowledged.add(order.tradeOrderId)
    return order
  }
  if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
    trader.unanswered.delete(key)
    trader.refused.set(key, answer.envelope.errno)
  } else if (answer !== undefined) trader.trouble = `${answer.status} ${answer.text.slice(0, 300)}`
  return undefined
}

/** Any other request; undefined when there was no answer. */
export const call = <A>(
  { calls }: Trader,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer<A> | undefined> => attempt(() => calls.post<A>(path, body))

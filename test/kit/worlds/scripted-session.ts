/** One account's session on a real ccxt instance whose HTTP answers are scripted: which reports result from a venue's answers. */
import type { InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import type { SessionReport, VenueOrderRef } from "../../../src/ports/venue-session.ts"
import type { VenueProfile } from "../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import type { CcxtExchange } from "../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances } from "../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../src/venues/worker/exchange/load.ts"
import { Listing, type Markets } from "../../../src/venues/worker/exchange/markets.ts"
import { PrivateSession } from "../../../src/venues/worker/session/private-session.ts"

export interface Asked {
  readonly url: string
  readonly method: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Scripted {
  readonly session: PrivateSession
  readonly exchange: CcxtExchange
  readonly profile: VenueProfile
  readonly instrumentId: InstrumentId
  readonly reports: Array<SessionReport>
  readonly asked: Array<Asked>
  readonly ref: VenueOrderRef
}

/** ccxt's `setMarkets`, and the function through which all its requests go. */
interface Fetching extends CcxtExchange {
  setMarkets(markets: ReadonlyArray<object>, currencies?: object): unknown
  fetch(url: string, method: string, headers?: unknown, body?: unknown): Promise<unknown>
}

/** Gemini wants the word in its keys. */
const SECRETS = { apiKey: "account-key", apiSecret: "c2VjcmV0", apiPassphrase: "passphrase" }
export const TRADE_ORDER_ID = "01234567-89ab-4def-8123-456789abcdef" as TradeOrderId
export const VENUE_ORDER_ID = "1001"

const never = (): Promise<never> => new Promise(() => undefined)

/** `id`: the venue's name of the market BTC/USDT. */
export const scripted = async (
  venue: string,
  id: string,
  answer: (asked: Asked) => unknown,
  change: Partial<VenueProfile> = {},
  /** Requests wait for the venue's budget. */
  isPaced = false,
  /** Where its sockets are led; without them it never logs in. */
  routes: Readonly<Record<string, string>> = {},
): Promise<Scripted> => {
  const found = PROFILES.find((it) => it.venue === venue)
  if (found === undefined) throw new Error(`no profile of ${venue}`)
  const profile = { ...found, ...change, options: { ...found.options, ...change.options } }
  const settings = { profile, routes, proxy: null }
  const exchange = privateInstances(await loadExchange(profile.exchange), settings)(SECRETS) as Fetching
  const isSwap = profile.lists === "perpetual"
  const symbol = isSwap ? "BTC/USDT:USDT" : "BTC/USDT"
  exchange.setMarkets([
    {
      id,
      symbol,
      base: "BTC",
      quote: "USDT",
      settle: isSwap ? "USDT" : undefined,
      baseId: "BTC",
      quoteId: "USDT",
      type: isSwap ? "swap" : "spot",
      spot: !isSwap,
      swap: isSwap,
      contract: isSwap,
      linear: isSwap ? true : undefined,
      active: true,
      precision: { price: "0.01", amount: "0.00001" },
      limits: { amount: {}, price: {}, cost: {} },
      info: {},
    },
  ])
  const asked: Array<Asked> = []
  exchange.fetch = async (url, method, headers, body) => {
    const one = {
      url,
      method,
      body: typeof body === "string" ? body : "",
      headers: (headers ?? {}) as Readonly<Record<string, string>>,
    }
    asked.push(one)
    return answer(one)
  }
  if (!isPaced) exchange.throttle = () => Promise.resolve()
  if (Object.keys(routes).length === 0) exchange.authenticate = never
  const listing = new Listing(profile)
  listing.update(exchange.markets)
  const markets: Pick<Markets, "timed" | "share" | "unshare" | "venueNow" | "syncClock" | "listing"> = {
    timed: () => Promise.resolve(),
    share: () => undefined,
    unshare: () => undefined,
    venueNow: () => Date.now(),
    syncClock: () => Promise.resolve(),
    listing,
  }
  const reports: Array<SessionReport> = []
  const session = new PrivateSession(profile, exchange, markets as Markets, (report) => reports.push(report))
  const instrumentId = `${venue}:BTC/USDT` as InstrumentId
  return {
    session,
    exchange,
    profile,
    instrumentId,
    reports,
    asked,
    ref: { tradeOrderId: TRADE_ORDER_ID, externalOrderId: VENUE_ORDER_ID, instrumentId },
  }
}

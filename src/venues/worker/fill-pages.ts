/** All pages of an account's lists: its fills of one market, its open orders. Venues page differently: `VenueProfile.fillsPage`. */
import type { InstrumentId } from "../../domain/ids.ts"
import type { VenueFill } from "../../ports/venue-session.ts"
import type { VenueProfile } from "../profile.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "./ccxt.ts"
import type { KnownOrders } from "./known-orders.ts"
import type { Listing } from "./listing.ts"
import { fill } from "./normalise.ts"
import { quirksOf } from "./quirks.ts"

/** Fills of one request; Binance gives at most 1,000. */
const FILLS_PAGE = 1000

/** Since `since` (venue ms, inclusive), in the venue's order. */
export const fillsOf = async (
  profile: VenueProfile,
  exchange: CcxtExchange,
  known: KnownOrders,
  listing: Listing,
  instrumentId: InstrumentId,
  since: number,
): Promise<ReadonlyArray<VenueFill>> => {
  const symbol = listing.symbolOf(instrumentId)
  // One without a time is in the history since then: that much is known of it.
  const found = (trade: CcxtTrade) =>
    fill(profile.venue, listing.named(trade), { clientId: known.clientIdOf(trade.order), at: since })
  if (profile.fillsPage === "older") {
    const trades = await newestFirst(profile, (size, params) => exchange.fetchMyTrades(symbol, since, size, params))
    return trades.flatMap((trade) => found(trade) ?? []).filter(({ executedAt }) => executedAt >= since)
  }
  const seen = new Map<string, VenueFill>()
  let from: number | undefined = since
  let params: Raw = {}
  for (;;) {
    const page = await exchange.fetchMyTrades(symbol, from, FILLS_PAGE, { ...params })
    const before = seen.size
    for (const trade of page) {
      const one = found(trade)
      // Both sides of a self trade carry one id.
      if (one !== undefined && one.executedAt >= since) seen.set(`${one.externalTradeId} ${one.orderSide}`, one)
    }
    const last = page.at(-1)
    if (page.length < FILLS_PAGE || last?.id === undefined || seen.size === before) return [...seen.values()]
    if (profile.fillsPage === "fromId") {
      from = undefined
      params = { fromId: (BigInt(last.id) + 1n).toString() }
    } else from = last.timestamp ?? since
  }
}

export const openOrdersOf = async (
  profile: VenueProfile,
  exchange: CcxtExchange,
): Promise<ReadonlyArray<CcxtOrder>> => {
  const { pages } = quirksOf(profile)
  if (pages === undefined) return exchange.fetchOpenOrders()
  const all: Array<ReadonlyArray<CcxtOrder>> = []
  for (let params: Raw | undefined = {}; params !== undefined; ) {
    const page: ReadonlyArray<CcxtOrder> = await exchange.fetchOpenOrders(undefined, undefined, pages.size, params)
    all.unshift(page)
    params = page.length < pages.size ? undefined : pages.olderOrders(page)
  }
  return all.flat()
}

/** Pages go back in time; each is in the order of time. An id bounds the next page, so none can come twice. */
const newestFirst = async (
  profile: VenueProfile,
  fetch: (size: number, params: Raw) => Promise<ReadonlyArray<CcxtTrade>>,
): Promise<ReadonlyArray<CcxtTrade>> => {
  const { pages } = quirksOf(profile)
  if (pages === undefined) throw new Error(`${profile.venue} has no way to ask for older fills`)
  const all: Array<ReadonlyArray<CcxtTrade>> = []
  for (let params: Raw | undefined = {}; params !== undefined; ) {
    const page: ReadonlyArray<CcxtTrade> = await fetch(pages.size, params)
    all.unshift(page)
    params = page.length < pages.size ? undefined : pages.olderFills(page)
  }
  return all.flat()
}

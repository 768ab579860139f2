/** All pages of an account's fills of one market. Venues page differently: `VenueProfile.fillsPage` says how. */
import type { VenueFill } from "../../ports/venue-port.ts"
import type { VenueProfile } from "../profile.ts"
import type { CcxtExchange, Raw } from "./ccxt.ts"
import type { KnownOrders } from "./known-orders.ts"
import { fill } from "./normalise.ts"

/** Fills of one request; Binance gives at most 1,000. */
const FILLS_PAGE = 1000

/** Since `since` (venue ms, inclusive), in the venue's order. */
export const fillsOf = async (
  profile: VenueProfile,
  exchange: CcxtExchange,
  known: KnownOrders,
  symbol: string,
  since: number,
): Promise<ReadonlyArray<VenueFill>> => {
  const seen = new Map<string, VenueFill>()
  let from: number | undefined = since
  let params: Raw = {}
  for (;;) {
    const page = await exchange.fetchMyTrades(symbol, from, FILLS_PAGE, { ...params })
    const before = seen.size
    for (const trade of page) {
      const found = fill(profile.venue, trade, { clientId: known.clientIdOf(trade.order) })
      // Both sides of a self trade carry one id.
      if (found !== undefined && found.executedAt >= since)
        seen.set(`${found.externalTradeId} ${found.orderSide}`, found)
    }
    const last = page.at(-1)
    if (page.length < FILLS_PAGE || last?.id === undefined || seen.size === before) return [...seen.values()]
    if (profile.fillsPage === "fromId") {
      from = undefined
      params = { fromId: (BigInt(last.id) + 1n).toString() }
    } else from = last.timestamp ?? since
  }
}

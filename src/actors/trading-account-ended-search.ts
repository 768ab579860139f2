/** Orders that ended while nothing was heard of them: read many at once where the venue can, and one at a time otherwise. */
import { Effect } from "effect"
import type { VenueUnavailable } from "../domain/errors/venue.ts"
import type { InstrumentId, TradeOrderId } from "../domain/ids.ts"
import type { EndedSince, OrderLookup, VenueLists } from "../ports/venue-session.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"
import { FILLS_MARGIN_MILLIS } from "./trading-account-trades.ts"

/** A page costs about as much as a few single questions: it is worth asking for while it answers more. */
const ORDERS_PER_PAGE_MIN = 5

/** What is looked for, and how far the list was read. */
export interface EndedSearch {
  readonly markets: ReadonlyArray<EndedSince>
  readonly found: Map<TradeOrderId, OrderLookup>
  readonly missing: Set<Live>
  cursor: string | null
  pagesLeft: number
}

/** Null where the venue has no such list. */
export const endedSearch = (session: VenueLists, asked: ReadonlyArray<Live>): EndedSearch | null =>
  session.fetchEnded === undefined
    ? null
    : {
        markets: marketsOf(asked),
        found: new Map(),
        missing: new Set(asked),
        cursor: null,
        pagesLeft: Math.ceil(asked.length / ORDERS_PER_PAGE_MIN),
      }

const isNumber = (text: string | null): text is string => text !== null && /^\d+$/.test(text)

const marketsOf = (asked: ReadonlyArray<Live>): ReadonlyArray<EndedSince> => {
  const markets = new Map<InstrumentId, EndedSince>()
  for (const { order } of asked) {
    const known = markets.get(order.instrumentId)
    const id = isNumber(order.externalOrderId) ? order.externalOrderId : null
    const other = known === undefined ? id : known.oldestId
    markets.set(order.instrumentId, {
      instrumentId: order.instrumentId,
      since: Math.min(known?.since ?? Number.MAX_SAFE_INTEGER, order.createdAt - FILLS_MARGIN_MILLIS),
      oldestId: id === null || other === null ? null : BigInt(id) < BigInt(other) ? id : other,
    })
  }
  return [...markets.values()]
}

/** Until all are found, or the list ends, or it is no longer worth it. */
export const searchEnded = (
  core: AccountCore,
  session: VenueLists,
  search: EndedSearch,
): Effect.Effect<void, VenueUnavailable> =>
  Effect.suspend(() => {
    const { fetchEnded } = session
    if (fetchEnded === undefined || search.pagesLeft <= 0 || search.missing.size === 0) return Effect.void
    return Effect.flatMap(fetchEnded(search.markets, search.cursor), ({ orders, next }) => {
      for (const state of orders) {
        const live = core.orders.findAtVenue(state)
        if (live === undefined || !search.missing.delete(live)) continue
        search.found.set(live.order.tradeOrderId, { _tag: "Found", state })
      }
      search.cursor = next
      search.pagesLeft = next === null ? 0 : search.pagesLeft - 1
      return searchEnded(core, session, search)
    })
  })

/** An account's lists, page by page as its venue gives them: fills, orders that are open, orders that are over. */
import type { InstrumentId } from "../../../domain/ids.ts"
import type { EndedSince, VenueFill } from "../../../ports/venue-session.ts"
import type { PageCursor } from "../../adapters/paging.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade } from "../exchange/ccxt.ts"
import type { Listing } from "../exchange/listing.ts"
import type { KnownOrders } from "./known-orders.ts"
import { fill } from "./normalise.ts"
import { firstPage, readPage } from "./pages.ts"

/** What a list is read with. */
export interface ListReader {
  readonly profile: VenueProfile
  readonly exchange: CcxtExchange
  readonly listing: Listing
  /** Venue ms. */
  readonly now: number
}

/** Of lists that are read one after the other: which one, and where in it. Its text is the cursor that leaves this file. */
interface Place {
  readonly list: number
  readonly page: PageCursor
}

const placeOf = (cursor: string | null, first: () => PageCursor): Place =>
  cursor === null ? { list: 0, page: first() } : (JSON.parse(cursor) as Place)

/** `first`: the first page of the list after this one; undefined after the last. */
const textOf = (
  list: number,
  next: PageCursor | null,
  first: (list: number) => PageCursor | undefined,
): string | null => {
  const page = next ?? first(list + 1)
  return page === undefined ? null : JSON.stringify({ list: next === null ? list + 1 : list, page } satisfies Place)
}

/** Since `since` (venue ms, inclusive). `next` null: that was all. */
export const fillsPage = async (
  { profile, exchange, listing, now }: ListReader,
  known: KnownOrders,
  {
    since,
    instruments,
    cursor,
  }: {
    readonly since: number
    readonly instruments: ReadonlyArray<InstrumentId>
    readonly cursor: string | null
  },
): Promise<{ readonly fills: ReadonlyArray<VenueFill>; readonly next: string | null }> => {
  const { of, paging } = profile.fills
  const lists: ReadonlyArray<InstrumentId | null> = of === "ACCOUNT" ? [null] : instruments
  const { list, page } = placeOf(cursor, () => firstPage(since))
  const instrumentId = lists[list]
  if (instrumentId === undefined) return { fills: [], next: null }
  const symbol = instrumentId === null ? undefined : listing.symbolOf(instrumentId)
  const { rows, next } = await readPage<CcxtTrade>(paging, page, now, (request) =>
    exchange.fetchMyTrades(symbol, request.since, request.limit, request.params),
  )
  const wanted = new Set(instruments)
  const fills = rows.flatMap((trade) => {
    // One without a time is in the history since then: that much is known of it.
    const row = listing.named(trade)
    const found = fill(profile.venue, row, { clientId: known.clientIdOfTrade(profile.venue, row), at: since })
    return found !== undefined && found.executedAt >= since && wanted.has(found.instrumentId) ? [found] : []
  })
  return { fills, next: textOf(list, next, (it) => (lists[it] === undefined ? undefined : firstPage(since))) }
}

/** Orders that are over, and whatever else the list has of that time. */
export const endedPage = async (
  { profile, exchange, listing, now }: ListReader,
  markets: ReadonlyArray<EndedSince>,
  cursor: string | null,
): Promise<{ readonly orders: ReadonlyArray<CcxtOrder>; readonly next: string | null }> => {
  if (profile.endedOrders === null) throw new Error(`${profile.venue} has no list of orders that are over`)
  const { of, lists, starts, paging } = profile.endedOrders
  const oldest = Math.min(...markets.map(({ since }) => since))
  const ways = (of === "ACCOUNT" ? [null] : markets).flatMap((market) => lists.map((name) => ({ market, name })))
  const first = (list: number): PageCursor | undefined => {
    const way = ways[list]
    if (way === undefined) return undefined
    return starts === "ID"
      ? { ...firstPage(null), at: way.market?.oldestId ?? null }
      : firstPage(way.market?.since ?? oldest)
  }
  const { list, page } = placeOf(cursor, () => first(0) ?? firstPage(null))
  const way = ways[list]
  if (way === undefined) return { orders: [], next: null }
  const symbol = way.market === null ? undefined : listing.symbolOf(way.market.instrumentId)
  const { rows, next } = await readPage<CcxtOrder>(paging, page, now, ({ since, limit, params }) =>
    exchange[way.name](symbol, since, limit, params),
  )
  return { orders: rows, next: textOf(list, next, first) }
}

/**
 * One page of a venue's list, and where the next one begins, by the profile's `Paging`. A venue that returns the same page again, or more rows
 * with one timestamp than a page holds, cannot be read completely: that is a failure, never a shorter list.
 */
import type { PageCursor, Paging, VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtOrder, CcxtTrade, Raw } from "../exchange/ccxt.ts"
import { venueInstant } from "../exchange/instants.ts"

type Row = Pick<CcxtTrade | CcxtOrder, "id" | "timestamp" | "info">

/** ccxt's arguments for one request. */
export interface PageRequest {
  readonly since: number | undefined
  readonly limit: number | undefined
  readonly params: Raw
}

interface Page<R> {
  readonly rows: ReadonlyArray<R>
  /** Null: this was the last one. */
  readonly next: PageCursor | null
}

/** Named, because its name is what a failure is classified by: nothing is known of what it asked for. */
export class PagingFailed extends Error {
  override readonly name = "BadResponse"
}

export const firstPage = (since: number | null): PageCursor => ({ since, at: null, first: null })

/** `now` is the venue's time, ms. */
export const readPage = async <R extends Row>(
  paging: Paging,
  cursor: PageCursor,
  now: number,
  ask: (request: PageRequest) => Promise<ReadonlyArray<R>>,
): Promise<Page<R>> => {
  if (paging.way === "WHOLE") {
    const rows = await ask({ since: cursor.since ?? undefined, limit: undefined, params: {} })
    return { rows, next: null }
  }
  const until = endOf(paging, cursor, now)
  const rows = identified(await ask(requestOf(paging, cursor, until)))
  const first = rows[0]?.id ?? null
  const isFull = rows.length >= paging.size
  const at = nextAt(paging, cursor, rows)
  const isShortLast = paging.way !== "CURSOR" && paging.last === "SHORT"
  const isLast = at === undefined || (isShortLast && !isFull) || rows.length === 0
  if (!isLast) {
    // A page that begins at a time has its first row from the page before, and by its newest one is another.
    if (paging.way !== "AFTER_TIME" && first !== null && first === cursor.first)
      throw new PagingFailed("the venue returned the same page of a list again: it cannot be read completely")
    return { rows, next: { since: at.since, at: at.at, first } }
  }
  return { rows, next: until === undefined ? null : firstPage(until) }
}

/** ccxt hangs a cursor on a row of its own making where the page has none. */
const identified = <R extends Row>(rows: ReadonlyArray<R>): ReadonlyArray<R> =>
  rows.filter(({ id }) => id !== undefined && id !== "")

type Sized = Exclude<Paging, { readonly way: "WHOLE" }>

/**
 * Of the window that is being read; undefined where there is none, and of the last one, which has no end: our reading of the venue's clock is
 * late by the way of an answer, and would cut off what has happened since. Ids and times that go on by themselves need no further window.
 */
const endOf = (paging: Sized, { since, at }: PageCursor, now: number): number | undefined => {
  if (paging.windowMillis === undefined || since === null || (paging.way === "AFTER_ID" && at !== null))
    return undefined
  const end = since + paging.windowMillis
  return end < now ? end : undefined
}

const requestOf = (paging: Sized, { since, at }: PageCursor, until: number | undefined): PageRequest => {
  const { size, sizeParam } = paging
  const params: Record<string, unknown> = { ...paging.params }
  if (sizeParam !== undefined) params[sizeParam] = size
  if (until !== undefined) params["until"] = until
  if (at !== null && paging.way !== "AFTER_TIME") params[paging.param] = paging.way === "OFFSET" ? Number(at) : at
  const isByIdAlone = paging.way === "AFTER_ID" && at !== null
  return { since: isByIdAlone ? undefined : (since ?? undefined), limit: size, params }
}

/** Where the page after this one begins; undefined: nowhere. */
const nextAt = (
  paging: Sized,
  { since, at }: PageCursor,
  rows: ReadonlyArray<Row>,
): Pick<PageCursor, "since" | "at"> | undefined => {
  switch (paging.way) {
    case "AFTER_ID": {
      const newest = extreme(rows, undefined, (a, b) => a > b)
      return newest === undefined ? unnumbered(paging, rows) : { since, at: (newest + 1n).toString() }
    }
    case "AFTER_TIME": {
      const newest = Math.max(...times(rows))
      if (!Number.isFinite(newest)) return undefined
      if (newest > (since ?? 0)) return { since: newest, at: null }
      if (rows.length >= paging.size)
        throw new PagingFailed("more rows with one timestamp than a page of the list can hold")
      return undefined
    }
    case "BEFORE_ID": {
      const oldest = extreme(rows, paging.field, (a, b) => a < b)
      if (oldest === undefined) return unnumbered(paging, rows)
      return isPast(rows, since) ? undefined : { since, at: oldest.toString() }
    }
    case "BEFORE_TIME": {
      const oldest = Math.min(...times(rows))
      if (!Number.isFinite(oldest) || isPast(rows, since)) return undefined
      return { since, at: paging.as === "ISO" ? new Date(oldest + 1).toISOString() : String(oldest + 1) }
    }
    case "CURSOR": {
      const cursor = rows.map(({ info }) => info?.[paging.field]).find((it) => typeof it === "string" && it !== "")
      return cursor === undefined ? undefined : { since, at: String(cursor) }
    }
    case "OFFSET":
      return isPast(rows, since) ? undefined : { since, at: String(Number(at ?? 0) + paging.size) }
    case "NUMBER":
      return { since, at: String(Number(at ?? 1) + 1) }
  }
}

const unnumbered = ({ size }: Sized, rows: ReadonlyArray<Row>): undefined => {
  if (rows.length >= size) throw new PagingFailed("a full page of a list has no id to continue from")
  return undefined
}

const times = (rows: ReadonlyArray<Row>): ReadonlyArray<number> =>
  rows.flatMap(({ timestamp }) => venueInstant(timestamp) ?? [])

/** Newest first: what is wanted was on this page already. */
const isPast = (rows: ReadonlyArray<Row>, since: number | null): boolean =>
  since !== null && Math.min(...times(rows)) < since

/** Of ids that are numbers; they are longer than a float is exact. */
const extreme = (
  rows: ReadonlyArray<Row>,
  field: string | undefined,
  isBetter: (a: bigint, b: bigint) => boolean,
): bigint | undefined => {
  let best: bigint | undefined
  for (const { id, info } of rows) {
    const text = String((field === undefined ? id : info?.[field]) ?? "")
    if (!/^\d+$/.test(text)) continue
    const value = BigInt(text)
    if (best === undefined || isBetter(value, best)) best = value
  }
  return best
}

// The orders that are open, of the whole account or of one market, all pages.

/** `now`: venue ms. */
export const openOrdersOf = async (
  { profile, exchange, now }: { readonly profile: VenueProfile; readonly exchange: CcxtExchange; readonly now: number },
  symbol?: string,
): Promise<ReadonlyArray<CcxtOrder>> => {
  const all = new Map<string | undefined, CcxtOrder>()
  for (let cursor: PageCursor | null = firstPage(null); cursor !== null; ) {
    const page: Page<CcxtOrder> = await readPage(profile.openOrders, cursor, now, ({ limit, params }) =>
      exchange.fetchOpenOrders(symbol, undefined, limit, params),
    )
    for (const order of page.rows) all.set(order.id, order)
    cursor = page.next
  }
  return [...all.values()]
}

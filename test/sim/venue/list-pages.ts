/**
 * One page of a list as the venue gives it, and where the next one begins: after a row, before one, or by a count, which rows that have come
 * since then have shifted.
 */
import type { SimList } from "../traits.ts"

/** Newer ones are larger, by their first number and then by their second. */
type Key = readonly [number, number]

export interface Place {
  /** Of lists that are read one after the other: which one. */
  readonly part: number
  /** Where the window begins. */
  readonly since: number
  /** A row's key, or the number of rows before it; null on the first page of a window. */
  readonly at: Key | number | null
}

export const FIRST: Place = { part: 0, since: 0, at: null }

export interface ListOf<Row> {
  /** Oldest first. */
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => Key
  /** What windows go by; null: it has none. */
  readonly timeOf: ((row: Row) => number) | null
}

export interface Page<Row> {
  /** In the venue's order. */
  readonly rows: ReadonlyArray<Row>
  /** Null: this was the last. */
  readonly next: Place | null
}

const isAfter = ([a, b]: Key, [c, d]: Key): boolean => a > c || (a === c && b > d)

export const pageOf = <Row>(list: SimList, place: Place, now: number, of: ListOf<Row>): Page<Row> => {
  const { timeOf } = of
  const end = timeOf === null || list.windowMillis === null ? null : place.since + list.windowMillis
  const until = end !== null && end < now ? end : null
  const isIn = (row: Row): boolean => timeOf === null || (timeOf(row) >= place.since && timeOf(row) <= (until ?? now))
  const rows = list.windowMillis === null ? of.rows : of.rows.filter(isIn)
  const page = rowsOf(list, place.at, rows, of.keyOf)
  const isLast = list.way === "WHOLE" || page.length === 0 || (list.last === "SHORT" && page.length < list.size)
  if (isLast) return { rows: page, next: until === null ? null : { ...place, since: until, at: null } }
  const last = page.at(-1)!
  const at = list.way === "POSITION" ? countOf(place.at) + list.size : of.keyOf(last)
  return { rows: page, next: { ...place, at } }
}

const countOf = (at: Place["at"]): number => (typeof at === "number" ? at : 0)

const rowsOf = <Row>(
  { way, size }: SimList,
  at: Place["at"],
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => Key,
): ReadonlyArray<Row> => {
  const key = at === null || typeof at === "number" ? null : at
  switch (way) {
    case "WHOLE":
      return rows
    case "OLDEST":
      return (key === null ? rows : rows.filter((row) => isAfter(keyOf(row), key))).slice(0, size)
    case "NEWEST":
      return (key === null ? rows : rows.filter((row) => isAfter(key, keyOf(row)))).toReversed().slice(0, size)
    case "POSITION":
      return rows.toReversed().slice(countOf(at), countOf(at) + size)
  }
}

/** The cursor that leaves the session, read; `since` is where each of the lists begins. */
export const placeOf = (cursor: string | null, since: number): Place =>
  cursor === null ? { ...FIRST, since } : (JSON.parse(cursor) as Place)

/** Null after the last page of the last list. */
export const textOf = (next: Place | null, { part }: Place, parts: number, since: number): string | null => {
  if (next !== null) return JSON.stringify(next)
  return part + 1 < parts ? JSON.stringify({ ...FIRST, part: part + 1, since }) : null
}

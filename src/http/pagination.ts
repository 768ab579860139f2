/**
 * Pages and their cursors. A cursor is opaque and signed: it carries its list, its user, its filters, the position to continue from and the first
 * page's total; one that we did not issue is refused (contract C14).
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { COUNTED_MAX } from "../domain/counted.ts"
import { ConflictingParameters, InvalidCursor } from "../domain/errors/request.ts"
import type { Pagination } from "./edge/envelope.ts"

/** Null and undefined both mean: not filtered by this. */
export type Filters = Readonly<Record<string, string | number | boolean | null | undefined>>

interface CursorContent {
  /** List and user: a cursor is good for one of each. */
  readonly scope: string
  readonly filters: Readonly<Record<string, string | number | boolean>>
  /** Sort key of the page's last record. */
  readonly after: string
  readonly total: number
  readonly isLowerBound: boolean
}

export interface PageRequest {
  readonly scope: string
  readonly filters: Filters
  readonly limit: number
  readonly offset: number
  readonly cursor: string | undefined
}

/** What a list goes by: the request's own terms, or those of its cursor. */
export interface PagePlan {
  readonly scope: string
  readonly filters: Readonly<Record<string, string | number | boolean>>
  readonly limit: number
  readonly offset: number
  /** Sort key after which to go on; null on the first page. */
  readonly after: string | null
  /** The first page's total; null on the first page. */
  readonly total: { readonly count: number; readonly isLowerBound: boolean } | null
}

export interface Cursors {
  readonly plan: (request: PageRequest) => PagePlan | InvalidCursor | ConflictingParameters
  /** `last`: sort key of the page's last record; null when nothing follows. */
  readonly pagination: (plan: PagePlan, total: number, last: string | null, isLowerBound?: boolean) => Pagination
}

const given = (filters: Filters): Record<string, string | number | boolean> => {
  const set: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(filters)) if (value !== null && value !== undefined) set[name] = value
  return set
}

const SIGNATURE_BYTES = 16

/** `keys`: the first signs, any of them is believed. */
export const makeCursors = (keys: () => ReadonlyArray<Uint8Array>): Cursors => {
  const signature = (key: Uint8Array, content: string): Buffer =>
    createHmac("sha256", key).update("cursor:").update(content).digest().subarray(0, SIGNATURE_BYTES)

  const write = (content: CursorContent): string => {
    const text = Buffer.from(JSON.stringify(content)).toString("base64url")
    return `${text}.${signature(keys()[0]!, text).toString("base64url")}`
  }

  const read = (cursor: string): CursorContent | undefined => {
    const dot = cursor.indexOf(".")
    const text = cursor.slice(0, dot)
    const signed = Buffer.from(cursor.slice(dot + 1), "base64url")
    const isOurs = (key: Uint8Array): boolean => timingSafeEqual(signed, signature(key, text))
    if (dot < 1 || signed.length !== SIGNATURE_BYTES || !keys().some(isOurs)) return undefined
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as CursorContent
  }

  return {
    plan: ({ scope, filters, limit, offset, cursor }) => {
      const asked = given(filters)
      if (cursor === undefined) return { scope, filters: asked, limit, offset, after: null, total: null }
      const content = read(cursor)
      if (content === undefined || content.scope !== scope) return new InvalidCursor()
      const changed = Object.keys(asked).filter((name) => asked[name] !== content.filters[name])
      if (changed.length > 0) return new ConflictingParameters({ parameters: ["cursor", ...changed] })
      const total = { count: content.total, isLowerBound: content.isLowerBound }
      return { scope, filters: content.filters, limit, offset: 0, after: content.after, total }
    },
    pagination: (plan, total, last, isLowerBound = false) => ({
      offset: plan.offset,
      limit: plan.limit,
      total,
      cursor:
        last === null ? null : write({ scope: plan.scope, filters: plan.filters, after: last, total, isLowerBound }),
      hasNext: last !== null,
      ...(isLowerBound ? { totalIsLowerBound: true } : {}),
    }),
  }
}

/** A page of what is in memory: sorted by `keyOf` in this order, keys unique. */
export const pageOf = <A>(
  cursors: Cursors,
  plan: PagePlan,
  items: ReadonlyArray<A>,
  keyOf: (item: A) => string,
  order: "ascending" | "descending" = "ascending",
): { readonly items: ReadonlyArray<A>; readonly pagination: Pagination } => {
  const { after, limit, offset } = plan
  // The record itself may be gone meanwhile: go on behind the place where it stood.
  const isBehind = (key: string): boolean => after === null || (order === "ascending" ? key > after : key < after)
  const next = after === null ? offset : items.findIndex((item) => isBehind(keyOf(item)))
  const start = next < 0 ? items.length : next
  const page = items.slice(start, start + limit)
  const last = page.at(-1)
  const hasNext = last !== undefined && start + limit < items.length
  return {
    items: page,
    pagination: cursors.pagination(plan, plan.total?.count ?? items.length, hasNext ? keyOf(last) : null),
  }
}

/**
 * A page of what the store lists, which was asked for one row more than a page has. `count`, of the whole list and up to COUNTED_MAX + 1,
 * is run for the first page alone.
 */
export const countedPage = <A, E, R>(
  cursors: Cursors,
  plan: PagePlan,
  rows: ReadonlyArray<A>,
  keyOf: (row: A) => string,
  count: Effect.Effect<number, E, R>,
): Effect.Effect<{ readonly items: ReadonlyArray<A>; readonly pagination: Pagination }, E, R> =>
  Effect.gen(function* () {
    const items = rows.slice(0, plan.limit)
    const counted = plan.total?.count ?? (yield* count)
    const isLowerBound = plan.total?.isLowerBound ?? counted > COUNTED_MAX
    const last = items.at(-1)
    const next = rows.length > plan.limit && last !== undefined ? keyOf(last) : null
    return { items, pagination: cursors.pagination(plan, Math.min(counted, COUNTED_MAX), next, isLowerBound) }
  })

/** In text order of the key, as `pageOf` wants it. */
export const sortedBy = <A>(
  items: ReadonlyArray<A>,
  keyOf: (item: A) => string,
  order: "ascending" | "descending" = "ascending",
): ReadonlyArray<A> => {
  const sign = order === "ascending" ? 1 : -1
  return [...items].sort((a, b) => {
    const left = keyOf(a)
    const right = keyOf(b)
    return left < right ? -sign : left > right ? sign : 0
  })
}

/** Sort key of records that are listed newest first: fixed width, so that text order is time order. */
export const timeKey = (at: number, id: string): string => `${at.toString().padStart(15, "0")}|${id}`

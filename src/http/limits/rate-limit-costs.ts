/** What each operation takes from which bucket (contract C15). A new one takes 1 from its user's, a list 2. */
import type { Operation } from "../edge/failures.ts"

export interface RouteCost {
  /** http: of the user, without a token of the address. The others are taken from by the actors, and are all that their operations take. */
  readonly bucket: "http" | "orderSubmit" | "orderCancel" | "quoteRequest"
  /** 0: nothing is taken, but how the bucket stands is told all the same. */
  readonly weight: number
  /** What is due beyond it once the query is known; null: nothing. */
  readonly more: ((query: unknown) => number) | null
}

export const PLAIN_COST: RouteCost = { bucket: "http", weight: 1, more: null }

const LIST = 2
const DEEP_BOOK = 5
/** Levels of a side that cost no more. */
const DEPTH = 100

interface BookQuery {
  readonly depth?: number
  readonly instrumentIds?: ReadonlyArray<string>
}

const isDeep = ({ depth }: BookQuery): boolean => depth !== undefined && depth > DEPTH

const OWN: Readonly<Record<string, Exclude<RouteCost["bucket"], "http">>> = {
  "tradeOrder.submit": "orderSubmit",
  "tradeOrder.replace": "orderSubmit",
  "tradeOrder.cancel": "orderCancel",
  "tradeOrder.cancelAll": "orderCancel",
  "tradeOrder.cancelAllAfter": "orderCancel",
  "quote.request": "quoteRequest",
}

const WEIGHTS: Readonly<Record<string, number>> = {
  "root.health": 0,
  "root.healthBare": 0,
  "root.live": 0,
  // An actor, rows and a session for as long as it is connected.
  "tradingAccount.connect": 10,
  // It may hash two passwords, and try one.
  "auth.update": 20,
}

const MORE: Readonly<Record<string, (query: BookQuery) => number>> = {
  "market.orderBookGet": (query) => (isDeep(query) ? DEEP_BOOK - 1 : 0),
  "market.orderBookList": (query) =>
    isDeep(query) ? Math.max(0, DEEP_BOOK * (query.instrumentIds?.length ?? 0) - LIST) : 0,
}

export const costOf = ({ resource, action }: Operation, template: string): RouteCost => {
  const name = `${resource}.${action}`
  const more = (MORE[name] as RouteCost["more"] | undefined) ?? null
  const weight = WEIGHTS[name] ?? (template.endsWith("/list") ? LIST : 1)
  return { bucket: OWN[name] ?? "http", weight, more }
}

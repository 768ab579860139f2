/** Signed REST under `/api/history`: events of orders and executions in pages. A page that has rows has a token, also the last. */
import type { Core } from "./core.ts"
import type { FuturesAccount } from "./model.ts"
import { invalidArgument } from "./refusal.ts"
import { executionRow } from "./wire-private.ts"

/** "Silently capped". */
const PAGE_MOST = 1000

interface Row {
  readonly uid: string
  readonly timestamp: number
  readonly event: object
}

const millis = (query: URLSearchParams, name: string, otherwise: number): number => {
  const said = query.get(name)
  if (said === null) return otherwise
  if (!/^\d+$/.test(said)) throw invalidArgument(name)
  return Number(said)
}

/** `rows` oldest first. A token is the number of rows before the page, in its direction. */
const pageOf = ({ accountUid }: FuturesAccount, rows: ReadonlyArray<Row>, query: URLSearchParams): object => {
  const [since, before] = [millis(query, "since", 0), millis(query, "before", Number.POSITIVE_INFINITY)]
  const within = rows.filter(({ timestamp }) => timestamp >= since && timestamp < before)
  const sorted = query.get("sort") === "asc" ? within : within.reverse()
  const count = Math.min(millis(query, "count", PAGE_MOST), PAGE_MOST)
  const token = query.get("continuation_token")
  const from = token === null ? 0 : Number(Buffer.from(token, "base64").toString())
  const elements = sorted.slice(from, from + count)
  const next = Buffer.from(String(from + elements.length)).toString("base64")
  return { accountUid, len: elements.length, elements, ...(elements.length > 0 && { continuationToken: next }) }
}

type HistoryRoute = (core: Core, account: FuturesAccount, query: URLSearchParams) => object

const orders: HistoryRoute = (_, account, query) => {
  const tradeable = query.get("tradeable")
  const rows = account.events
    .filter(({ symbol }) => tradeable === null || symbol === tradeable)
    .map(({ uid, at, event }) => ({ uid, timestamp: at, event }))
  return pageOf(account, rows, query)
}

const executions: HistoryRoute = (_, account, query) => {
  const tradeable = query.get("tradeable")
  const found = account.fills.filter(({ symbol }) => tradeable === null || symbol === tradeable)
  return pageOf(
    account,
    found.map((fill) => executionRow(account, fill)),
    query,
  )
}

/** v2 and v3 are the same. */
export const historyRoutes: ReadonlyMap<string, HistoryRoute> = new Map([
  ["GET orders", orders],
  ["GET executions", executions],
])

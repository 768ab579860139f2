/** Metrics of the connection pool: its connections, and query durations by verb and table. No value of a query is ever looked at. */
import { performance } from "node:perf_hooks"
import type pg from "pg"
import type { Histogram, HistogramSeries, MeterBoard } from "../../ports/meters.ts"

/** Texts of queries are constants of ours; some are put together, so that they are not counted on to be few. */
const TEXTS_MAX = 1_000

/** `SELECT … FROM trade_order …` is "select trade_order". */
export const nameOfQuery = (text: string): string => {
  const verb = /[a-z]+/i.exec(text.replace(/^(\s*--[^\n]*\n)+/, ""))?.[0].toLowerCase() ?? "other"
  const table = /\b(?:from|into|update)\s+(?:only\s+)?"?([a-z_][a-z0-9_]*)"?/i.exec(text)?.[1]
  return table === undefined ? verb : `${verb} ${table.toLowerCase()}`
}

const textOf = (query: unknown): string =>
  typeof query === "string" ? query : ((query as { readonly text?: unknown } | null)?.text?.toString() ?? "")

type Query = (...parts: ReadonlyArray<unknown>) => unknown

/** Every query of this connection is measured from its asking to its answer, or failure. */
const measured =
  (query: Query, seriesOf: (text: string) => HistogramSeries): Query =>
  (...parts) => {
    const series = seriesOf(textOf(parts[0]))
    const since = performance.now()
    const observe = (): void => series.observe((performance.now() - since) / 1000)
    const callback = parts.at(-1)
    if (typeof callback === "function") {
      const told = (...answer: ReadonlyArray<unknown>): void => {
        observe()
        callback(...answer)
      }
      return query(...parts.slice(0, -1), told)
    }
    const answer = query(...parts)
    if (answer instanceof Promise) void answer.then(observe, observe)
    return answer
  }

export const meterPool = (pool: pg.Pool, board: MeterBoard): void => {
  board.read("db_pool_size", () => pool.totalCount)
  board.read("db_pool_idle", () => pool.idleCount)
  board.read("db_pool_waiting", () => pool.waitingCount)
  const took: Histogram<"db_query_duration_seconds"> = board.histogram("db_query_duration_seconds")
  const known = new Map<string, HistogramSeries>()
  const seriesOf = (text: string): HistogramSeries => {
    const found = known.get(text)
    if (found !== undefined) return found
    const series = took.of(known.size < TEXTS_MAX ? nameOfQuery(text) : "other")
    if (known.size < TEXTS_MAX) known.set(text, series)
    return series
  }
  pool.on("connect", (client) => {
    // The overloads of pg's `query` differ in what they answer; what is measured is all of them.
    const one = client as unknown as { query: Query }
    one.query = measured(one.query.bind(client), seriesOf)
  })
}

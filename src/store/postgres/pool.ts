/**
 * The pool's connections: that pg's transaction state matches the server's, and their figures. The one thing to know: after a failed statement
 * PostgreSQL answers COMMIT with ROLLBACK and no error, and a connection that is given back within a transaction takes the next caller's
 * statements into it.
 */
import { performance } from "node:perf_hooks"
import type pg from "pg"
import type { Histogram, HistogramSeries, MeterBoard } from "../../ports/meters.ts"

// Metrics of the connection pool: its connections, and query durations by verb and table. No value of a query is ever looked at.

/** Texts of queries are constants of ours; some are put together, so that they are not counted on to be few. */
const TEXTS_MAX = 1_000

/** `SELECT … FROM trade_order …` is "select trade_order". */
const nameOfQuery = (text: string): string => {
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

/** in_failed_sql_transaction: a defect of the caller, which continued after the failure, not of the database. */
const TAKEN_BACK = "25P02"
type Answered = (error: unknown, result?: { readonly command?: string }) => void

/** The server's last word on a connection, which it closes then: an administrator's, a shutdown's, a crash's. */
const isFatal = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "severity" in error && error.severity === "FATAL"

/** A commit that was none is a failure. `ended` is called when the server ends the connection with its answer. */
const honest =
  (query: Query, ended: () => void): Query =>
  (...parts) => {
    const callback = parts.at(-1)
    if (typeof callback !== "function") return query(...parts)
    const isCommit = parts[0] === "COMMIT"
    const told: Answered = (error, result) => {
      if (isFatal(error)) ended()
      if (error || !isCommit || result?.command !== "ROLLBACK") return callback(error, result)
      callback(Object.assign(new Error("a statement of the transaction had failed"), { code: TAKEN_BACK }))
    }
    return query(...parts.slice(0, -1), told)
  }

export const keepWhole = (pool: pg.Pool): void => {
  const ended = new WeakSet<pg.PoolClient>()
  pool.on("connect", (client) => {
    const one = client as unknown as { query: Query }
    one.query = honest(one.query.bind(client), () => ended.add(client))
    // The statement under way is told of the loss; without a listener the process would end of it.
    client.on("error", () => undefined)
  })
  // Its end takes back what was open, and the pool keeps nothing that ends. The socket's own end comes a moment after the server's last
  // word: until then the pool would hand the connection to the next caller, whose statement fails with it.
  pool.on("release", (_error, client) => {
    const status = client.getTransactionStatus()
    if (status === "T" || status === "E" || ended.has(client)) void client.end().catch(() => undefined)
  })
}

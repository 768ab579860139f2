/**
 * The pool's connections, so that pg's transaction state matches the server's. The one thing to know: after a failed statement
 * PostgreSQL answers COMMIT with ROLLBACK and no error, and a connection that is given back within a transaction takes the next caller's
 * statements into it.
 */
import type pg from "pg"

/** in_failed_sql_transaction: whoever went on after the failure is at fault, not the database. */
const TAKEN_BACK = "25P02"

type Query = (...parts: ReadonlyArray<unknown>) => unknown
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
  })
  // Its end takes back what was open, and the pool keeps nothing that ends. The socket's own end comes a moment after the server's last
  // word: until then the pool would hand the connection to the next caller, whose statement fails with it.
  pool.on("release", (_error, client) => {
    const status = client.getTransactionStatus()
    if (status === "T" || status === "E" || ended.has(client)) void client.end().catch(() => undefined)
  })
}

/**
 * The pool's connections, so that what they say of transactions is true. The one thing to know: after a failed statement PostgreSQL answers
 * COMMIT with ROLLBACK and no error, and a connection that is given back within a transaction takes the next caller's statements into it.
 */
import type pg from "pg"

/** in_failed_sql_transaction: whoever went on after the failure is at fault, not the database. */
const TAKEN_BACK = "25P02"

type Query = (...parts: ReadonlyArray<unknown>) => unknown
type Answered = (error: unknown, result?: { readonly command?: string }) => void

/** A commit that was none is a failure. */
const honest =
  (query: Query): Query =>
  (...parts) => {
    const callback = parts.at(-1)
    if (parts[0] !== "COMMIT" || typeof callback !== "function") return query(...parts)
    const told: Answered = (error, result) => {
      if (error || result?.command !== "ROLLBACK") return callback(error, result)
      callback(Object.assign(new Error("a statement of the transaction had failed"), { code: TAKEN_BACK }))
    }
    return query(...parts.slice(0, -1), told)
  }

export const keepWhole = (pool: pg.Pool): void => {
  pool.on("connect", (client) => {
    const one = client as unknown as { query: Query }
    one.query = honest(one.query.bind(client))
  })
  // Its end takes back what was open, and the pool keeps nothing that ends.
  pool.on("release", (_error, client) => {
    const status = client.getTransactionStatus()
    if (status === "T" || status === "E") void client.end().catch(() => undefined)
  })
}

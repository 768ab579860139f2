/**
 * How a statement of `@effect/sql` is run on the pool: as one callback of pg's. The library's own way makes a span, a scope and a fiber's cancel
 * for each: 45 kB and 240 us a statement, of which pg itself has 9 kB and 60 us. The one thing to know: what is interrupted is not ended at
 * the server. The library sends `pg_cancel_backend` from another connection, which may hit the next statement there; the pool's statement timeout
 * ends what takes too long.
 */
import { type SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import type { Statement } from "@effect/sql/Statement"
import { Effect } from "effect"
import type pg from "pg"

type Rows = ReadonlyArray<object>

const PREPARED = new Map<string, string>()

/**
 * A constant text that is asked for often: each connection of the pool parses it once, and plans it for all values after five times. Only for texts
 * whose best plan is the same for all values. `name` is a word of its own.
 */
export const prepared = (name: string, text: string): string => {
  PREPARED.set(text, name)
  return text
}

const onPool = (pool: pg.Pool, text: string, values: ReadonlyArray<unknown>): Effect.Effect<Rows, SqlError> =>
  Effect.async<Rows, SqlError>((resume) => {
    pool.connect((cause, client, release) => {
      if (client === undefined) return resume(new SqlError({ cause, message: "Failed to acquire connection" }))
      void client.query({ name: PREPARED.get(text), text, values: values as Array<unknown> }, (failure, result) => {
        // The pool itself keeps none that has ended.
        release()
        if (failure) resume(new SqlError({ cause: failure, message: "Failed to execute statement" }))
        // Several statements in one text have several results.
        else resume(Effect.succeed(Array.isArray(result) ? result.map(({ rows }) => rows) : result.rows))
      })
    })
  })

/** The same client, with statements that are run so; within a transaction they go over its connection, as ever. */
export const leanStatements = <Client extends SqlClient>(sql: Client, pool: pg.Pool): Client => {
  function commit(this: Statement<object>): Effect.Effect<Rows, SqlError> {
    const [text, values] = this.compile()
    return Effect.withFiberRuntime((fiber) => {
      const open = fiber.currentContext.unsafeMap.get(TransactionConnection.key) as
        | readonly [connection: Connection, depth: number]
        | undefined
      return open === undefined ? onPool(pool, text, values) : open[0].execute(text, values, undefined)
    })
  }
  const lean = <Made extends object>(made: Made): Made => ("commit" in made ? Object.assign(made, { commit }) : made)
  const one = sql as unknown as (...parts: ReadonlyArray<unknown>) => object
  const client = (...parts: ReadonlyArray<unknown>) => lean(one(...parts))
  const unsafe: SqlClient["unsafe"] = (text, values) => lean(sql.unsafe(text, values))
  return Object.assign(client, sql, { unsafe }) as unknown as Client
}

/** Several statements of several repositories as one: all of them are committed, or none is. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { allOrUnavailable } from "./storage-failure.ts"

export class Transactions extends Effect.Service<Transactions>()("store/Transactions", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** A failure or a defect takes everything back. StorageUnavailable at the commit: it may have been done all the same. */
      all: <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageUnavailable, R> =>
        allOrUnavailable(sql.withTransaction(work)) as Effect.Effect<A, E | StorageUnavailable, R>,
    }
  }),
}) {}

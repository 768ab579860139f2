/**
 * Which keys each process on the database works with (migration 46). The one thing to know: marks tell keys apart and say nothing of them; what
 * one process seals, signs or fingerprints must mean something to every other.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { orUnavailable } from "./storage-failure.ts"

export const KEY_KINDS = ["encryption", "signing", "cursor"] as const
type KeyKind = (typeof KEY_KINDS)[number]

/** Of the keys that a process knows, a mark each; the first of a kind is the one that makes. */
export type KeyMarks = { readonly [K in KeyKind]: ReadonlyArray<string> }

export interface KeysOfNode {
  readonly nodeId: string
  readonly marks: KeyMarks
}

/** The kind of which one of the two makes what the other does not know. */
export const strangeTo = (one: KeyMarks, other: KeyMarks): KeyKind | undefined =>
  KEY_KINDS.find((kind) => !other[kind].includes(one[kind][0] ?? "") || !one[kind].includes(other[kind][0] ?? ""))

export class NodeKeys extends Effect.Service<NodeKeys>()("store/NodeKeys", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Of this process, while its epoch is in force; null: none any more. */
      tell: (
        { nodeId, epoch }: { readonly nodeId: string; readonly epoch: number },
        marks: KeyMarks | null,
      ): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE gateway_node SET keys = ${marks === null ? null : JSON.stringify(marks)}::jsonb
          WHERE node_id = ${nodeId} AND epoch = ${epoch}`).pipe(Effect.asVoid),

      /** Of the other processes whose leases run. */
      others: (nodeId: string): Effect.Effect<ReadonlyArray<KeysOfNode>, StorageUnavailable> =>
        orUnavailable(sql<{ node_id: string; keys: KeyMarks }>`
          SELECT node_id, keys FROM gateway_node
          WHERE node_id <> ${nodeId} AND until > clock_timestamp() AND keys IS NOT NULL ORDER BY node_id`).pipe(
          Effect.map((rows) => rows.map((row) => ({ nodeId: row.node_id, marks: row.keys }))),
        ),
    }
  }),
}) {}

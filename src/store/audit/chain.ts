/**
 * Recomputes the hash chain of the audit rows: in each lane every row has the next number, contains the hash of the preceding row, and matches
 * its own hash; the lane's head names the last. The one thing to know: the owner of the database can rewrite a whole lane, so the heads printed
 * by an earlier run are worth storing elsewhere.
 */
import { createHash } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import { allOrUnavailable } from "../postgres/storage-failure.ts"

export interface Lane {
  readonly lane: string
  /** Up to its end, or up to where it is broken. */
  readonly rows: number
  /** Hex, of the last of them; empty without any. */
  readonly hash: string
  /** The first place that is not as it was written; null: it is whole. */
  readonly broken: { readonly number: number; readonly reason: string } | null
}

type Text = string | null

/** Columns as texts, in the order in which a row's content has them. */
interface ChainRow {
  readonly number: string
  readonly columns: ReadonlyArray<Text>
  readonly content: string
  readonly previous: Buffer
  readonly hash: Buffer
}

const COLUMNS = [
  ["lane", "lane"],
  ["number", "number"],
  ["actId", "act_id"],
  ["at", "at"],
  ["action", "action"],
  ["result", "result"],
  ["actorKind", "actor_kind"],
  ["userId", "user_id"],
  ["sessionId", "session_id"],
  ["keyId", "key_id"],
  ["tenantId", "tenant_id"],
  ["ip", "ip"],
  ["userAgent", "user_agent"],
  ["requestId", "request_id"],
  ["clientRequestId", "client_request_id"],
  ["objectType", "object_type"],
  ["objectId", "object_id"],
  ["objectTenantId", "object_tenant_id"],
  ["otherId", "other_id"],
  ["asset", "asset"],
  ["amount", "amount"],
  ["what", "what"],
] as const

const READ = `SELECT number, array[${COLUMNS.map(([, column]) => `${column}::text`).join(", ")}] AS columns, content, previous, hash
  FROM audit_row WHERE lane = $1 AND number > $2 ORDER BY number LIMIT $3`
const PAGE = 1_000

/** The first column that says something else than the content. */
const changedColumn = ({ columns, content }: ChainRow): string | undefined => {
  let said: Readonly<Record<string, string | number | null>>
  try {
    said = JSON.parse(content)
  } catch {
    return "content"
  }
  return COLUMNS.find(([name], i) => {
    const value = said[name] ?? null
    return (value === null ? null : String(value)) !== columns[i]
  })?.[1]
}

/** What is wrong with a row that stands behind that hash, at that number. */
const faultOf = (row: ChainRow, number: number, previous: Buffer): string | undefined => {
  if (Number(row.number) !== number) return `the row is missing: the next is ${row.number}`
  if (!row.previous.equals(previous)) return "does not chain to the preceding row"
  const made = createHash("sha256").update(row.previous).update(row.content).digest()
  if (!made.equals(row.hash)) return "the content was changed"
  const column = changedColumn(row)
  return column === undefined ? undefined : `${column} was changed`
}

const EMPTY = Buffer.alloc(0)

export class AuditChain extends Effect.Service<AuditChain>()("store/AuditChain", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const walked = (lane: string, head: { readonly number: number; readonly hash: Buffer } | undefined) =>
      Effect.gen(function* () {
        let number = 0
        let hash: Buffer = EMPTY
        const ended = (reason?: string): Lane => ({
          lane,
          rows: number,
          hash: hash.toString("hex"),
          broken: reason === undefined ? null : { number: number + 1, reason },
        })
        for (;;) {
          const page = yield* sql.unsafe<ChainRow>(READ, [lane, number, PAGE])
          for (const row of page) {
            const fault = faultOf(row, number + 1, hash)
            if (fault !== undefined) return ended(fault)
            number += 1
            hash = row.hash
          }
          if (page.length < PAGE) break
        }
        if (head === undefined) return ended("the lane has no head")
        if (head.number > number) return ended(`the row is missing: there were ${head.number}`)
        if (head.number < number || !head.hash.equals(hash))
          return ended(`the head is at ${head.number}, and not this row`)
        return ended()
      })

    /** Of one instant, so that a gateway may go on writing. */
    const verify: Effect.Effect<ReadonlyArray<Lane>, StorageUnavailable> = allOrUnavailable(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
          const lanes = yield* sql<{ lane: string; number: string | null; hash: Buffer | null }>`
            SELECT lane, h.number, h.hash FROM audit_head h FULL JOIN (SELECT DISTINCT lane FROM audit_row) r USING (lane)
            ORDER BY lane`
          return yield* Effect.forEach(lanes, ({ lane, number, hash }) =>
            walked(lane, number === null || hash === null ? undefined : { number: Number(number), hash }),
          )
        }),
      ),
    )

    return { verify }
  }),
}) {}

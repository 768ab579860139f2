/**
 * What a gateway's own role needs, where another one owns the database (ASVS 13.2.2): rows and functions, no DDL, and of the ledger's
 * journal nothing but reading and adding. Run as the owner, after each migration.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** What only grows: triggers forbid the rest to everybody, the missing grant to this role. */
const JOURNALS = ["ledger_transfer", "ledger_request", "ledger_rejected", "audit_row", "audit_head"]
/** What a function alone adds to, with its owner's rights. */
const WRITTEN_FOR_IT = ["audit_row", "audit_head"]

export const grantTo = (role: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const name = `"${role.replaceAll(`"`, `""`)}"`
    const all = "IN SCHEMA public"
    yield* sql.withTransaction(
      Effect.forEach(
        [
          `GRANT USAGE ON SCHEMA public TO ${name}`,
          `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES ${all} TO ${name}`,
          `GRANT USAGE ON ALL SEQUENCES ${all} TO ${name}`,
          `REVOKE UPDATE, DELETE, TRUNCATE ON ${JOURNALS.join(", ")} FROM ${name}`,
          `REVOKE INSERT ON ${WRITTEN_FOR_IT.join(", ")} FROM ${name}`,
          `REVOKE INSERT, UPDATE, DELETE ON schema_migration FROM ${name}`,
          // With its owner's rights, so that it is no longer everybody's.
          `GRANT EXECUTE ON FUNCTION audit_write(text, jsonb) TO ${name}`,
        ],
        (statement) => sql.unsafe(statement),
        { discard: true },
      ),
    )
  })

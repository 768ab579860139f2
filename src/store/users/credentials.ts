/**
 * Exchange API credentials: the record, and its secret as a sealed envelope that only the vault opens. The one thing to know: revoking
 * deletes the ciphertext in the same statement.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Credential } from "../../domain/account/credential.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { CredentialId, TenantId, TradingAccountId, UserId, VenueId } from "../../domain/ids.ts"
import { CREDENTIAL_COLUMNS, type CredentialRow, credentialOf } from "../orders/rows.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

export interface StoredCredential {
  readonly credential: Credential
  /** Sealed; null once revoked. */
  readonly envelope: unknown
}

/** A credential of an account that it could trade with. */
export interface AttachedCredential {
  readonly credentialId: CredentialId
  readonly userId: UserId
  readonly envelope: unknown
  readonly venue: VenueId
  readonly externalTradingAccountId: string
  /** The venue said that it opens this account. */
  readonly isProven: boolean
}

type SecretRow = CredentialRow & { readonly secret: unknown; readonly kid: string | null }

export class Credentials extends Effect.Service<Credentials>()("store/Credentials", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const find = (id: CredentialId): Effect.Effect<StoredCredential | null, StorageUnavailable> =>
      orUnavailable(
        sql.unsafe<SecretRow>(`SELECT ${CREDENTIAL_COLUMNS}, c.secret FROM credential c WHERE c.credential_id = $1`, [
          id,
        ]),
      ).pipe(
        Effect.map(([row]) => (row === undefined ? null : { credential: credentialOf(row), envelope: row.secret })),
      )

    return {
      find,

      /** The same one again is there. */
      insert: (
        credential: Credential,
        envelope: unknown,
        kid: string,
        apiKeyHash: string,
      ): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(
          sql`INSERT INTO credential ${sql.insert({
            credential_id: credential.credentialId,
            tenant_id: credential.tenantId,
            user_id: credential.userId,
            venue: credential.venue,
            name: credential.name,
            type: credential.type,
            masked_api_key: credential.maskedApiKey,
            api_key_hash: apiKeyHash,
            secret: JSON.stringify(envelope),
            kid,
            status: credential.status,
            created_at: credential.createdAt,
            updated_at: credential.updatedAt,
            revoked_at: credential.revokedAt,
          })} ON CONFLICT (credential_id) DO NOTHING`,
        ).pipe(Effect.asVoid),

      /** The user's in this tenant, newest first, revoked ones too; `total` without limit and offset. */
      list: (
        { userId, tenantId }: { readonly userId: UserId; readonly tenantId: TenantId },
        options: { readonly venue?: VenueId; readonly limit: number; readonly offset: number },
      ): Effect.Effect<{ readonly rows: ReadonlyArray<Credential>; readonly total: number }, StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const venue = options.venue ?? null
            const rows = yield* sql.unsafe<CredentialRow>(
              `SELECT ${CREDENTIAL_COLUMNS} FROM credential c
               WHERE c.user_id = $1 AND c.tenant_id = $2 AND ($3::text IS NULL OR c.venue = $3)
               ORDER BY c.created_at DESC, c.credential_id DESC LIMIT $4 OFFSET $5`,
              [userId, tenantId, venue, options.limit, options.offset],
            )
            const counted = yield* sql<{ total: number }>`
              SELECT count(*)::int AS total FROM credential
              WHERE user_id = ${userId} AND tenant_id = ${tenantId} AND (${venue}::text IS NULL OR venue = ${venue})`
            return { rows: rows.map(credentialOf), total: counted[0]!.total }
          }),
        ),

      /** The revoked record, or null when there is none of that id. Repeated: the same record as the first time. */
      revoke: (id: CredentialId, at: number): Effect.Effect<Credential | null, StorageUnavailable> =>
        orUnavailable(
          sql`UPDATE credential SET status = 'REVOKED', revoked_at = ${at}, updated_at = ${at}, secret = NULL, kid = NULL
            WHERE credential_id = ${id} AND status <> 'REVOKED'`,
        ).pipe(
          Effect.zipRight(find(id)),
          Effect.map((stored) => stored?.credential ?? null),
        ),

      /** Active credentials attached to the account: those that were proven first, then newest first. */
      attachedTo: (account: TradingAccountId): Effect.Effect<ReadonlyArray<AttachedCredential>, StorageUnavailable> =>
        orUnavailable(sql<{
          credential_id: string
          user_id: string
          secret: unknown
          venue: string
          external_id: string
          is_proven: boolean
        }>`
          SELECT c.credential_id, c.user_id, c.secret, a.venue, a.external_trading_account_id AS external_id,
            l.external_key IS NOT NULL AS is_proven
          FROM trading_account_credential l JOIN credential c USING (credential_id) JOIN trading_account a USING (trading_account_id)
          WHERE l.trading_account_id = ${account} AND c.status = 'ACTIVE' AND c.secret IS NOT NULL
          ORDER BY is_proven DESC, c.created_at DESC, c.credential_id DESC`).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              credentialId: row.credential_id as CredentialId,
              userId: row.user_id as UserId,
              envelope: row.secret,
              venue: row.venue as VenueId,
              externalTradingAccountId: row.external_id,
              isProven: row.is_proven,
            })),
          ),
        ),

      /** Accounts that use it and are not DISCONNECTED, in order of creation. */
      accountsOf: (id: CredentialId): Effect.Effect<ReadonlyArray<TradingAccountId>, StorageUnavailable> =>
        orUnavailable(sql<{ trading_account_id: string }>`
          SELECT a.trading_account_id FROM trading_account_credential l JOIN trading_account a USING (trading_account_id)
          WHERE l.credential_id = ${id} AND a.status <> 'DISCONNECTED' ORDER BY a.created_at, a.trading_account_id`).pipe(
          Effect.map((rows) => rows.map((row) => row.trading_account_id as TradingAccountId)),
        ),
    }
  }),
}) {}

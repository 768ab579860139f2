/** Trading accounts outside their actors: all of them for the directory at start, and a new one at connect, stored at once. */
import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import type { Credential } from "../../domain/account/credential.ts"
import type { TradingAccount } from "../../domain/account/trading-account.ts"
import { Busy, type StorageUnavailable } from "../../domain/errors/service.ts"
import { ExternalAccountTaken } from "../../domain/errors/trading-account.ts"
import type { CredentialId, DealerAccountId, TenantId } from "../../domain/ids.ts"
import { allOrUnavailable, constraintOf, orUnavailable } from "../postgres/storage-failure.ts"
import { orFound } from "../postgres/transactions.ts"
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  accountOf,
  CREDENTIAL_COLUMNS,
  type CredentialRow,
  credentialOf,
} from "./rows.ts"

const UNIQUE = new Set(["trading_account_pkey", "trading_account_label"])

/** What a credential showed at its venue, as `external_account` holds it. */
export interface Proof {
  readonly credentialId: CredentialId
  readonly externalKey: string
}

type Held = Pick<TradingAccount, "tradingAccountId" | "venue">

export class Accounts extends Effect.Service<Accounts>()("store/Accounts", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    /** Every account with its credentials, in order of creation. */
    const loadAccounts: Effect.Effect<ReadonlyArray<TradingAccount>, StorageUnavailable> = orUnavailable(
      Effect.gen(function* () {
        const links = yield* sql.unsafe<CredentialRow & { trading_account_id: string }>(
          `SELECT l.trading_account_id, ${CREDENTIAL_COLUMNS}
           FROM trading_account_credential l JOIN credential c USING (credential_id) ORDER BY l.trading_account_id, l.position`,
        )
        const credentials = new Map<string, Array<Credential>>()
        for (const link of links) {
          const list = credentials.get(link.trading_account_id)
          if (list === undefined) credentials.set(link.trading_account_id, [credentialOf(link)])
          else list.push(credentialOf(link))
        }
        const rows = yield* sql.unsafe<AccountRow>(
          `SELECT ${ACCOUNT_COLUMNS} FROM trading_account a ORDER BY a.created_at, a.trading_account_id`,
        )
        return rows.map((row) => accountOf(row, credentials.get(row.trading_account_id) ?? []))
      }),
    )

    const isStored = ({ tradingAccountId }: TradingAccount) =>
      sql`SELECT FROM trading_account WHERE trading_account_id = ${tradingAccountId}`.pipe(
        Effect.map((rows) => rows.length === 1),
      )

    /** A live one that was stored before: as the same account, or as the same label of the same user. */
    const isOwn = ({ tradingAccountId, userId, venue, externalTradingAccountId }: TradingAccount) =>
      sql`SELECT FROM trading_account WHERE trading_account_id = ${tradingAccountId} OR (user_id = ${userId}
          AND venue = ${venue} AND external_trading_account_id = ${externalTradingAccountId} AND status <> 'DISCONNECTED')`.pipe(
        Effect.map((rows) => rows.length > 0),
      )

    /** False: another live account has it. One that is DISCONNECTED leaves it to the next account that shows it. */
    const hold = ({ tradingAccountId, venue }: Held, externalKey: string) =>
      sql`INSERT INTO external_account AS e ${sql.insert({
        venue,
        external_key: externalKey,
        trading_account_id: tradingAccountId,
      })} ON CONFLICT (venue, external_key) DO UPDATE SET trading_account_id = excluded.trading_account_id
          WHERE e.trading_account_id = excluded.trading_account_id OR EXISTS (SELECT FROM trading_account a
            WHERE a.trading_account_id = e.trading_account_id AND a.status = 'DISCONNECTED')
          RETURNING e.venue`.pipe(Effect.map((rows) => rows.length === 1))

    const holdAll = (account: Held, externalKeys: ReadonlyArray<string>) =>
      // In one order everywhere, so that two who want the same ones do not wait for each other.
      Effect.forEach(
        [...new Set(externalKeys)].sort(),
        (key) =>
          Effect.filterOrFail(
            hold(account, key),
            (held) => held,
            () => new ExternalAccountTaken(),
          ),
        { discard: true },
      )

    /**
     * `externalKeys` are what must be unique across users at this venue (contract C11a), none where a label is enough.
     * ExternalAccountTaken: another user's live account has one. Busy: another call of the same user has stored it meanwhile.
     * The answer carries its credentials.
     */
    const insertAccount = (
      account: TradingAccount,
      externalKeys: ReadonlyArray<string>,
      proofs: ReadonlyArray<Proof>,
    ): Effect.Effect<TradingAccount, Busy | ExternalAccountTaken | StorageUnavailable> => {
      const insert = sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`INSERT INTO trading_account ${sql.insert({
            trading_account_id: account.tradingAccountId,
            tenant_id: account.tenantId,
            user_id: account.userId,
            version: account.version,
            venue: account.venue,
            external_trading_account_id: account.externalTradingAccountId,
            nickname: account.nickname,
            status: account.status,
            initial_balances: JSON.stringify(account.initialBalances),
            channel_epoch: account.channelEpoch,
            wallet_id: account.walletId,
            dealer_account_id: account.dealerAccountId,
            created_at: account.createdAt,
            updated_at: account.updatedAt,
            disconnected_at: account.disconnectedAt,
            cancel_all_at: account.cancelAllAt,
          })}`
          yield* holdAll(account, externalKeys)
          for (const [index, { credentialId, externalKey }] of proofs.entries())
            yield* sql`INSERT INTO trading_account_credential (trading_account_id, credential_id, position, external_key)
              VALUES (${account.tradingAccountId}, ${credentialId}, ${index + 1}, ${externalKey})`
          const credentials = yield* sql.unsafe<CredentialRow>(
            `SELECT ${CREDENTIAL_COLUMNS} FROM trading_account_credential l JOIN credential c USING (credential_id)
             WHERE l.trading_account_id = $1 ORDER BY l.position`,
            [account.tradingAccountId],
          )
          return { ...account, credentials: credentials.map(credentialOf) }
        }),
      )
      return allOrUnavailable(
        insert.pipe(
          orFound(isStored(account)),
          Effect.catchIf(
            (error) => error instanceof ExternalAccountTaken || UNIQUE.has(constraintOf(error) ?? ""),
            () =>
              Effect.flatMap(isOwn(account), (own) =>
                Effect.fail(own ? new Busy({ retryAfterSeconds: 1 }) : new ExternalAccountTaken()),
              ),
          ),
        ),
      )
    }

    /**
     * New ones at the end, in their order. What is right already is not touched, and the rest is locked in order of ids, as the account
     * writer does: else a connect and an image of the account could wait for each other, and all orders with them.
     */
    const link = ({ tradingAccountId }: Held, proofs: ReadonlyArray<Proof>) =>
      sql`INSERT INTO trading_account_credential (trading_account_id, credential_id, position, external_key)
        SELECT ${tradingAccountId}::uuid, p.credential_id, p.place + (SELECT coalesce(max(position), 0)
          FROM trading_account_credential WHERE trading_account_id = ${tradingAccountId}), p.external_key
        FROM ROWS FROM (json_to_recordset(${JSON.stringify(
          proofs.map(({ credentialId, externalKey }) => ({ credential_id: credentialId, external_key: externalKey })),
        )}::json) AS (credential_id uuid, external_key text)) WITH ORDINALITY AS p (credential_id, external_key, place)
        WHERE NOT EXISTS (SELECT FROM trading_account_credential l WHERE l.trading_account_id = ${tradingAccountId}
          AND l.credential_id = p.credential_id AND l.external_key = p.external_key)
        ORDER BY p.credential_id
        ON CONFLICT (trading_account_id, credential_id) DO UPDATE SET external_key = excluded.external_key`

    /**
     * What further credentials of a stored account showed: held for it, and kept with each of them. ExternalAccountTaken: another live
     * account has one of them, and nothing is stored.
     */
    const prove = (
      account: Held,
      proofs: ReadonlyArray<Proof>,
    ): Effect.Effect<void, ExternalAccountTaken | StorageUnavailable> =>
      allOrUnavailable(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* holdAll(
              account,
              proofs.map((it) => it.externalKey),
            )
            yield* link(account, proofs)
          }),
        ),
      )

    /** An account at the internal venue and, unless it is there, its wallet: both or neither. */
    const insertInternalAccount = <E = never>(
      account: TradingAccount,
      wallet: Effect.Effect<void, E | StorageUnavailable>,
    ): Effect.Effect<TradingAccount, Exclude<E, SqlError> | Busy | ExternalAccountTaken | StorageUnavailable> =>
      allOrUnavailable(
        sql
          .withTransaction(Effect.zipRight(wallet, insertAccount(account, [account.externalTradingAccountId], [])))
          .pipe(orFound(isStored(account))),
      )

    /** Whose dealer it is and whether it still takes clients; null: there is none. */
    const dealer = (
      id: DealerAccountId,
    ): Effect.Effect<{ readonly tenantId: TenantId; readonly isArchived: boolean } | null, StorageUnavailable> =>
      orUnavailable(
        sql<{
          tenant_id: string
          status: string
        }>`SELECT tenant_id, status FROM dealer WHERE dealer_account_id = ${id}`,
      ).pipe(
        Effect.map(([row]) =>
          row === undefined ? null : { tenantId: row.tenant_id as TenantId, isArchived: row.status === "ARCHIVED" },
        ),
      )

    return { loadAccounts, insertAccount, insertInternalAccount, prove, dealer }
  }),
}) {}

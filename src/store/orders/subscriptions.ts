/** Order book subscriptions (contract C14a): the same user, instrument and account share one ACTIVE record. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { SubscriptionLimit, SubscriptionNotFound } from "../../domain/errors/market.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { InstrumentId, SubscriptionId, TenantId, TradingAccountId, UserId, VenueId } from "../../domain/ids.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"
import { instant } from "./rows.ts"

export interface Subscription {
  readonly subscriptionId: SubscriptionId
  readonly userId: UserId
  readonly tenantId: TenantId
  readonly instrumentId: InstrumentId
  readonly venue: VenueId
  readonly tradingAccountId: TradingAccountId | null
  readonly status: "ACTIVE" | "INACTIVE"
  readonly createdAt: number
  readonly updatedAt: number
}

export interface NewSubscription {
  readonly subscriptionId: SubscriptionId
  readonly userId: UserId
  readonly tenantId: TenantId
  readonly instrumentId: InstrumentId
  readonly venue: VenueId
  readonly tradingAccountId: TradingAccountId | null
  readonly at: number
  /** Most ACTIVE ones that a user may have. */
  readonly limit: number
}

/** Which subscription to end: always the user's own, and one that is over only in the tenant that the user is in. */
export type SubscriptionRef = { readonly userId: UserId; readonly tenantId: TenantId; readonly at: number } & (
  | { readonly subscriptionId: SubscriptionId }
  | { readonly instrumentId: InstrumentId; readonly tradingAccountId: TradingAccountId | null }
)

interface SubscriptionRow {
  readonly subscription_id: string
  readonly user_id: string
  readonly tenant_id: string
  readonly instrument_id: string
  readonly venue: string
  readonly trading_account_id: string | null
  readonly status: Subscription["status"]
  readonly created_at: string
  readonly updated_at: string
}

const subscriptionOf = (row: SubscriptionRow): Subscription => ({
  subscriptionId: row.subscription_id as SubscriptionId,
  userId: row.user_id as UserId,
  tenantId: row.tenant_id as TenantId,
  instrumentId: row.instrument_id as InstrumentId,
  venue: row.venue as VenueId,
  tradingAccountId: row.trading_account_id as TradingAccountId | null,
  status: row.status,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

export class Subscriptions extends Effect.Service<Subscriptions>()("store/Subscriptions", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const insert = (wanted: NewSubscription) =>
      sql.withTransaction(
        Effect.gen(function* () {
          // The user's row as the lock: two subscribes at once must not pass the limit together, nor make two records.
          yield* sql`SELECT FROM app_user WHERE user_id = ${wanted.userId} FOR NO KEY UPDATE`
          const existing = yield* sql<SubscriptionRow>`
            SELECT * FROM order_book_subscription WHERE user_id = ${wanted.userId} AND instrument_id = ${wanted.instrumentId}
              AND trading_account_id IS NOT DISTINCT FROM ${wanted.tradingAccountId}::uuid AND status = 'ACTIVE'`
          if (existing[0] !== undefined) return subscriptionOf(existing[0])
          const counted = yield* sql<{ active: number }>`
            SELECT count(*)::int AS active FROM order_book_subscription
            WHERE user_id = ${wanted.userId} AND status = 'ACTIVE'`
          if (counted[0]!.active >= wanted.limit) return undefined
          const rows = yield* sql<SubscriptionRow>`
            INSERT INTO order_book_subscription (subscription_id, tenant_id, user_id, instrument_id, venue, trading_account_id,
              status, created_at, updated_at)
            VALUES (${wanted.subscriptionId}, ${wanted.tenantId}, ${wanted.userId}, ${wanted.instrumentId}, ${wanted.venue},
              ${wanted.tradingAccountId}, 'ACTIVE', ${wanted.at}, ${wanted.at}) RETURNING *`
          return subscriptionOf(rows[0]!)
        }),
      )

    const newestOf = (ref: SubscriptionRef) =>
      "subscriptionId" in ref
        ? sql<SubscriptionRow>`SELECT * FROM order_book_subscription
            WHERE user_id = ${ref.userId} AND (tenant_id = ${ref.tenantId} OR status = 'ACTIVE')
              AND subscription_id = ${ref.subscriptionId}`
        : sql<SubscriptionRow>`SELECT * FROM order_book_subscription
            WHERE user_id = ${ref.userId} AND (tenant_id = ${ref.tenantId} OR status = 'ACTIVE')
              AND instrument_id = ${ref.instrumentId}
              AND trading_account_id IS NOT DISTINCT FROM ${ref.tradingAccountId}::uuid
            ORDER BY status = 'ACTIVE' DESC, created_at DESC, subscription_id DESC LIMIT 1`

    return {
      /** The ACTIVE record that exists, or a new one. */
      subscribe: (wanted: NewSubscription): Effect.Effect<Subscription, SubscriptionLimit | StorageUnavailable> =>
        orUnavailable(insert(wanted)).pipe(
          Effect.flatMap((stored) =>
            stored === undefined ? new SubscriptionLimit({ limit: wanted.limit }) : Effect.succeed(stored),
          ),
        ),

      /** The INACTIVE record; repeated: the same record. */
      unsubscribe: (ref: SubscriptionRef): Effect.Effect<Subscription, SubscriptionNotFound | StorageUnavailable> =>
        orUnavailable(
          Effect.gen(function* () {
            const found = (yield* newestOf(ref))[0]
            if (found === undefined || found.status === "INACTIVE") return found
            const ended = yield* sql<SubscriptionRow>`
              UPDATE order_book_subscription SET status = 'INACTIVE', updated_at = ${ref.at}
              WHERE subscription_id = ${found.subscription_id} AND status = 'ACTIVE' RETURNING *`
            return ended[0] ?? { ...found, status: "INACTIVE" as const }
          }),
        ).pipe(
          Effect.flatMap((row) =>
            row === undefined ? new SubscriptionNotFound() : Effect.succeed(subscriptionOf(row)),
          ),
        ),

      /** The user's ACTIVE ones, newest first. */
      list: (
        userId: UserId,
        instrumentId?: InstrumentId,
      ): Effect.Effect<ReadonlyArray<Subscription>, StorageUnavailable> =>
        orUnavailable(sql<SubscriptionRow>`
          SELECT * FROM order_book_subscription WHERE user_id = ${userId} AND status = 'ACTIVE'
            AND (${instrumentId ?? null}::text IS NULL OR instrument_id = ${instrumentId ?? null})
          ORDER BY created_at DESC, subscription_id DESC`).pipe(Effect.map((rows) => rows.map(subscriptionOf))),

      /** All users' ACTIVE ones: the feeds to open at start. */
      active: orUnavailable(sql<SubscriptionRow>`
        SELECT * FROM order_book_subscription WHERE status = 'ACTIVE' ORDER BY created_at, subscription_id`).pipe(
        Effect.map((rows) => rows.map(subscriptionOf)),
      ),
    }
  }),
}) {}

/**
 * Submits that were refused before there was an order, with the caller and the figures of the refusal. The one thing to know: no answer waits for
 * them. They are collected in memory and written a second later, at a limited rate per account and user, so that a client refused in a loop fills
 * neither memory nor disk, and displaces no other client's.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { cleaned } from "../../domain/clean-text.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId, TradingAccountId } from "../../domain/ids.ts"
import type { PlacedBy } from "../../domain/user/act.ts"
import { perMinute, TokenBuckets } from "../../foundation/token-bucket.ts"
import { isDefinite, orUnavailable } from "../postgres/storage-failure.ts"

const DAY_MILLIS = 86_400_000
export const REFUSALS_KEPT_DAYS = 14
/** Of one account: 20 a minute in the long run are 400,000 rows in the days they are kept, some 300 MB. */
const RATE = perMinute(20, 100)
/** The first that come while the database does not answer: in all, and of one user, who may have many accounts. */
const WAITING_MAX = 2_000
const WAITING_OF_USER_MAX = 100
const FORGET_MILLIS = 3_600_000
/** From the first that waits to the write. */
const GATHER_MILLIS = 1_000
/** What was asked for is a few hundred characters; a client may send 64 KiB. */
const ASKED_MAX = 4_000

export interface RefusedSubmit {
  /** A uuid of the gateway's own. */
  readonly requestId: string
  readonly at: number
  readonly tenantId: TenantId
  readonly tradingAccountId: TradingAccountId
  readonly placedBy: PlacedBy
  readonly clientOrderId: string | null
  readonly idempotencyKey: string | null
  readonly asked: object
  /** The failure's tag, its words, and its fields. */
  readonly failure: string
  readonly message: string
  readonly figures: object
}

const textOf = (asked: object): string => {
  const text = JSON.stringify(asked)
  return text.length <= ASKED_MAX ? text : JSON.stringify({ tooLong: text.length })
}

const cleanedOrNull = (text: string | null): string | null => (text === null ? null : cleaned(text))

const imageOf = (it: RefusedSubmit) => ({
  request_id: it.requestId,
  at: it.at,
  tenant_id: it.tenantId,
  trading_account_id: it.tradingAccountId,
  placed_by: it.placedBy,
  client_order_id: cleanedOrNull(it.clientOrderId),
  idempotency_key: cleanedOrNull(it.idempotencyKey),
  asked: textOf(it.asked),
  failure: it.failure,
  message: cleaned(it.message),
  figures: it.figures,
})

export class RefusedSubmits extends Effect.Service<RefusedSubmits>()("store/RefusedSubmits", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const ofAccounts = new TokenBuckets(RATE)
    const ofUsers = new TokenBuckets(RATE)
    const waiting: Array<ReturnType<typeof imageOf>> = []
    const isWaiting = yield* Effect.makeLatch()
    const isOneTooMany = (userId: string | null): boolean =>
      waiting.length >= WAITING_MAX ||
      waiting.filter((it) => it.placed_by.userId === userId).length >= WAITING_OF_USER_MAX
    let forgottenAt = Number.NEGATIVE_INFINITY

    const write = Effect.suspend(() => {
      if (waiting.length === 0) return Effect.void
      const written = [...waiting]
      const drop = Effect.sync(() => {
        waiting.splice(0, written.length)
        if (waiting.length === 0) isWaiting.unsafeClose()
      })
      return orUnavailable(
        sql`INSERT INTO refused_submit SELECT * FROM json_to_recordset(${JSON.stringify(written)}::json) AS r(request_id uuid,
            at bigint, tenant_id text, trading_account_id uuid, placed_by json, client_order_id text, idempotency_key text, asked text,
            failure text, message text, figures json) ON CONFLICT DO NOTHING`.pipe(
          // What the server will never take must not stand in the way of what comes after; the loop says that it failed.
          Effect.tapError((error) => (isDefinite(error) ? drop : Effect.void)),
        ),
      ).pipe(Effect.zipRight(drop))
    })

    const forget = (now: number): Effect.Effect<void, StorageUnavailable> => {
      if (now - forgottenAt < FORGET_MILLIS) return Effect.void
      return orUnavailable(sql`DELETE FROM refused_submit WHERE at < ${now - REFUSALS_KEPT_DAYS * DAY_MILLIS}`).pipe(
        Effect.zipRight(
          Effect.sync(() => {
            forgottenAt = now
          }),
        ),
      )
    }

    return {
      /** Never waits. `now`: monotonic ms. */
      note: (refused: RefusedSubmit, now: number): void => {
        const { tradingAccountId, placedBy } = refused
        // The user's first: what one of its accounts has used up must not be taken from another user of that account.
        if (ofUsers.of(placedBy.userId ?? "", now).take(now) > 0) return
        if (ofAccounts.of(tradingAccountId, now).take(now) > 0) return
        if (isOneTooMany(placedBy.userId)) return
        waiting.push(imageOf(refused))
        isWaiting.unsafeOpen()
      },
      write,
      /** Until a round has something to do. */
      awaitDue: Effect.raceFirst(
        Effect.zipRight(isWaiting.await, Effect.sleep(GATHER_MILLIS)),
        Effect.sleep(FORGET_MILLIS),
      ),
      /** One round of its upkeep; wall ms. */
      keep: (now: number): Effect.Effect<void, StorageUnavailable> => Effect.zipRight(write, forget(now)),
    }
  }),
}) {}

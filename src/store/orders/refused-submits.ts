/**
 * Submits that were refused before there was an order, with who asked and the figures of the refusal. The one thing to know: no answer waits
 * for them. They are gathered in memory and written a second later; of one account so many a minute, so that a client which is refused in
 * a loop fills neither the memory nor the disk.
 */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { cleaned } from "../../domain/clean-text.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TenantId, TradingAccountId } from "../../domain/ids.ts"
import { perMinute } from "../../foundation/token-bucket.ts"
import { TokenBuckets } from "../../foundation/token-buckets.ts"
import { isDefinite, orUnavailable } from "../postgres/storage-failure.ts"

const DAY_MILLIS = 86_400_000
export const REFUSALS_KEPT_DAYS = 14
/** Of one account: 20 a minute in the long run are 400,000 rows in the days they are kept, some 300 MB. */
const RATE = perMinute(20, 100)
/** The first that come while the database does not answer. */
const WAITING_MAX = 2_000
const FORGET_MILLIS = 3_600_000
/** What was asked for is a few hundred characters; a client may send 64 KiB. */
const ASKED_MAX = 4_000

export interface RefusedSubmit {
  /** A uuid of the gateway's own. */
  readonly requestId: string
  readonly at: number
  readonly tenantId: TenantId
  readonly tradingAccountId: TradingAccountId
  readonly placedBy: object
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
    const buckets = new TokenBuckets(RATE)
    const waiting: Array<ReturnType<typeof imageOf>> = []
    let forgottenAt = Number.NEGATIVE_INFINITY

    const write = Effect.suspend(() => {
      if (waiting.length === 0) return Effect.void
      const written = [...waiting]
      const drop = Effect.sync(() => void waiting.splice(0, written.length))
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
        if (waiting.length >= WAITING_MAX || buckets.of(refused.tradingAccountId, now).take(now) > 0) return
        waiting.push(imageOf(refused))
      },
      write,
      /** One round of its upkeep; wall ms. */
      keep: (now: number): Effect.Effect<void, StorageUnavailable> => Effect.zipRight(write, forget(now)),
    }
  }),
}) {}

/** The installation's trading mode: stored, so that a restart does not end a halt. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { TradingMode } from "../../domain/account/trading-mode.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { UserId } from "../../domain/ids.ts"
import { instant } from "../orders/rows.ts"
import { isCurrent } from "../postgres/server-check.ts"
import { orUnavailable } from "../postgres/storage-failure.ts"

export interface StoredTradingMode {
  readonly tradingMode: TradingMode
  /** As the operator gave it. */
  readonly reason: string | null
  /** 0: never changed. */
  readonly changedAt: number
}

export interface TradingModeChange extends StoredTradingMode {
  /** Null: the command line. */
  readonly changedBy: UserId | null
}

interface Row {
  readonly mode: TradingMode
  readonly reason: string | null
  readonly changed_at: string
}

export class TradingModes extends Effect.Service<TradingModes>()("store/TradingModes", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Whether the database is as new as this program. */
      isThere: isCurrent(sql),

      read: orUnavailable(sql<Row>`SELECT mode, reason, changed_at FROM trading_mode`).pipe(
        Effect.map(([row]): StoredTradingMode => {
          if (row === undefined) throw new Error("the table of the trading mode is empty")
          return { tradingMode: row.mode, reason: row.reason, changedAt: instant(row.changed_at) }
        }),
      ),

      change: ({
        tradingMode,
        reason,
        changedAt,
        changedBy,
      }: TradingModeChange): Effect.Effect<void, StorageUnavailable> =>
        orUnavailable(sql`
          UPDATE trading_mode SET mode = ${tradingMode}, reason = ${reason}, changed_at = ${changedAt},
            changed_by = ${changedBy}`).pipe(Effect.asVoid),
    }
  }),
}) {}

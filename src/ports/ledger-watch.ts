/** How the ledger is: for health, metrics and the shutdown. */
import { Context, type Effect } from "effect"
import type { StorageUnavailable } from "../domain/errors/service.ts"

export interface LedgerStats {
  readonly batches: number
  readonly requests: number
  /** Transfers of requests that were applied. */
  readonly transfers: number
  /** Requests that were refused, by failure. */
  readonly refused: ReadonlyMap<string, number>
  /** Answered from the journal: they had been there before. */
  readonly replayed: number
  /** Statements sent once more: lost connections, timeouts, passing errors. */
  readonly retries: number
  /** Sum over batches, ms from sending to the answer. */
  readonly commitMillis: number
  readonly waiting: number
  readonly holdsExpired: number
}

export interface LedgerHealth {
  /** What the newest audit found; empty: nothing. Kept until an audit finds nothing. */
  readonly violations: ReadonlyArray<string>
  /** The last look at balances, and the last recomputation from the whole journal; null before the first. */
  readonly auditedAt: number | null
  readonly recomputedAt: number | null
  readonly pressure: "calm" | "full"
}

export class LedgerWatch extends Context.Tag("ports/LedgerWatch")<
  LedgerWatch,
  {
    readonly stats: () => LedgerStats
    readonly health: () => LedgerHealth
    /** Computes everything again from the journal, now. */
    readonly recompute: Effect.Effect<ReadonlyArray<string>, StorageUnavailable>
    /** Resolves when nothing waits and nothing is in flight. */
    readonly drain: () => Promise<void>
  }
>() {}

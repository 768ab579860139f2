/** How the ledger is: for health, metrics and the shutdown. */
import { Context } from "effect"

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

export interface WholePass {
  /** Rows that it still has to go through, of all that there are. */
  readonly left: number
  readonly of: number
  /** At its pace of now; null: not known yet. */
  readonly endsInMillis: number | null
  /** It does not end before the last one is too old, or as soon as a first one should, although it takes all the time that it may. */
  readonly isLate: boolean
}

export interface LedgerAuditHealth {
  /** What the newest look found; empty: nothing. Kept until a look finds nothing. */
  readonly violations: ReadonlyArray<string>
  /** When the last look of this process came to its end; null before the first. */
  readonly auditedAt: number | null
  /** When the whole journal was last gone through; null: never, or not known yet. */
  readonly wholeAt: number | null
  /** The newest look did not come to its end. */
  readonly isFailing: boolean
  /** Since `auditedAt`, before the first look since the start; and whether the settings allow it. */
  readonly ageMillis: number
  readonly isOld: boolean
  /** The same since `wholeAt`; null without one. */
  readonly wholeAgeMillis: number | null
  readonly isWholeOld: boolean
  /** The same before the first pass, too: since then the whole journal is waited for. Null before the first look. */
  readonly unauditedMillis: number | null
  /** A pass over the whole journal that is under way; null: none is. */
  readonly wholePass: WholePass | null
  /** Looks that failed, in all. */
  readonly failures: number
  /** How long the last one took that did not. */
  readonly tookMillis: number | null
}

export interface LedgerHealth extends LedgerAuditHealth {
  readonly pressure: "calm" | "full"
}

export class LedgerWatch extends Context.Tag("ports/LedgerWatch")<
  LedgerWatch,
  {
    readonly stats: () => LedgerStats
    readonly health: () => LedgerHealth
    /** Resolves when nothing waits and nothing is in flight. */
    readonly drain: () => Promise<void>
  }
>() {}

/**
 * The state of the venue workers in plain numbers: for health, metrics, and callers that send a venue fewer requests while its request budget is
 * short.
 */
import type { VenueId } from "../domain/ids.ts"

/** What a request to the venue is for, the most urgent first: what they wait for when the venue's budget is short. */
export const PURPOSES = ["cancel", "doubt", "submit", "market", "opening", "audit"] as const
export type Purpose = (typeof PURPOSES)[number]

/** How much of a venue's request budget is used. */
export interface BudgetLoad {
  /** The whole budget: units of the venue's cost in its window. */
  readonly capacity: number
  /** Of the whole budget, 0 to 1; more when the venue counts more than we do. */
  readonly used: number
  /** Of the quarter that audits may have, 0 to 1. Near 1 they wait: their periods should be longer. */
  readonly audits: number
  readonly waiting: Readonly<Record<Purpose, number>>
  readonly sent: Readonly<Record<Purpose, number>>
  /** Answers by what they meant: below 400; 418 and 429; other 4xx; the rest. */
  readonly answers: Readonly<Record<"ok" | "limited" | "refused" | "failed", number>>
  /** The venue asked for a pause: so much of it is left, in ms. */
  readonly pausedMillis: number
}

/** Why a book is begun anew although its stream goes on. */
export const RESYNC_REASONS = [
  /** An update between the worker and the reader is missing. */
  "hole",
  /** Bids and asks cross. */
  "crossed",
  /** A level that is no decimal. */
  "malformed",
  /** The market moves, by its trades or by REST, and the book says nothing. */
  "silent",
  /** No snapshot came in time. */
  "overdue",
  /** An audit by REST found other levels. */
  "differs",
  /** The market left the range that was known of it. */
  "outrun",
  /** A reader came, or lost its place. */
  "reader",
] as const
export type ResyncReason = (typeof RESYNC_REASONS)[number]

/** Comparisons of books with the venue's by REST. */
export interface BookAuditFigures {
  readonly made: number
  /** Of them: ended in a new snapshot. */
  readonly differed: number
  /** Those that the venue did not answer, or not in time. */
  readonly failed: number
}

/** What a connector counts of itself, since its last start. */
export interface ConnectorFigures {
  readonly batches: number
  readonly records: number
  /** Levels and records that the main thread has not acknowledged. */
  readonly unacknowledged: number
  /** Books that are held back because of that, now. */
  readonly heldBooks: number
  /** Book changes and tickers that were merged into a later one. */
  readonly conflated: number
  readonly bookAudits: BookAuditFigures
  readonly budget: BudgetLoad
}

export interface ConnectorStats {
  /** The venue's name, with a number from the venue's second connector on. */
  readonly connector: string
  readonly venue: VenueId
  /** The thread it runs in; null before its first start. */
  readonly shard: string | null
  readonly state: "idle" | "starting" | "up" | "waiting" | "stopped"
  readonly restarts: number
  readonly streams: number
  readonly sessions: number
  readonly callsInFlight: number
  /** Streams that lost their place in the venue's sequence. */
  readonly gaps: number
  /** Streams that were interrupted, gaps included. */
  readonly losses: number
  /** Snapshots that readers asked for. */
  readonly resyncs: number
  /** Books that were begun anew although their stream went on: by readers, and by the worker's own audits. */
  readonly resyncsBy: Readonly<Record<ResyncReason, number>>
  /** As of the last beat of its thread; null before the first. */
  readonly figures: ConnectorFigures | null
}

export interface ShardStats {
  readonly shard: string
  readonly state: "starting" | "up" | "down"
  /** Connectors in it. */
  readonly connectors: ReadonlyArray<string>
  readonly deaths: number
  readonly lastDeath: string | null
  readonly heapUsedBytes: number
  readonly heapMaxBytes: number
  /** Buffers outside the heap, which no limit counts. */
  readonly externalBytes: number
  /** The longest delay of its event loop within the last 10 to 20 s, in ms. */
  readonly loopDelayMillis: number
  /** Share of that time in which its loop was busy, 0 to 1. */
  readonly busy: number
  /** Stray rejections it survived. */
  readonly rejections: number
}

export interface VenueStats {
  readonly shards: ReadonlyArray<ShardStats>
  readonly connectors: ReadonlyArray<ConnectorStats>
}

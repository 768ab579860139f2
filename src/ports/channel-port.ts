/**
 * The outlet to subscribers, and the return path: who listens. `publish` is one plain call, encoded once per protocol; epoch and offset come from
 * the publisher, never from the hub (order-path 3).
 */
import { Context } from "effect"
import type { ChannelKind } from "../domain/channel.ts"

export type Tags = Readonly<Record<string, string>>

export interface Publication {
  /** Canonical channel name, for example `market:orderbook:MOCK:BTC/USDT`. */
  readonly channel: string
  readonly kind: ChannelKind
  readonly epoch: string
  /** Strictly +1 per channel and epoch. */
  readonly offset: number
  /** JSON text of the publication's `data`, without a raw newline. */
  readonly json: string
  /** What subscribers may filter by; absent = nothing. */
  readonly tags?: Tags | undefined
  /** On a channel in cache mode: whose latest value this is, when the channel carries those of many. */
  readonly subject?: string | undefined
  /** On a channel in cache mode: the last word on something that is over, as a closed bar; no newer value takes its place. */
  readonly isFinal?: boolean | undefined
}

/** Where a stream stands, for a new subscriber: read in the same turn in which the topic is joined, so nothing can come between. */
export interface StreamPosition {
  readonly epoch: string
  /** Offset of the newest publication that `snapshot` includes. */
  readonly offset: number
  /** JSON text to hand over first (a book's SNAPSHOT, the latest ticker); null when there is nothing yet. */
  readonly snapshot: string | null
}

/** A publication read again from storage, byte for byte what was published. */
export interface StoredPublication {
  readonly offset: number
  readonly json: string
  readonly tags?: Tags | undefined
}

/** What a map channel holds at `offset` of the account channel that it follows. */
export interface ChannelState {
  readonly epoch: string
  readonly offset: number
  readonly entries: ReadonlyArray<{ readonly key: string; readonly json: string }>
}

/** What stands behind a channel. `opened` at the first subscriber, `closed` after the last one left; calls never throw. */
export interface ChannelSource {
  readonly opened: (channel: string) => void
  readonly closed: (channel: string) => void
  readonly position: (channel: string) => StreamPosition
  /**
   * Absent: `position` is always of now. Where another process is asked for it: calls `done` once, at once if it is known; false: it cannot be told by `until`, in
   * monotonic ms. `withState`: its snapshot is of now as well, for as long as the callback runs.
   */
  readonly present?: (channel: string, withState: boolean, until: number, done: (isPresent: boolean) => void) => void
  /**
   * What was published after `after` up to and including `upTo`, oldest first, from durable storage; null when part of it is not
   * there any more, or storage cannot say now. Calls `done` once, later.
   */
  readonly replay?: (
    channel: string,
    after: number,
    upTo: number,
    done: (publications: ReadonlyArray<StoredPublication> | null) => void,
  ) => void
  /** The entries of a map-only channel; null when they cannot be read now. Calls `done` once, later. */
  readonly state?: (channel: string, done: (state: ChannelState | null) => void) => void
}

export class ChannelPort extends Context.Tag("ports/ChannelPort")<
  ChannelPort,
  {
    readonly publish: (publication: Publication) => void
    /** There are subscribers, or the last left so recently that a return must miss nothing. False lets a publisher skip encoding. */
    readonly isHeard: (channel: string) => boolean
    /** A source that fell behind or lost its place: every subscriber of the channel is told to start over (unsubscribe 2500). */
    readonly invalidate: (channel: string) => void
    /** Ends every subscription of the channel for good (unsubscribe 2000; 2410 where its instrument was delisted), after what was published before. */
    readonly terminate: (channel: string, how?: "terminated" | "delisted") => void
    /** Once per kind, at start, by the composition root. */
    readonly attach: (kind: ChannelKind, source: ChannelSource) => void
  }
>() {}

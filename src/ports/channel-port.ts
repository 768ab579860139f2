/**
 * The way out to subscribers, and the way back: who listens. `publish` is one plain call, encoded once per protocol; epoch and
 * offset come from the publisher, never from the hub (order-path 3).
 */
import { Context } from "effect"
import type { ChannelKind } from "../domain/channel.ts"

export interface Publication {
  /** Canonical channel name, for example `market:orderbook:MOCK:BTC/USDT`. */
  readonly channel: string
  readonly kind: ChannelKind
  readonly epoch: string
  /** Strictly +1 per channel and epoch; 0 for kinds without a stream. */
  readonly offset: number
  /** JSON text of the publication's `data`, without a raw newline. */
  readonly json: string
}

/** Where a stream stands, for a new subscriber: read in the same turn in which the topic is joined, so nothing can come between. */
export interface StreamPosition {
  readonly epoch: string
  /** Offset of the newest publication that `snapshot` includes. */
  readonly offset: number
  /** JSON text to hand over first (a book's SNAPSHOT, the latest ticker); null when there is nothing yet. */
  readonly snapshot: string | null
}

/** What stands behind a channel. `opened` at the first subscriber, `closed` after the last one left; calls never throw. */
export interface ChannelSource {
  readonly opened: (channel: string) => void
  readonly closed: (channel: string) => void
  readonly position: (channel: string) => StreamPosition
}

export class ChannelPort extends Context.Tag("ports/ChannelPort")<
  ChannelPort,
  {
    readonly publish: (publication: Publication) => void
    /** False lets a publisher skip encoding. */
    readonly hasSubscribers: (channel: string) => boolean
    /** A source that fell behind or lost its place: every subscriber of the channel is told to start over (unsubscribe 2500). */
    readonly invalidate: (channel: string) => void
    /** Ends every subscription of the channel for good (unsubscribe 2000), after what was published before. */
    readonly terminate: (channel: string) => void
    /** Once per kind, at start, by the composition root. */
    readonly attach: (kind: ChannelKind, source: ChannelSource) => void
  }
>() {}

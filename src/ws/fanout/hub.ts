/**
 * The hub: every publication goes once to each topic of its channel, no JavaScript per subscriber (hot-path 4). A frame costs each socket about
 * 4.5 µs whatever its size, so a busy hub batches: when the offered deliveries would cost more than a share of a core, publications wait up to
 * their kind's window and are sent in one frame; an idle hub never waits.
 */
import { performance } from "node:perf_hooks"
import type { ChannelKind } from "../../domain/channel.ts"
import type { ChannelSource, StreamPosition } from "../../ports/channel-port.ts"
import {
  type Counter,
  type CounterSeries,
  type Histogram,
  type HistogramSeries,
  MeterBoard,
} from "../../ports/meters.ts"
import type { Command } from "../protocol/protocol.ts"
import { type Ending, type Served, Stream } from "./stream.ts"
import type { EncodedPublication, Subscriber, Topic, Variant } from "./topic.ts"

/** Metrics of sockets and their commands; carried by the hub, which everything on a socket knows. */
export class SocketMeters {
  readonly messages: CounterSeries
  readonly bytes: CounterSeries
  readonly fanoutLag: HistogramSeries
  private readonly commands: Histogram<"ws_commands_duration_seconds">
  private readonly recoveries: Counter<"ws_recoveries_total">

  constructor(board = new MeterBoard()) {
    this.messages = board.counter("ws_messages_sent_total").of()
    this.bytes = board.counter("ws_bytes_sent_total").of()
    this.fanoutLag = board.histogram("ws_fanout_lag_seconds").of()
    this.commands = board.histogram("ws_commands_duration_seconds")
    this.recoveries = board.counter("ws_recoveries_total")
  }

  /** `since`: monotonic ms. */
  command(method: Command["method"], since: number): void {
    this.commands.of(method).observe((performance.now() - since) / 1000)
  }

  sent(readers: number, frame: string | Uint8Array): void {
    this.messages.value += readers
    this.bytes.value += readers * frame.length
  }

  /** A client resubscribed with a position. */
  recovered(isWhole: boolean): void {
    this.recoveries.add(isWhole ? "recovered" : "started_over")
  }
}

/** One flush to one socket, in µs: the write syscall (hot-path 4). */
const FLUSH_MICROS = 4.5
/** Share of a core that unwindowed deliveries may cost before the windows open. */
const BUSY_SHARE = 0.15
const SAMPLE_MILLIS = 50
/** Of a frame that is compressed, where the operator wants that: bytes, or characters of text. */
const DEFLATE_LENGTH_MIN = 256
/** A channel without subscribers keeps its history for a while: a client that reconnects misses nothing. */
const LINGER_MILLIS = 30_000

/** What is used of a uWebSockets app: a frame to every socket on a topic. */
interface Publisher {
  publish(topic: string, frame: string | Uint8Array, isBinary: boolean, compress: boolean): unknown
}

export interface HubStats {
  readonly channels: number
  readonly topics: number
  readonly subscriptions: number
  readonly publications: number
  readonly frames: number
  /** Publications that did not follow the one before: each sent its subscribers back to the start. */
  readonly breaks: number
  readonly windowed: boolean
}

/** Tells one channel's subscribers that their subscription ended; the server knows the sockets, the hub only how they call the channel. */
type EndSubscriptions = (canonical: string, names: ReadonlyArray<string>, how: Ending) => void

export class Hub {
  /** Set once, by the server. */
  deflate = false
  private readonly streams = new Map<string, Stream>()
  private readonly sources = new Map<ChannelKind, ChannelSource>()
  /** Streams without subscribers → monotonic ms at which they are dropped. Sorted by time. */
  private readonly lingering = new Map<Stream, number>()
  private readonly dirty = new Set<Topic>()
  private timer: NodeJS.Timeout | undefined
  /** Monotonic ms at which the timer fires: when the first of those that wait may not wait any longer. */
  private flushAt = 0
  /** Monotonic ms at which the timer was set, and during its flush how long ago that is. */
  private gatheredSince = 0
  private gatheredMillis = 0
  private endSubscriptions: EndSubscriptions = () => {}
  private readonly doomed: Array<() => void> = []
  private publications = 0
  private frames = 0
  private subscriptions = 0
  private topics = 0
  private breaks = 0
  /** Deliveries offered since `sampleAt`, each counted as if it were flushed alone. */
  private offered = 0
  private sampleAt = 0
  private windowed = false

  constructor(
    private readonly app: Publisher,
    readonly monotonic: () => number,
    readonly meters = new SocketMeters(),
  ) {}

  /** Whether a frame is to be compressed for those who can read it: a short one would hardly get shorter. */
  deflates(frame: string | Uint8Array): boolean {
    return this.deflate && frame.length >= DEFLATE_LENGTH_MIN
  }

  /** Once, by the server. */
  onEnd(end: EndSubscriptions): void {
    this.endSubscriptions = end
  }

  attach(kind: ChannelKind, source: ChannelSource): void {
    this.sources.set(kind, source)
  }

  source(kind: ChannelKind): ChannelSource {
    const source = this.sources.get(kind)
    if (source === undefined) throw new Error(`no source for channels of kind ${kind}`)
    return source
  }

  isHeard(channel: string): boolean {
    return this.streams.has(channel)
  }

  publish(channel: string, publication: EncodedPublication): void {
    const stream = this.streams.get(channel)
    if (stream === undefined) return
    this.publications++
    // A publication without an offset is for current subscribers only: it is not in the history and cannot be missed.
    if (publication.offset > 0 && !stream.remember(publication)) this.broke(stream)
    for (const listener of stream.listeners) listener.heard(publication)
    for (const topic of stream.topics.values()) {
      if (!topic.wants(publication) || (publication.bytes !== undefined && !topic.isBinary)) continue
      if (topic.hasNewcomers) {
        this.flushTopic(topic)
        this.send(topic, topic.frame(publication))
        topic.greet(publication)
      } else if (this.waits(stream, topic)) {
        topic.wait(publication)
        this.dirty.add(topic)
      } else {
        this.flushTopic(topic)
        this.send(topic, topic.frame(publication))
      }
    }
  }

  /** What changes together on a map: one frame for each topic. Maps have no deltas, so no subscriber waits for a full publication. */
  publishAll(channel: string, publications: ReadonlyArray<EncodedPublication>): void {
    const stream = this.streams.get(channel)
    if (stream === undefined) return
    this.publications += publications.length
    for (const publication of publications) if (!stream.remember(publication)) this.broke(stream)
    for (const topic of stream.topics.values()) {
      for (const publication of publications) if (topic.wants(publication)) topic.wait(publication)
      if (this.waits(stream, topic)) this.dirty.add(topic)
      else this.flushTopic(topic)
    }
  }

  /**
   * A socket missed a publication: `end` closes it before the next one goes out, so it never sees a gap. Called from inside
   * uWebSockets' own delivery, where touching the socket, even an unsubscribe, corrupts memory or loses messages of others.
   */
  doom(end: () => void): void {
    if (this.doomed.push(end) === 1) setImmediate(() => this.reap())
  }

  /** The channel's stream, opened if there is none. The caller joins it, holds it or listens in the same turn. */
  open(served: Served): Stream {
    const known = this.streams.get(served.canonical)
    if (known !== undefined) {
      if (this.lingering.delete(known)) served.source.opened(served.canonical)
      return known
    }
    const stream = new Stream(served, this.monotonic)
    this.streams.set(served.canonical, stream)
    served.source.opened(served.canonical)
    return stream
  }

  all(): IterableIterator<Stream> {
    return this.streams.values()
  }

  find(canonical: string): Stream | undefined {
    return this.streams.get(canonical)
  }

  /** Where the stream stands. Readers whom the source has left behind without a word start over. */
  position(stream: Stream): StreamPosition {
    const position = stream.served.source.position(stream.served.canonical)
    if (!stream.synchronise(position)) this.broke(stream)
    return position
  }

  /**
   * Counts a subscriber in. What waited leaves first, so the newcomer gets nothing older than the position that it is told; the
   * caller joins its socket to the topic in the same turn.
   */
  enter(stream: Stream, name: string, variant: Variant): Topic {
    const known = stream.topics.size
    const topic = stream.topic(name, variant)
    this.topics += stream.topics.size - known
    this.flushTopic(topic)
    topic.subscribers++
    stream.subscribers++
    this.subscriptions++
    return topic
  }

  /** Removes a subscriber, also one that waits for its first publication. */
  leave(stream: Stream, topic: Topic, subscriber: Subscriber): void {
    topic.dismiss(subscriber)
    this.subscriptions--
    topic.subscribers--
    stream.subscribers--
    if (topic.subscribers === 0) {
      this.dirty.delete(topic)
      if (stream.topics.delete(topic.key)) this.topics--
    }
    this.release(stream)
  }

  /** To be called after whatever kept a stream open has ended. */
  release(stream: Stream): void {
    if (stream.isWanted || this.lingering.has(stream) || this.streams.get(stream.served.canonical) !== stream) return
    stream.served.source.closed(stream.served.canonical)
    this.lingering.set(stream, this.monotonic() + LINGER_MILLIS)
  }

  /** Drops channels without returning subscribers; called about every second. */
  sweep(): void {
    const now = this.monotonic()
    for (const [stream, until] of this.lingering) {
      if (until > now) return
      this.lingering.delete(stream)
      this.streams.delete(stream.served.canonical)
      stream.served.map?.forgotten()
    }
  }

  terminate(channel: string, how: Exclude<Ending, "invalidated"> = "terminated"): void {
    this.end(channel, how)
  }

  /** What the source has told is not enough any more. */
  invalidate(channel: string): void {
    const map = this.streams.get(channel)?.served.map
    if (map === undefined) this.recall(channel)
    else map.reload()
  }

  /** Every subscriber subscribes again, from the position that it has. */
  recall(channel: string): void {
    this.end(channel, "invalidated")
  }

  /** Everything pending leaves now; in one loop turn, so that a socket on many channels still gets one write. */
  flush(): void {
    if (this.timer !== undefined) {
      clearTimeout(this.timer)
      this.timer = undefined
      this.gatheredMillis = this.monotonic() - this.gatheredSince
    }
    for (const topic of this.dirty) this.flushTopic(topic)
    this.gatheredMillis = 0
  }

  /** To all subscribers of the channel, besides its publications: joins and leaves. */
  announce(stream: Stream, frameFor: (topic: Topic) => string | Uint8Array): void {
    for (const topic of stream.topics.values()) {
      const frame = frameFor(topic)
      this.flushTopic(topic)
      this.send(topic, frame)
      topic.tellNewcomers(frame)
    }
  }

  flushTopic(topic: Topic): void {
    const frame = topic.take()
    if (frame === undefined) return
    this.dirty.delete(topic)
    this.send(topic, frame)
  }

  stats(): HubStats {
    return {
      channels: this.streams.size,
      topics: this.topics,
      subscriptions: this.subscriptions,
      publications: this.publications,
      frames: this.frames,
      breaks: this.breaks,
      windowed: this.windowed,
    }
  }

  private end(channel: string, how: Ending): void {
    const stream = this.streams.get(channel)
    if (stream === undefined) return
    const topics = [...stream.topics.values()]
    for (const topic of topics) this.flushTopic(topic)
    if (topics.length > 0) this.endSubscriptions(channel, [...new Set(topics.map(({ name }) => name))], how)
    for (const listener of stream.listeners) listener.ended(how)
  }

  private broke(stream: Stream): void {
    if (stream.subscribers === 0 && stream.listeners.size === 0) return
    this.breaks++
    this.recall(stream.served.canonical)
  }

  private send(topic: Topic, frame: string | Uint8Array): void {
    if (this.doomed.length > 0) this.reap()
    this.frames++
    this.meters.sent(topic.subscribers, frame)
    this.meters.fanoutLag.observe(this.gatheredMillis / 1000)
    this.app.publish(topic.key, frame, topic.isBinary, this.deflates(frame))
  }

  private reap(): void {
    for (const end of this.doomed.splice(0)) end()
  }

  /** Whether a publication of this topic may wait, and then schedules its flush. */
  private waits(stream: Stream, topic: Topic): boolean {
    const { windowMillis } = stream.served.settings
    this.offered += topic.subscribers
    const now = this.monotonic()
    const elapsed = now - this.sampleAt
    if (elapsed >= SAMPLE_MILLIS) {
      this.windowed = (this.offered * FLUSH_MICROS) / (elapsed * 1000) > BUSY_SHARE
      this.offered = 0
      this.sampleAt = now
    }
    if (!this.windowed || windowMillis === 0) return false
    if (this.timer === undefined || now + windowMillis < this.flushAt) {
      if (this.timer === undefined) this.gatheredSince = now
      clearTimeout(this.timer)
      this.flushAt = now + windowMillis
      this.timer = setTimeout(() => this.flush(), windowMillis)
    }
    return true
  }
}

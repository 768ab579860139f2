/**
 * The hub: one uWebSockets topic per channel name, one frame built per publication, no JavaScript per subscriber (hot-path 4).
 * A frame costs each socket about 4.5 µs whatever it holds, so a busy hub gathers: when the deliveries offered would cost more than a
 * share of a core, publications wait up to their kind's window and leave joined by newlines; an idle hub never waits.
 */
import type { TemplatedApp } from "uWebSockets.js"
import type { ChannelKind } from "../domain/channel.ts"
import type { ChannelSource, Publication, StreamPosition } from "../ports/channel-port.ts"
import type { ChannelKinds } from "./channel-kinds.ts"
import { publicationFrame, publicationPrefix } from "./push-frame.ts"

/** A channel under one name. `BASE-QUOTE` spellings are names of their own over the canonical channel. */
interface Topic {
  readonly name: string
  readonly prefix: string
  readonly kind: ChannelKind
  subscribers: number
  pending: string
}

interface Stream {
  readonly kind: ChannelKind
  readonly topics: Map<string, Topic>
}

/** One flush to one socket, in µs: the write syscall (hot-path 4). */
const FLUSH_MICROS = 4.5
/** Share of a core that unwindowed deliveries may cost before the windows open. */
const BUSY_SHARE = 0.15
const SAMPLE_MILLIS = 50

export interface HubStats {
  readonly channels: number
  readonly subscriptions: number
  readonly publications: number
  readonly frames: number
  readonly windowed: boolean
}

/** Tells one channel's subscribers that their subscription ended; the server knows the sockets, the hub does not. */
export type EndSubscriptions = (channel: string, how: "terminated" | "invalidated") => void

export class Hub {
  private readonly streams = new Map<string, Stream>()
  private readonly sources = new Map<ChannelKind, ChannelSource>()
  private readonly dirty = new Set<Topic>()
  private timer: NodeJS.Timeout | undefined
  private endSubscriptions: EndSubscriptions = () => {}
  private readonly doomed: Array<() => void> = []
  private publications = 0
  private frames = 0
  private subscriptions = 0
  /** Deliveries offered since `sampleAt`, each counted as if it were flushed alone. */
  private offered = 0
  private sampleAt = 0
  private windowed = false

  constructor(
    private readonly app: TemplatedApp,
    private readonly kinds: ChannelKinds,
    private readonly monotonic: () => number,
  ) {}

  /** Once, by the server. */
  onEnd(end: EndSubscriptions): void {
    this.endSubscriptions = end
  }

  attach(kind: ChannelKind, source: ChannelSource): void {
    this.sources.set(kind, source)
  }

  hasSubscribers(channel: string): boolean {
    return this.streams.has(channel)
  }

  publish(publication: Publication): void {
    const stream = this.streams.get(publication.channel)
    if (stream === undefined) return
    this.publications++
    for (const topic of stream.topics.values()) {
      const frame = publicationFrame(topic.prefix, publication.json, publication.offset)
      if (this.waits(topic)) {
        topic.pending = topic.pending === "" ? frame : `${topic.pending}\n${frame}`
        this.dirty.add(topic)
      } else {
        this.flushTopic(topic)
        this.send(topic, frame)
      }
    }
  }

  /**
   * A socket missed a publication: `end` closes it before the next one goes out, so it never sees a gap. Called from inside
   * uWebSockets' own delivery, where touching the socket, even an unsubscribe, corrupts memory or loses messages of others.
   */
  doom(end: () => void): void {
    if (this.doomed.push(end) === 1) setImmediate(() => this.reap())
  }

  /**
   * Adds a subscriber under `name` and answers where the stream stands. What was pending leaves first, so the newcomer gets nothing
   * older than the position; the caller joins the topic in the same turn.
   */
  join(name: string, canonical: string, kind: ChannelKind): StreamPosition {
    const source = this.sources.get(kind)
    if (source === undefined) throw new Error(`no source for channels of kind ${kind}`)
    let stream = this.streams.get(canonical)
    const first = stream === undefined
    if (stream === undefined) {
      stream = { kind, topics: new Map() }
      this.streams.set(canonical, stream)
    }
    let topic = stream.topics.get(name)
    if (topic === undefined) {
      topic = { name, prefix: publicationPrefix(name), kind, subscribers: 0, pending: "" }
      stream.topics.set(name, topic)
    }
    this.flushTopic(topic)
    topic.subscribers++
    this.subscriptions++
    if (first) source.opened(canonical)
    return source.position(canonical)
  }

  leave(name: string, canonical: string): void {
    const stream = this.streams.get(canonical)
    const topic = stream?.topics.get(name)
    if (stream === undefined || topic === undefined) return
    this.subscriptions--
    topic.subscribers--
    if (topic.subscribers > 0) return
    this.dirty.delete(topic)
    stream.topics.delete(name)
    if (stream.topics.size > 0) return
    this.streams.delete(canonical)
    this.sources.get(stream.kind)?.closed(canonical)
  }

  terminate(channel: string): void {
    this.flush()
    this.endSubscriptions(channel, "terminated")
  }

  invalidate(channel: string): void {
    this.flush()
    this.endSubscriptions(channel, "invalidated")
  }

  /** Everything pending leaves now; in one loop turn, so that a socket on many channels still gets one write. */
  flush(): void {
    if (this.timer !== undefined) {
      clearTimeout(this.timer)
      this.timer = undefined
    }
    for (const topic of this.dirty) this.flushTopic(topic)
  }

  stats(): HubStats {
    return {
      channels: this.streams.size,
      subscriptions: this.subscriptions,
      publications: this.publications,
      frames: this.frames,
      windowed: this.windowed,
    }
  }

  private flushTopic(topic: Topic): void {
    if (topic.pending === "") return
    const frame = topic.pending
    topic.pending = ""
    this.dirty.delete(topic)
    this.send(topic, frame)
  }

  private send(topic: Topic, frame: string): void {
    if (this.doomed.length > 0) this.reap()
    this.frames++
    this.app.publish(topic.name, frame, false)
  }

  private reap(): void {
    for (const end of this.doomed.splice(0)) end()
  }

  /** Whether a publication of this topic may wait, and then makes sure that somebody wakes it. */
  private waits(topic: Topic): boolean {
    const windowMillis = this.kinds[topic.kind].windowMillis
    this.offered += topic.subscribers
    const now = this.monotonic()
    const elapsed = now - this.sampleAt
    if (elapsed >= SAMPLE_MILLIS) {
      this.windowed = (this.offered * FLUSH_MICROS) / (elapsed * 1000) > BUSY_SHARE
      this.offered = 0
      this.sampleAt = now
    }
    if (!this.windowed || windowMillis === 0) return false
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      for (const dirty of this.dirty) this.flushTopic(dirty)
    }, windowMillis)
    return true
  }
}

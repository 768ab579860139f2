/**
 * The owner's side: what its channels publish is told to the edges that follow them, once a turn for each channel, however many edges and subscribers
 * there are. An edge's interest is a lease: who is not heard of for some seconds follows nothing any more. The one thing to know: whatever is told may be lost, and
 * is asked for again; so nothing here waits for anybody.
 */
import { parseChannel } from "../../domain/channel.ts"
import type { Asked, CableService } from "../../ports/cable.ts"
import type { ChannelSource } from "../../ports/channel-port.ts"
import type { ChannelKinds } from "../channels/kinds.ts"
import type { Hub } from "../fanout/hub.ts"
import { PATIENCE_MILLIS } from "../fanout/recovery.ts"
import type { Ending, Served, Stream, StreamListener } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import {
  type FillAsk,
  fillAnswer,
  type KeepAnswer,
  type KeepAsk,
  MIRROR_SERVICE,
  OF_STATE,
  type OpenAnswer,
  type OpenAsk,
  openAnswer,
  type Position,
  publishedTexts,
  stateAnswer,
  subjectOf,
  type WordEnding,
  wordText,
} from "./words.ts"

/** An edge says once a second what it follows. */
const LEASE_MILLIS = 5_000
const SWEEP_MILLIS = 1_000

export interface PublisherParts {
  readonly hub: Hub
  readonly cable: CableService
  readonly kinds: ChannelKinds
  /** Its lease runs: what it says is of now. */
  readonly mayAct: () => boolean
  /** Runs the work at the end of this loop turn. */
  readonly soon: (work: () => void) => void
  readonly after: (millis: number, work: () => void) => void
  readonly monotonic: () => number
}

interface Lease {
  until: number
  /** The subscriptions ended, which this edge may not have heard. */
  ended: WordEnding | null
}

/** A channel that edges follow. */
class Followed implements StreamListener {
  readonly leases = new Map<string, Lease>()
  pending: Array<EncodedPublication> = []

  constructor(
    readonly stream: Stream,
    private readonly publisher: Publisher,
  ) {}

  get channel(): string {
    return this.stream.served.canonical
  }

  heard(publication: EncodedPublication): void {
    // One without an offset is for those who are there: it cannot be missed, and is not told of elsewhere.
    if (publication.offset === 0) return
    if (this.pending.push(publication) === 1) this.publisher.flushSoon(this)
  }

  ended(how: Ending): void {
    for (const lease of this.leases.values()) lease.ended = how
    this.publisher.tellEnd(this, how)
  }
}

export class Publisher {
  private readonly followed = new Map<string, Followed>()
  private readonly dirty = new Set<Followed>()
  private willFlush = false
  private willSweep = false
  private stop: (() => void) | undefined
  private term = 0

  constructor(private readonly parts: PublisherParts) {}

  /** This process owns the database under `term`, and its channels stand where they belong. */
  begin(term: number): void {
    this.term = term
    this.stop = this.parts.cable.serve(MIRROR_SERVICE, {
      term,
      take: (asked) => {
        if (!this.parts.mayAct()) return "lease"
        this.take(asked)
        return undefined
      },
    })
  }

  end(): void {
    this.stop?.()
    this.stop = undefined
    for (const followed of [...this.followed.values()]) this.forget(followed)
  }

  /** Channels that edges follow. */
  get size(): number {
    return this.followed.size
  }

  flushSoon(followed: Followed): void {
    this.dirty.add(followed)
    if (this.willFlush) return
    this.willFlush = true
    this.parts.soon(() => {
      this.willFlush = false
      this.flush()
    })
  }

  tellEnd(followed: Followed, how: WordEnding): void {
    this.tell(followed)
    const { channel, stream } = followed
    this.parts.cable.tell(subjectOf(channel), wordText({ _tag: "Ended", term: this.term, ...stream.at, how }))
  }

  private flush(): void {
    for (const followed of this.dirty) this.tell(followed)
  }

  private tell(followed: Followed): void {
    this.dirty.delete(followed)
    const publications = followed.pending
    if (publications.length === 0) return
    followed.pending = []
    const subject = subjectOf(followed.channel)
    for (const text of publishedTexts(this.term, publications)) this.parts.cable.tell(subject, text)
  }

  private take(asked: Asked): void {
    const ask: unknown = JSON.parse(asked.payload.toString())
    switch (asked.head) {
      case "open":
        return this.open(asked, ask as OpenAsk)
      case "fill":
        return this.fill(asked, ask as FillAsk)
      case "state":
        return this.state(asked, ask as string)
      case "keep":
        return this.keep(asked, ask as KeepAsk)
    }
  }

  private follow(channel: string, edge: string): Followed | undefined {
    const { hub } = this.parts
    let followed = this.followed.get(channel)
    if (followed === undefined) {
      const served = this.servedOf(channel)
      if (served === undefined) return undefined
      const stream = hub.open(served)
      followed = new Followed(stream, this)
      stream.listeners.add(followed)
      this.followed.set(channel, followed)
      this.sweepLater()
    }
    this.renew(channel, edge)
    return followed
  }

  private open(asked: Asked, { channel, has, state }: OpenAsk): void {
    const { hub } = this.parts
    const followed = this.follow(channel, asked.from)
    if (followed === undefined) return asked.answer("null", "")
    const { stream, leases } = followed
    const lease = leases.get(asked.from)
    // Who asks as a newcomer, or finds itself in another place, needs not to be told.
    if (lease !== undefined && (has === null || lease.ended === "invalidated")) lease.ended = null
    const { epoch, offset, snapshot } = hub.position(stream)
    const answer = (missed: OpenAnswer["missed"]): void => {
      const { memory } = stream
      asked.answer(...openAnswer({ epoch, offset, missed, snapshot: state ? snapshot : undefined, memory }))
    }
    if (has === null || has.epoch !== epoch || has.offset > offset) return answer(null)
    if (has.offset === offset) return answer([])
    this.between(stream, { channel, epoch, after: has.offset, upTo: offset }, answer)
  }

  private fill(asked: Asked, ask: FillAsk): void {
    const followed = this.follow(ask.channel, asked.from)
    if (followed === undefined) return asked.answer(...fillAnswer(null))
    this.between(followed.stream, ask, (rows) => asked.answer(...fillAnswer(rows)))
  }

  /** From memory or storage; calls back once, with null where part of it is in neither. */
  private between(
    stream: Stream,
    { epoch, after, upTo }: FillAsk,
    done: (publications: ReadonlyArray<EncodedPublication> | null) => void,
  ): void {
    const { served } = stream
    if (stream.at.epoch !== epoch || upTo - after > served.settings.recoveryMax) return done(null)
    const until = this.parts.monotonic() + PATIENCE_MILLIS
    stream.replays.read(after, upTo, until, (rows) => done(rows?.map((row) => ({ ...row, epoch })) ?? null))
  }

  private state(asked: Asked, channel: string): void {
    const read = this.sourceOf(channel)?.state
    if (read === undefined) return asked.answer(...stateAnswer(null))
    read(channel, (state) => asked.answer(...stateAnswer(state)))
  }

  private keep(asked: Asked, kept: KeepAsk): void {
    // What this turn has published goes first: an edge that has heard it asks for nothing.
    this.flush()
    const elsewhere: Array<KeepAnswer[number]> = []
    for (const [channel, epoch, offset] of kept)
      if (offset === OF_STATE) {
        const at = this.sourceOf(channel)?.position(channel)
        if (at?.epoch !== epoch) elsewhere.push([channel, at?.epoch ?? null, OF_STATE, null])
      } else {
        const lease = this.renew(channel, asked.from)
        const at = this.standing(channel)
        if (at === undefined) elsewhere.push([channel, null, 0, null])
        else if (lease?.ended != null || at.epoch !== epoch || at.offset !== offset)
          elsewhere.push([channel, at.epoch, at.offset, lease?.ended ?? null])
      }
    asked.answer("", JSON.stringify(elsewhere))
  }

  /**
   * What is stored may be more than what was published, where the actor that stored it had no time left to tell it, and nothing need follow that would show it: then all
   * subscribers, here and at edges, start over. Of channels without storage what was published is all there is, and a book's source would write its snapshot to be asked.
   */
  private standing(channel: string): Position | undefined {
    const stream = this.followed.get(channel)?.stream
    if (stream === undefined || stream.served.source.replay === undefined) return stream?.at
    return this.parts.hub.position(stream)
  }

  private renew(channel: string, edge: string): Lease | undefined {
    const leases = this.followed.get(channel)?.leases
    if (leases === undefined) return undefined
    const lease = leases.get(edge) ?? { until: 0, ended: null }
    lease.until = this.parts.monotonic() + LEASE_MILLIS
    leases.set(edge, lease)
    return lease
  }

  private sourceOf(name: string): ChannelSource | undefined {
    const channel = parseChannel(name)
    return channel === undefined ? undefined : this.parts.hub.source(channel.kind)
  }

  private servedOf(canonical: string): Served | undefined {
    const channel = parseChannel(canonical)
    if (channel === undefined || channel.kind === "accountOrders" || channel.kind === "accountPositions")
      return undefined
    return { canonical, settings: this.parts.kinds[channel.kind], source: this.parts.hub.source(channel.kind) }
  }

  private forget(followed: Followed): void {
    this.tell(followed)
    this.followed.delete(followed.channel)
    followed.stream.listeners.delete(followed)
    this.parts.hub.release(followed.stream)
  }

  private sweepLater(): void {
    if (this.willSweep) return
    this.willSweep = true
    this.parts.after(SWEEP_MILLIS, () => {
      this.willSweep = false
      const now = this.parts.monotonic()
      for (const followed of [...this.followed.values()]) {
        for (const [edge, { until }] of followed.leases) if (until <= now) followed.leases.delete(edge)
        if (followed.leases.size === 0) this.forget(followed)
      }
      if (this.followed.size > 0) this.sweepLater()
    })
  }
}

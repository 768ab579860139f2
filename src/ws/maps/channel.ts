/**
 * One map: follows another channel inside the process and keeps entries by key up to date (realtime A.14). It has its own position, because one
 * publication of the other channel may change many entries or none. It exists from its first subscriber until the hub drops it.
 */
import { randomBytes } from "node:crypto"
import type { ChannelSource, StreamPosition } from "../../ports/channel-port.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Ending, MapBehind, Served, Stream, StreamListener } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { type EntryChange, MapEntries } from "./entries.ts"

/** The channel that a map follows, and how. */
export interface Followed {
  readonly served: Served
  /** All entries, and the offset of the newest publication that they include; null when they cannot be read now. Calls back once. */
  readonly read: (stream: Stream, done: (state: FollowedState | null) => void) => void
  readonly translate: (publication: EncodedPublication) => {
    readonly isWhole: boolean
    readonly changes: ReadonlyArray<EntryChange>
  }
}

export interface FollowedState {
  readonly offset: number
  readonly entries: ReadonlyArray<EntryChange>
}

/** Below the client's own limit of 5 s for an answer. */
const READ_WAIT_MILLIS = 4000
/** More changes than this at once are not pushed: every reader comes for them in its own time, page by page. */
const BURST_MAX = 1000

export class MapChannel implements MapBehind, ChannelSource, StreamListener {
  readonly entries = new MapEntries(randomBytes(6).toString("base64url"))
  private stream: Stream | undefined
  /** Offset of the followed channel that the entries include; undefined while they are not known to be right. */
  private includes: number | undefined
  /** The number of the reading that is under way; undefined when none is. */
  private reading: number | undefined
  private readings = 0
  /** Heard during a reading. */
  private early: Array<EncodedPublication> = []
  private readonly waiting = new Set<(isReady: boolean) => void>()

  constructor(
    private readonly hub: Hub,
    private readonly canonical: string,
    private readonly followed: Followed,
    /** Those that follow, by name. */
    private readonly open: Map<string, MapChannel>,
  ) {}

  opened(): void {
    if (this.stream !== undefined) return
    this.open.set(this.canonical, this)
    this.stream = this.hub.open(this.followed.served)
    this.stream.listeners.add(this)
    this.reload()
  }

  /** Keeps following, so that a disconnected client finds it up to date. */
  closed(): void {}

  forgotten(): void {
    this.open.delete(this.canonical)
    if (this.stream === undefined) return
    this.stream.listeners.delete(this)
    this.hub.release(this.stream)
    this.stream = undefined
    this.reading = undefined
  }

  position(): StreamPosition {
    return { epoch: this.entries.epoch, offset: this.entries.offset, snapshot: null }
  }

  get isReady(): boolean {
    return this.includes !== undefined
  }

  whenReady(done: (isReady: boolean) => void): void {
    if (this.isReady) return done(true)
    const answer = (isReady: boolean): void => {
      clearTimeout(timer)
      this.waiting.delete(answer)
      done(isReady)
    }
    const timer = setTimeout(() => answer(false), READ_WAIT_MILLIS)
    this.waiting.add(answer)
    if (this.reading === undefined) this.reload()
  }

  reload(): void {
    const { stream } = this
    if (stream === undefined) return
    const reading = ++this.readings
    this.reading = reading
    this.includes = undefined
    this.early = []
    this.followed.read(stream, (state) => {
      // Another reading may have begun since, or none may be needed any more.
      if (this.reading !== reading) return
      this.reading = undefined
      if (state === null) return this.failed()
      this.includes = state.offset
      this.publish(this.entries.replace(state.entries))
      for (const publication of this.early.splice(0)) this.heard(publication)
      this.settle(true)
    })
  }

  heard(publication: EncodedPublication): void {
    if (this.reading !== undefined) {
      this.early.push(publication)
      return
    }
    if (this.includes === undefined) return
    // One outside of the stream has no place in it, and says what holds until the next.
    if (publication.offset > 0) {
      if (publication.offset <= this.includes) return
      if (publication.offset !== this.includes + 1) return this.reload()
      this.includes = publication.offset
    }
    const { isWhole, changes } = this.followed.translate(publication)
    this.publish(isWhole ? this.entries.replace(changes) : this.entries.apply(changes))
  }

  ended(how: Ending): void {
    if (how === "invalidated") this.reload()
    else this.hub.terminate(this.canonical, how)
  }

  private publish(publications: ReadonlyArray<EncodedPublication>): void {
    if (publications.length > BURST_MAX) this.hub.recall(this.canonical)
    else if (publications.length > 0) this.hub.publishAll(this.canonical, publications)
  }

  /** Possibly stale entries must not be used: subscribers return, and wait for the next reading. */
  private failed(): void {
    this.settle(false)
    this.hub.recall(this.canonical)
  }

  private settle(isReady: boolean): void {
    for (const answer of [...this.waiting]) answer(isReady)
  }
}

/** One channel with subscribers: its position, its history, its presence, and the topics of its subscribers. */

import type { ChannelSource, StoredPublication, StreamPosition } from "../../ports/channel-port.ts"
import type { ChannelKindSettings } from "../channels/kinds.ts"
import type { MapReading } from "../maps/entries.ts"
import type { ClientInfo } from "../protocol/protocol.ts"
import { History } from "./history.ts"
import { Replays } from "./replays.ts"
import { type EncodedPublication, Topic, topicKey, type Variant } from "./topic.ts"

/** What the hub needs to know of a channel to serve it. */
export interface Served {
  /** The channel's one name; subscribers may use another spelling. */
  readonly canonical: string
  readonly settings: ChannelKindSettings
  readonly source: ChannelSource
  /** Set on maps. */
  readonly map?: MapBehind
}

/** What stands behind a map (realtime A.14): entries that another channel's publications, or its own readers', keep up to date. */
export interface MapBehind {
  readonly entries: MapReading
  /** Between two publications of one reader, which its client keeps to. Absent: as often as it likes. */
  readonly debounceMillis?: number | undefined
  /** Whether the entries are those of the present. */
  readonly isReady: boolean
  /** Calls back once: true when ready, at once if it is; false when the entries cannot be read now. */
  whenReady(done: (isReady: boolean) => void): void
  /** The entries are to be read anew; subscribers get what is different. */
  reload(): void
  /** The hub dropped the map: no subscriber came back. */
  forgotten(): void
  /** Absent where presence is off. */
  readonly arrived?: ((reader: ClientInfo) => void) | undefined
  readonly departed?: ((client: string) => void) | undefined
}

/** terminated: for good. delisted: for as long as the venue does not list the instrument. invalidated: something was missed. */
export type Ending = "terminated" | "delisted" | "invalidated"

/** Follows a channel inside the process. */
export interface StreamListener {
  /** Called before the subscribers get the publication. */
  heard(publication: EncodedPublication): void
  /** The subscriptions to the channel ended. */
  ended(how: Ending): void
}

/** Distinct filters of one channel at a time. */
const FILTERS_MAX = 64

/** What a stream in cache mode remembers, as another process's stream of the channel takes it over. */
export interface StreamMemory {
  readonly values: ReadonlyArray<EncodedPublication>
  readonly finals: ReadonlyArray<EncodedPublication>
  /** Last words up to this offset are forgotten. */
  readonly forgottenTo: number
}

export class Stream {
  readonly topics = new Map<string, Topic>()
  readonly listeners = new Set<StreamListener>()
  /** By client id; only of channels with presence. */
  readonly present = new Map<string, ClientInfo>()
  subscribers = 0
  readonly replays: Replays
  /** Waits in progress that need the stream to go on remembering. */
  holds = 0
  private epoch = ""
  private offset = 0
  private readonly history: History | undefined
  /** Of a channel in cache mode: the newest publication of every subject that is not over. */
  private readonly latest: Map<string, EncodedPublication> | undefined
  /** Last words, oldest first; and up to which offset such words are forgotten. */
  private finals: Array<EncodedPublication> = []
  private forgottenTo = 0

  constructor(
    readonly served: Served,
    private readonly monotonic: () => number,
  ) {
    const { historySize, historyTtlSeconds, historyBytesMax, recovery } = served.settings
    if (historySize > 0)
      this.history = new History({
        size: historySize,
        ttlMillis: historyTtlSeconds * 1000,
        bytesMax: historyBytesMax,
      })
    if (recovery === "cache") this.latest = new Map()
    this.replays = new Replays(this, monotonic)
  }

  /** Of the newest publication that passed, or as the source said. */
  get at(): { readonly epoch: string; readonly offset: number } {
    return { epoch: this.epoch, offset: this.offset }
  }

  get isWanted(): boolean {
    return this.subscribers > 0 || this.holds > 0 || this.listeners.size > 0
  }

  /**
   * Takes note of a publication. False if it does not follow the previous one: subscribers missed something, and must be told
   * before anything else.
   */
  remember(publication: EncodedPublication): boolean {
    const isFirst = this.epoch === ""
    const follows = isFirst || (publication.epoch === this.epoch && publication.offset === this.offset + 1)
    if (!follows) this.forget()
    this.epoch = publication.epoch
    this.offset = publication.offset
    this.history?.add(publication, this.monotonic())
    if (publication.isFinal === true) this.close(publication)
    else this.latest?.set(publication.subject ?? "", publication)
    return follows
  }

  /** Last words after `after`, oldest first; undefined when some of them are forgotten. */
  finalsSince(after: number): ReadonlyArray<EncodedPublication> | undefined {
    return after < this.forgottenTo ? undefined : this.finals.filter(({ offset }) => offset > after)
  }

  /** Where the source stands; from here on every publication must follow. False when it is not where the last publication left it. */
  synchronise(position: StreamPosition): boolean {
    if (position.epoch === this.epoch && position.offset === this.offset) return true
    const isFirst = this.epoch === ""
    if (!isFirst) this.forget()
    this.epoch = position.epoch
    this.offset = position.offset
    return isFirst
  }

  /** Everything after `after`, or undefined when part of it is no longer here. */
  since(after: number): ReadonlyArray<EncodedPublication> | undefined {
    return this.history?.since(after, this.offset, this.monotonic())
  }

  /** What its storage has of before, as far as what is remembered follows it: others who come back need not read it again. */
  recollect(rows: ReadonlyArray<StoredPublication>): void {
    const { epoch, offset } = this
    this.history?.recollect(
      rows.map((row) => ({ ...row, epoch })),
      offset,
      this.monotonic(),
    )
  }

  page(limit: number, since: number | undefined, reverse: boolean): ReadonlyArray<EncodedPublication> {
    return this.history?.page({ limit, since, reverse }, this.monotonic()) ?? []
  }

  /** The newest publication, when it is remembered. */
  last(): EncodedPublication | undefined {
    return this.history?.last(this.monotonic())
  }

  /** The newest publication of every subject, oldest first; empty on channels that are not in cache mode. */
  values(): ReadonlyArray<EncodedPublication> {
    return [...(this.latest?.values() ?? [])].sort((a, b) => a.offset - b.offset)
  }

  /** Undefined: it is not in cache mode. */
  get memory(): StreamMemory | undefined {
    const { latest, finals, forgottenTo } = this
    return latest === undefined ? undefined : { values: this.values(), finals, forgottenTo }
  }

  /** Stands from here on where the stream of another process stands, and remembers what that told. */
  adopt(
    { epoch, offset }: { readonly epoch: string; readonly offset: number },
    memory: StreamMemory | undefined,
  ): void {
    this.forget()
    this.epoch = epoch
    this.offset = offset
    for (const value of memory?.values ?? []) this.latest?.set(value.subject ?? "", value)
    this.finals = [...(memory?.finals ?? [])]
    this.forgottenTo = memory?.forgottenTo ?? 0
  }

  /** Whether one more topic may be made: every distinct filter is looked at once per publication. */
  hasRoomFor(name: string, variant: Variant): boolean {
    const { canonical, map } = this.served
    if (variant.filter === undefined || this.topics.has(topicKey(name, variant, canonical, map !== undefined)))
      return true
    let filtered = 0
    for (const topic of this.topics.values()) if (topic.variant.filter !== undefined) filtered++
    return filtered < FILTERS_MAX
  }

  topic(name: string, variant: Variant): Topic {
    const { canonical, settings, map } = this.served
    const isMap = map !== undefined
    const key = topicKey(name, variant, canonical, isMap)
    const known = this.topics.get(key)
    if (known !== undefined) return known
    const { recovery, publish } = settings
    const topic = new Topic(name, variant, {
      canonical,
      isMap,
      latestWins: isMap || recovery === "cache",
      showsTags: publish || variant.filter !== undefined,
      hasPositions: recovery !== "none",
    })
    this.topics.set(key, topic)
    return topic
  }

  /** Forgets its publications; where it stands remains. */
  forget(): void {
    this.history?.clear()
    this.latest?.clear()
    this.finals = []
    this.forgottenTo = 0
  }

  private close(publication: EncodedPublication): void {
    this.latest?.delete(publication.subject ?? "")
    this.finals.push(publication)
    if (this.finals.length > this.served.settings.finalsMax) this.forgottenTo = this.finals.shift()?.offset ?? 0
  }
}

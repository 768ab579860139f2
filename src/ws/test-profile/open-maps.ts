/**
 * A map of the test profile: entries that clients and the server API write themselves. The one thing to know: unlike the gateway's maps
 * it follows no stream, so it is the store of its entries, and of the changes that a reader may have missed, one by one (decision 73).
 */
import type { ChannelSource, StreamPosition, Tags } from "../../ports/channel-port.ts"
import type { Said } from "../channels/authority.ts"
import { History } from "../fanout/history.ts"
import type { Hub } from "../fanout/hub.ts"
import type { MapBehind } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { type Entry, type EntryPage, type MapReading, pageOf } from "../maps/entries.ts"
import { ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import type { ClientInfo } from "../protocol/protocol.ts"

export interface MapSettings {
  /** Of a subscribe: 1 a map, 2 a map of who is on another channel. */
  readonly type: 1 | 2
  /** Changes that are remembered for readers who come back. */
  readonly changesMax: number
  /** An entry that is not set again for so long leaves; null: it stays. */
  readonly keyTtlSeconds: number | null
  /** client: a client's one entry is called by its connection's id, whatever it says. */
  readonly keys: "given" | "client"
  readonly clientsRemove: boolean
  /** With the channel's name behind it: the map that tells who is on this one. */
  readonly presencePrefix?: string
  readonly debounceMillis?: number
}

export type Content = Pick<EncodedPublication, "json" | "bytes" | "oneLine">
export interface EntryFacts {
  readonly tags?: Tags | undefined
  readonly info?: ClientInfo | undefined
}

interface Kept extends Entry {
  /** Monotonic ms. */
  readonly until: number
}

const MEBIBYTE = 1_048_576

export class OpenMap implements MapBehind, ChannelSource, MapReading {
  readonly isReady = true
  private readonly kept = new Map<string, Kept>()
  private readonly changes: History
  private ordinals = 0
  private top = 0
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly hub: Hub,
    private readonly canonical: string,
    readonly settings: MapSettings,
    public epoch: string,
    /** The map that tells who is on this one. */
    private readonly presence: OpenMap | undefined,
  ) {
    this.changes = new History({
      size: settings.changesMax,
      ttlMillis: Number.POSITIVE_INFINITY,
      bytesMax: 16 * MEBIBYTE,
    })
  }

  get entries(): MapReading {
    return this
  }
  get offset(): number {
    return this.top
  }
  get size(): number {
    return this.kept.size
  }
  get debounceMillis(): number | undefined {
    return this.settings.debounceMillis
  }

  page(after: number, upTo: number, limit: number, wants: (entry: EncodedPublication) => boolean): EntryPage {
    return pageOf(this.kept.values(), after, upTo, limit, wants)
  }

  since(offset: number): ReadonlyArray<EncodedPublication> | undefined {
    return this.changes.since(offset, this.top, this.hub.monotonic())
  }

  /** Of the changes that are remembered. */
  changesPage(limit: number, since: number | undefined, reverse: boolean): ReadonlyArray<EncodedPublication> {
    return this.changes.page({ limit, since, reverse }, this.hub.monotonic())
  }

  find(key: string): EncodedPublication | undefined {
    return this.kept.get(key)?.publication
  }

  position(): StreamPosition {
    return { epoch: this.epoch, offset: this.top, snapshot: null }
  }

  whenReady(done: (isReady: boolean) => void): void {
    done(true)
  }

  // What is written is kept as long as the process lives, with or without readers.
  opened(): void {}
  closed(): void {}
  reload(): void {}
  forgotten(): void {}

  /** A client's word; why it is refused, if it is. */
  say({ content, key: given, info }: Said, payload: Content | null): ProtocolError | undefined {
    const { keys, clientsRemove } = this.settings
    const key = keys === "client" ? info.client : given
    if (key === "") return ERRORS.badRequest
    if (content === null || payload === null) {
      if (!clientsRemove) return ERRORS.permissionDenied
      this.remove(key)
      return undefined
    }
    this.set(key, payload, { info })
    return undefined
  }

  set(key: string, content: Content, facts: EntryFacts = {}): void {
    const { keyTtlSeconds } = this.settings
    const publication: EncodedPublication = { epoch: this.epoch, offset: ++this.top, key, ...content, ...facts }
    const ordinal = this.kept.get(key)?.ordinal ?? ++this.ordinals
    const until = keyTtlSeconds === null ? Number.POSITIVE_INFINITY : this.hub.monotonic() + keyTtlSeconds * 1000
    this.kept.set(key, { ordinal, publication, until })
    this.tell(publication)
    this.watch()
  }

  /** False when there is no such entry. */
  remove(key: string): boolean {
    const before = this.kept.get(key)
    if (before === undefined) return false
    this.kept.delete(key)
    const { tags } = before.publication
    this.tell({ epoch: this.epoch, offset: ++this.top, json: "", key, removed: true, tags })
    return true
  }

  /** Everything is gone, and every reader starts over. */
  clear(epoch: string): void {
    this.kept.clear()
    this.changes.clear()
    this.epoch = epoch
    this.top = 0
    this.hub.recall(this.canonical)
  }

  arrived(reader: ClientInfo): void {
    this.presence?.set(reader.client, { json: "" }, { info: reader })
  }

  departed(client: string): void {
    this.presence?.remove(client)
  }

  private tell(publication: EncodedPublication): void {
    this.changes.add(publication, this.hub.monotonic())
    this.hub.publish(this.canonical, publication)
  }

  /** Wakes when the next entry is over. */
  private watch(): void {
    if (this.timer !== undefined || this.settings.keyTtlSeconds === null) return
    const next = Math.min(...[...this.kept.values()].map(({ until }) => until))
    if (next === Number.POSITIVE_INFINITY) return
    this.timer = setTimeout(() => this.expire(), Math.max(1, next - this.hub.monotonic()))
    this.timer.unref()
  }

  private expire(): void {
    this.timer = undefined
    const now = this.hub.monotonic()
    for (const [key, { until }] of [...this.kept]) if (until <= now) this.remove(key)
    this.watch()
  }
}

/**
 * One uWebSockets topic: the subscribers of a channel under one name who get the same bytes (same encoding, delta, filter). Every publication is
 * encoded once here, for any number of subscribers.
 */
import { createHash } from "node:crypto"
import type { Tags } from "../../ports/channel-port.ts"
import { type CompactKind, compactPayload } from "../protocol/compact.ts"
import type { ClientInfo, Codec, Frame, JsonText, PublicationBody } from "../protocol/protocol.ts"
import { fossilDelta } from "./fossil.ts"
import type { ParsedFilter } from "./tags-filter.ts"

/** What subscribers of one channel may want differently. */
export interface Variant {
  readonly codec: Codec
  readonly delta: boolean
  readonly filter: ParsedFilter | undefined
  /** Of Protobuf: records of `market.proto` instead of JSON text. */
  readonly compact: CompactKind | undefined
}

/** What the hub publishes; a map's publications name their entry. */
export interface EncodedPublication {
  readonly epoch: string
  /** 0: outside of the stream; it is in no history. */
  readonly offset: number
  readonly json: string
  /** `json` without its raw newlines, where it has any: what readers of JSON get. */
  readonly oneLine?: JsonText | undefined
  /** Instead of `json`, when a client of Protobuf published what is none: others cannot read it. */
  readonly bytes?: Uint8Array | undefined
  readonly tags?: Tags | undefined
  readonly subject?: string | undefined
  readonly isFinal?: boolean | undefined
  /** The client that published it. */
  readonly info?: ClientInfo | undefined
  readonly key?: string | undefined
  readonly removed?: boolean | undefined
}

/** Gets frames of its own beside the topic's. */
export interface Subscriber {
  readonly sendFrame: (frame: Frame) => void
  readonly joinTopic: (key: string) => void
}

const SEPARATOR = "\u0000"

/**
 * The JSON variant without extras keeps the channel's own name. A map may be called like the stream that it follows, and two channels may go
 * by one name: who asks says which is meant.
 */
export const topicKey = (
  name: string,
  { codec, delta, filter, compact }: Variant,
  canonical: string,
  isMap = false,
): string => {
  const plain = codec.format === "json" && !delta && !isMap && filter === undefined && canonical === name
  if (plain) return name
  const wish = filter === undefined ? "" : createHash("sha256").update(filter.canonical).digest("base64")
  return [codec.format, isMap ? "map" : delta, compact ?? "", wish, canonical, name].join(SEPARATOR)
}

const bytesOf = ({ json, bytes }: EncodedPublication): Uint8Array => bytes ?? Buffer.from(json)

interface Base {
  readonly offset: number
  readonly bytes: Uint8Array
}

export class Topic {
  readonly key: string
  subscribers = 0
  /** Frames that wait for the window's end. */
  private pending: Array<Frame> = []
  /** Where the latest wins: what waits, by a map's key or by subject; a newer value takes the place of an older one. */
  private newest: Map<string, EncodedPublication> | undefined
  private base: Base | undefined
  private newcomers: Set<Subscriber> | undefined
  private readonly encode: (body: PublicationBody) => Frame

  constructor(
    /** As its subscribers call the channel. */
    readonly name: string,
    readonly variant: Variant,
    private readonly options: {
      readonly canonical: string
      readonly isMap: boolean
      readonly latestWins: boolean
      readonly showsTags: boolean
      /** Publications are numbered for their readers. */
      readonly hasPositions: boolean
    },
  ) {
    this.key = topicKey(name, variant, options.canonical, options.isMap)
    this.encode = variant.codec.publications(name)
  }

  /** The channel's own name. */
  get canonical(): string {
    return this.options.canonical
  }

  get isBinary(): boolean {
    return this.variant.codec.format === "protobuf"
  }

  wants(publication: EncodedPublication): boolean {
    return this.variant.filter === undefined || this.variant.filter.matches(publication.tags)
  }

  /** Keeps a publication for the end of the window. */
  wait(publication: EncodedPublication): void {
    if (!this.options.latestWins) {
      this.pending.push(this.frame(publication))
      return
    }
    // No newer value takes the place of a last word.
    const subject =
      publication.isFinal === true ? `#${publication.offset}` : (publication.key ?? publication.subject ?? "")
    this.newest ??= new Map()
    // Deleted first, so that subjects leave in the order of their newest values.
    this.newest.delete(subject)
    this.newest.set(subject, publication)
  }

  /** What waited, as one frame; undefined when nothing did. */
  take(): Frame | undefined {
    if (this.newest !== undefined) {
      for (const publication of this.newest.values()) this.pending.push(this.frame(publication))
      this.newest = undefined
    }
    if (this.pending.length === 0) return undefined
    const frame = this.pending.length === 1 ? this.pending[0] : this.variant.codec.join(this.pending)
    this.pending = []
    return frame
  }

  /** The next frame of the topic's own chain. */
  frame(publication: EncodedPublication): Frame {
    if (!this.variant.delta) return this.encode(this.body(publication, this.payload(publication)))
    const bytes = bytesOf(publication)
    const base = this.base
    this.base = { offset: publication.offset, bytes }
    const json = this.variant.codec.format === "json"
    const delta = base === undefined ? undefined : fossilDelta(base.bytes, bytes, { alignUtf8: json })
    if (delta === undefined || delta.length >= bytes.length) return this.full(publication)
    return this.encode(this.body(publication, json ? JSON.stringify(Buffer.from(delta).toString("utf8")) : delta, true))
  }

  /** A publication for one subscriber that has nothing yet to apply a delta to; for others as it is. */
  full(publication: EncodedPublication): Frame {
    return this.encode(this.fullBody(publication))
  }

  fullBody(publication: EncodedPublication): PublicationBody {
    const quoted = this.variant.delta && !this.isBinary && publication.bytes === undefined
    const data = quoted ? JSON.stringify(publication.json) : this.payload(publication)
    return this.body(publication, data)
  }

  /** Publications of a recovery: the first is full, each further one stands on the one before (realtime A.10). */
  recovered(publications: ReadonlyArray<EncodedPublication>): ReadonlyArray<PublicationBody> {
    return publications.map((publication, index) => {
      const previous = this.variant.delta ? publications[index - 1] : undefined
      if (previous === undefined) return this.fullBody(publication)
      const json = this.variant.codec.format === "json"
      const bytes = bytesOf(publication)
      const delta = fossilDelta(bytesOf(previous), bytes, { alignUtf8: json })
      if (delta.length >= bytes.length) return this.fullBody(publication)
      return this.body(publication, json ? JSON.stringify(Buffer.from(delta).toString("utf8")) : delta, true)
    })
  }

  /**
   * Whether a subscriber that has just been given `last` may join at once. One whose last publication is not the chain's gets the
   * next one in full first: `welcome`.
   */
  mayJoin(last: EncodedPublication | undefined): boolean {
    if (!this.variant.delta) return true
    if (last === undefined) return false
    this.base ??= { offset: last.offset, bytes: bytesOf(last) }
    return this.base.offset === last.offset
  }

  welcome(subscriber: Subscriber): void {
    this.newcomers ??= new Set()
    this.newcomers.add(subscriber)
  }

  /** True when it had not joined yet. */
  dismiss(subscriber: Subscriber): boolean {
    return this.newcomers?.delete(subscriber) ?? false
  }

  get hasNewcomers(): boolean {
    return this.newcomers !== undefined && this.newcomers.size > 0
  }

  /** What all other subscribers got through the topic, besides its publications. */
  tellNewcomers(frame: Frame): void {
    for (const newcomer of this.newcomers ?? []) newcomer.sendFrame(frame)
  }

  /** Right after `publication` was sent to all others: waiting subscribers get it in full and join. */
  greet(publication: EncodedPublication): void {
    if (this.newcomers === undefined) return
    const frame = this.full(publication)
    for (const newcomer of this.newcomers) {
      newcomer.sendFrame(frame)
      newcomer.joinTopic(this.key)
    }
    this.newcomers = undefined
  }

  private payload({ json, bytes, oneLine }: EncodedPublication): string | Uint8Array {
    if (bytes !== undefined) return bytes
    if (oneLine !== undefined && !this.isBinary) return oneLine
    return this.variant.compact === undefined ? json : compactPayload(this.variant.compact, json)
  }

  private body(publication: EncodedPublication, payload: string | Uint8Array, delta = false): PublicationBody {
    const { epoch, tags, info, key, removed } = publication
    const offset = this.options.hasPositions ? publication.offset : 0
    const showsTags = tags !== undefined && this.options.showsTags
    // The hot path: nearly every publication is no more than this.
    if (offset !== 1 && !delta && !showsTags && info === undefined && key === undefined)
      return { data: payload, offset }
    return {
      data: payload,
      offset,
      ...(offset === 1 ? { epoch } : undefined),
      ...(showsTags ? { tags } : undefined),
      ...(info === undefined ? undefined : { info }),
      ...(key === undefined ? undefined : { key }),
      ...(removed === true ? { removed } : undefined),
      ...(delta ? { delta } : undefined),
    }
  }
}

/**
 * The channels of the test profile: created on first use, numbered here. A channel keeps its publications for its namespace's history time
 * whether or not there are subscribers, and its position (epoch and offset) as long as the process lives.
 */
import { randomInt } from "node:crypto"
import type { ChannelSource, StreamPosition, Tags } from "../../ports/channel-port.ts"
import type { Said } from "../channels/authority.ts"
import type { ChannelKindSettings } from "../channels/kinds.ts"
import { CHANNEL_BYTES_MAX } from "../connection/client.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Served, Stream } from "../fanout/stream.ts"
import type { EncodedPublication } from "../fanout/topic.ts"
import { onOneLine } from "../protocol/codec-json.ts"
import { ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import type { ClientInfo, JsonText } from "../protocol/protocol.ts"
import { OpenMap } from "./open-maps.ts"
import { isChannelName, namespaceOf, type OpenNamespaces } from "./open-namespaces.ts"

export interface PublishOptions {
  /** The client that publishes. */
  readonly info?: ClientInfo | undefined
  readonly tags?: Tags | undefined
  /** Only for those who listen now: without an offset, in no history. */
  readonly skipHistory?: boolean | undefined
}

interface Place {
  readonly epoch: string
  offset: number
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

const newEpoch = (): string => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join("")

const isNumbered = ({ historySize, recovery }: ChannelKindSettings): boolean => historySize > 0 || recovery !== "none"

/** As the hub publishes it. */
const payloadOf = (content: JsonText | Uint8Array): Pick<EncodedPublication, "json" | "bytes" | "oneLine"> => {
  if (typeof content !== "string") return { json: "", bytes: content }
  return content.includes("\n") ? { json: content, oneLine: onOneLine(content) } : { json: content }
}

export class OpenChannels implements ChannelSource {
  private readonly places = new Map<string, Place>()
  private readonly maps = new Map<string, OpenMap>()
  /** Streams that the hub must not forget → monotonic ms until when. */
  private readonly kept = new Map<Stream, number>()
  private told: (channel: string) => void = () => {}

  constructor(
    private readonly hub: Hub,
    private readonly namespaces: OpenNamespaces,
    private readonly monotonic: () => number,
  ) {}

  /** The channel, or why there is none of that name. */
  serve(channel: string): Served | ProtocolError {
    const namespace = this.namespaces.get(namespaceOf(channel))
    if (namespace === undefined) return ERRORS.unknownChannel
    if (!isChannelName(channel) || channel.length > CHANNEL_BYTES_MAX) return ERRORS.badRequest
    const { settings } = namespace
    const map = this.map(channel)
    return map === undefined
      ? { canonical: channel, settings, source: this }
      : { canonical: channel, settings, source: map, map }
  }

  /** Made at the first call; undefined for a channel that is none. */
  map(channel: string): OpenMap | undefined {
    const known = this.maps.get(channel)
    const settings = this.namespaces.get(namespaceOf(channel))?.map
    if (known !== undefined || settings === undefined) return known
    const { presencePrefix } = settings
    const presence = presencePrefix === undefined ? undefined : this.map(presencePrefix + channel)
    const made = new OpenMap(this.hub, channel, settings, newEpoch(), presence)
    this.maps.set(channel, made)
    return made
  }

  /** What a client says into the channel; why it is refused, if it is. */
  say(served: Served, said: Said): ProtocolError | undefined {
    const { content, info } = said
    const map = this.maps.get(served.canonical)
    if (map !== undefined) {
      if (content !== null && typeof content !== "string") this.told(served.canonical)
      return map.say(said, content === null ? null : payloadOf(content))
    }
    if (content === null) return ERRORS.badRequest
    this.publish(served, content, { info })
    return undefined
  }

  /** The server's word on an entry of a map. */
  set(map: OpenMap, channel: string, key: string, content: JsonText | Uint8Array, tags: Tags | undefined): void {
    if (typeof content !== "string") this.told(channel)
    map.set(key, payloadOf(content), { tags })
  }

  clear(map: OpenMap): void {
    map.clear(newEpoch())
  }

  opened(): void {
    // Nothing to fetch: publishers supply the data.
  }

  closed(): void {
    // What is remembered stays until its time is over: `kept`.
  }

  position(channel: string): StreamPosition {
    const settings = this.namespaces.get(namespaceOf(channel))?.settings
    if (settings === undefined || !isNumbered(settings)) return { epoch: "", offset: 0, snapshot: null }
    const { epoch, offset } = this.place(channel)
    return { epoch, offset, snapshot: null }
  }

  /** Once: called before bytes that are no JSON go out on a channel. */
  onBytes(told: (channel: string) => void): void {
    this.told = told
  }

  /** `content`: bytes when it is no JSON. The new place; null when the publication has none. */
  publish(
    served: Served,
    content: JsonText | Uint8Array,
    options: PublishOptions = {},
  ): { epoch: string; offset: number } | null {
    const { info, tags, skipHistory } = options
    const { canonical, settings } = served
    if (typeof content !== "string") this.told(canonical)
    const said = { ...payloadOf(content), tags, info }
    if (skipHistory === true || !isNumbered(settings)) {
      this.hub.publish(canonical, { epoch: "", offset: 0, ...said })
      return null
    }
    this.keep(this.hub.open(served))
    const place = this.place(canonical)
    place.offset++
    this.hub.publish(canonical, { ...place, ...said })
    return { ...place }
  }

  private place(channel: string): Place {
    const known = this.places.get(channel)
    if (known !== undefined) return known
    const made = { epoch: newEpoch(), offset: 0 }
    this.places.set(channel, made)
    return made
  }

  /** Holds the stream for the time of its history from now on, and drops streams without publications for that long. */
  private keep(stream: Stream): void {
    const now = this.monotonic()
    if (!this.kept.delete(stream)) stream.holds++
    this.kept.set(stream, now + stream.served.settings.historyTtlSeconds * 1000)
    for (const [oldest, until] of this.kept) {
      if (until > now) break
      this.kept.delete(oldest)
      oldest.holds--
      this.hub.release(oldest)
    }
  }
}

/**
 * What a subscribe requests, read from its parameters: the channel, the position, and the form; and a connection's subscriptions as those who
 * reply see them.
 */

import { nearestName } from "../../foundation/nearest-name.ts"
import type { Credentials, Granted, SubscriptionRequest } from "../channels/authority.ts"
import type { Served, Stream } from "../fanout/stream.ts"
import { parseTagsFilter } from "../fanout/tags-filter.ts"
import type { Subscriber, Topic, Variant } from "../fanout/topic.ts"
import { type CompactKind, compactKind } from "../protocol/compact.ts"
import type { ProtocolError } from "../protocol/error-codes.ts"
import type { Codec, CommandOf, SubscribeResult } from "../protocol/protocol.ts"

/** A connection's subscriptions as those who answer a subscribe see them. */
export interface SubscribeHost extends Subscriber {
  /** From the start, with every check, for whom the connection speaks now. */
  subscribe(command: CommandOf<"subscribe">): void
  /** Why the channel that was granted before a wait is not granted any more; undefined when it is. */
  lapsed(command: CommandOf<"subscribe">, credentials: Credentials): ProtocolError | undefined
  /** Counts the client in; `facts` belong into the answer, and the topic is joined after it, in the same turn. */
  admit(
    stream: Stream,
    channel: string,
    variant: Variant,
    granted: Granted,
  ): { readonly topic: Topic; readonly facts: SubscribeResult }
}

/** The request in a subscribe or a sub_refresh. */
export const requestOf = (
  { parameters }: CommandOf<"subscribe"> | CommandOf<"sub_refresh">,
  client: string,
): SubscriptionRequest => {
  const { channel = "", type = 0, token = "" } = parameters
  return { channel, type, token, client }
}

/** The form in which the subscriber gets publications; undefined when the channel does not offer what is asked. */
export const variantOf = (
  { parameters, content }: CommandOf<"subscribe">,
  { settings, canonical }: Served,
  codec: Codec,
  wantsDelta: boolean,
): Variant | undefined => {
  const { tf, data } = parameters
  const filter = tf === undefined || tf === null ? undefined : parseTagsFilter(tf)
  if (tf !== undefined && tf !== null && (filter === undefined || !settings.tagsFilter)) return undefined
  // An unreadable request may have asked for compact records: JSON is not a substitute.
  if (content !== undefined) return undefined
  const compact = compactOf(data, canonical, codec)
  if (compact === "unsupported") return undefined
  const delta = wantsDelta && settings.delta && filter === undefined && compact === undefined
  return { codec, delta, filter, compact }
}

/** `data` is the client's own by the protocol; what is nearly a field that is read was meant to be it. */
const hasMisspelt = (asked: object): boolean =>
  Object.keys(asked).some((name) => name !== "encoding" && nearestName(name, ["encoding"]) !== null)

/** `data: {"encoding": "protobuf"}` asks for compact records. */
const compactOf = (asked: unknown, canonical: string, codec: Codec): CompactKind | undefined | "unsupported" => {
  if (asked !== null && typeof asked === "object" && hasMisspelt(asked)) return "unsupported"
  const encoding = asked !== null && typeof asked === "object" && "encoding" in asked ? asked.encoding : undefined
  if (encoding === undefined || encoding === "json") return undefined
  if (encoding !== "protobuf" || codec.format !== "protobuf") return "unsupported"
  return compactKind(canonical) ?? "unsupported"
}

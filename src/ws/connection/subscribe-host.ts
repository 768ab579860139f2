/** A connection's subscriptions as those who answer a subscribe see them. */
import type { Credentials, Granted } from "../channels/authority.ts"
import type { Stream } from "../fanout/stream.ts"
import type { Subscriber, Topic, Variant } from "../fanout/topic.ts"
import type { ProtocolError } from "../protocol/error-codes.ts"
import type { CommandOf, SubscribeResult } from "../protocol/protocol.ts"

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

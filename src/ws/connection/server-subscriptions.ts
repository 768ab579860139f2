/** Subscriptions that a connection is given with its token: at connect, and when a later token names others. */
import type { Credentials, ServerSubscription } from "../channels/authority.ts"
import type { RecoveryRequest } from "../fanout/recovery.ts"
import { UNSUBSCRIBES } from "../protocol/error-codes.ts"
import type { ParametersOf } from "../protocol/requests.ts"
import type { Entered } from "./stream-subscribe.ts"
import type { Subscriptions } from "./subscriptions.ts"

export const NO_POSITION: RecoveryRequest = { recover: false, epoch: "", offset: 0 }

type Positions = ParametersOf<"connect">["subs"]

/** The place that the client of an earlier connection had in a channel, out of its connect. */
const positionIn = (positions: Positions, channel: string): RecoveryRequest => {
  const at = positions !== undefined && Object.hasOwn(positions, channel) ? positions[channel] : undefined
  if (at === undefined) return NO_POSITION
  const { recover = false, epoch = "", offset = 0 } = at
  return { recover, epoch, offset }
}

/** Part of the reply to connect, by channel. */
export const joinWithConnect = (
  subscriptions: Subscriptions,
  credentials: Credentials,
  positions: Positions,
): ReadonlyMap<string, Entered> => {
  const joined = new Map<string, Entered>()
  for (const subscription of credentials.channels) {
    const { channel } = subscription
    const entered = subscriptions.subscribeServerSide(subscription, credentials, positionIn(positions, channel))
    if (entered !== undefined) joined.set(channel, entered)
  }
  return joined
}

/** Ends what the new token does not name any more, and begins what the old one did not. */
export const followToken = (
  client: {
    readonly subscriptions: Subscriptions
    readonly subscribeServerSide: (subscription: ServerSubscription) => void
  },
  before: Credentials,
  now: Credentials,
): void => {
  const named = new Set(now.channels.map(({ channel }) => channel))
  for (const { channel } of before.channels)
    if (!named.has(channel)) client.subscriptions.endChannel(channel, UNSUBSCRIBES.server)
  for (const subscription of now.channels) client.subscribeServerSide(subscription)
}

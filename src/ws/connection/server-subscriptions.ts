/** Subscriptions that a connection is given with its token: at connect, and when a later token names others. */
import type { Credentials, ServerSubscription } from "../channels/authority.ts"
import type { RecoveryRequest } from "../fanout/recovery.ts"
import { UNSUBSCRIBES } from "../protocol/error-codes.ts"
import type { Entered } from "./stream-subscribe.ts"
import { offsetOf } from "./subscribe-request.ts"
import type { Subscriptions } from "./subscriptions.ts"

export const NO_POSITION: RecoveryRequest = { recover: false, epoch: "", offset: 0 }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value)

/** The place that the client of an earlier connection had in a channel, out of its connect. */
const positionIn = (positions: unknown, channel: string): RecoveryRequest => {
  const at: unknown = isRecord(positions) && Object.hasOwn(positions, channel) ? positions[channel] : undefined
  if (!isRecord(at)) return NO_POSITION
  const { recover, epoch, offset } = at
  return {
    recover: recover === true,
    epoch: typeof epoch === "string" ? epoch : "",
    offset: offsetOf(offset),
  }
}

/** Part of the reply to connect, by channel. */
export const joinWithConnect = (
  subscriptions: Subscriptions,
  credentials: Credentials,
  positions: unknown,
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

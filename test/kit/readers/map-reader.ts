/**
 * The official client's map subscription, and the map that an application would make of its events. The one thing to know: after a
 * recovery the client tells only what has changed, so what the application had must be right.
 */
import type { Centrifuge, MapSubscription } from "centrifuge"
import type { Centrifuge as ProtobufCentrifuge } from "centrifuge/build/protobuf"

export interface MapReader {
  readonly subscription: MapSubscription
  /** Key → parsed data. */
  readonly map: ReadonlyMap<string, unknown>
  /** `sync 12` entries, `subscribing 2500`, `subscribed`, `recovered`, `unsubscribed 103`, in order; updates are not among them. */
  readonly told: ReadonlyArray<string>
  /** Keys in the order of their updates; those that were removed begin with a minus. */
  readonly updates: ReadonlyArray<string>
  /** Newest first is not promised: as they came. */
  readonly offsets: ReadonlyArray<number | undefined>
}

export interface MapReaderOptions {
  readonly pageSize?: number
  readonly tagsFilter?: unknown
  readonly unrecoverableStrategy?: "from_scratch" | "fatal"
}

const parsed = (value: unknown): unknown =>
  value instanceof Uint8Array ? JSON.parse(Buffer.from(value).toString("utf8")) : value

/** Subscribes at once. */
export const readMap = (
  client: Centrifuge | ProtobufCentrifuge,
  channel: string,
  options: MapReaderOptions = {},
): MapReader => {
  const subscription = (client as Centrifuge).newMapSubscription(channel, {
    minResubscribeDelay: 10,
    maxResubscribeDelay: 100,
    ...options,
  } as Parameters<Centrifuge["newMapSubscription"]>[1])
  const map = new Map<string, unknown>()
  const told: Array<string> = []
  const updates: Array<string> = []
  const offsets: Array<number | undefined> = []
  subscription.on("sync", ({ entries }) => {
    told.push(`sync ${entries.length}`)
    map.clear()
    for (const { key, data } of entries) map.set(key, parsed(data))
  })
  subscription.on("update", ({ key, data, removed, offset }) => {
    updates.push(removed ? `-${key}` : key)
    offsets.push(offset)
    if (removed) map.delete(key)
    else map.set(key, parsed(data))
  })
  subscription.on("subscribing", ({ code }) => void told.push(`subscribing ${code}`))
  subscription.on("subscribed", ({ recovered }) => void told.push(recovered ? "recovered" : "subscribed"))
  subscription.on("unsubscribed", ({ code }) => void told.push(`unsubscribed ${code}`))
  subscription.subscribe()
  return { subscription, map, told, updates, offsets }
}

/**
 * The namespaces of the test profile: those that the public suites of client libraries expect, each with its source, and two of our own. The
 * setting CHANNELS changes cells of them and adds others.
 */

import { type ChannelKindSettings, changedRow, InvalidChannelKinds } from "../channels/kinds.ts"
import type { MapSettings } from "./open-maps.ts"

export interface OpenNamespace {
  readonly settings: ChannelKindSettings
  /** Of a namespace of maps. */
  readonly map?: MapSettings | undefined
}

/** By name; the empty name is for channels without a namespace. */
export type OpenNamespaces = ReadonlyMap<string, OpenNamespace>

const MEBIBYTE = 1_048_576

/** Recovery, and nothing more than the suites switch on. */
const stream: ChannelKindSettings = {
  historySize: 100,
  historyTtlSeconds: 300,
  historyBytesMax: 16 * MEBIBYTE,
  recovery: "stream",
  recoveryMax: 300,
  finalsMax: 0,
  presence: false,
  joinLeave: false,
  delta: false,
  tagsFilter: true,
  publish: true,
  windowMillis: 0,
  behind: "close",
}

const everything: ChannelKindSettings = { ...stream, presence: true, joinLeave: true, delta: true }

const ROWS: Readonly<Record<string, ChannelKindSettings>> = {
  // docker-compose.yml of centrifuge-js, -python, -dart, -java, -csharp and -swift together; centrifuge-go alone expects no presence.
  "": everything,
  // docker-compose.yml of centrifuge-dart, and src/delta.test.ts of centrifuge-js.
  delta: { ...stream, delta: true },
  // docker-compose.yml of centrifuge-dart, src/recovery.test.ts of centrifuge-js, GetStateIntegrationTests.cs of centrifuge-csharp.
  recovery: stream,
  // docker-compose.yml of centrifuge-dart, -go, -python and -swift; src/recovery.test.ts and src/getstate.test.ts of centrifuge-js.
  smallhistory: { ...stream, historySize: 2 },
  // docker-compose.yml of centrifuge-python, for its example.py.
  example: { ...everything, historySize: 300, delta: false },
  // tests/test_sync_validation.py of pycent, a library of the server API.
  personal: everything,
  // Of our own: `force_recovery_mode: cache` with `auto_cache_recover`, as the gateway's tickers are.
  cache: { ...everything, historySize: 10, recovery: "cache" },
  // Of our own: no history at all, so no positions and no recovery.
  live: { ...everything, historySize: 0, recovery: "none" },
}

/** What its namespace remembers a map remembers itself. Readers of an ephemeral one are told no positions. */
const mapRow = (isEphemeral: boolean, publish = true): ChannelKindSettings => ({
  ...stream,
  historySize: 0,
  recovery: isEphemeral ? "none" : "stream",
  recoveryMax: CHANGES_MAX,
  publish,
})
const CHANGES_MAX = 10_000

const persistent: MapSettings = {
  type: 1,
  changesMax: CHANGES_MAX,
  keyTtlSeconds: null,
  keys: "given",
  clientsRemove: true,
}
const ephemeral: MapSettings = { ...persistent, keyTtlSeconds: 60 }

/** centrifugo_test.json of centrifuge-js. Deltas of `mapdelta` are not offered: its entries come whole, as its clients can read them too. */
const MAPS: Readonly<Record<string, OpenNamespace & { readonly map: MapSettings }>> = {
  streamless: { settings: mapRow(true), map: ephemeral },
  positioned: { settings: mapRow(false), map: persistent },
  smallstream: { settings: mapRow(false), map: { ...persistent, changesMax: 2 } },
  mapdelta: { settings: mapRow(false), map: persistent },
  shortttl: { settings: mapRow(true), map: { ...ephemeral, keyTtlSeconds: 3 } },
  clientkey: { settings: mapRow(true), map: { ...ephemeral, keys: "client", clientsRemove: false } },
  prestest: { settings: mapRow(true), map: { ...ephemeral, clientsRemove: false, presencePrefix: "prescli:" } },
  // An entry stays for as long as its connection does: who is cut off leaves here too, so nothing need be said again in time.
  prescli: { settings: mapRow(true, false), map: { ...persistent, type: 2, clientsRemove: false } },
  debounced: { settings: mapRow(true), map: { ...ephemeral, debounceMillis: 50 } },
  tagged: { settings: mapRow(false), map: persistent },
}

const NAME = /^[-a-zA-Z0-9_.]{2,}$/

/** The table with the operator's changes: namespace → some cells. Throws InvalidChannelKinds. */
export const openNamespaces = (changes: Readonly<Record<string, unknown>> | null): OpenNamespaces => {
  const table = new Map<string, OpenNamespace>(Object.entries(ROWS).map(([name, settings]) => [name, { settings }]))
  for (const [name, row] of Object.entries(MAPS)) table.set(name, row)
  for (const [name, cells] of Object.entries(changes ?? {})) {
    if (name !== "" && !NAME.test(name))
      throw new InvalidChannelKinds(`"${name}" is not a namespace name: at least two letters, digits, "-", "_" or "."`)
    const known = table.get(name)
    table.set(name, { ...known, settings: changedRow(name, known?.settings ?? stream, cells) })
  }
  return table
}

/** The namespace that a channel says it is in. */
export const namespaceOf = (channel: string): string => {
  const start = isPrivate(channel) ? 1 : 0
  const end = channel.indexOf(":", start)
  return end < 0 ? "" : channel.slice(start, end)
}

/** A client needs a token for it. */
export const isPrivate = (channel: string): boolean => channel.startsWith("$")

/** `chat#42,43` is for the users 42 and 43; a channel without the sign is for all. */
export const isForUser = (channel: string, user: string): boolean => {
  const sign = channel.lastIndexOf("#")
  return (
    sign < 0 ||
    channel
      .slice(sign + 1)
      .split(",")
      .includes(user)
  )
}

/** Printable ASCII. A control character could also name another channel's topic. */
export const isChannelName = (channel: string): boolean => /^[\x20-\x7e]+$/.test(channel)

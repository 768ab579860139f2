/** The sockets of several nodes put together: what an owner serves to edges, and what an edge has in the place of channels, sessions and calls of its own. */
import { type ChannelKind, parseChannel } from "../../domain/channel.ts"
import type { SpeakerId } from "../../domain/user/user.ts"
import type { CableService, Peer } from "../../ports/cable.ts"
import type { MirrorStats } from "../../ports/cluster.ts"
import type { Rpc } from "../../ports/rpc.ts"
import { canonicalName } from "../channels/access.ts"
import type { Authority } from "../channels/authority.ts"
import type { ChannelKinds } from "../channels/kinds.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Served } from "../fanout/stream.ts"
import { BESIDE_STREAM, Maps } from "../maps/maps.ts"
import { EdgeGate, type RpcRefusals, type Speaking } from "./edge-gate.ts"
import { Gate, type GateParts } from "./gate.ts"
import { Mirrors } from "./mirrors.ts"
import { Publisher, type PublisherParts } from "./publisher.ts"

export interface OwnerSockets {
  /** When this process owns the database under `term` and its channels stand where they belong; until what is answered is called. */
  readonly begin: (term: number) => () => void
  /** Channels that edges follow. */
  readonly followed: () => number
}

export const openOwnerSockets = (parts: PublisherParts & GateParts): OwnerSockets => {
  const publisher = new Publisher(parts)
  const gate = new Gate(parts)
  return {
    begin: (term) => {
      publisher.begin(term)
      gate.begin(term)
      return () => {
        gate.end()
        publisher.end()
      }
    },
    followed: () => publisher.size,
  }
}

export interface EdgeSocketsParts {
  readonly hub: Hub
  readonly kinds: ChannelKinds
  readonly cable: CableService
  /** Where the owner is spoken to; undefined: none is known. */
  readonly owner: () => Peer | undefined
  /** Another one is known, or one after there was none. */
  readonly onOwner: (listener: () => void) => void
  /** Of each socket here. */
  readonly speakers: () => Iterable<Speaking>
  /** Of a call: it changes nothing. */
  readonly isRead: (method: string) => boolean
  readonly refusals: RpcRefusals
  readonly monotonic: () => number
  readonly after: (millis: number, work: () => void) => void
}

export interface EdgeSockets {
  readonly authority: Authority
  readonly rpc: Rpc
  readonly onSpeakerEnded: (listener: (speaker: SpeakerId) => void) => void
  readonly onSpeakerRenewed: (listener: (speaker: SpeakerId) => void) => void
  readonly stats: () => MirrorStats
}

/** Attaches mirrors to the hub in the place of all sources. */
export const openEdgeSockets = (parts: EdgeSocketsParts): EdgeSockets => {
  const { hub, kinds } = parts
  const mirrors = new Mirrors({ ...parts, onEnded: (channel) => gate.forgetChannel(channel) })
  for (const kind of Object.keys(kinds) as ReadonlyArray<ChannelKind>) hub.attach(kind, mirrors.source(kind))
  const maps = new Maps(hub, kinds)
  const servedOf = (named: string, type: number): Served | undefined => {
    const channel = parseChannel(named.startsWith(BESIDE_STREAM) ? named.slice(BESIDE_STREAM.length) : named)
    if (channel === undefined) return undefined
    if (type === 1) return maps.of(channel)
    if (channel.kind === "accountOrders" || channel.kind === "accountPositions") return undefined
    return { canonical: canonicalName(channel), settings: kinds[channel.kind], source: hub.source(channel.kind) }
  }
  const gate = new EdgeGate({ ...parts, servedOf })
  return {
    authority: gate.authority,
    rpc: gate.rpc,
    onSpeakerEnded: gate.onEnded,
    onSpeakerRenewed: gate.onRenewed,
    stats: () => mirrors.stats(),
  }
}

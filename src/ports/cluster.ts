/**
 * Several gateways on one database, as one of them sees it. The one thing to know: what is known here of the owner may be late, so whatever is sent to
 * it names the term that it is meant for.
 */

import type { Peer } from "./cable.ts"

/** The node that owns the database, and its epoch in `gateway_node`: no two owners have the same, and a later one has a higher. */
export interface Owner {
  readonly nodeId: string
  readonly term: number
}

/** Where the owner is spoken to. */
export interface HomeService {
  /** Undefined: none is known that was heard of within the last moments. May be this process itself. */
  readonly peer: () => Peer | undefined
  /** There is one, after there was none or another. */
  readonly onPeer: (listener: () => void) => void
}

export interface ClusterView {
  readonly nodeId: string
  /** Of this life of the node; once it owns the database, its term. */
  readonly epoch: () => number
  /** Undefined: none is known, or its lease has run out. */
  readonly owner: () => Owner | undefined
  /** Told of it by another node: believed where it is a later one than what is known. */
  readonly heard: (owner: Owner) => void
  readonly onOwner: (listener: (owner: Owner | undefined) => void) => void
}

/** Of a node's mirrors of channels: how many are open, words heard, gaps asked for, and subscribers told to start over, all since it began. */
export interface MirrorStats {
  readonly mirrors: number
  readonly words: number
  readonly repairs: number
  readonly recalls: number
}

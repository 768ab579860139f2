/**
 * Several gateways on one database, as one of them sees it. The one thing to know: what is known here of the owner may be late, so whatever is sent to
 * it names the term that it is meant for.
 */

/** The node that owns the database, and its epoch in `gateway_node`: no two owners have the same, and a later one has a higher. */
export interface Owner {
  readonly nodeId: string
  readonly term: number
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

/**
 * Until when this process may do what only the owner of the database may: written by the lease, read by every thread that signs orders. The one
 * thing to know: the clock is the machine's monotonic one, which all threads of a process read alike and no operator can set.
 */

/** One BigInt64: ns of `process.hrtime`. What was never written is over. */
export type SharedOwnership = SharedArrayBuffer

const NANOS = 1e6

export interface Ownership {
  readonly shared: SharedOwnership
  /** So many ms from now on; what is not above 0 is over. */
  readonly until: (millis: number) => void
}

export const ownership = (): Ownership => ownershipIn(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))

/** Of the thread that has the lease, where that is another one. */
export const ownershipIn = (shared: SharedOwnership): Ownership => {
  const cell = new BigInt64Array(shared)
  return {
    shared,
    until: (millis) => {
      const endsAt = Number.isFinite(millis) ? process.hrtime.bigint() + BigInt(Math.round(millis * NANOS)) : 0n
      Atomics.store(cell, 0, endsAt)
    },
  }
}

/** Of a thread that signs. */
export const isOwned = (shared: SharedOwnership): (() => boolean) => {
  const cell = new BigInt64Array(shared)
  return () => process.hrtime.bigint() < Atomics.load(cell, 0)
}

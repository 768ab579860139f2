/**
 * Whether an owner that is behind with what it has to store lets changes of orders wait outside, at the other nodes and at its own doors, or refuses them. The one thing to know: a
 * node that starts beside it, a crowd that was held for it, or a database that is slow for a moment is over before a request's time is; what lasts is more than it can
 * do, and is refused at once, as by a process alone.
 */

/** As long as that takes, with room: another node's start took 10 to 16 s where it shared two cores with a full load. */
const HELD_MILLIS = 30_000
/** Behind again within this time it is still the same: what is held comes in as soon as there is room, and fills it. */
const APART_MILLIS = 5_000

export interface Crowd {
  /** No change of orders that has so many ms left is begun just now: it waits. One that has less than the owner is behind by would end as unknown. */
  readonly isCrowded: (leftMillis: number) => boolean
  /** What was let in is not refused for being late, since the doors hold the rest. */
  readonly areCallsHeld: () => boolean
}

export const makeCrowd = (isBehind: () => boolean, behindMillis: () => number, monotonic: () => number): Crowd => {
  let beganAt = Number.NEGATIVE_INFINITY
  let seenAt = Number.NEGATIVE_INFINITY
  const look = (): "calm" | "held" | "lasting" => {
    if (!isBehind()) return "calm"
    const now = monotonic()
    if (now - seenAt > APART_MILLIS) beganAt = now
    seenAt = now
    return now - beganAt < HELD_MILLIS ? "held" : "lasting"
  }
  return {
    isCrowded: (leftMillis) => {
      const how = look()
      return how === "held" || (how === "calm" && leftMillis < behindMillis())
    },
    areCallsHeld: () => look() !== "lasting",
  }
}

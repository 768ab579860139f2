/**
 * Which depth frames of a day meet which fault, and at which frames the market is held until its reader has caught up. Between a fault
 * and its hold frames go on coming, so that each new snapshot is joined to a market that moves.
 */

import type { Fault } from "../../exchanges/binance/faults.ts"
import type { DepthFrame } from "../../exchanges/binance/replay/capture.ts"

export const VARIANTS = ["clean", "dropped", "duplicated", "reordered", "cut"] as const
export type Variant = (typeof VARIANTS)[number]

export interface PlannedFault {
  readonly fault: Fault
  /** The frame that it is thrown before. */
  readonly id: number
  /** Update ids of frames that never arrive, or arrive too late to be of use. */
  readonly lost: ReadonlyArray<number>
}

export interface Plan {
  /** By the update id of the frame. */
  readonly faults: ReadonlyMap<number, PlannedFault>
  /** Update ids, ascending; the last frame is one of them. */
  readonly holds: ReadonlyArray<number>
}

/** `frames` are those after the snapshot; one of `every` is faulty. */
export const planOf = (
  variant: Variant,
  frames: ReadonlyArray<Pick<DepthFrame, "symbol" | "finalUpdateId">>,
  every: number,
  seed: number,
): Plan => {
  const random = dice(seed)
  const faults = new Map<number, PlannedFault>()
  const holds: Array<number> = []
  const idAt = (index: number): number | undefined => frames[index]?.finalUpdateId
  for (let from = 0; from + every <= frames.length; from += every) {
    const at = variant === "cut" ? from + 1 + random(every / 2) : from + 1
    const fault = faultAt(variant, frames, at)
    if (fault !== undefined) faults.set(fault.id, fault)
    // Two frames later at the soonest: a hole is seen at the next frame, and one of two that change places is late.
    const hold = idAt(at + 2 + random(from + every - at - 3))
    if (hold !== undefined) holds.push(hold)
  }
  const last = idAt(frames.length - 1)
  if (last !== undefined && holds.at(-1) !== last) holds.push(last)
  return { faults, holds }
}

const faultAt = (
  variant: Variant,
  frames: ReadonlyArray<Pick<DepthFrame, "symbol" | "finalUpdateId">>,
  at: number,
): PlannedFault | undefined => {
  const [frame, next] = [frames[at], frames[at + 1]]
  if (frame === undefined || next === undefined) return undefined
  const { symbol, finalUpdateId: id } = frame
  switch (variant) {
    case "clean":
      return undefined
    case "dropped":
      return { id, fault: { fault: "dropNextDiffs", symbol, count: 1 }, lost: [id] }
    case "duplicated":
      return { id, fault: { fault: "duplicateNextDiffs", symbol, count: 1 }, lost: [] }
    case "reordered":
      return { id, fault: { fault: "reorderNextDiffs", symbol }, lost: [id] }
    case "cut":
      return { id, fault: { fault: "closeSockets", kind: "market" }, lost: [id] }
  }
}

/** Whole numbers below a bound, the same ones for the same seed. */
const dice = (seed: number): ((below: number) => number) => {
  let state = seed >>> 0
  return (below) => {
    // Numerical Recipes' generator; its high bits are the good ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * Math.max(1, below))
  }
}

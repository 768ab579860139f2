/** An owner that is behind: what waits for it, and from when on it is refused. */
import { expect, it } from "vitest"
import { makeCrowd } from "../../../src/composition/crowd.ts"

const owner = () => {
  const at = { now: 1_000_000, isBehind: false, behindMillis: 0 }
  const crowd = makeCrowd(
    () => at.isBehind,
    () => at.behindMillis,
    () => at.now,
  )
  const says = (leftMillis = 5_000) => [crowd.isCrowded(leftMillis), crowd.areCallsHeld()]
  return { at, says }
}
const CALM = [false, true]
const HELD = [true, true]
const REFUSED = [false, false]

it("has changes wait while it is behind for a moment, however long it has served", () => {
  const { at, says } = owner()
  expect(says()).toEqual(CALM)
  at.isBehind = true
  expect(says()).toEqual(HELD)
  at.now += 1_000
  expect(says()).toEqual(HELD)
  at.isBehind = false
  expect(says()).toEqual(CALM)
})

it("has those wait that have less time left than it is behind by, and no others, while it is not behind with all", () => {
  const { at, says } = owner()
  at.behindMillis = 700
  expect([says(700), says(699)]).toEqual([CALM, HELD])
  // What lasts is refused, however little time it has.
  at.isBehind = true
  for (let second = 0; second < 30; second++) {
    expect(says(5_000)).toEqual(HELD)
    at.now += 1_000
  }
  expect(says(0)).toEqual(REFUSED)
})

it("refuses once it has been behind for 30 s, with pauses or without, until it was not for 5 s", () => {
  const { at, says } = owner()
  for (let second = 0; second < 30; second++) {
    at.isBehind = second % 3 !== 1
    expect(says()).toEqual(at.isBehind ? HELD : CALM)
    at.now += 1_000
  }
  at.isBehind = true
  expect(says()).toEqual(REFUSED)
  at.isBehind = false
  at.now += 4_000
  expect(says()).toEqual(CALM)
  at.isBehind = true
  expect(says()).toEqual(REFUSED)
  at.now += 5_001
  expect(says()).toEqual(HELD)
})

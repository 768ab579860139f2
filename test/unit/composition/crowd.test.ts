/** An owner that is behind: what waits for it, and from when on it is refused. */
import { expect, it } from "vitest"
import { makeCrowd } from "../../../src/composition/crowd.ts"

const owner = () => {
  const at = { now: 1_000_000, isBehind: false }
  const crowd = makeCrowd(
    () => at.isBehind,
    () => at.now,
  )
  return { at, says: () => [crowd.isCrowded(), crowd.areCallsHeld()] }
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

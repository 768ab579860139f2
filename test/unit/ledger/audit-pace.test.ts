/** The pass over the whole journal ends in its time, whatever the length of the journal, or says that it cannot. */
import { describe, expect, it } from "vitest"
import { paceOf, STEP_MILLIS, STEP_MOST_MILLIS, wholeEveryMillis } from "../../../src/ledger/ledger-audit.ts"

const HOUR = 3_600_000
const MAX_AGE = 48 * HOUR
/** Between looks, with what they do beside the step. */
const REST = 33_000
/** As measured on two busy cores: 4,200 rows a second. */
const PER_MILLI = 4.2

/** Look by look, beside a ledger that grows: how old the last pass is when the next one ends, what was said on the way, and its share of all time. */
const walked = (rows: number, { perMilli = PER_MILLI, newPerMilli = 0.1, restMillis = REST } = {}) => {
  const begun = wholeEveryMillis(MAX_AGE)
  let [left, ageMillis, inSteps] = [rows, begun, 0]
  let [saidLate, longest] = [false, 0]
  for (let looks = 0; looks < 100_000; looks++) {
    const known = looks === 0 ? null : perMilli
    const pace = paceOf({
      left,
      perMilli: known,
      ageMillis,
      isFirst: false,
      maxAgeMillis: MAX_AGE,
      restMillis,
    })
    if (pace.isLate) saidLate = true
    const isThere = pace.stepMillis * perMilli >= left
    const took = isThere ? left / perMilli : pace.stepMillis
    inSteps += took
    longest = Math.max(longest, took)
    ageMillis += took + pace.restMillis
    if (isThere) return { ageMillis, saidLate, share: inSteps / (ageMillis - begun), longest }
    left += (took + pace.restMillis) * newPerMilli - took * perMilli
  }
  throw new Error("it never ends")
}

describe("a pass over the whole journal", () => {
  it.each([1, 50, 100, 120])(
    "of %i million rows ends before the last one is too old, with no more than half of the time",
    (millions) => {
      const { ageMillis, saidLate, share } = walked(millions * 1e6)
      expect(ageMillis).toBeLessThan(MAX_AGE)
      expect(saidLate).toBe(false)
      expect(share).toBeLessThanOrEqual(0.5)
    },
  )

  it("is no faster than it must be: five seconds a look where that is enough", () => {
    const { share } = walked(20e6)
    expect(share).toBeCloseTo(STEP_MILLIS / (STEP_MILLIS + REST), 2)
  })

  it("takes half of the time where it must, and says when that is too little, and when it ends", () => {
    const { ageMillis, saidLate, share } = walked(400e6)
    expect(ageMillis).toBeGreaterThan(MAX_AGE)
    expect(saidLate).toBe(true)
    expect(share).toBeCloseTo(0.5, 2)
    const now = {
      left: 400e6,
      perMilli: PER_MILLI,
      ageMillis: 24 * HOUR,
      isFirst: false,
      maxAgeMillis: MAX_AGE,
      restMillis: REST,
    }
    const { endsInMillis } = paceOf(now)
    expect(endsInMillis! / HOUR).toBeCloseTo((2 * 400e6) / PER_MILLI / HOUR, 0)
    expect(paceOf({ ...now, maxAgeMillis: 96 * HOUR }).isLate).toBe(false)
  })

  it.each([0.1, 1])(
    "keeps no look waiting for longer than a minute where %d h is between two, and ends in time",
    (hours) => {
      const { ageMillis, saidLate, share, longest } = walked(100e6, { restMillis: hours * HOUR })
      expect(longest).toBeLessThanOrEqual(STEP_MOST_MILLIS)
      expect(ageMillis).toBeLessThan(MAX_AGE)
      expect(saidLate).toBe(false)
      expect(share).toBeLessThanOrEqual(0.5)
    },
  )

  it("is as fast as may be where there was none before, late where that is too late, and its end is not known before its first step", () => {
    const first = {
      left: 1e6,
      perMilli: PER_MILLI,
      ageMillis: 0,
      isFirst: true,
      maxAgeMillis: MAX_AGE,
      restMillis: REST,
    }
    const endsInMillis = Math.round(2e6 / PER_MILLI)
    expect(paceOf(first)).toEqual({ stepMillis: REST, restMillis: REST, endsInMillis, isLate: false })
    expect(paceOf({ ...first, ageMillis: MAX_AGE })).toMatchObject({ stepMillis: REST, endsInMillis, isLate: true })
    expect(paceOf({ ...first, left: 400e6 })).toMatchObject({ isLate: true })
    expect(paceOf({ ...first, perMilli: null })).toMatchObject({
      stepMillis: STEP_MILLIS,
      endsInMillis: null,
      isLate: false,
    })
  })

  it("begins a day after the last one, or after half of the age that it may have", () => {
    expect([wholeEveryMillis(MAX_AGE), wholeEveryMillis(2 * HOUR)]).toEqual([24 * HOUR, HOUR])
  })
})

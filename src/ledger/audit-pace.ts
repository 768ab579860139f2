/**
 * How much of each look goes to the pass over the whole journal: pure. As much as brings it to its end in time, whatever the length of the
 * journal, but never more than half of the time that passes; where that is too little, it says by how much.
 */

/** At least: a short journal is gone through in one look. */
export const STEP_MILLIS = 5_000
const DAY_MILLIS = 86_400_000
/** Of the time that a pass has: the rest is for a journal that grows, and for a night in which the database is slower. */
const AIM = 0.75

/** A pass begins a day after the last one has ended, or sooner where passes must not be that old. */
export const wholeEveryMillis = (maxAgeMillis: number): number => Math.min(DAY_MILLIS, maxAgeMillis / 2)

export interface Pace {
  readonly stepMillis: number
  /** Until the pass ends, if it goes on like that; null: not known yet. */
  readonly endsInMillis: number | null
  /** Half of all time is too little: the last pass will be too old before this one ends. */
  readonly isLate: boolean
}

export const paceOf = ({
  left,
  perMilli,
  ageMillis,
  maxAgeMillis,
  restMillis,
}: {
  /** Rows that the pass still has to go through, and how many it goes through in a millisecond; null: not known yet. */
  readonly left: number
  readonly perMilli: number | null
  /** Of the last pass, and from which one on it is too old. Null: there was none, so this one is as fast as may be. */
  readonly ageMillis: number | null
  readonly maxAgeMillis: number
  /** From the end of one step to the beginning of the next. */
  readonly restMillis: number
}): Pace => {
  if (perMilli === null) return { stepMillis: STEP_MILLIS, endsInMillis: null, isLate: false }
  const most = Math.max(STEP_MILLIS, restMillis)
  const every = wholeEveryMillis(maxAgeMillis)
  const aim = ageMillis === null ? 0 : every + (maxAgeMillis - every) * AIM - ageMillis
  const work = left / perMilli
  const step = work >= aim / 2 ? most : (restMillis * work) / (aim - work)
  const stepMillis = Math.min(most, Math.max(STEP_MILLIS, step))
  const endsInMillis = Math.round((work * (stepMillis + restMillis)) / stepMillis)
  return { stepMillis, endsInMillis, isLate: ageMillis !== null && ageMillis + endsInMillis > maxAgeMillis }
}

/**
 * How much of each look goes to the pass over the whole journal: pure. As much as brings it to its end in time, whatever the length of the
 * journal, but never more than half of the time that passes; where that is too little, it says by how much.
 */

/** At least: a short journal is gone through in one look. */
export const STEP_MILLIS = 5_000
/** At most: what is new waits for the end of a step. Where a pass needs more of the time, looks come sooner instead. */
export const STEP_MOST_MILLIS = 60_000
const DAY_MILLIS = 86_400_000
/** Of the time that a pass has: the rest is for a journal that grows, and for a night in which the database is slower. */
const AIM = 0.75

/** A pass begins a day after the last one has ended, or sooner where passes must not be that old. */
export const wholeEveryMillis = (maxAgeMillis: number): number => Math.min(DAY_MILLIS, maxAgeMillis / 2)

export interface Pace {
  readonly stepMillis: number
  /** From the end of the step to the beginning of the next: what is asked for, or less where steps of their length are not enough. */
  readonly restMillis: number
  /** Until the pass ends, if it goes on like that; null: not known yet. */
  readonly endsInMillis: number | null
  /** Half of all time is too little: the last pass will be too old before this one ends, or the first one comes that late. */
  readonly isLate: boolean
}

export const paceOf = ({
  left,
  perMilli,
  ageMillis,
  isFirst,
  maxAgeMillis,
  restMillis,
}: {
  /** Rows that the pass still has to go through, and how many it goes through in a millisecond; null: not known yet. */
  readonly left: number
  readonly perMilli: number | null
  /** Of the last pass, and from which one on it is too old. Before the first one, which is as fast as may be: since it is waited for. */
  readonly ageMillis: number
  readonly isFirst: boolean
  readonly maxAgeMillis: number
  /** From the end of one step to the beginning of the next, where nothing else is needed. */
  readonly restMillis: number
}): Pace => {
  if (perMilli === null) return { stepMillis: STEP_MILLIS, restMillis, endsInMillis: null, isLate: false }
  const most = Math.max(STEP_MILLIS, restMillis)
  const every = wholeEveryMillis(maxAgeMillis)
  const aim = isFirst ? 0 : every + (maxAgeMillis - every) * AIM - ageMillis
  const work = left / perMilli
  const wanted = work >= aim / 2 ? most : (restMillis * work) / (aim - work)
  const step = Math.min(most, Math.max(STEP_MILLIS, wanted))
  const endsInMillis = Math.round((work * (step + restMillis)) / step)
  const part = Math.min(1, STEP_MOST_MILLIS / step)
  return {
    stepMillis: Math.min(step, STEP_MOST_MILLIS),
    restMillis: restMillis * part,
    endsInMillis,
    isLate: ageMillis + endsInMillis > maxAgeMillis,
  }
}

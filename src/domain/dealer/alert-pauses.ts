/** Trouble that lasts is told at once, and again after 1, 2, 4 … 60 minutes. In ms. */
const FIRST_PAUSE_MILLIS = 60_000
const LAST_PAUSE_MILLIS = 3_600_000

/** `pause`: the one before; undefined: the trouble is told for the first time. */
export const pauseAfter = (pause?: number): number =>
  pause === undefined ? FIRST_PAUSE_MILLIS : Math.min(2 * pause, LAST_PAUSE_MILLIS)

/** Trouble that lasts is told at once, and again after 1, 2, 4 … 60 minutes. In ms. */
export const FIRST_PAUSE_MILLIS = 60_000
const LAST_PAUSE_MILLIS = 3_600_000

export const pauseAfter = (pause: number): number => Math.min(2 * pause, LAST_PAUSE_MILLIS)

/** A connector's timeouts: for responses of its venue, where the venue's profile does not set one, and its retry delays. */
import type { VenueProfile, VenueWaits } from "../adapters/profile.ts"

// By the global timer, which a test can turn.

export const pause = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

const jittered = (millis: number, least: number): number => millis * (least + Math.random() * 0.4)

/** How long a loop waits after its nth failure in a row: doubling from 100 ms to 10 s, ±20 % so that loops do not march in step. */
export const backoffMillis = (failures: number): number =>
  jittered(Math.min(100 * 2 ** Math.min(failures - 1, 7), 10_000), 0.8)

/** Before a venue is dialled again after the nth failure in a row: doubling from 100 ms, from the tenth on half a minute or a little more. */
export const redialMillis = (failures: number): number =>
  failures < 10 ? jittered(100 * 2 ** Math.min(failures - 1, 8), 0.8) : jittered(30_000, 1)

const WAITS: VenueWaits = {
  requestMillis: 5000,
  acknowledgedMillis: 10_000,
  snapshotMillis: 20_000,
  limitedMillis: 2000,
  // Venues cancel within milliseconds, and most streams tell before the first look.
  cancelLooksMillis: [50, 150, 400, 1000],
}

export const waitsOf = ({ waits }: Pick<VenueProfile, "waits">): VenueWaits => ({ ...WAITS, ...waits })

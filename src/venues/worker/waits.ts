/** How long a connector waits for what its venue owes it, where the venue's profile does not say otherwise. */
import type { VenueProfile, VenueWaits } from "../adapters/profile.ts"

const WAITS: VenueWaits = {
  requestMillis: 5000,
  acknowledgedMillis: 10_000,
  snapshotMillis: 20_000,
  limitedMillis: 2000,
  // Venues cancel within milliseconds, and most streams tell before the first look.
  cancelLooksMillis: [50, 150, 400, 1000],
}

export const waitsOf = ({ waits }: Pick<VenueProfile, "waits">): VenueWaits => ({ ...WAITS, ...waits })

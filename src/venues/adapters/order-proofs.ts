/**
 * What is missing where the orders of an exchange are not proven: the words of its profile, of the refusal, and of the guide. Proven are those
 * whose orders, fills, cancels and failures have met a loopback exchange that speaks the venue's protocol (docs/decisions/0076).
 */
import type { VenueOrders } from "../../domain/instrument/venue-capabilities.ts"

/** Signed requests are tested, and answers are ccxt's shapes of them. */
export const UNANSWERED_ORDERS: VenueOrders = {
  proof: "EXPERIMENTAL",
  missing:
    "no test exchange answers its orders, cancels and private stream: how the venue itself does has not been seen",
}

/** Derivatives: accounts have positions beside balances. */
export const UNFOLLOWED_POSITIONS: VenueOrders = {
  proof: "EXPERIMENTAL",
  missing: "positions are neither streamed nor reconciled, and no test exchange answers its orders",
}

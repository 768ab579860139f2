/**
 * How far it is proven what a venue does with orders, and whether this installation sends it any. The one thing to know: what is not
 * proven takes an opt-in of the installation (`EXPERIMENTAL_ORDERS`); without it only what adds to the risk there is refused: an account's
 * open orders are followed, cancelled and reconciled as everywhere.
 */
import { ExperimentalVenue, NotSupportedByVenue } from "../errors/venue.ts"
import type { VenueId } from "../ids.ts"

/** `missing`: what nobody has seen work, in words for users and operators. NONE: the venue takes no orders of ours at all. */
export type VenueOrders =
  | { readonly proof: "PROVEN"; readonly missing: null }
  | { readonly proof: "EXPERIMENTAL" | "NONE"; readonly missing: string }

export const PROVEN_ORDERS: VenueOrders = { proof: "PROVEN", missing: null }

/** A venue that is used without an opt-in, or with one. */
export const takesOrders = ({ proof }: VenueOrders, isOptedIn: boolean): boolean =>
  proof === "PROVEN" || (proof === "EXPERIMENTAL" && isOptedIn)

/** Why an account is not connected at the venue, and no new order goes there; undefined: it does. */
export const ordersFault = ({
  venue,
  orders,
  takesOrders: isTaken,
}: {
  readonly venue: VenueId
  readonly orders: VenueOrders
  readonly takesOrders: boolean
}): ExperimentalVenue | NotSupportedByVenue | undefined => {
  if (isTaken) return undefined
  if (orders.proof !== "EXPERIMENTAL") return new NotSupportedByVenue({ feature: "orders" })
  return new ExperimentalVenue({
    venue,
    missing: orders.missing,
    optIn: `the operator of this installation adds ${venue} to EXPERIMENTAL_ORDERS and starts the gateway anew`,
  })
}

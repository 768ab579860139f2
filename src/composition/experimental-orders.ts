/**
 * EXPERIMENTAL_ORDERS, held to the venues there are, and who is told what follows from it. The one thing to know: a name that can mean
 * nothing refuses the start; one whose orders have been proven since is told and does no harm, so that an upgrade starts.
 */
import { Effect } from "effect"
import { AccountDirectory } from "../actors/account/directory.ts"
import type { Venue } from "../domain/instrument/venue.ts"
import { VenuePort } from "../ports/venue-port.ts"
import type { GatewayOptions } from "./options.ts"

export interface OptIns {
  /** Why the gateway does not start; null: it does. */
  readonly refused: string | null
  /** For the operator: what the setting does not do. */
  readonly idle: ReadonlyArray<string>
}

export const optIns = (
  venues: ReadonlyArray<Pick<Venue, "venue" | "orders">>,
  named: ReadonlyArray<string>,
): OptIns => {
  const ofProof = (proof: Venue["orders"]["proof"]): ReadonlyArray<string> =>
    venues.filter((it) => it.orders.proof === proof).map(({ venue }) => venue)
  const unknown = named.filter((name) => !venues.some(({ venue }) => venue === name))
  const without = named.filter((name) => ofProof("NONE").includes(name))
  const proven = named.filter((name) => ofProof("PROVEN").includes(name))
  return {
    refused:
      unknown.length > 0
        ? `EXPERIMENTAL_ORDERS names an unknown venue: ${unknown.join(", ")}; it may name ${ofProof("EXPERIMENTAL").join(", ")}`
        : without.length > 0
          ? `EXPERIMENTAL_ORDERS names ${without.join(", ")}, which takes no orders at all: no opt-in changes that`
          : null,
    idle: proven.map((venue) => `EXPERIMENTAL_ORDERS does nothing for ${venue}: its orders are proven`),
  }
}

/** Accounts that were connected at a venue before it took an opt-in: at each start the operator hears what they still do. */
export const tellWithoutOptIn = ({ notice }: Pick<GatewayOptions, "notice">) =>
  Effect.gen(function* () {
    const { find } = yield* VenuePort
    const accounts = new Map<string, number>()
    for (const { venue, status } of (yield* AccountDirectory).all())
      if (status !== "DISCONNECTED" && find(venue)?.takesOrders === false)
        accounts.set(venue, (accounts.get(venue) ?? 0) + 1)
    for (const [venue, count] of accounts)
      notice(
        "accounts are connected at a venue whose orders are EXPERIMENTAL: they take cancels and keep their orders in sight, and no new orders before EXPERIMENTAL_ORDERS names it",
        { venue, accounts: count },
      )
  })

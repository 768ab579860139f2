/**
 * What a venue can do beside taking limit orders: the part of its public record that comes from its connector (contract C14); and how far it is
 * proven what it does with orders.
 */

import { Schema } from "effect"
import { ExperimentalVenue, NotSupportedByVenue } from "../errors/venue.ts"
import type { VenueId } from "../ids.ts"

// How far it is proven what a venue does with orders, and whether this installation sends it any. The one thing to know: what is not
// proven takes an opt-in of the installation (`EXPERIMENTAL_ORDERS`); without it only what adds to the risk there is refused: an account's
// open orders are followed, cancelled and reconciled as everywhere.

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

const TimeInForce = Schema.Literal("GTC", "IOC", "FOK", "GTD", "DAY", "GTX")
export type TimeInForce = typeof TimeInForce.Type

/** Who carries something out that every venue of ours offers. */
const Carrier = Schema.Literal("NATIVE", "EMULATED").annotations({
  description: "NATIVE: the venue itself, also while the gateway is away. EMULATED: the gateway",
})

const Delivery = Schema.Literal("STREAM", "POLLED", "DERIVED", "NONE").annotations({
  description:
    "STREAM: the venue pushes it. POLLED: the gateway asks for it, from time to time or when the venue says that it moved. DERIVED: computed from the venue's trades. NONE: not available",
})

export const VenueCapabilities = Schema.Struct({
  marketOrders: Schema.Boolean.annotations({ description: "The venue has them; without, MARKET is refused" }),
  nativeTimesInForce: Schema.Array(TimeInForce).annotations({
    description: "Those that the venue itself enforces",
  }),
  triggers: Schema.Struct({ stop: Carrier, takeProfit: Carrier, trailing: Carrier }).annotations({
    description: "Who watches the trigger of such an order. Which of them are taken, orderTypes says",
  }),
  attachedExits: Schema.Boolean.annotations({
    description: "The venue takes take-profit and stop-loss with the entry order",
  }),
  oco: Carrier.annotations({
    description:
      "Who ends one leg of a pair of exits by the other. NATIVE: the venue, also while the gateway is away; the exits of an entry are given to it when the entry is over",
  }),
  marketBuyByCost: Schema.Boolean.annotations({
    description: "The venue accepts a market buy sized in the quote asset",
  }),
  marketBuyNeedsCost: Schema.Boolean.annotations({
    description: "The venue accepts a market buy sized in the quote asset only",
  }),
  amend: Schema.Boolean.annotations({ description: "The venue changes a working order" }),
  cancelAll: Carrier.annotations({
    description:
      "NATIVE: the venue cancels all orders in one request. EMULATED: the gateway cancels one after the other",
  }),
  cancelAllAfter: Carrier.annotations({
    description:
      "Who cancels all orders when the client falls silent. NATIVE: the venue, also while the gateway is away",
  }),
  clientOrderIds: Schema.NullOr(
    Schema.Struct({
      form: Schema.Literal("TEXT", "ALPHANUMERIC", "UUID", "INTEGER").annotations({
        description: "TEXT: letters, digits and signs such as - and _",
      }),
      lengthMax: Schema.NullOr(Schema.Int).annotations({ description: "Characters; null: not known" }),
      unique: Schema.NullOr(Schema.Literal("ALWAYS", "DAY", "OPEN", "NO")).annotations({
        description:
          "The venue refuses an id that was ever used, used on that day (UTC), used by an open order, or none; null: not known",
      }),
    }),
  ).annotations({
    description: "Ids of ours that the venue keeps with an order; the gateway makes them. null: it keeps none",
  }),
  streams: Schema.Struct({
    orderBook: Delivery,
    trades: Delivery,
    ticker: Delivery,
    klines: Delivery,
    orders: Delivery,
    executions: Delivery,
    balances: Delivery,
  }),
  bookContinuity: Schema.Literal("SEQUENCE", "CHECKSUM", "NONE").annotations({
    description:
      "How a lost order book update is noticed. NONE: the venue gives no means; a crossed or silent book tells",
  }),
}).annotations({ identifier: "VenueCapabilities" })
export type VenueCapabilities = typeof VenueCapabilities.Type

/** Of a venue that nobody has described: what any of them does. */
export const PLAIN_CAPABILITIES: VenueCapabilities = {
  marketOrders: true,
  nativeTimesInForce: ["GTC"],
  triggers: { stop: "EMULATED", takeProfit: "EMULATED", trailing: "EMULATED" },
  attachedExits: false,
  oco: "EMULATED",
  marketBuyByCost: false,
  marketBuyNeedsCost: false,
  amend: false,
  cancelAll: "EMULATED",
  cancelAllAfter: "EMULATED",
  clientOrderIds: null,
  streams: {
    orderBook: "STREAM",
    trades: "STREAM",
    ticker: "POLLED",
    klines: "DERIVED",
    orders: "POLLED",
    executions: "POLLED",
    balances: "POLLED",
  },
  bookContinuity: "NONE",
}

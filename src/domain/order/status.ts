/** The order state machine: one table of allowed transitions (contract C1.3) and the narrative projection (C1.1). */
import { Schema } from "effect"

export const OrderStatus = Schema.Literal(
  "CREATED",
  "SUBMITTED",
  "ACCEPTED",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELLED",
  "PENDING_CANCEL",
  "REPLACED",
  "PENDING_REPLACE",
  "REJECTED",
  "EXPIRED",
  "REVOKED",
  "UNKNOWN",
)
export type OrderStatus = typeof OrderStatus.Type

export const NarrativeStatus = Schema.Literal(
  "PENDING",
  "OPEN",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELLED",
  "REJECTED",
  "EXPIRED",
)
export type NarrativeStatus = typeof NarrativeStatus.Type

const NEXT: { readonly [S in OrderStatus]: ReadonlyArray<OrderStatus> } = {
  CREATED: ["SUBMITTED", "ACCEPTED", "REJECTED", "REVOKED", "CANCELLED", "EXPIRED", "UNKNOWN"],
  SUBMITTED: [
    "ACCEPTED",
    "PARTIALLY_FILLED",
    "FILLED",
    "REJECTED",
    "CANCELLED",
    "EXPIRED",
    "PENDING_CANCEL",
    "UNKNOWN",
  ],
  UNKNOWN: ["ACCEPTED", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "EXPIRED", "REJECTED", "PENDING_CANCEL"],
  ACCEPTED: [
    "PARTIALLY_FILLED",
    "FILLED",
    "CANCELLED",
    "EXPIRED",
    "REJECTED",
    "PENDING_CANCEL",
    "PENDING_REPLACE",
    "REVOKED",
  ],
  // REPLACED: a fill came while the change was under way.
  PARTIALLY_FILLED: [
    "PARTIALLY_FILLED",
    "FILLED",
    "CANCELLED",
    "EXPIRED",
    "PENDING_CANCEL",
    "PENDING_REPLACE",
    "REPLACED",
  ],
  // A refused cancel or amend goes back to the state before it; the caller knows which.
  PENDING_CANCEL: [
    "CANCELLED",
    "FILLED",
    "PARTIALLY_FILLED",
    "EXPIRED",
    "SUBMITTED",
    "UNKNOWN",
    "ACCEPTED",
    "PENDING_REPLACE",
    "REJECTED",
  ],
  PENDING_REPLACE: ["REPLACED", "ACCEPTED", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "EXPIRED", "PENDING_CANCEL"],
  REPLACED: ["ACCEPTED", "PARTIALLY_FILLED"],
  // Late fills only: they grow the executed quantity and may complete the order.
  CANCELLED: ["FILLED"],
  EXPIRED: ["FILLED"],
  REJECTED: ["FILLED"],
  FILLED: [],
  REVOKED: [],
}

export const mayBecome = (from: OrderStatus, to: OrderStatus): boolean => NEXT[from].includes(to)

const TERMINAL: ReadonlySet<OrderStatus> = new Set(["FILLED", "CANCELLED", "REJECTED", "EXPIRED", "REVOKED"])

/** No further change but a late fill. */
export const isTerminal = (status: OrderStatus): boolean => TERMINAL.has(status)

/** How far along an order is; a status of lower rank with an older venue time is ignored. */
export const rank = (status: OrderStatus): number => {
  if (TERMINAL.has(status)) return 4
  switch (status) {
    case "CREATED":
      return 0
    case "SUBMITTED":
    case "UNKNOWN":
      return 1
    case "PARTIALLY_FILLED":
      return 3
    default:
      return 2
  }
}

/** The word of the specification's examples for a formal state. `hasFills`: executedQuantity > 0. */
export const narrative = (status: OrderStatus, hasFills: boolean): NarrativeStatus => {
  switch (status) {
    case "CREATED":
    case "SUBMITTED":
    case "UNKNOWN":
      return "PENDING"
    case "ACCEPTED":
      return "OPEN"
    case "PENDING_CANCEL":
    case "PENDING_REPLACE":
    case "REPLACED":
      return hasFills ? "PARTIALLY_FILLED" : "OPEN"
    case "REVOKED":
      return "CANCELLED"
    default:
      return status
  }
}

/** The words of the `status` and `orderStatus` filters, of either vocabulary, as formal states (contract C1.1). */
import type { NarrativeStatus, OrderStatus } from "../../domain/order/status.ts"

export interface StatusFilter {
  readonly orderStatus: ReadonlyArray<OrderStatus>
  /** PENDING_CANCEL, PENDING_REPLACE and REPLACED count only with (true) or without (false) executions. */
  readonly hasFills?: boolean
}

/** Shown as OPEN before the first fill and as PARTIALLY_FILLED after it. */
const MOMENTARY: ReadonlyArray<OrderStatus> = ["PENDING_CANCEL", "PENDING_REPLACE", "REPLACED"]

export const statusFilter = (word: OrderStatus | NarrativeStatus): StatusFilter => {
  switch (word) {
    case "PENDING":
      return { orderStatus: ["CREATED", "SUBMITTED", "UNKNOWN"] }
    case "OPEN":
      return { orderStatus: ["ACCEPTED", ...MOMENTARY], hasFills: false }
    case "PARTIALLY_FILLED":
      return { orderStatus: ["PARTIALLY_FILLED", ...MOMENTARY], hasFills: true }
    case "CANCELLED":
      return { orderStatus: ["CANCELLED", "REVOKED"] }
    default:
      return { orderStatus: [word] }
  }
}

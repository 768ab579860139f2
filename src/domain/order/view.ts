/** A venue's view of an order, interpreted: what the reducer of evidence (evidence/evidence.ts) derives from an order's image. */
import type { Decimal } from "../decimal.ts"

export type ViewStatus = "OPEN" | "FILLED" | "CANCELLED" | "REJECTED" | "EXPIRED" | "UNKNOWN"

/**
 * The venue ended the rest of an IOC, FOK or market order, stopped a self trade, or took a post-only order and ended it at once because
 * it would have taken. LIST: of a pair that the venue keeps, the other leg was executed or triggered. Null otherwise.
 */
export type ViewEnding = "REMAINDER" | "SELF_TRADE_PREVENTION" | "WOULD_TAKE" | "LIST"

export interface OrderView {
  readonly externalOrderId: string
  /** OPEN with executedQuantity > 0 is a partial fill. */
  readonly status: ViewStatus
  readonly ending: ViewEnding | null
  /** Null where the venue's text is none. */
  readonly quantity: Decimal | null
  readonly limitPrice: Decimal | null
  /** FILLED with zero: the venue names no quantity. */
  readonly executedQuantity: Decimal
  /** The venue's own trigger has fired. */
  readonly isTriggered: boolean
  readonly createdAt: number | null
  /** Venue time of this view; null where the venue gives none. */
  readonly updatedAt: number | null
}

/** The order works no more. */
export const isEnd = ({ status }: Pick<OrderView, "status">): boolean => status !== "OPEN" && status !== "UNKNOWN"

/** Whether an order is over. */
import type { TradeOrder } from "./types.ts"

const OVER: ReadonlySet<TradeOrder["status"]> = new Set(["FILLED", "CANCELLED", "REJECTED", "EXPIRED"])

/** Whether nothing more is to come; a fill that the venue reports late still counts (LATE_FILL). */
export const isOver = (order: TradeOrder): boolean => OVER.has(order.status)

/** What a judge says: one sentence with its figure, and the first few that are wrong. */
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"

export interface Verdict {
  readonly name: string
  readonly passed: boolean
  readonly says: string
}

const some = (list: ReadonlyArray<string>): string =>
  list.length === 0 ? "" : ` (${list.slice(0, 5).join("; ")}${list.length > 5 ? "; …" : ""})`

export const none = (name: string, wrong: ReadonlyArray<string>, of: string): Verdict => ({
  name,
  passed: wrong.length === 0,
  says: `${wrong.length} of ${of}${some(wrong)}`,
})

export const short = (
  order: Pick<TradeOrderRecord, "tradeOrderId" | "orderStatus" | "executedQuantity" | "inDoubt">,
): string => `${order.tradeOrderId} ${order.orderStatus} ${order.executedQuantity}${order.inDoubt ? " in doubt" : ""}`

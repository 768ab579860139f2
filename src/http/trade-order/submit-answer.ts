/** The response to a submit: the order, its linked orders, and the time each step took. */
import { Schema } from "effect"
import type { SubmitAnswer, SubmitTiming } from "../../actors/account/messages.ts"
import { TradeOrderRecord, tradeOrderJson } from "../../domain/order/trade-order-record.ts"
import { JsonText } from "../edge/envelope.ts"

export const SubmittedOrder = Schema.Struct({
  ...TradeOrderRecord.fields,
  linkedOrders: Schema.optional(
    Schema.Array(TradeOrderRecord).annotations({
      description:
        "Extension: the other orders of its list, exits of an entry or the other leg of a pair. Absent without a list",
    }),
  ),
}).annotations({ identifier: "SubmittedOrder" })

export const submittedText = ({ order, json, linked }: SubmitAnswer): JsonText => {
  const own = json ?? tradeOrderJson(order)
  if (linked === undefined) return new JsonText(own)
  return new JsonText(`${own.slice(0, -1)},"linkedOrders":[${linked.map(tradeOrderJson).join(",")}]}`)
}

/** Header Server-Timing: milliseconds from the moment the request was read. */
export const timingText = ({ receivedAt, checkedAt, committedAt, dispatchedAt }: SubmitTiming): string => {
  const since = (at: number): string => (at - receivedAt).toFixed(3)
  return `received;dur=0, checked;dur=${since(checkedAt)}, committed;dur=${since(committedAt)}, dispatched;dur=${since(dispatchedAt)}`
}

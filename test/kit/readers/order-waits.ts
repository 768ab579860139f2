/** Waiting for what becomes of an order, as its owner sees it over HTTP. */
import type { TradeOrderRecord } from "../../../src/domain/order/trade-order-record.ts"
import { until } from "../servers/gateway.ts"

/** Waits until the order is in one of these narrative states; fails with the record as it was last seen. */
export const restsOf =
  (order: (tradeOrderId: string) => Promise<TradeOrderRecord>, millis?: number) =>
  async (tradeOrderId: string, ...states: ReadonlyArray<string>): Promise<TradeOrderRecord> => {
    let seen: TradeOrderRecord | undefined
    return until(
      () => `${states.join(" or ")}, is ${JSON.stringify(seen)}`,
      async () => {
        seen = await order(tradeOrderId)
        return states.includes(seen.status) && seen
      },
      millis,
    )
  }

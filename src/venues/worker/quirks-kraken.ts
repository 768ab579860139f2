/**
 * Kraken's own words and ways; what ccxt 4.5.84 does with them otherwise stands in `kraken-public.ts` and `kraken-private.ts`, which
 * put it right on each instance.
 */
import { record } from "./kraken-exchange.ts"
import { prepareKraken } from "./kraken-private.ts"
import { endedBySelfTrade, wasPostOnly } from "./kraken-private-stream.ts"
import { prepareKrakenPublic } from "./kraken-public.ts"
import { none, type Quirks } from "./quirk.ts"

export const kraken: Quirks = {
  ...none,
  prepare: prepareKraken,
  preparePublic: prepareKrakenPublic,
  ended: (order) => {
    if (order.status === "expired") return { status: "EXPIRED", ending: null }
    if (endedBySelfTrade(order)) return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
    const isImmediate = order.timeInForce === "IOC" || order.type === "market"
    return { status: "CANCELLED", ending: isImmediate ? "REMAINDER" : null }
  },
  neverWorked: wasPostOnly,
  channels: ["executions", "balances"],
  channelNews: (event) =>
    event["method"] === "subscribe" && event["success"] === true
      ? { channel: String(record(event["result"])["channel"]), isTaken: true }
      : null,
  // The channel knows totals and nothing of what is on hold: what is available has to be asked for.
  changedBalances: () => null,
  balancesMoved: (event) =>
    event["channel"] === "balances" &&
    event["type"] === "update" &&
    Array.isArray(event["data"]) &&
    event["data"].some((row) => record(row)["type"] !== "trade"),
  // One answer has them all (kraken-private.ts).
  pages: { size: 1_000_000, olderFills: () => undefined, olderOrders: () => undefined },
}

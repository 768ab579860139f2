/** Binance's own words, spot and futures: what ccxt's unified fields lose of its answers and events. */
import type { Raw } from "../../worker/exchange/ccxt.ts"
import { costTerms, triggerTerms } from "../../worker/session/order-terms.ts"
import { type ExchangeAdapter, word } from "../adapter.ts"
import { saysCode } from "../stops.ts"
import { joinSnapshots } from "./joined-snapshots.ts"
import { isInBinanceList, placeBinancePair } from "./pairs.ts"

/** Of Binance Spot, for one address (REQUEST_WEIGHT in exchangeInfo). */
const WEIGHT_A_MINUTE = 6000

/** The weight that the venue has counted of its limit for one address. */
export const usedWeightOf =
  (aMinute: number): NonNullable<ExchangeAdapter["usedShare"]> =>
  (headers) => {
    const weight = Number(headers.get("x-mbx-used-weight-1m") ?? Number.NaN)
    return Number.isFinite(weight) ? weight / aMinute : undefined
  }

const BINANCE_STOPS: ReadonlyArray<string> = ["STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT", "TAKE_PROFIT_LIMIT"]

export const binance: ExchangeAdapter = {
  preparePublic: joinSnapshots,
  // `stopLossPrice` and `takeProfitPrice` make the venue's four types of stops, `cost` a quoteOrderQty.
  terms: (order) => ({ ...triggerTerms(order), ...costTerms(order) }),
  placePair: placeBinancePair,
  /** A stop that works is on the book, or was: `isWorking` of an answer, `w` of an event, which is false again once it has ended. */
  isTriggered: ({ info, filled }) =>
    BINANCE_STOPS.includes(word(info, "o", "type") ?? "") &&
    (info?.["isWorking"] === true || info?.["w"] === true || /[1-9]/.test(String(filled ?? "0"))),
  /**
   * Binance says EXPIRED for the rest of an IOC, FOK or market order and for what it cancels itself; it has no order that ends by
   * time, and EXPIRED is kept for time (contract C1.3). EXPIRED_IN_MATCH is its self trade prevention.
   */
  ended: (order) => {
    if (order.status !== "expired") return { status: "CANCELLED", ending: null }
    const status = word(order.info, "X", "status")
    if (status === "EXPIRED_IN_MATCH") return { status: "CANCELLED", ending: "SELF_TRADE_PREVENTION" }
    const timeInForce = word(order.info, "f", "timeInForce")
    const type = word(order.info, "o", "type")
    const remainder =
      timeInForce === "IOC" ||
      timeInForce === "FOK" ||
      type === "MARKET" ||
      type === "STOP_LOSS" ||
      type === "TAKE_PROFIT"
    // A market stop that worked had no counterpart; else the other order of its list was executed or triggered.
    if (isInBinanceList(order) && order.info?.["isWorking"] !== true) return { status: "CANCELLED", ending: "LIST" }
    return { status: "CANCELLED", ending: remainder ? "REMAINDER" : null }
  },
  // The answer to a cancel has the cancel's id in its place.
  orderClientId: (order) => word(order.info, "origClientOrderId") ?? order.clientOrderId ?? null,
  fillClientId: (trade) => word(trade.info, "c"),
  endsPrivateStream: (event) => event["e"] === "eventStreamTerminated",
  // ccxt merges the events of a burst into one answer with all the assets it ever saw, which may be stale after a new connection.
  changedBalances: (event) => {
    const { e, E, B } = event
    if (e !== "outboundAccountPosition" || !Array.isArray(B)) return null
    const rows = B.flatMap((row: Raw) => {
      const [assetId, available, locked] = [word(row, "a"), word(row, "f"), word(row, "l")]
      return assetId === null || available === null || locked === null ? [] : [{ assetId, available, locked }]
    })
    return { at: typeof E === "number" ? E : null, rows }
  },
  usedShare: usedWeightOf(WEIGHT_A_MINUTE),
  // "Too many new orders": of the account. Every other 429 is about the weight of all requests of the address.
  stops: (answer) =>
    answer.status === 429 && answer.ofAccount && saysCode(answer, /"code":\s*-1015\b/)
      ? { scope: "ACCOUNT", millis: null }
      : undefined,
  // A difference, not a balance: ccxt adds it to what it does not know. The account position that follows has the amounts.
  misleads: (event) => event["e"] === "balanceUpdate" || event["e"] === "externalLockUpdate",
}

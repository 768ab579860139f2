/**
 * The JSON of orders, fills and balances of a unified account, field by field as Bybit sends them; the names are those that ccxt 4.5.84 parses
 * and the venue documents, and are compared with recorded messages in test/venue-spec.
 */
import { UNIT } from "../binance/fixed.ts"
import type { Fill, Order } from "../binance/model.ts"
import { balanceOf, executedQuantity } from "../binance/model.ts"
import { plain } from "../plain-numbers.ts"
import { type BybitAccount, execIdOf, linkIdOf, orderIdOf, wordsOf } from "./model.ts"

const statusOf = (order: Order): string => {
  if (order.status === "NEW") return "New"
  if (order.status === "PARTIALLY_FILLED") return "PartiallyFilled"
  if (order.status === "FILLED") return "Filled"
  return executedQuantity(order) > 0n ? "PartiallyFilledCanceled" : "Cancelled"
}

const isOver = (order: Order): boolean => order.status !== "NEW" && order.status !== "PARTIALLY_FILLED"

/** An order as order/realtime and order/history show it. Spot has no `tpslMode` and no `createType`. */
export const orderRow = (order: Order) => {
  const { orderType, timeInForce, marketUnit, cancelType, rejectReason } = wordsOf(order)
  const executed = executedQuantity(order)
  const fees = new Map<string, bigint>()
  for (const { fee, feeAsset } of order.fills) fees.set(feeAsset, (fees.get(feeAsset) ?? 0n) + fee)
  const byValue = orderType === "Market" && order.quoteOrderQuantity > 0n
  const left = isOver(order) ? 0n : order.left
  return {
    symbol: order.symbol,
    orderId: orderIdOf(order.orderId),
    orderLinkId: linkIdOf(order),
    blockTradeId: "",
    side: order.side === "BUY" ? "Buy" : "Sell",
    positionIdx: 0,
    orderStatus: statusOf(order),
    cancelType,
    rejectReason,
    timeInForce,
    isLeverage: "0",
    price: orderType === "Market" ? "0" : plain(order.price),
    qty: plain(byValue ? order.quoteOrderQuantity : order.quantity),
    avgPrice: executed === 0n ? "" : plain((order.cost * UNIT) / executed),
    leavesQty: plain(left),
    leavesValue: plain((left * order.price) / UNIT),
    cumExecQty: plain(executed),
    cumExecValue: plain(order.cost),
    cumExecFee: plain([...fees.values()].reduce((sum, fee) => sum + fee, 0n)),
    cumFeeDetail: Object.fromEntries([...fees].map(([asset, fee]) => [asset, plain(fee)])),
    orderType,
    stopOrderType: "",
    orderIv: "",
    marketUnit,
    triggerPrice: "0",
    takeProfit: "",
    stopLoss: "",
    triggerBy: "",
    tpTriggerBy: "",
    slTriggerBy: "",
    tpLimitPrice: "",
    slLimitPrice: "",
    triggerDirection: 0,
    ocoTriggerBy: "OcoTriggerByUnknown",
    placeType: "",
    basePrice: "",
    closeOnTrigger: false,
    reduceOnly: false,
    smpGroup: 0,
    smpType: "None",
    smpOrderId: "",
    createdTime: String(order.placedAt),
    updatedTime: String(order.updatedAt),
  }
}

/** On the `order` topic: as in the lists, and of which product it is. */
export const orderEvent = (order: Order) => ({
  ...orderRow(order),
  category: "spot",
  feeCurrency: order.fills[0]?.feeAsset ?? "",
  closedPnl: "0",
})

/** `order` is the fill's. */
export const executionRow = (order: Order, fill: Fill) => {
  const { orderType, marketUnit } = wordsOf(order)
  const upTo = order.fills.slice(0, order.fills.indexOf(fill) + 1).reduce((sum, { quantity }) => sum + quantity, 0n)
  return {
    symbol: fill.symbol,
    orderId: orderIdOf(fill.orderId),
    orderLinkId: linkIdOf(order),
    side: fill.isBuyer ? "Buy" : "Sell",
    orderPrice: orderType === "Market" ? "0" : plain(order.price),
    orderQty: plain(order.quantity),
    leavesQty: plain(order.quantity - upTo),
    orderType,
    stopOrderType: "",
    execFee: plain(fill.fee),
    feeCurrency: fill.feeAsset,
    execId: execIdOf(fill.tradeId, fill.isBuyer),
    execPrice: plain(fill.price),
    execQty: plain(fill.quantity),
    execType: "Trade",
    execValue: plain(fill.cost),
    execTime: String(fill.filledAt),
    isMaker: fill.isMaker,
    feeRate: "0.001",
    tradeIv: "",
    markIv: "",
    markPrice: "",
    indexPrice: "",
    underlyingPrice: "",
    blockTradeId: "",
    closedSize: "",
    extraFees: "",
    marketUnit,
    seq: fill.tradeId,
  }
}

/** On the `execution` topic. */
export const executionEvent = (order: Order, fill: Fill) => ({
  ...executionRow(order, fill),
  category: "spot",
  isLeverage: "0",
  execPnl: "0",
})

const coinRow = (account: BybitAccount, coin: string) => {
  const { free, locked } = balanceOf(account, coin)
  const total = plain(free + locked)
  return {
    coin,
    equity: total,
    usdValue: "0",
    walletBalance: total,
    locked: plain(locked),
    spotHedgingQty: "0",
    borrowAmount: "0",
    availableToBorrow: "",
    // Of unified accounts no longer filled in.
    availableToWithdraw: "",
    accruedInterest: "0",
    totalOrderIM: "0",
    totalPositionIM: "0",
    totalPositionMM: "0",
    unrealisedPnl: "0",
    cumRealisedPnl: "0",
    bonus: "0",
    collateralSwitch: true,
    marginCollateral: true,
  }
}

/** GET account/wallet-balance, and one row of the `wallet` topic. Assets with nothing on them are not listed by the former. */
export const walletRow = (account: BybitAccount, coins?: ReadonlyArray<string>) => ({
  accountType: "UNIFIED",
  accountLTV: "0",
  accountIMRate: "0",
  accountMMRate: "0",
  totalEquity: "0",
  totalWalletBalance: "0",
  totalMarginBalance: "0",
  totalAvailableBalance: "0",
  totalPerpUPL: "0",
  totalInitialMargin: "0",
  totalMaintenanceMargin: "0",
  coin: (
    coins ??
    [...account.balances.keys()].filter((coin) => {
      const { free, locked } = balanceOf(account, coin)
      return free + locked > 0n
    })
  ).map((coin) => coinRow(account, coin)),
})

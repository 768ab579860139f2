/**
 * The JSON of orders, fills, balances and user events, field by field as Binance Spot sends them.
 * Odd spellings (`cummulativeQuoteQty`) and one-letter keys are the venue's own.
 */
import { formatFixed } from "../fixed.ts"
import type { Account, ExecutionType, Fill, Order, OrderList } from "../model.ts"
import { balanceOf, executedQuantity, isOpen } from "../model.ts"

const listIdOf = ({ list }: Order): number => list?.orderListId ?? -1

const listStateOf = ({ orders }: OrderList) =>
  orders.some(isOpen) ? { type: "EXEC_STARTED", status: "EXECUTING" } : { type: "ALL_DONE", status: "ALL_DONE" }

/** The answer to a list that was placed, or to the cancel of one of its orders. */
export const listJson = (list: OrderList, now: number, report: (order: Order) => unknown) => {
  const { type, status } = listStateOf(list)
  return {
    orderListId: list.orderListId,
    contingencyType: "OCO",
    listStatusType: type,
    listOrderStatus: status,
    listClientOrderId: list.listClientOrderId,
    transactionTime: now,
    symbol: list.symbol,
    orders: list.orders.map(({ symbol, orderId, clientOrderId }) => ({ symbol, orderId, clientOrderId })),
    orderReports: list.orders.map(report),
  }
}

/** A step in a list's life, for the user data stream. */
export const listStatus = (list: OrderList, now: number) => {
  const { type, status } = listStateOf(list)
  return {
    e: "listStatus",
    E: now,
    s: list.symbol,
    g: list.orderListId,
    c: "OCO",
    l: type,
    L: status,
    r: "NONE",
    C: list.listClientOrderId,
    T: now,
    O: list.orders.map(({ symbol, orderId, clientOrderId }) => ({ s: symbol, i: orderId, c: clientOrderId })),
  }
}

/** An order as GET order, openOrders and allOrders show it. */
export const orderJson = (order: Order) => ({
  symbol: order.symbol,
  orderId: order.orderId,
  orderListId: listIdOf(order),
  clientOrderId: order.clientOrderId,
  price: formatFixed(order.price),
  origQty: formatFixed(order.quantity),
  executedQty: formatFixed(executedQuantity(order)),
  origQuoteOrderQty: formatFixed(order.quoteOrderQuantity),
  cummulativeQuoteQty: formatFixed(order.cost),
  status: order.status,
  timeInForce: order.timeInForce,
  type: order.type,
  side: order.side,
  stopPrice: formatFixed(order.stopPrice),
  icebergQty: "0.00000000",
  time: order.placedAt,
  updateTime: order.updatedAt,
  isWorking: order.isWorking,
  workingTime: order.isWorking ? order.placedAt : -1,
  selfTradePreventionMode: "EXPIRE_MAKER",
})

/** The answer to a cancel: our id moves to `origClientOrderId`. */
export const cancelJson = (order: Order) => ({
  ...orderJson(order),
  origClientOrderId: order.clientOrderId,
  clientOrderId: cancelId(order),
  transactTime: order.updatedAt,
})

/** The answer to a placement, as wide as `newOrderRespType` asks. */
export const placedJson = (order: Order, width: "ACK" | "RESULT" | "FULL") => {
  const acknowledgement = {
    symbol: order.symbol,
    orderId: order.orderId,
    orderListId: listIdOf(order),
    clientOrderId: order.clientOrderId,
    transactTime: order.updatedAt,
  }
  if (width === "ACK") return acknowledgement
  const { icebergQty, time, updateTime, isWorking, ...result } = orderJson(order)
  if (width === "RESULT") return { ...acknowledgement, ...result }
  const fills = order.fills.map((fill) => ({
    price: formatFixed(fill.price),
    qty: formatFixed(fill.quantity),
    commission: formatFixed(fill.fee),
    commissionAsset: fill.feeAsset,
    tradeId: fill.tradeId,
  }))
  return { ...acknowledgement, ...result, fills }
}

export const fillJson = (fill: Fill) => ({
  symbol: fill.symbol,
  id: fill.tradeId,
  orderId: fill.orderId,
  orderListId: fill.orderListId,
  price: formatFixed(fill.price),
  qty: formatFixed(fill.quantity),
  quoteQty: formatFixed(fill.cost),
  commission: formatFixed(fill.fee),
  commissionAsset: fill.feeAsset,
  time: fill.filledAt,
  isBuyer: fill.isBuyer,
  isMaker: fill.isMaker,
  isBestMatch: true,
})

export const accountJson = (account: Account, now: number) => ({
  makerCommission: 10,
  takerCommission: 10,
  buyerCommission: 0,
  sellerCommission: 0,
  commissionRates: { maker: "0.00100000", taker: "0.00100000", buyer: "0.00000000", seller: "0.00000000" },
  canTrade: true,
  canWithdraw: false,
  canDeposit: false,
  brokered: false,
  requireSelfTradePrevention: false,
  preventSor: false,
  updateTime: now,
  accountType: "SPOT",
  balances: [...account.balances].map(([asset, { free, locked }]) => ({
    asset,
    free: formatFixed(free),
    locked: formatFixed(locked),
  })),
  permissions: ["SPOT"],
  uid: account.accountNumber,
})

/** One step in an order's life, for the user data stream. `sequence` is the venue's execution id. */
export const executionReport = (
  order: Order,
  execution: ExecutionType,
  fill: Fill | undefined,
  sequence: number,
  now: number,
) => ({
  e: "executionReport",
  E: now,
  s: order.symbol,
  c: execution === "CANCELED" ? cancelId(order) : order.clientOrderId,
  S: order.side,
  o: order.type,
  f: order.timeInForce,
  q: formatFixed(order.quantity),
  p: formatFixed(order.price),
  P: formatFixed(order.stopPrice),
  F: "0.00000000",
  g: listIdOf(order),
  C: execution === "CANCELED" ? order.clientOrderId : "",
  x: execution,
  X: order.status,
  r: "NONE",
  i: order.orderId,
  l: formatFixed(fill?.quantity ?? 0n),
  z: formatFixed(executedQuantity(order)),
  L: formatFixed(fill?.price ?? 0n),
  n: formatFixed(fill?.fee ?? 0n),
  N: fill?.feeAsset ?? null,
  T: order.updatedAt,
  t: fill?.tradeId ?? -1,
  I: sequence,
  w: order.isWorking && isOpen(order),
  m: fill?.isMaker ?? false,
  M: false,
  O: order.placedAt,
  Z: formatFixed(order.cost),
  Y: formatFixed(fill?.cost ?? 0n),
  Q: formatFixed(order.quoteOrderQuantity),
  W: order.placedAt,
  V: "EXPIRE_MAKER",
})

export const accountPosition = (account: Account, assets: ReadonlyArray<string>, now: number) => ({
  e: "outboundAccountPosition",
  E: now,
  u: now,
  B: assets.map((asset) => {
    const { free, locked } = balanceOf(account, asset)
    return { a: asset, f: formatFixed(free), l: formatFixed(locked) }
  }),
})

const cancelId = (order: Order): string => `cancel_${order.orderId}`

/**
 * The JSON of orders, fills, balances, positions and of the history, field by field as Kraken Futures sends them: the names are those that ccxt 4.5.84
 * parses and the venue documents. `quantity` and `qty` are what is left of an order, as recorded messages of the feed and of the history have it.
 */
import { UNIT } from "../binance/fixed.ts"
import { executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { entryPriceOf, sizeOf, unrealizedOf } from "../binance-usdm/model.ts"
import { plain } from "../plain-numbers.ts"
import { type Core, iso } from "./core.ts"
import { type FuturesAccount, fillIdOf, orderIdOf, wordsOf } from "./model.ts"

const number = (units: bigint): number => Number(plain(units))

const sideOf = ({ side }: Order) => side.toLowerCase()

/** In the events of an answer, and in `orders/status`. */
export const orderRow = (order: Order) => ({
  orderId: orderIdOf(order.orderId),
  cliOrdId: wordsOf(order).cliOrdId,
  symbol: order.symbol,
  side: sideOf(order),
  quantity: number(order.left),
  filled: number(executedQuantity(order)),
  limitPrice: number(order.price),
  reduceOnly: order.isReduceOnly === true,
  timestamp: iso(order.placedAt),
  lastUpdateTimestamp: iso(order.updatedAt),
})

export const eventRow = (order: Order) => ({ ...orderRow(order), type: wordsOf(order).type })

export const statusRow = (order: Order) => ({
  order: { type: "ORDER", ...orderRow(order) },
  status: statusOf(order),
  updateReason: isOpen(order) ? null : wordsOf(order).reason,
  error: wordsOf(order).reason === STILLBORN ? "POST_WOULD_EXECUTE" : null,
})

const STILLBORN = "POST_WOULD_EXECUTE_REASON"

const statusOf = (order: Order): string => {
  if (isOpen(order)) return "ENTERED_BOOK"
  if (wordsOf(order).reason === STILLBORN) return "REJECTED"
  return order.status === "FILLED" ? "FULLY_EXECUTED" : "CANCELLED"
}

export const executionEvent = (
  order: Order,
  fill: Fill,
  before: { readonly left: bigint; readonly filled: bigint },
) => ({
  type: "EXECUTION",
  executionId: fillIdOf(fill),
  price: number(fill.price),
  amount: number(fill.quantity),
  orderPriorEdit: null,
  orderPriorExecution: { ...eventRow(order), quantity: number(before.left), filled: number(before.filled) },
  takerReducedQuantity: null,
})

/** In GET openorders. */
export const openOrderRow = (order: Order) => {
  const { cliOrdId, type } = wordsOf(order)
  return {
    order_id: orderIdOf(order.orderId),
    ...(cliOrdId !== null && { cliOrdId }),
    symbol: order.symbol,
    side: sideOf(order),
    orderType: type,
    limitPrice: number(order.price),
    unfilledSize: number(order.left),
    filledSize: number(executedQuantity(order)),
    receivedTime: iso(order.placedAt),
    lastUpdateTime: iso(order.updatedAt),
    status: executedQuantity(order) > 0n ? "partiallyFilled" : "untouched",
    reduceOnly: order.isReduceOnly === true,
  }
}

/** In the feeds of open orders. */
export const feedRow = (order: Order) => {
  const { cliOrdId } = wordsOf(order)
  return {
    instrument: order.symbol,
    time: order.placedAt,
    last_update_time: order.updatedAt,
    qty: number(order.left),
    filled: number(executedQuantity(order)),
    limit_price: number(order.price),
    stop_price: 0,
    type: "limit",
    order_id: orderIdOf(order.orderId),
    ...(cliOrdId !== null && { cli_ord_id: cliOrdId }),
    direction: order.side === "BUY" ? 0 : 1,
    reduce_only: order.isReduceOnly === true,
  }
}

const HISTORY_TYPES = { lmt: "Limit", post: "Post", ioc: "IoC", mkt: "Market" } as const

/** In the history; `account` stands for all keys of it. */
export const historyRow = (order: Order, { accountUid }: FuturesAccount) => ({
  uid: orderIdOf(order.orderId),
  accountUid,
  tradeable: order.symbol,
  direction: order.side === "BUY" ? "Buy" : "Sell",
  quantity: plain(order.left),
  filled: plain(executedQuantity(order)),
  timestamp: order.placedAt,
  limitPrice: plain(order.price),
  orderType: HISTORY_TYPES[wordsOf(order).type],
  clientId: wordsOf(order).cliOrdId ?? "",
  reduceOnly: order.isReduceOnly === true,
  lastUpdateTimestamp: order.updatedAt,
  spotData: null,
})

const fillTypeOf = (order: Order | undefined, { isMaker }: Fill): string =>
  order !== undefined && wordsOf(order).reason === "LIQUIDATION_ORDER" ? "liquidation" : isMaker ? "maker" : "taker"

/** In GET fills: it says no fee. */
export const fillRow = (account: FuturesAccount, fill: Fill) => {
  const order = account.orders.get(fill.orderId)
  const cliOrdId = order === undefined ? null : wordsOf(order).cliOrdId
  return {
    fill_id: fillIdOf(fill),
    order_id: orderIdOf(fill.orderId),
    ...(cliOrdId !== null && { cliOrdId }),
    symbol: fill.symbol,
    side: fill.isBuyer ? "buy" : "sell",
    size: number(fill.quantity),
    price: number(fill.price),
    fillTime: iso(fill.filledAt),
    fillType: fillTypeOf(order, fill),
  }
}

/** In the feed of fills. */
export const fillFeedRow = (account: FuturesAccount, fill: Fill, seq: number) => {
  const order = account.orders.get(fill.orderId)
  const words = order === undefined ? undefined : wordsOf(order)
  return {
    instrument: fill.symbol,
    time: fill.filledAt,
    price: number(fill.price),
    seq,
    buy: fill.isBuyer,
    qty: number(fill.quantity),
    remaining_order_qty: number(order?.left ?? 0n),
    order_id: orderIdOf(fill.orderId),
    ...(words?.cliOrdId !== null && words !== undefined && { cli_ord_id: words.cliOrdId }),
    fill_id: fillIdOf(fill),
    fill_type: fillTypeOf(order, fill),
    fee_paid: number(fill.fee),
    fee_currency: fill.feeAsset,
    taker_order_type: fill.isMaker ? "market" : (words?.type ?? "market"),
    order_type: words?.type === "mkt" ? "market" : words?.type === "ioc" ? "ioc" : "limit",
  }
}

/** In GET history/executions. */
export const executionRow = (account: FuturesAccount, fill: Fill) => {
  const order = account.orders.get(fill.orderId)
  return {
    uid: fillIdOf(fill),
    timestamp: fill.filledAt,
    event: {
      Execution: {
        execution: {
          uid: fillIdOf(fill),
          ...(order !== undefined && { order: historyRow(order, account) }),
          timestamp: fill.filledAt,
          quantity: plain(fill.quantity),
          price: plain(fill.price),
          markPrice: plain(fill.price),
          executionType: fill.isMaker ? "maker" : "taker",
          limitFilled: false,
          usdValue: plain(fill.cost),
          orderData: { fee: plain(fill.fee), positionSize: "0", feeCalculationInfo: [] },
        },
        takerReducedQuantity: "",
      },
    },
  }
}

const heldOf = (account: FuturesAccount) => [...account.positions].filter(([, { amount }]) => amount !== 0n)

/** In GET openpositions. */
export const positionRow = (core: Core, account: FuturesAccount, symbol: string) => {
  const position = account.positions.get(symbol)
  if (position === undefined || position.amount === 0n) return undefined
  return {
    side: position.amount > 0n ? "long" : "short",
    symbol,
    price: number(entryPriceOf(position)),
    fillTime: iso(position.updatedAt),
    size: number(sizeOf(position.amount)),
    unrealizedFunding: 0,
    unrealizedPnl: number(unrealizedOf(position, core.purse.markOf(symbol))),
    pnlCurrency: "USD",
  }
}

export const positionRows = (core: Core, account: FuturesAccount) =>
  heldOf(account).flatMap(([symbol]) => positionRow(core, account, symbol) ?? [])

/** Of multi-collateral: what is free of the currency that contracts are settled in is what orders and positions leave; others stand beside it. */
const currencyRow = (core: Core, account: FuturesAccount, asset: string) => {
  const quantity = account.balances.get(asset)?.free ?? 0n
  const available = asset === "USD" ? core.purse.marginsOf(account, asset).available : quantity
  return { quantity: number(quantity), value: number(quantity), available: number(available) }
}

const namesOf = ({ balances }: FuturesAccount): ReadonlyArray<string> => [...balances.keys()]

const venueName = (asset: string): string => (asset === "BTC" ? "XBT" : asset)

/** In GET accounts. */
export const accountsRow = (core: Core, account: FuturesAccount) => {
  const { wallet, unrealized, ofPositions, ofOrders, available } = core.purse.marginsOf(account, "USD")
  return {
    cash: { type: "cashAccount", balances: { usd: 0 } },
    flex: {
      type: "multiCollateralMarginAccount",
      currencies: Object.fromEntries(
        namesOf(account).map((asset) => {
          const row = currencyRow(core, account, asset)
          return [venueName(asset), { ...row, collateral: row.value }]
        }),
      ),
      initialMargin: number(ofPositions),
      initialMarginWithOrders: number(ofPositions + ofOrders),
      maintenanceMargin: 0,
      balanceValue: number(wallet),
      portfolioValue: number(wallet + unrealized),
      collateralValue: number(wallet),
      pnl: number(unrealized),
      unrealizedFunding: 0,
      totalUnrealized: number(unrealized),
      totalUnrealizedAsMargin: number(unrealized),
      availableMargin: number(available),
      marginEquity: number(wallet + unrealized),
    },
  }
}

/** In the feed of balances. */
export const balancesRow = (core: Core, account: FuturesAccount, seq: number) => ({
  account: account.accountUid,
  flex_futures: {
    currencies: Object.fromEntries(
      namesOf(account).map((asset) => {
        const row = currencyRow(core, account, asset)
        return [venueName(asset), { ...row, collateral_value: row.value, haircut: 0, conversion_spread: 0 }]
      }),
    ),
    available_margin: number(core.purse.marginsOf(account, "USD").available),
  },
  timestamp: core.now(),
  seq,
})

/** As a test looks at an order. */
export const orderView = (order: Order) => ({
  orderId: orderIdOf(order.orderId),
  cliOrdId: wordsOf(order).cliOrdId,
  symbol: order.symbol,
  side: sideOf(order),
  type: wordsOf(order).type,
  size: plain(order.quantity),
  filled: plain(executedQuantity(order)),
  limitPrice: plain(order.price),
  reduceOnly: order.isReduceOnly === true,
  status: order.status,
  cost: plain(order.cost),
  average: executedQuantity(order) === 0n ? "0" : plain((order.cost * UNIT) / executedQuantity(order)),
})

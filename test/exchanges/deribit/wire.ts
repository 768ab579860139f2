/**
 * The JSON of orders, trades, balances and positions, field by field as Deribit sends them: the names are those that ccxt 4.5.84 parses, that recorded
 * answers have, and that the venue documents. Numbers are JSON numbers.
 */
import { UNIT } from "../binance/fixed.ts"
import { executedQuantity, type Fill, isOpen, type Order } from "../binance/model.ts"
import { entryPriceOf, unrealizedOf } from "../binance-usdm/model.ts"
import { plain } from "../plain-numbers.ts"
import { SETTLEMENT } from "./contracts.ts"
import type { Core, Params } from "./core.ts"
import { textOf } from "./core.ts"
import { type DeribitAccount, orderIdOf, tradeIdOf, wordsOf } from "./model.ts"

export const number = (units: bigint): number => Number(plain(units))

const stateOf = (order: Order): string => (isOpen(order) ? "open" : order.status === "FILLED" ? "filled" : "cancelled")

const averageOf = (order: Order): number =>
  executedQuantity(order) === 0n ? 0 : number((order.cost * UNIT) / executedQuantity(order))

export const orderRow = (order: Order) => {
  const { label, type, timeInForce, isPostOnly, isLiquidation, isReplaced, cancelReason } = wordsOf(order)
  return {
    label,
    price: type === "market" ? "market_price" : number(order.price),
    user_id: 96_103,
    amount: number(order.quantity),
    direction: order.side.toLowerCase(),
    time_in_force: timeInForce,
    instrument_name: order.symbol,
    web: false,
    api: true,
    order_id: orderIdOf(order.orderId),
    creation_timestamp: order.placedAt,
    replaced: isReplaced,
    filled_amount: number(executedQuantity(order)),
    last_update_timestamp: order.updatedAt,
    post_only: isPostOnly,
    reduce_only: order.isReduceOnly === true,
    ...(cancelReason !== undefined && { cancel_reason: cancelReason }),
    average_price: averageOf(order),
    mmp: false,
    contracts: number(order.quantity),
    reject_post_only: false,
    order_state: stateOf(order),
    order_type: type,
    is_liquidation: isLiquidation,
    risk_reducing: false,
  }
}

/** As a recorded answer to a stop has it: without `filled_amount`. */
export const triggerRow = (id: string, direction: string, params: Params, at: number) => ({
  label: textOf(params, "label") ?? "",
  price: "market_price",
  user_id: 96_103,
  amount: Number(textOf(params, "amount")),
  direction,
  time_in_force: "good_til_cancelled",
  instrument_name: textOf(params, "instrument_name"),
  web: false,
  api: true,
  order_id: id,
  creation_timestamp: at,
  replaced: false,
  last_update_timestamp: at,
  post_only: false,
  reduce_only: false,
  trigger_price: Number(textOf(params, "trigger_price")),
  trigger: textOf(params, "trigger") ?? "last_price",
  mmp: false,
  reject_post_only: false,
  order_state: "untriggered",
  order_type: textOf(params, "type"),
  is_liquidation: false,
  risk_reducing: false,
})

export const tradeRow = (core: Core, account: DeribitAccount, fill: Fill) => {
  const order = account.orders.get(fill.orderId)
  const words = order === undefined ? undefined : wordsOf(order)
  const label = words?.label ?? ""
  return {
    trade_seq: fill.tradeId,
    trade_id: tradeIdOf(core.placeOf(fill.symbol), fill),
    timestamp: fill.filledAt,
    tick_direction: 0,
    state: order === undefined ? "archive" : stateOf(order),
    self_trade: false,
    reduce_only: order?.isReduceOnly === true,
    profit_loss: number(core.purse.realized.get(fill) ?? 0n),
    price: number(fill.price),
    post_only: words?.isPostOnly ?? false,
    // "Order type: limit, market, or liquidation".
    order_type: words?.isLiquidation === true ? "liquidation" : (words?.type ?? "market"),
    ...(words?.isLiquidation === true && { liquidation: "T" }),
    order_id: orderIdOf(fill.orderId),
    matching_id: null,
    mark_price: number(fill.price),
    liquidity: fill.isMaker ? "M" : "T",
    instrument_name: fill.symbol,
    index_price: number(fill.price),
    fee_currency: fill.feeAsset,
    fee: number(fill.fee),
    direction: fill.isBuyer ? "buy" : "sell",
    contracts: number(fill.quantity),
    amount: number(fill.quantity),
    api: true,
    mmp: false,
    risk_reducing: false,
    // "Presented only when previously set for order by user."
    ...(label !== "" && { label }),
  }
}

/** In private/get_account_summaries, and on user.portfolio.any. */
export const summaryRow = (core: Core, account: DeribitAccount, currency: string) => {
  const held = account.balances.get(currency)?.free ?? 0n
  const margins = core.purse.marginsOf(account, currency)
  const equity = held + margins.unrealized
  const { available } = margins
  return {
    currency,
    balance: number(held),
    equity: number(equity),
    available_funds: number(account.isCrossCollateral ? available * 3n : available),
    available_withdrawal_funds: number(available),
    margin_balance: number(equity),
    initial_margin: number(margins.ofPositions + margins.ofOrders),
    maintenance_margin: 0,
    locked_balance: 0,
    spot_reserve: 0,
    session_upl: number(margins.unrealized),
    session_rpl: 0,
    portfolio_margining_enabled: false,
    cross_collateral_enabled: account.isCrossCollateral,
    margin_model: account.isCrossCollateral ? "cross_sm" : "segregated_sm",
  }
}

/** In private/get_positions: of linear contracts `size` and `size_currency` count the base. */
export const positionRow = (core: Core, account: DeribitAccount, symbol: string) => {
  const position = account.positions.get(symbol)
  if (position === undefined) return undefined
  const mark = core.purse.markOf(symbol)
  const size = number(position.amount)
  return {
    instrument_name: symbol,
    kind: "future",
    direction: position.amount === 0n ? "zero" : position.amount > 0n ? "buy" : "sell",
    size,
    size_currency: size,
    average_price: number(entryPriceOf(position)),
    floating_profit_loss: number(unrealizedOf(position, mark)),
    realized_profit_loss: number(position.realized),
    total_profit_loss: number(unrealizedOf(position, mark)),
    delta: size,
    initial_margin: 0,
    maintenance_margin: 0,
    open_orders_margin: 0,
    leverage: 50,
    mark_price: number(mark),
    index_price: number(mark),
    settlement_price: number(mark),
  }
}

/** An inverse contract of the same account, which another program has opened. */
export const inverseRow = {
  instrument_name: "BTC-PERPETUAL",
  kind: "future",
  direction: "buy",
  size: 50,
  size_currency: 0.000_831_254,
  average_price: 60_150.5,
  floating_profit_loss: 0.000_000_1,
  realized_profit_loss: -9e-9,
  delta: 0.000_831_254,
  leverage: 50,
}

export const currenciesOf = ({ balances }: DeribitAccount): ReadonlyArray<string> => [
  ...new Set([...balances.keys(), SETTLEMENT]),
]

/** As a test looks at an order. */
export const orderView = (order: Order) => ({
  ...orderRow(order),
  price: plain(order.price),
  amount: plain(order.quantity),
  filled: plain(executedQuantity(order)),
  cost: plain(order.cost),
  left: plain(order.left),
  reduceOnly: order.isReduceOnly === true,
})

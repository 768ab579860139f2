/**
 * What the loopback exchange remembers: accounts, orders, fills and the rules of a symbol.
 * All amounts are bigints in 1e-8 units (fixed.ts); instants are milliseconds since the Unix epoch.
 */
export type Side = "BUY" | "SELL"

export type OrderType =
  | "LIMIT"
  | "MARKET"
  | "LIMIT_MAKER"
  | "STOP_LOSS"
  | "STOP_LOSS_LIMIT"
  | "TAKE_PROFIT"
  | "TAKE_PROFIT_LIMIT"

export const ORDER_TYPES: ReadonlyArray<OrderType> = [
  "LIMIT",
  "LIMIT_MAKER",
  "MARKET",
  "STOP_LOSS",
  "STOP_LOSS_LIMIT",
  "TAKE_PROFIT",
  "TAKE_PROFIT_LIMIT",
]

export type TimeInForce = "GTC" | "IOC" | "FOK"

export type OrderStatus = "NEW" | "PARTIALLY_FILLED" | "FILLED" | "CANCELED" | "EXPIRED" | "EXPIRED_IN_MATCH"

/** Binance's `x` of an execution report: what just happened, as opposed to where the order stands. */
export type ExecutionType = "NEW" | "TRADE" | "CANCELED" | "EXPIRED" | "TRADE_PREVENTION"

/** A symbol and its filters; decimal texts as a person writes them. */
export interface SymbolRules {
  readonly symbol: string
  readonly base: string
  readonly quote: string
  readonly tickSize: string
  readonly stepSize: string
  readonly minQuantity?: string
  readonly maxQuantity?: string
  readonly minNotional?: string
  /** Where the synthetic market starts. */
  readonly startPrice?: string
  /** Worth of one level of the synthetic market; by the smallest notional when absent. */
  readonly levelNotional?: string
}

export interface Balance {
  free: bigint
  locked: bigint
}

export interface Account {
  readonly apiKey: string
  readonly apiSecret: string
  readonly accountNumber: number
  readonly balances: Map<string, Balance>
  readonly orders: Map<number, Order>
  /** The newest order of each client order id: Binance lets an id be used again once its order is closed. */
  readonly byClientOrderId: Map<string, Order>
  readonly fills: Array<Fill>
}

/** Two orders, of which one ends when the other is executed, triggered or cancelled. */
export interface OrderList {
  readonly orderListId: number
  readonly listClientOrderId: string
  readonly symbol: string
  readonly orders: ReadonlyArray<Order>
}

export interface Fill {
  readonly tradeId: number
  readonly orderId: number
  readonly orderListId: number
  readonly symbol: string
  readonly price: bigint
  readonly quantity: bigint
  readonly cost: bigint
  readonly fee: bigint
  readonly feeAsset: string
  readonly filledAt: number
  readonly isBuyer: boolean
  readonly isMaker: boolean
}

export interface Order {
  readonly account: Account
  readonly orderId: number
  readonly clientOrderId: string
  readonly symbol: string
  readonly side: Side
  readonly type: OrderType
  readonly timeInForce: TimeInForce
  readonly price: bigint
  readonly stopPrice: bigint
  readonly quoteOrderQuantity: bigint
  readonly quantity: bigint
  readonly placedAt: number
  readonly fills: Array<Fill>
  /** Not yet executed; `quantity - left` is executed. */
  left: bigint
  cost: bigint
  status: OrderStatus
  updatedAt: number
  /** False while a stop waits for its trigger. */
  isWorking: boolean
  /** Stands in the book now. */
  isResting: boolean
  reserved: bigint
  readonly reservedAsset: string
  /** Of contracts: it only makes a position smaller. */
  readonly isReduceOnly?: boolean
  /** That it was placed in. */
  list?: OrderList
}

/** A public trade. */
export interface PublicTrade {
  readonly tradeId: number
  readonly price: bigint
  readonly quantity: bigint
  readonly tradedAt: number
  readonly isBuyerMaker: boolean
}

export const isOpen = (order: Order): boolean => order.status === "NEW" || order.status === "PARTIALLY_FILLED"

export const executedQuantity = (order: Order): bigint => order.quantity - order.left

export const hasLimitPrice = (type: OrderType): boolean =>
  type === "LIMIT" || type === "LIMIT_MAKER" || type === "STOP_LOSS_LIMIT" || type === "TAKE_PROFIT_LIMIT"

export const hasTrigger = (type: OrderType): boolean => type.startsWith("STOP_LOSS") || type.startsWith("TAKE_PROFIT")

export const balanceOf = (account: Account, asset: string): Balance => {
  const known = account.balances.get(asset)
  if (known !== undefined) return known
  const empty = { free: 0n, locked: 0n }
  account.balances.set(asset, empty)
  return empty
}

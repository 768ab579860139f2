/**
 * Orders and trades of the platform's own venue, as its journal keeps them: rows of the ledger's transactions. Whole images, never deltas; the
 * last stored image is the venue's state.
 */
import { Decimal } from "../decimal.ts"
import type {
  DealerAccountId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../ids.ts"
import { instrumentIdOf } from "../instrument/instrument.ts"
import type { WalletId } from "../wallet/wallet.ts"
import type { OrderSide, PlainOrderType, StoredTimeInForce } from "./trade-order.ts"

export const INTERNAL = "INTERNAL" as VenueId

/** Of the installation's own tenant (null) without a name beside the pair: no tenant takes a name from another. */
export const internalInstrumentId = (
  baseAsset: string,
  quoteAsset: string,
  tenantId: TenantId | null = null,
): InstrumentId => instrumentIdOf(INTERNAL, `${baseAsset}/${quoteAsset}${tenantId === null ? "" : `@${tenantId}`}`)

export interface InternalOrder {
  readonly tradeOrderId: TradeOrderId
  readonly tradingAccountId: TradingAccountId
  readonly tenantId: TenantId
  /** Whose it is: orders of one owner never trade with each other. A dealer, where it is the dealer's own account. */
  readonly ownerId: UserId | DealerAccountId
  readonly walletId: WalletId
  readonly instrumentId: InstrumentId
  readonly orderSide: OrderSide
  readonly orderType: PlainOrderType
  readonly timeInForce: StoredTimeInForce
  /** Null at market. */
  readonly limitPrice: Decimal | null
  /** In base, all of it; of a market buy by `budget` an estimate until it has met the book. */
  readonly quantity: Decimal
  /** A market buy of so much quote. */
  readonly budget: Decimal | null
  readonly executed: Decimal
  /** OPEN: on the book, or on its way to it. */
  readonly status: "OPEN" | "FILLED" | "CANCELLED" | "REJECTED"
  readonly ending: "REMAINDER" | "SELF_TRADE_PREVENTION" | "WOULD_TAKE" | null
  /** Its place in the queue of its price: orders and changes are numbered as they come in, per instrument. */
  readonly sequence: number
  /** The ledger's hold that covers what is left; null when the order is over. */
  readonly holdId: string | null
  /** What it holds: quote for a BUY, base for a SELL. */
  readonly held: Decimal
  readonly createdAt: number
  readonly updatedAt: number
}

export interface InternalTrade {
  readonly tradeId: string
  readonly instrumentId: InstrumentId
  readonly price: Decimal
  readonly quantity: Decimal
  readonly takerSide: OrderSide
  /** Null: a dealer, who gave a quote. */
  readonly makerOrderId: TradeOrderId | null
  readonly makerAccountId: TradingAccountId
  /** In the asset that the maker receives, like the taker's in the asset that it receives. */
  readonly makerFee: Decimal
  readonly takerOrderId: TradeOrderId
  readonly takerAccountId: TradingAccountId
  readonly takerFee: Decimal
  /** Not of the book: the quote that was executed. */
  readonly quoteId: QuoteId | null
  readonly executedAt: number
}

/** What is left of it to trade. */
export const restOf = ({ quantity, executed }: Pick<InternalOrder, "quantity" | "executed">): Decimal =>
  quantity.subtract(executed)

/** Never rests: what it cannot trade at once ends. */
export const isImmediate = ({ orderType, timeInForce }: Pick<InternalOrder, "orderType" | "timeInForce">): boolean =>
  orderType === "MARKET" || timeInForce === "IOC" || timeInForce === "FOK"

export const isPostOnly = ({ orderType, timeInForce }: Pick<InternalOrder, "orderType" | "timeInForce">): boolean =>
  orderType === "LIMIT_MAKER" || (timeInForce === "GTX" && orderType !== "MARKET")

/** As `ledger_facts_internal_order` reads it. */
export const internalOrderRow = (order: InternalOrder): Readonly<Record<string, unknown>> => ({
  trade_order_id: order.tradeOrderId,
  trading_account_id: order.tradingAccountId,
  tenant_id: order.tenantId,
  user_id: order.ownerId,
  wallet_id: order.walletId,
  instrument_id: order.instrumentId,
  order_side: order.orderSide,
  order_type: order.orderType,
  time_in_force: order.timeInForce,
  limit_price: order.limitPrice?.toString() ?? null,
  quantity: order.quantity.toString(),
  budget: order.budget?.toString() ?? null,
  executed: order.executed.toString(),
  status: order.status,
  ending: order.ending,
  sequence: order.sequence,
  hold_id: order.holdId,
  held: order.held.toString(),
  created_at: order.createdAt,
  updated_at: order.updatedAt,
})

/** As `ledger_facts_internal_trade` reads it. */
export const internalTradeRow = (trade: InternalTrade): Readonly<Record<string, unknown>> => ({
  trade_id: trade.tradeId,
  instrument_id: trade.instrumentId,
  price: trade.price.toString(),
  quantity: trade.quantity.toString(),
  taker_side: trade.takerSide,
  maker_order_id: trade.makerOrderId,
  maker_account_id: trade.makerAccountId,
  maker_fee: trade.makerFee.toString(),
  taker_order_id: trade.takerOrderId,
  taker_account_id: trade.takerAccountId,
  taker_fee: trade.takerFee.toString(),
  quote_id: trade.quoteId,
  executed_at: trade.executedAt,
})

/** What is kept of what a side receives, in parts of a whole. */
export interface InternalFees {
  readonly makerRate: Decimal
  readonly takerRate: Decimal
}

const SMALLEST = Decimal.fromUnits(1n, 18)

/** Rounded towards the house, never more than there is. */
export const feeOf = (received: Decimal, rate: Decimal): Decimal =>
  Decimal.min(received, received.multiply(rate).roundTo(SMALLEST, "UP"))

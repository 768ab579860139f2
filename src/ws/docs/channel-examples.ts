/** One real example of every record that channels publish, made by the functions that make the records themselves. */
import type { AccountEventKind } from "../../domain/account/event.ts"
import { positionRecord, type TradingAccount, tradingAccountRecord } from "../../domain/account/trading-account.ts"
import { type Quote, quoteRecord } from "../../domain/dealer/quote.ts"
import { Decimal } from "../../domain/decimal.ts"
import type { ExecutionId, TenantId, TradeOrderId, TradingAccountId, UserId, VenueId } from "../../domain/ids.ts"
import { instrumentIdOf } from "../../domain/instrument/instrument.ts"
import type { KlineRecord } from "../../domain/market/kline.ts"
import type { OrderBookRecord, TickerRecord, TradeRecord } from "../../domain/market/market.ts"
import { graver } from "../../domain/order/evidence/doubt.ts"
import { OrderStatus } from "../../domain/order/status.ts"
import { type Execution, type TradeOrder, UNPLACED } from "../../domain/order/trade-order.ts"
import { executionRecord, type TradeOrderRecord, tradeOrderRecord } from "../../domain/order/trade-order-record.ts"
import { dateTime } from "../../foundation/time.ts"

const AT = Date.UTC(2026, 0, 15, 12)
const venue = "MOCK" as VenueId
const symbol = "BTC/USDT"
const instrumentId = instrumentIdOf(venue, symbol)
const tradingAccountId = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" as TradingAccountId
const tradeOrderId = "0198f3a2-7d3e-7e50-9f41-8c3d2e4f5061" as TradeOrderId
const tenantId = "default" as TenantId

const market = { instrumentId, venue, symbol } as const

const book = {
  ...market,
  orderBookType: "L2",
  columns: ["price", "quantity", "orderCount"],
  quality: "SYNCED",
} as const satisfies Partial<OrderBookRecord>

export const SNAPSHOT_EXAMPLE: OrderBookRecord = {
  ...book,
  updateType: "SNAPSHOT",
  bids: [
    ["64000.10", "0.50", ""],
    ["64000.00", "1.25", ""],
  ],
  asks: [
    ["64000.20", "0.75", ""],
    ["64000.30", "2.00", ""],
  ],
  timestamp: AT,
  sequence: 17,
  previousSequence: null,
}

export const DIFF_EXAMPLE: OrderBookRecord = {
  ...book,
  updateType: "DIFF",
  bids: [["64000.10", "0.35", ""]],
  asks: [["64000.20", "0", ""]],
  timestamp: AT + 100,
  sequence: 18,
  previousSequence: 17,
}

export const LEVEL_EXAMPLE = { side: "bids", price: "64000.10", quantity: "0.35", orderCount: "" } as const

export const STATE_EXAMPLE = { sequence: 18, timestamp: AT + 100, quality: "SYNCED" } as const

export const TICKER_EXAMPLE: TickerRecord = {
  ...market,
  lastPrice: "64000.15",
  lastQuantity: "0.01",
  bidPrice: "64000.10",
  bidQuantity: "0.50",
  askPrice: "64000.20",
  askQuantity: "0.75",
  timestamp: AT,
}

export const TRADE_EXAMPLE: TradeRecord = {
  tradeId: "6f0e7b5c-3e0a-5b0e-8b0a-2f6f0d1c9a77",
  externalTradeId: "4711",
  ...market,
  price: "64000.15",
  quantity: "0.01",
  side: "BUY",
  timestamp: AT,
  timestampDateTime: dateTime(AT),
  sequence: 42,
}

export const LIVE_KLINE_EXAMPLE: KlineRecord = {
  ...market,
  interval: "1m",
  candles: [[AT, "64000.10", "64001.00", "63999.50", "64000.15", "1.75"]],
  isClosed: false,
  timestamp: AT + 30_000,
}

export const CLOSED_KLINE_EXAMPLE: KlineRecord = {
  ...LIVE_KLINE_EXAMPLE,
  candles: [[AT, "64000.10", "64002.30", "63999.50", "64001.90", "3.20"]],
  isClosed: true,
  timestamp: AT + 60_000,
}

const execution: Execution = {
  executionId: "0198f3a2-8e4f-7f61-8a52-9d4e3f506172" as ExecutionId,
  externalTradeId: "4712",
  tradeOrderId,
  tradingAccountId,
  venue,
  instrumentId,
  orderSide: "BUY",
  executedQuantity: Decimal.of("0.004"),
  executedPrice: Decimal.of("64000"),
  executedCost: Decimal.of("256"),
  fees: [{ asset: "USDT", venue, quantity: Decimal.of("0.256") }],
  inferred: false,
  replaces: null,
  executedAt: AT,
}

const submitted: TradeOrder = {
  ...UNPLACED,
  tradeOrderId,
  tenantId,
  tradingAccountId,
  venue,
  instrumentId,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  limitPrice: Decimal.of("64000"),
  quantity: Decimal.of("0.01"),
  quantityRounding: "",
  baseQuantity: Decimal.of("0.01"),
  idempotencyKey: "my-first-order",
  origin: "GATEWAY",
  held: Decimal.of("640"),
  createdAt: AT,
  updatedAt: AT,
}

const EXECUTED: ReadonlySet<OrderStatus> = new Set(["PARTIALLY_FILLED", "FILLED"])

const orderThatIs = (orderStatus: OrderStatus): TradeOrderRecord =>
  tradeOrderRecord({
    ...submitted,
    orderStatus,
    doubt: orderStatus === "UNKNOWN" ? graver(submitted, "SUBMIT") : null,
    cancelReason: orderStatus === "CANCELLED" ? "USER_REQUEST" : null,
    rejectReason: orderStatus === "REJECTED" ? "GATEWAY_LATE" : null,
    ...(EXECUTED.has(orderStatus)
      ? {
          baseQuantity: orderStatus === "FILLED" ? execution.executedQuantity : submitted.baseQuantity,
          quantity: orderStatus === "FILLED" ? execution.executedQuantity : submitted.quantity,
          executions: [execution],
          executedQuantity: execution.executedQuantity,
          executedCost: execution.executedCost,
          executedPrice: execution.executedPrice,
          externalOrderId: "812",
        }
      : {}),
  })

export const ORDER_EXAMPLE = orderThatIs("ACCEPTED")

export const POSITION_EXAMPLE = positionRecord({
  tradingAccountId,
  venue,
  currency: "USDT",
  available: Decimal.of("9103.744"),
  locked: Decimal.of("640"),
  updatedAt: AT,
})

const userId = "0198f3a2-4a0b-7b2d-8c1e-5f0a9b1c2d3e" as UserId

const account: TradingAccount = {
  tradingAccountId,
  tenantId,
  userId,
  version: 2,
  venue,
  externalTradingAccountId: "demo",
  nickname: "My first account",
  status: "ACTIVE",
  credentials: [],
  initialBalances: [],
  channelEpoch: "",
  createdAt: AT,
  updatedAt: AT,
  disconnectedAt: null,
  cancelAllAt: null,
  walletId: null,
  dealerAccountId: null,
}

const quote: Quote = {
  quoteId: "0198f3a2-9f50-7072-9b63-ae5f40617284" as Quote["quoteId"],
  tenantId: "default" as Quote["tenantId"],
  version: 1,
  quoteRequestId: "rfq-17",
  fingerprint: null,
  dealerAccountId: "0198f3a2-9f50-7072-9b63-ae5f40617285" as Quote["dealerAccountId"],
  traderAccountId: tradingAccountId,
  traderUserId: userId,
  dealerWalletId: "0198f3a2-9f50-7072-9b63-ae5f40617286" as Quote["dealerWalletId"],
  traderWalletId: "0198f3a2-9f50-7072-9b63-ae5f40617287" as Quote["traderWalletId"],
  instrumentId: "INTERNAL:BTC/USDT" as Quote["instrumentId"],
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: "BUY",
  quantityType: "BASE",
  quantity: Decimal.of("0.5"),
  quoteQuantity: Decimal.of("32532.5"),
  price: Decimal.of("65065"),
  status: "CREATED",
  rejectReason: null,
  pricingProfileId: null,
  receipt: null,
  tradeOrderId: null,
  createdAt: AT,
  updatedAt: AT,
  expireAt: AT + 10_000,
}

const recordOf = (kind: AccountEventKind): unknown => {
  switch (kind) {
    case "TRADE_ORDER.LATE_FILL":
      return orderThatIs("FILLED")
    case "EXECUTION.CREATED":
      return { ...executionRecord(execution), tradeOrderId }
    case "PORTFOLIO.UPDATED":
      return [POSITION_EXAMPLE]
    case "TRADING_ACCOUNT.UPDATED":
      return tradingAccountRecord(account)
    case "TRADING_ACCOUNT.RECONCILED":
      return { from: AT - 60_000, to: AT, backfilledExecutions: 1, correctedOrders: 1 }
    case "TRADING_ACCOUNT.ALERT":
      return {
        code: "OVERFILL",
        severity: "CRITICAL",
        message: "executed more than ordered",
        tradeOrderId,
      }
    case "QUOTE.UPDATED":
      return quoteRecord(quote, false)
    default:
      return orderThatIs(OrderStatus.literals.find((status) => kind === `TRADE_ORDER.${status}`) ?? "CREATED")
  }
}

export const accountEventExample = (kind: AccountEventKind): unknown => ({
  kind,
  eventId: "0198f3a2-9f50-7072-9b63-ae5f40617283",
  sequence: 108,
  tradingAccountId,
  timestamp: AT,
  timestampDateTime: dateTime(AT),
  data: recordOf(kind),
})

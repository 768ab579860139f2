/** Hedge intents and an instrument to hedge on, as tests need them. */
import type { SubmitOrder } from "../../../src/actors/account/messages.ts"
import type { HedgeIntent } from "../../../src/domain/dealer/dealer.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type {
  DealerAccountId,
  HedgeIntentId,
  InstrumentId,
  QuoteId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../../../src/domain/ids.ts"
import { type Instrument, parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"
import { type TradeOrder, UNPLACED } from "../../../src/domain/order/trade-order.ts"
import { instrumentOf } from "./instruments.ts"

const id = (kind: number, n: number): string =>
  `${`${kind}`.padStart(8, "0")}-0000-4000-8000-${n.toString(16).padStart(12, "0")}`

export const DEALER = id(1, 1) as DealerAccountId
export const LINKED = id(2, 1) as TradingAccountId

/** Of BTC/USDT on MOCK: the client bought 1 at 101, walked 100, the last level 100. */
export const intentOf = (n: number, change: Partial<HedgeIntent> = {}): HedgeIntent => ({
  hedgeIntentId: id(3, n) as HedgeIntentId,
  dealerAccountId: DEALER,
  quoteId: id(4, n) as QuoteId,
  tradeOrderId: id(5, n) as TradeOrderId,
  tradingAccountId: LINKED,
  venue: "MOCK" as VenueId,
  instrumentId: "MOCK:BTC/USDT" as InstrumentId,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: "BUY",
  quantity: Decimal.ONE,
  quotePrice: Decimal.of("101"),
  walkedPrice: Decimal.of("100"),
  worstPrice: change.walkedPrice ?? Decimal.of("100"),
  createdAt: 1_700_000_000_000 + n,
  ...change,
})

/** The order that a dealer asks a linked account for, as the account stores it first. */
export const hedgeOrder = (
  tradingAccountId: TradingAccountId,
  { request, hedge }: Pick<SubmitOrder, "request" | "hedge">,
  own: Pick<TradeOrder, "tradeOrderId" | "createdAt"> & Partial<TradeOrder>,
): TradeOrder => {
  const { baseAsset, quoteAsset } = parseInstrumentId(request.instrumentId!)!
  return {
    ...UNPLACED,
    tradingAccountId,
    instrumentId: request.instrumentId,
    baseAsset,
    quoteAsset,
    orderSide: request.orderSide,
    orderType: request.orderType,
    timeInForce: request.timeInForce ?? "GTC",
    limitPrice: request.limitPrice == null ? null : Decimal.of(request.limitPrice),
    quantity: Decimal.of(request.quantity),
    baseQuantity: Decimal.of(request.quantity),
    idempotencyKey: request.idempotencyKey,
    dealerAccountId: hedge!.dealerAccountId,
    hedgeForQuoteIds: hedge!.quotes.quoteIds,
    hedgeForQuoteCount: hedge!.quotes.count,
    updatedAt: own.createdAt,
    ...own,
  } as unknown as TradeOrder
}

export const pair = (change: Partial<Instrument> = {}): Instrument => instrumentOf("MOCK:BTC/USDT", change)

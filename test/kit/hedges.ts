/** Hedge intents and an instrument to hedge on, as tests need them. */
import type { HedgeIntent } from "../../src/domain/dealer.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type {
  DealerAccountId,
  HedgeIntentId,
  InstrumentId,
  QuoteId,
  TradeOrderId,
  TradingAccountId,
  VenueId,
} from "../../src/domain/ids.ts"
import type { Instrument } from "../../src/domain/instrument.ts"
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

export const pair = (change: Partial<Instrument> = {}): Instrument => instrumentOf("MOCK:BTC/USDT", change)

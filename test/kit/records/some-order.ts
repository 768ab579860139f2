/** A trade order as a row has it: a buy of 10 at a limit of 100 that works at the venue, changed as a test wants it. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TenantId, TradeOrderId, TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import { type TradeOrder, UNPLACED } from "../../../src/domain/order/trade-order.ts"

export const someOrder = (patch: Partial<TradeOrder> = {}): TradeOrder => ({
  ...UNPLACED,
  tradeOrderId: "0ddddddd-0000-4000-8000-00000000000e" as TradeOrderId,
  tenantId: "0ddddddd-0000-4000-8000-000000000001" as TenantId,
  tradingAccountId: "0ddddddd-0000-4000-8000-000000000002" as TradingAccountId,
  venue: "SIM" as VenueId,
  instrumentId: "SIM:BTC/USDT" as InstrumentId,
  baseAsset: "BTC",
  quoteAsset: "USDT",
  orderSide: "BUY",
  orderType: "LIMIT",
  timeInForce: "GTC",
  orderStatus: "ACCEPTED",
  limitPrice: Decimal.of("100"),
  quantity: Decimal.of("10"),
  quantityRounding: "",
  baseQuantity: Decimal.of("10"),
  externalOrderId: "1",
  origin: "GATEWAY",
  notAfter: 0,
  held: Decimal.ZERO,
  createdAt: 0,
  updatedAt: 0,
  ...patch,
})

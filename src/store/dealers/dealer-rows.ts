/** Dealers and quotes as rows, and as the facts of the ledger write them. */

import { type DealerConfigRecord, dealerConfigOf } from "../../domain/dealer/config.ts"
import type { Dealer, DealerStatus } from "../../domain/dealer/dealer.ts"
import type { Funding } from "../../domain/dealer/funding.ts"
import type { LevelsBeyond, PricingReceipt, Quote, QuoteRejectReason, QuoteStatus } from "../../domain/dealer/quote.ts"
import type {
  DealerAccountId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../../domain/ids.ts"
import type { OrderSide } from "../../domain/order/trade-order.ts"
import type { WalletId } from "../../domain/wallet/wallet.ts"
import type { ReceiptText } from "../../ports/dealer-store.ts"
import { decimal, instant } from "../orders/rows.ts"

export interface DealerRow {
  readonly dealer_account_id: string
  readonly tenant_id: string
  readonly version: string
  readonly name: string
  readonly status: string
  readonly base_currencies: ReadonlyArray<string>
  readonly risk_threshold: string | null
  readonly config: DealerConfigRecord
  readonly owner_user_id: string
  readonly trading_account_id: string
  readonly wallet_id: string
  readonly created_at: string
  readonly updated_at: string
  readonly linked: ReadonlyArray<string> | null
}

/** Select list of DealerRow, for a table or alias `d`. */
export const DEALER_COLUMNS = `d.dealer_account_id, d.tenant_id, d.version, d.name, d.status, d.base_currencies, d.risk_threshold, d.config,
  d.owner_user_id, d.trading_account_id, d.wallet_id, d.created_at, d.updated_at,
  (SELECT array_agg(l.trading_account_id::text ORDER BY l.position)
   FROM dealer_link l JOIN trading_account a USING (trading_account_id)
   WHERE l.dealer_account_id = d.dealer_account_id AND a.status <> 'DISCONNECTED') AS linked`

export const dealerOf = (row: DealerRow): Dealer => ({
  dealerAccountId: row.dealer_account_id as DealerAccountId,
  tenantId: row.tenant_id as TenantId,
  version: Number(row.version),
  name: row.name,
  status: row.status as DealerStatus,
  baseCurrencies: row.base_currencies,
  riskThreshold: row.risk_threshold === null ? null : decimal(row.risk_threshold),
  linkedAccountIds: (row.linked ?? []) as ReadonlyArray<TradingAccountId>,
  config: dealerConfigOf(row.config),
  ownerUserId: row.owner_user_id as UserId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  walletId: row.wallet_id as WalletId,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
})

export interface QuoteRow {
  readonly quote_id: string
  readonly tenant_id: string
  readonly version: string
  readonly quote_request_id: string | null
  readonly fingerprint: string | null
  readonly dealer_account_id: string
  readonly trader_account_id: string
  readonly trader_user_id: string
  readonly dealer_wallet_id: string
  readonly trader_wallet_id: string
  readonly instrument_id: string
  readonly base_asset: string
  readonly quote_asset: string
  readonly order_side: string
  readonly quantity_type: string
  readonly quantity: string | null
  readonly quote_quantity: string | null
  readonly price: string | null
  readonly status: string
  readonly reject_reason: string | null
  readonly pricing_profile_id: string | null
  readonly receipt: ReceiptText | null
  readonly trade_order_id: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly expire_at: string
}

/** Select list of QuoteRow, for a table or alias `q`. */
export const QUOTE_COLUMNS = `q.quote_id, q.tenant_id, q.version, q.quote_request_id, q.fingerprint, q.dealer_account_id,
  q.trader_account_id, q.trader_user_id, q.dealer_wallet_id, q.trader_wallet_id, q.instrument_id, q.base_asset, q.quote_asset, q.order_side,
  q.quantity_type, q.quantity, q.quote_quantity, q.price, q.status, q.reject_reason, q.pricing_profile_id, q.receipt, q.trade_order_id,
  q.created_at, q.updated_at, q.expire_at`

const decimalOrNull = (text: string | null) => (text === null ? null : decimal(text))

const beyondOf = ({ count, quantity, cost }: NonNullable<ReceiptText["levelsBeyond"]>): LevelsBeyond => ({
  count,
  quantity: decimal(quantity),
  cost: decimal(cost),
})

const receiptOf = (text: ReceiptText): PricingReceipt => ({
  tradingAccountId: text.tradingAccountId as TradingAccountId,
  venue: text.venue as VenueId,
  instrumentId: text.instrumentId as InstrumentId,
  bookAt: text.bookAt,
  levels: text.levels.map(([price, quantity]) => [decimal(price), decimal(quantity)]),
  levelsBeyond: text.levelsBeyond === undefined ? null : beyondOf(text.levelsBeyond),
  walkedPrice: decimal(text.walkedPrice),
  worstPrice: decimal(text.worstPrice),
  takerFeeBps: decimal(text.takerFeeBps),
  markupBps: decimal(text.markupBps),
  ttlBps: decimal(text.ttlBps),
})

export const quoteOf = (row: QuoteRow): Quote => ({
  quoteId: row.quote_id as QuoteId,
  tenantId: row.tenant_id as TenantId,
  version: Number(row.version),
  quoteRequestId: row.quote_request_id,
  fingerprint: row.fingerprint,
  dealerAccountId: row.dealer_account_id as DealerAccountId,
  traderAccountId: row.trader_account_id as TradingAccountId,
  traderUserId: row.trader_user_id as UserId,
  dealerWalletId: row.dealer_wallet_id as WalletId,
  traderWalletId: row.trader_wallet_id as WalletId,
  instrumentId: row.instrument_id as InstrumentId,
  baseAsset: row.base_asset,
  quoteAsset: row.quote_asset,
  orderSide: row.order_side as OrderSide,
  quantityType: row.quantity_type as Quote["quantityType"],
  quantity: decimalOrNull(row.quantity),
  quoteQuantity: decimalOrNull(row.quote_quantity),
  price: decimalOrNull(row.price),
  status: row.status as QuoteStatus,
  rejectReason: row.reject_reason as QuoteRejectReason | null,
  pricingProfileId: row.pricing_profile_id,
  receipt: row.receipt === null ? null : receiptOf(row.receipt),
  tradeOrderId: row.trade_order_id as TradeOrderId | null,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  expireAt: instant(row.expire_at),
})

export interface FundingRow {
  readonly funding_id: string
  readonly trading_account_id: string
  readonly dealer_account_id: string
  readonly asset: string
  readonly direction: string
  readonly amount: string
  readonly settled: string
  readonly created_at: string
  readonly expire_at: string
}

export const fundingOf = (row: FundingRow): Funding => ({
  fundingId: row.funding_id,
  dealerAccountId: row.dealer_account_id as DealerAccountId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  asset: row.asset,
  direction: row.direction as Funding["direction"],
  amount: decimal(row.amount),
  settled: decimal(row.settled),
  createdAt: instant(row.created_at),
  expireAt: instant(row.expire_at),
})

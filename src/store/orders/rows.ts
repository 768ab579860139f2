/**
 * Rows of the order path as domain records. The one thing to know: numeric comes as text and goes through `Decimal.fromVenue`, since
 * an exact price × quantity has more fractional digits than the API's grammar; int8 comes as text and is always a safe integer here.
 */
import type { Credential } from "../../domain/account/credential.ts"
import type { TradingAccount, TradingAccountStatus } from "../../domain/account/trading-account.ts"
import { Decimal } from "../../domain/decimal.ts"
import type {
  CredentialId,
  DealerAccountId,
  ExecutionId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../../domain/ids.ts"
import type { OrderStatus } from "../../domain/order/status.ts"
import { termsOf } from "../../domain/order/terms.ts"
import {
  type CancelReason,
  type ContingencyType,
  EXECUTIONS_KEPT,
  type Execution,
  type Fee,
  type OrderDoubt,
  type OrderSide,
  type OrderType,
  type QuantityType,
  type StoredTimeInForce,
  type TradeOrder,
} from "../../domain/order/trade-order.ts"
import type { WalletId } from "../../domain/wallet/wallet.ts"

/** Where a walk through uuids begins. */
export const BEFORE_ALL_IDS = "00000000-0000-0000-0000-000000000000"

/** Of numeric text; a defect when the column holds NaN or Infinity, which nothing of ours writes. */
export const decimal = (text: string): Decimal => {
  const value = Decimal.fromVenue(text)
  if (value === undefined) throw new Error(`not a decimal in the database: ${text.slice(0, 60)}`)
  return value
}
const decimalOrNull = (text: string | null): Decimal | null => (text === null ? null : decimal(text))
export const instant = (text: string): number => Number(text)
export const instantOrNull = (text: string | null): number | null => (text === null ? null : Number(text))

interface FeeRow {
  readonly asset: string
  readonly venue: string
  readonly quantity: string
}

const feeOf = ({ asset, venue, quantity }: FeeRow): Fee => ({
  asset,
  venue: venue as VenueId,
  quantity: decimal(quantity),
})

export interface OrderRow {
  readonly trade_order_id: string
  readonly tenant_id: string
  readonly trading_account_id: string
  readonly version: string
  readonly venue: string
  readonly instrument_id: string
  readonly order_list_id: string | null
  readonly contingency_type: string | null
  readonly quote_id: string | null
  readonly position_id: string | null
  readonly replaces_trade_order_id: string | null
  readonly dealer_account_id: string | null
  readonly hedge_for_quote_ids: ReadonlyArray<QuoteId> | null
  /** Null: as many as are named. */
  readonly hedge_for_quote_count: number | null
  /** As `termsOf` reads it. */
  readonly terms: unknown
  readonly base_asset: string
  readonly quote_asset: string
  readonly order_side: string
  readonly order_type: string
  readonly time_in_force: string
  readonly order_status: string
  readonly status_before_cancel: string | null
  readonly reject_reason: string | null
  readonly cancel_reason: string | null
  readonly limit_price: string | null
  readonly quantity: string
  readonly order_quantity_type: string
  readonly quantity_rounding: string
  readonly base_quantity: string
  readonly executed_quantity: string
  readonly executed_cost: string
  readonly executed_price: string | null
  readonly overfill_quantity: string
  readonly execution_count: number
  readonly fees: ReadonlyArray<FeeRow> | null
  readonly client_order_id: string | null
  readonly idempotency_key: string | null
  readonly fingerprint: string | null
  readonly external_order_id: string | null
  readonly origin: string
  readonly doubt: OrderDoubt | null
  readonly cancel_requested: boolean
  readonly evidence: ReadonlyArray<{ readonly at: number; readonly what: string }> | null
  readonly not_after: string | null
  readonly submit_deadline: string | null
  readonly held: string
  readonly created_at: string
  readonly updated_at: string
  readonly expire_at: string | null
  readonly canceled_at: string | null
  readonly venue_updated_at: string | null
}

/** Select list of OrderRow, for a table or alias `o`. */
export const ORDER_COLUMNS = `o.trade_order_id, o.tenant_id, o.trading_account_id, o.version, o.venue, o.instrument_id, o.order_list_id,
  o.contingency_type, o.quote_id, o.position_id, o.replaces_trade_order_id, o.dealer_account_id,
  o.hedge_for_quote_ids, o.hedge_for_quote_count, o.terms, o.base_asset, o.quote_asset, o.order_side, o.order_type, o.time_in_force, o.order_status, o.status_before_cancel, o.reject_reason, o.cancel_reason,
  o.limit_price, o.quantity, o.order_quantity_type, o.quantity_rounding, o.base_quantity, o.executed_quantity, o.executed_cost,
  o.executed_price, o.overfill_quantity, o.execution_count, o.fees, o.client_order_id, o.idempotency_key, o.fingerprint,
  o.external_order_id, o.origin, o.doubt,
  o.cancel_requested, o.evidence, o.not_after, o.submit_deadline, o.held, o.created_at, o.updated_at, o.expire_at, o.canceled_at,
  o.venue_updated_at`

export interface ExecutionRow {
  readonly execution_id: string
  readonly trading_account_id: string
  readonly trade_order_id: string
  readonly venue: string
  readonly external_trade_id: string
  readonly instrument_id: string
  readonly order_side: string
  readonly executed_quantity: string
  readonly executed_price: string
  readonly executed_cost: string
  readonly fees: ReadonlyArray<FeeRow>
  readonly inferred: boolean
  readonly replaces: string | null
  readonly executed_at: string
}

/** Select list of ExecutionRow, for a table or alias `x`. */
export const EXECUTION_COLUMNS = `x.execution_id, x.trading_account_id, x.trade_order_id, x.venue, x.external_trade_id, x.instrument_id,
  x.order_side, x.executed_quantity, x.executed_price, x.executed_cost, x.fees, x.inferred, x.replaces, x.executed_at`

/** An ExecutionRow of a table or alias as JSON, for a statement that answers executions inside another row. */
export const executionJson = (x: string): string => `json_build_object(
  'execution_id', ${x}.execution_id, 'trading_account_id', ${x}.trading_account_id, 'trade_order_id', ${x}.trade_order_id,
  'venue', ${x}.venue, 'external_trade_id', ${x}.external_trade_id, 'instrument_id', ${x}.instrument_id, 'order_side', ${x}.order_side,
  'executed_quantity', ${x}.executed_quantity::text, 'executed_price', ${x}.executed_price::text,
  'executed_cost', ${x}.executed_cost::text, 'fees', ${x}.fees, 'inferred', ${x}.inferred, 'replaces', ${x}.replaces,
  'executed_at', ${x}.executed_at::text)`

/** An execution `x` counts: none has taken its place. */
export const COUNTS = "NOT (x.inferred AND EXISTS (SELECT FROM execution r WHERE r.replaces = x.execution_id))"

export const executionOf = (row: ExecutionRow): Execution => ({
  executionId: row.execution_id as ExecutionId,
  externalTradeId: row.external_trade_id,
  tradeOrderId: row.trade_order_id as TradeOrderId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  venue: row.venue as VenueId,
  instrumentId: row.instrument_id as InstrumentId,
  orderSide: row.order_side as OrderSide,
  executedQuantity: decimal(row.executed_quantity),
  executedPrice: decimal(row.executed_price),
  executedCost: decimal(row.executed_cost),
  fees: row.fees.map(feeOf),
  inferred: row.inferred,
  replaces: row.replaces as ExecutionId | null,
  executedAt: instant(row.executed_at),
})

/** `executions`: the newest that count, and the inferred one that is not explained. */
export const orderOf = (row: OrderRow, executions: ReadonlyArray<Execution>): TradeOrder => ({
  tradeOrderId: row.trade_order_id as TradeOrderId,
  tenantId: row.tenant_id as TenantId,
  tradingAccountId: row.trading_account_id as TradingAccountId,
  version: Number(row.version),
  venue: row.venue as VenueId,
  instrumentId: row.instrument_id as InstrumentId,
  orderListId: row.order_list_id,
  contingencyType: row.contingency_type as ContingencyType | null,
  quoteId: row.quote_id,
  positionId: row.position_id,
  replacesTradeOrderId: row.replaces_trade_order_id as TradeOrderId | null,
  dealerAccountId: row.dealer_account_id as DealerAccountId | null,
  hedgeForQuoteIds: row.hedge_for_quote_ids ?? [],
  hedgeForQuoteCount: row.hedge_for_quote_count ?? row.hedge_for_quote_ids?.length ?? 0,
  terms: row.terms === null ? null : termsOf(row.terms),
  baseAsset: row.base_asset,
  quoteAsset: row.quote_asset,
  orderSide: row.order_side as OrderSide,
  orderType: row.order_type as OrderType,
  timeInForce: row.time_in_force as StoredTimeInForce,
  orderStatus: row.order_status as OrderStatus,
  statusBeforeCancel: row.status_before_cancel as OrderStatus | null,
  rejectReason: row.reject_reason,
  cancelReason: row.cancel_reason as CancelReason | null,
  limitPrice: decimalOrNull(row.limit_price),
  quantity: decimal(row.quantity),
  orderQuantityType: row.order_quantity_type as QuantityType,
  quantityRounding: row.quantity_rounding,
  baseQuantity: decimal(row.base_quantity),
  executedQuantity: decimal(row.executed_quantity),
  executedCost: decimal(row.executed_cost),
  executedPrice: decimalOrNull(row.executed_price),
  overfillQuantity: decimal(row.overfill_quantity),
  executions: executions.slice(-EXECUTIONS_KEPT),
  executionCount: row.execution_count,
  fees: (row.fees ?? []).map(feeOf),
  unexplained: executions.findLast(({ inferred }) => inferred) ?? null,
  clientOrderId: row.client_order_id,
  idempotencyKey: row.idempotency_key,
  fingerprint: row.fingerprint,
  externalOrderId: row.external_order_id,
  origin: row.origin as TradeOrder["origin"],
  doubt: row.doubt,
  cancelRequested: row.cancel_requested,
  evidence: row.evidence ?? [],
  notAfter: instantOrNull(row.not_after),
  submitDeadline: instantOrNull(row.submit_deadline),
  held: decimal(row.held),
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  expireAt: instantOrNull(row.expire_at),
  canceledAt: instantOrNull(row.canceled_at),
  venueUpdatedAt: instantOrNull(row.venue_updated_at),
})

const NO_EXECUTIONS: ReadonlyArray<Execution> = []

/** Orders in the order of their rows; executions, in order of application, go to the order that they name. */
export const ordersOf = (
  orders: ReadonlyArray<OrderRow>,
  executions: ReadonlyArray<ExecutionRow>,
): ReadonlyArray<TradeOrder> => {
  const byOrder = new Map<string, Array<Execution>>()
  for (const row of executions) {
    const list = byOrder.get(row.trade_order_id)
    if (list === undefined) byOrder.set(row.trade_order_id, [executionOf(row)])
    else list.push(executionOf(row))
  }
  return orders.map((row) => orderOf(row, byOrder.get(row.trade_order_id) ?? NO_EXECUTIONS))
}

/** Ids of orders that can have executions: the others need no second look-up. */
export const executedIds = (rows: ReadonlyArray<OrderRow>): ReadonlyArray<string> =>
  rows.filter((row) => row.execution_count > 0).map((row) => row.trade_order_id)

export interface CredentialRow {
  readonly credential_id: string
  readonly tenant_id: string
  readonly user_id: string
  readonly venue: string
  readonly name: string
  readonly type: string
  readonly masked_api_key: string
  readonly status: string
  readonly created_at: string
  readonly updated_at: string
  readonly revoked_at: string | null
}

/** Select list of CredentialRow, for a table or alias `c`: everything but the secret. */
export const CREDENTIAL_COLUMNS = `c.credential_id, c.tenant_id, c.user_id, c.venue, c.name, c.type, c.masked_api_key, c.status,
  c.created_at, c.updated_at, c.revoked_at`

export const credentialOf = (row: CredentialRow): Credential => ({
  credentialId: row.credential_id as CredentialId,
  tenantId: row.tenant_id as TenantId,
  userId: row.user_id as UserId,
  venue: row.venue as VenueId,
  name: row.name,
  type: row.type,
  maskedApiKey: row.masked_api_key,
  status: row.status as Credential["status"],
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  revokedAt: instantOrNull(row.revoked_at),
})

export interface AccountRow {
  readonly trading_account_id: string
  readonly tenant_id: string
  readonly user_id: string | null
  readonly version: string
  readonly venue: string
  readonly external_trading_account_id: string
  readonly nickname: string
  readonly status: string
  readonly initial_balances: ReadonlyArray<readonly [string, string]>
  readonly channel_epoch: string
  readonly wallet_id: string | null
  readonly dealer_account_id: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly disconnected_at: string | null
  readonly cancel_all_at: string | null
}

/** Select list of AccountRow, for a table or alias `a`. */
export const ACCOUNT_COLUMNS = `a.trading_account_id, a.tenant_id, a.user_id, a.version, a.venue, a.external_trading_account_id,
  a.nickname, a.status, a.initial_balances, a.channel_epoch, a.wallet_id, a.dealer_account_id, a.created_at, a.updated_at, a.disconnected_at,
  a.cancel_all_at`

export const accountOf = (row: AccountRow, credentials: ReadonlyArray<Credential>): TradingAccount => ({
  tradingAccountId: row.trading_account_id as TradingAccountId,
  tenantId: row.tenant_id as TenantId,
  userId: row.user_id as UserId | null,
  version: Number(row.version),
  venue: row.venue as VenueId,
  externalTradingAccountId: row.external_trading_account_id,
  nickname: row.nickname,
  status: row.status as TradingAccountStatus,
  credentials,
  initialBalances: row.initial_balances,
  walletId: row.wallet_id as WalletId | null,
  dealerAccountId: row.dealer_account_id as DealerAccountId | null,
  channelEpoch: row.channel_epoch,
  createdAt: instant(row.created_at),
  updatedAt: instant(row.updated_at),
  disconnectedAt: instantOrNull(row.disconnected_at),
  cancelAllAt: instantOrNull(row.cancel_all_at),
})

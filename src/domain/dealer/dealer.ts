/**
 * A dealer: quotes firm prices from the books of its linked accounts, delivers from its own wallet, and hedges what it sold (contract C8). Its
 * configuration is in config.ts.
 */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import type { Decimal } from "../decimal.ts"
import type {
  DealerAccountId,
  HedgeIntentId,
  InstrumentId,
  QuoteId,
  TenantId,
  TradeOrderId,
  TradingAccountId,
  UserId,
  VenueId,
} from "../ids.ts"
import type { OrderSide } from "../order/trade-order.ts"
import { type Principal, reaches } from "../user/user.ts"
import type { WalletId } from "../wallet/wallet.ts"
import { type DealerConfig, DealerConfigRecord, dealerConfigRecord } from "./config.ts"

export const DealerStatus = Schema.Literal("ACTIVE", "PAUSED", "ARCHIVED")
export type DealerStatus = typeof DealerStatus.Type

export interface Dealer {
  readonly dealerAccountId: DealerAccountId
  readonly tenantId: TenantId
  /** Grows by one with every stored image. */
  readonly version: number
  readonly name: string
  readonly status: DealerStatus
  /** It quotes pairs whose base or quote asset is one of these; the first is the default currency of its risk. */
  readonly baseCurrencies: ReadonlyArray<string>
  /** The most that may be open and unhedged, in the risk currency; null: no limit. */
  readonly riskThreshold: Decimal | null
  /** Accounts at venues: its sources of prices, and where it hedges. In the order in which they were linked. */
  readonly linkedAccountIds: ReadonlyArray<TradingAccountId>
  readonly config: DealerConfig
  /** Who made it. */
  readonly ownerUserId: UserId
  /** Its own account on INTERNAL. */
  readonly tradingAccountId: TradingAccountId
  /** Its inventory: the wallet of that account. */
  readonly walletId: WalletId
  readonly createdAt: number
  readonly updatedAt: number
}

/**
 * What an executed quote asks of the hedger: the client's own trade, on the venue that the price came from. Written in the transaction of
 * the execution, so that no executed quote goes without one.
 */
export interface HedgeIntent {
  readonly hedgeIntentId: HedgeIntentId
  readonly dealerAccountId: DealerAccountId
  readonly quoteId: QuoteId
  /** The client's order. */
  readonly tradeOrderId: TradeOrderId
  /** The linked account that the price came from. */
  readonly tradingAccountId: TradingAccountId
  readonly venue: VenueId
  /** At that venue. */
  readonly instrumentId: InstrumentId
  readonly baseAsset: string
  readonly quoteAsset: string
  /** What the dealer has to do there: BUY after it sold to the client. */
  readonly orderSide: OrderSide
  /** In base. */
  readonly quantity: Decimal
  /** What the client paid or got for one base. */
  readonly quotePrice: Decimal
  /** What the walk of the book came to: the cost of a perfect hedge, without fees. */
  readonly walkedPrice: Decimal
  /** The last level of the walk: a hedge begins there. */
  readonly worstPrice: Decimal
  /** Wall ms. */
  readonly createdAt: number
}

/** Who acts for it: the admins of its tenant, and its operators. */
export const isDealersSide = (
  { userId, tenantId, permissions }: Pick<Principal, "userId" | "tenantId" | "permissions">,
  dealer: Pick<Dealer, "tenantId" | "config"> | undefined,
): boolean =>
  dealer !== undefined &&
  dealer.tenantId === tenantId &&
  (permissions.includes("admin") || dealer.config.operators.includes(userId))

/**
 * Who sees an account's records: its owner, and the admins of its tenant; of a dealer's own account who is on the dealer's side. The caller
 * is of the account's tenant. `dealerOf` is asked of a dealer's own account alone. An API key that is limited to accounts sees no other.
 */
export const maySee = (
  principal: Pick<Principal, "userId" | "tenantId" | "permissions" | "key">,
  account: { readonly tradingAccountId: TradingAccountId; readonly userId: UserId | null },
  dealerOf: (account: TradingAccountId) => Pick<Dealer, "tenantId" | "config"> | undefined,
): boolean =>
  reaches(principal, account.tradingAccountId) &&
  (account.userId === null
    ? isDealersSide(principal, dealerOf(account.tradingAccountId))
    : account.userId === principal.userId || principal.permissions.includes("admin"))

/** One link, as the hedger of a dealer sees it. */
export const isLinked = (dealer: Pick<Dealer, "linkedAccountIds">, id: TradingAccountId): boolean =>
  dealer.linkedAccountIds.includes(id)

const orNull = <A, I>(schema: Schema.Schema<A, I>) => Schema.NullOr(schema)

/** Who neither administers nor operates the dealer sees who it is and what it quotes, the other fields null (contract C16). */
export const DealerRecord = Schema.Struct({
  dealerAccountId: Schema.String,
  name: Schema.String,
  status: DealerStatus,
  baseCurrencies: Schema.Array(Schema.String),
  riskThreshold: orNull(Schema.String),
  linkedAccountIds: orNull(Schema.Array(Schema.String)),
  config: orNull(DealerConfigRecord),
  ownerUserId: orNull(Schema.String),
  tradingAccountId: orNull(Schema.String),
  walletId: orNull(Schema.String),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  updatedAt: Schema.Int,
  updatedAtDateTime: Schema.String,
}).annotations({ identifier: "Dealer" })
export type DealerRecord = typeof DealerRecord.Type

/** `full`: for admins and operators. */
export const dealerRecord = (d: Dealer, full: boolean): DealerRecord => ({
  dealerAccountId: d.dealerAccountId,
  name: d.name,
  status: d.status,
  baseCurrencies: d.baseCurrencies,
  riskThreshold: full ? (d.riskThreshold?.toString() ?? null) : null,
  linkedAccountIds: full ? d.linkedAccountIds : null,
  config: full ? dealerConfigRecord(d.config) : null,
  ownerUserId: full ? d.ownerUserId : null,
  tradingAccountId: full ? d.tradingAccountId : null,
  walletId: full ? d.walletId : null,
  createdAt: d.createdAt,
  createdAtDateTime: dateTime(d.createdAt),
  updatedAt: d.updatedAt,
  updatedAtDateTime: dateTime(d.updatedAt),
})

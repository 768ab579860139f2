/** Identifiers: branded strings, so that an account id cannot stand where an order id belongs. All uuids are lower case. */
import { Schema } from "effect"

const uuid = <const B extends string>(brand: B) => Schema.UUID.pipe(Schema.brand(brand))
const text = <const B extends string>(brand: B) => Schema.String.pipe(Schema.brand(brand))

export const TradingAccountId = uuid("TradingAccountId")
export type TradingAccountId = typeof TradingAccountId.Type

export const TradeOrderId = uuid("TradeOrderId")
export type TradeOrderId = typeof TradeOrderId.Type

export const ExecutionId = uuid("ExecutionId")
export type ExecutionId = typeof ExecutionId.Type

export const CredentialId = uuid("CredentialId")
export type CredentialId = typeof CredentialId.Type

export const SubscriptionId = uuid("SubscriptionId")
export type SubscriptionId = typeof SubscriptionId.Type

export const UserId = uuid("UserId")
export type UserId = typeof UserId.Type

export const SessionId = uuid("SessionId")
export type SessionId = typeof SessionId.Type

export const ApiKeyId = uuid("ApiKeyId")
export type ApiKeyId = typeof ApiKeyId.Type

export const DealerAccountId = uuid("DealerAccountId")
export type DealerAccountId = typeof DealerAccountId.Type

export const QuoteId = uuid("QuoteId")
export type QuoteId = typeof QuoteId.Type

export const HedgeIntentId = uuid("HedgeIntentId")
export type HedgeIntentId = typeof HedgeIntentId.Type

/** What a tenant may be called: as it stands behind the pair in the names of its markets and channels. */
export const TENANT_NAME = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"

/** A tenant's name, for example `default`. */
export const TenantId = text("TenantId")
export type TenantId = typeof TenantId.Type

/** An upper-case venue identifier, for example `BINANCE`, `BINANCE_UAT`, `MOCK`. */
export const VenueId = text("VenueId")
export type VenueId = typeof VenueId.Type

/** `<VENUE>:<BASE>/<QUOTE>`, for example `BINANCE:BTC/USDT`; of markets of a tenant `INTERNAL:<BASE>/<QUOTE>@<TENANT>`. */
export const InstrumentId = text("InstrumentId")
export type InstrumentId = typeof InstrumentId.Type

/** The id a venue knows an order by on our behalf: the trade order id as 32 hex characters (contract C2). */
export const venueClientId = (id: TradeOrderId): string => id.replaceAll("-", "")

/** The trade order id back from a venue client id; undefined when the id is not one of ours. */
export const tradeOrderIdOf = (clientId: string | null | undefined): TradeOrderId | undefined =>
  clientId !== null && clientId !== undefined && /^[0-9a-f]{32}$/.test(clientId)
    ? (`${clientId.slice(0, 8)}-${clientId.slice(8, 12)}-${clientId.slice(12, 16)}-${clientId.slice(16, 20)}-${clientId.slice(20)}` as TradeOrderId)
    : undefined

/**
 * Identifiers: branded strings, so that an account id cannot be used where an order id belongs. All uuids are lower case. An id that must be the
 * same for the same object is derived from its name (RFC 9562, version 5).
 */
import { createHash } from "node:crypto"
import { Schema } from "effect"

// Uuids made of a name (RFC 9562, version 5): the same name always has the same id, in every process.

/** The namespace of this gateway's names; a constant of our own, never to be changed. */
const NAMESPACE = Buffer.from("5b7a2c0e4f0d4c5e9a633d1e8f42b6d7", "hex")

export const nameUuid = (name: string, namespace: Buffer = NAMESPACE): string => {
  const hash = createHash("sha1").update(namespace).update(name).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString("hex", 0, 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

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

/** One position per account and instrument, where there are positions (contract C14a). */
export const positionIdOf = (account: string, instrumentId: InstrumentId): string =>
  nameUuid(`${account.toLowerCase()}|${instrumentId}`)

/** The id a venue knows an order by on our behalf: the trade order id as 32 hex characters (contract C2). */
export const venueClientId = (id: TradeOrderId): string => id.replaceAll("-", "")

/** The trade order id back from a venue client id; undefined when the id is not one of ours. */
export const tradeOrderIdOf = (clientId: string | null | undefined): TradeOrderId | undefined =>
  clientId !== null && clientId !== undefined && /^[0-9a-f]{32}$/.test(clientId)
    ? (`${clientId.slice(0, 8)}-${clientId.slice(8, 12)}-${clientId.slice(12, 16)}-${clientId.slice(16, 20)}-${clientId.slice(20)}` as TradeOrderId)
    : undefined

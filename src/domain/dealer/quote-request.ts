/**
 * A request for a quote: its wire form, and its meaning once fields that must fit each other are found to do so (contract C8). The instrument and
 * the account are resolved elsewhere.
 */
import { hash } from "node:crypto"
import { Schema } from "effect"
import { Decimal, PositiveDecimalText } from "../decimal.ts"
import type { DomainError } from "../errors/domain-error.ts"
import { InvalidQuoteSide, InvalidQuoteTime, QuoteSizeAmbiguous } from "../errors/quote.ts"
import { InvalidParameter } from "../errors/request.ts"
import { DealerAccountId, type InstrumentId, TradingAccountId, type UserId } from "../ids.ts"
import { INSTRUMENT_ID_MAX } from "../instrument/instrument.ts"
import { OrderKey } from "../order/submit-request.ts"
import type { OrderSide } from "../order/trade-order.ts"
import type { WalletId } from "../wallet/wallet.ts"
import { PROFILE_KEY, QUOTE_SECONDS } from "./config.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const TTL_SECONDS_MAX = 300

const AssetName = Schema.String.pipe(Schema.pattern(/^[A-Z0-9.]{1,30}$/))

export const QuoteRequest = Schema.Struct({
  dealerAccountId: DealerAccountId,
  traderAccountId: optional(TradingAccountId).annotations({
    description: "Your account on INTERNAL; absent: the only ACTIVE one",
  }),
  instrumentId: optional(Schema.String.pipe(Schema.maxLength(INSTRUMENT_ID_MAX))).annotations({
    description:
      "INTERNAL:<BASE>/<QUOTE> (for a tenant other than the installation's own …@<TENANT>), or the same pair at one of the dealer's venues",
  }),
  baseAsset: optional(AssetName).annotations({ description: "With quoteAsset instead of instrumentId" }),
  quoteAsset: optional(AssetName),
  orderSide: Schema.Literal("BUY", "SELL", "UNKNOWN"),
  quantity: optional(PositiveDecimalText).annotations({ description: "In base; this or quoteQuantity" }),
  quoteQuantity: optional(PositiveDecimalText).annotations({ description: "In quote asset; this or quantity" }),
  quoteRequestId: optional(OrderKey).annotations({
    description: "A repeat with the same content returns the existing quote",
  }),
  ttl: optional(Schema.Int).annotations({ description: "Seconds, 1 to 300, default 10; or expireAt" }),
  expireAt: optional(Schema.String.pipe(Schema.maxLength(40))).annotations({
    description: "ISO 8601, 1 to 300 s ahead; or ttl",
  }),
  pricingProfileId: optional(Schema.String.pipe(Schema.pattern(PROFILE_KEY))).annotations({
    description:
      "One of the dealer's config.clientPricingProfiles, or its default, spelled exactly; any other gives -140003",
  }),
}).annotations({ identifier: "RequestQuote" })
export type QuoteRequest = typeof QuoteRequest.Type

/** A request whose own words are right, addressed. */
export interface AskedQuote {
  readonly userId: UserId
  readonly traderAccountId: TradingAccountId
  readonly traderWalletId: WalletId
  readonly instrumentId: InstrumentId
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly orderSide: OrderSide
  readonly size: QuoteSize
  readonly expiry: QuoteExpiry
  readonly pricingProfileId: string | null
  readonly quoteRequestId: string | null
  /** Of what is asked for; equal for two requests that mean the same. */
  readonly fingerprint: string
}

export type QuoteSize =
  | { readonly quantityType: "BASE"; readonly quantity: Decimal }
  | { readonly quantityType: "QUOTE"; readonly quoteQuantity: Decimal }

/** From the instant at which the quote is made, or by the clock. */
export type QuoteExpiry = { readonly ttlSeconds: number } | { readonly expireAt: number }

export interface QuoteTerms {
  readonly orderSide: OrderSide
  readonly size: QuoteSize
  readonly expiry: QuoteExpiry
}

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined

/** What the request's own words come to, or what is wrong with them. */
export const quoteTermsOf = (request: QuoteRequest, now: number): QuoteTerms | DomainError => {
  const { orderSide } = request
  if (orderSide === "UNKNOWN") return new InvalidQuoteSide({})
  const size = sizeOf(request)
  if ("_tag" in size) return size
  const expiry = expiryOf(request, now)
  if ("_tag" in expiry) return expiry
  return { orderSide, size, expiry }
}

const sizeOf = ({ quantity, quoteQuantity }: QuoteRequest): QuoteSize | DomainError => {
  if (isAbsent(quantity) === isAbsent(quoteQuantity)) return new QuoteSizeAmbiguous({})
  const name = isAbsent(quantity) ? "quoteQuantity" : "quantity"
  const amount = Decimal.of((quantity ?? quoteQuantity)!)
  if (amount.isZero()) return new InvalidParameter({ parameter: name, reason: "must be above 0" })
  return name === "quantity"
    ? { quantityType: "BASE", quantity: amount }
    : { quantityType: "QUOTE", quoteQuantity: amount }
}

/** Date.parse takes much else. */
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/

const expiryOf = ({ ttl, expireAt }: QuoteRequest, now: number): QuoteExpiry | DomainError => {
  if (!isAbsent(ttl) && !isAbsent(expireAt)) return new InvalidQuoteTime({ reason: "either ttl or expireAt" })
  if (isAbsent(expireAt)) {
    const ttlSeconds = ttl ?? QUOTE_SECONDS
    if (ttlSeconds < 1 || ttlSeconds > TTL_SECONDS_MAX)
      return new InvalidQuoteTime({ reason: `ttl is 1 to ${TTL_SECONDS_MAX} seconds` })
    return { ttlSeconds }
  }
  const at = ISO.test(expireAt) ? Date.parse(expireAt) : Number.NaN
  if (Number.isNaN(at)) return new InvalidQuoteTime({ reason: "expireAt is an ISO 8601 date-time" })
  const ahead = at - now
  if (ahead < 1_000 || ahead > TTL_SECONDS_MAX * 1_000)
    return new InvalidQuoteTime({ reason: `expireAt is 1 to ${TTL_SECONDS_MAX} seconds ahead` })
  return { expireAt: at }
}

/** When a quote ends that is made at `now`. */
export const expireAtOf = (expiry: QuoteExpiry, now: number): number =>
  "expireAt" in expiry ? expiry.expireAt : now + expiry.ttlSeconds * 1_000

/** Seconds that it binds, for what they cost. */
export const ttlSecondsOf = (expiry: QuoteExpiry, now: number): number =>
  "expireAt" in expiry ? Math.max(1, Math.ceil((expiry.expireAt - now) / 1_000)) : expiry.ttlSeconds

/** 64 hex characters: of two requests that mean the same, the same (contract C2). Fields in a fixed order. */
export const quoteFingerprint = (asked: Omit<AskedQuote, "fingerprint">, request: QuoteRequest): string => {
  const { size, expiry } = asked
  return hash(
    "sha256",
    JSON.stringify([
      asked.traderAccountId,
      asked.instrumentId,
      asked.orderSide,
      size.quantityType,
      (size.quantityType === "BASE" ? size.quantity : size.quoteQuantity).toString(),
      "expireAt" in expiry ? expiry.expireAt : null,
      "ttlSeconds" in expiry ? expiry.ttlSeconds : null,
      request.pricingProfileId ?? null,
    ]),
    "hex",
  )
}

/** Instruments: what can be traded where, and the steps of its prices and quantities. */

import { Schema } from "effect"
import { Decimal } from "../decimal.ts"
import { InstrumentDelisted, InstrumentNotTradable, InvalidInstrumentId } from "../errors/market.ts"
import { type InstrumentId, TENANT_NAME, type TenantId, type VenueId } from "../ids.ts"

/** What an instrument is counted in where that is not its base asset: quantities, lots and limits are numbers of contracts. */
export interface Contract {
  /** Settled in the quote asset, in the base asset, or in a third. */
  readonly type: "LINEAR" | "INVERSE" | "QUANTO"
  /** What one stands for: of base where it is LINEAR, of quote where it is INVERSE. Null: the venue does not say. */
  readonly size: Decimal | null
}

export interface Instrument {
  readonly instrumentId: InstrumentId
  readonly venue: VenueId
  /** Whose market it is; null: a real or simulated venue's, which all tenants share. */
  readonly tenantId: TenantId | null
  /** `<BASE>/<QUOTE>` */
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly securityType: "CRYPTO"
  /** Price step; zero = any price. */
  readonly tickSize: Decimal
  /** Quantity step; zero = 10^-scale. */
  readonly lotSize: Decimal
  readonly minQuantity: Decimal
  readonly maxQuantity: Decimal | null
  /** Smallest price × quantity the venue takes. */
  readonly minNotional: Decimal | null
  /** Fractional digits of a price. */
  readonly precision: number
  /** Fractional digits of a quantity. */
  readonly scale: number
  /** Where a price may have only so many digits that count, wherever they stand (Bitfinex: 5); such a venue has no tick. */
  readonly priceSignificantDigits?: number
  /** Absent: a pair of a spot venue, counted in base; at another venue not known yet. */
  readonly contract?: Contract
  /** DELISTED: its venue lists it no more, or its tenant has retired it. */
  readonly status: "ACTIVE" | "DELISTED"
}

/** Whether users of the tenant may see it; null: a caller that sees only shared instruments. */
export const isSeenBy = ({ tenantId }: Pick<Instrument, "tenantId">, viewer: TenantId | null): boolean =>
  tenantId === null || tenantId === viewer

const TERMS = ["tickSize", "lotSize", "minQuantity", "maxQuantity", "minNotional"] as const satisfies ReadonlyArray<
  keyof Instrument
>
export type MarketTerms = Pick<Instrument, (typeof TERMS)[number]>
export const MARKET_TERMS: ReadonlyArray<keyof MarketTerms> = TERMS

export const haveSameTerms = (a: MarketTerms, b: MarketTerms): boolean =>
  TERMS.every((name) => a[name]?.toString() === b[name]?.toString())

/**
 * Whether a quantity is an amount of the base asset, in books and in orders alike. Of a linear contract only where one is one base: what
 * other sizes mean differs between venues, in contracts here and in base there.
 */
export const isCountedInBase = ({ contract }: Pick<Instrument, "contract">, isOfSpotVenue: boolean): boolean =>
  contract === undefined ? isOfSpotVenue : contract.type === "LINEAR" && contract.size?.equals(Decimal.ONE) === true

/** Its venue no longer lists it, so no book will arrive. A retired market of INTERNAL still has its book and can be read. */
export const delistingFault = ({
  instrumentId,
  venue,
  status,
}: Pick<Instrument, "instrumentId" | "venue" | "status">): InstrumentDelisted | undefined =>
  status === "DELISTED" && venue !== "INTERNAL" ? new InstrumentDelisted({ instrumentId }) : undefined

/** Why no order is taken for it; undefined: orders are. */
export const tradingFault = (instrument: Instrument): InstrumentDelisted | InstrumentNotTradable | undefined => {
  const { instrumentId, status, contract } = instrument
  if (status === "DELISTED")
    return delistingFault(instrument) ?? new InstrumentNotTradable({ reason: `${instrumentId} is retired` })
  // If its contract size is not known yet, the next sync supplies it.
  if (isCountedInBase(instrument, true)) return undefined
  const size = contract?.size === null ? "unknown size" : `size ${contract?.size}`
  return new InstrumentNotTradable({
    reason: `${instrumentId} is counted in ${contract?.type} contracts of ${size}: quantity, price and executedCost of its orders would have a different meaning; only linear contracts of size 1 are accepted`,
  })
}

/** Quantities are whole numbers of this step. */
export const quantityStep = (instrument: Pick<Instrument, "lotSize" | "scale">): Decimal =>
  instrument.lotSize.isPositive() ? instrument.lotSize : Decimal.fromUnits(1n, instrument.scale)

/** Prices of the size of this one, which is above zero, are whole numbers of this step; zero: of none. */
export const priceStep = (
  {
    tickSize,
    precision,
    priceSignificantDigits,
  }: Pick<Instrument, "tickSize" | "precision" | "priceSignificantDigits">,
  price: Decimal,
): Decimal => {
  if (priceSignificantDigits === undefined) return tickSize
  const lastDigit = Math.max(price.units.toString().length - price.scale - priceSignificantDigits, -precision)
  return lastDigit > 0 ? Decimal.fromUnits(10n ** BigInt(lastDigit), 0) : Decimal.fromUnits(1n, -lastDigit)
}

const FORM = new RegExp(`^([A-Z][A-Z0-9_]{0,39}):([A-Z0-9.]{1,30})/([A-Z0-9.]{1,30})(?:@(${TENANT_NAME}))?$`)
/** The longest that there is: of a market of INTERNAL that belongs to a tenant. */
export const INSTRUMENT_ID_MAX = 135

export interface InstrumentName {
  readonly venue: VenueId
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
}

/** The parts of `<VENUE>:<BASE>/<QUOTE>`; undefined when the text has another form (errno -131002). Only INTERNAL has markets of tenants. */
export const parseInstrumentId = (id: string): InstrumentName | undefined => {
  const m = FORM.exec(id)
  if (m === null || (m[4] !== undefined && m[1] !== "INTERNAL")) return undefined
  return { venue: m[1] as VenueId, symbol: `${m[2]}/${m[3]}`, baseAsset: m[2]!, quoteAsset: m[3]! }
}

const FORM_IN_WORDS =
  "<VENUE>:<BASE>/<QUOTE> in upper case, for example MOCK:BTC/USDT; for a tenant's own market INTERNAL:<BASE>/<QUOTE>@<TENANT>"

/** The failure for an id of another form (errno -131002): what was given, and what would have been right. */
export const invalidInstrumentId = (id: string): InvalidInstrumentId => {
  const near = id
    .trim()
    .toUpperCase()
    .replace(/^([A-Z0-9_]+:[A-Z0-9.]+)[-_]([A-Z0-9.]+)$/, "$1/$2")
  return new InvalidInstrumentId({
    instrumentId: id.slice(0, INSTRUMENT_ID_MAX),
    form: FORM_IN_WORDS,
    ...(parseInstrumentId(near) === undefined ? {} : { didYouMean: near }),
    list: "GET /api/v3/market/instrument/list",
  })
}

export const instrumentIdOf = (venue: VenueId, symbol: string): InstrumentId => `${venue}:${symbol}` as InstrumentId

// The public record of an instrument: the specification's Security, with the extensions of contract C14a.

export const SecurityRecord = Schema.Struct({
  securityId: Schema.String,
  symbol: Schema.String,
  venue: Schema.String,
  securityType: Schema.String,
  /** Fractional digits of a price. */
  precision: Schema.Int,
  /** Fractional digits of a quantity. */
  scale: Schema.Int,
  minQuantity: Schema.String,
  lotSize: Schema.String,
  instrumentId: Schema.String,
  baseAsset: Schema.String,
  quoteAsset: Schema.String,
  tickSize: Schema.String.annotations({ description: "Price step; 0 if there is none" }),
  priceSignificantDigits: Schema.NullOr(Schema.Int).annotations({
    description: "Where prices have no step: maximum number of significant digits of a price",
  }),
  contractType: Schema.NullOr(Schema.Literal("LINEAR", "INVERSE", "QUANTO")).annotations({
    description:
      "For contracts, the settlement asset: the quote asset, the base asset or another. Quantities and their limits then count contracts; null: they count the base asset",
  }),
  contractSize: Schema.NullOr(Schema.String).annotations({
    description: "Size of one contract: in the base asset if LINEAR, in the quote asset if INVERSE",
  }),
  maxQuantity: Schema.NullOr(Schema.String),
  minNotional: Schema.NullOr(Schema.String),
  status: Schema.Literal("ACTIVE", "DELISTED"),
}).annotations({ identifier: "Security" })
export type SecurityRecord = typeof SecurityRecord.Type

export const securityRecord = (i: Instrument): SecurityRecord => ({
  securityId: i.instrumentId,
  symbol: i.symbol,
  venue: i.venue,
  securityType: i.securityType,
  precision: i.precision,
  scale: i.scale,
  minQuantity: i.minQuantity.toString(),
  lotSize: i.lotSize.toString(),
  instrumentId: i.instrumentId,
  baseAsset: i.baseAsset,
  quoteAsset: i.quoteAsset,
  tickSize: i.tickSize.toString(),
  priceSignificantDigits: i.priceSignificantDigits ?? null,
  contractType: i.contract?.type ?? null,
  contractSize: i.contract?.size?.toString() ?? null,
  maxQuantity: i.maxQuantity?.toString() ?? null,
  minNotional: i.minNotional?.toString() ?? null,
  status: i.status,
})

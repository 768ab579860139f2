/** The public record of an instrument: the specification's Security, with the extensions of contract C14a. */
import { Schema } from "effect"
import type { Instrument } from "./instrument.ts"

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
  tickSize: Schema.String.annotations({ description: "Step of prices; 0 where there is none" }),
  priceSignificantDigits: Schema.NullOr(Schema.Int).annotations({
    description: "Where prices are not counted in steps: how many digits of a price may count, wherever they stand",
  }),
  contractType: Schema.NullOr(Schema.Literal("LINEAR", "INVERSE", "QUANTO")).annotations({
    description:
      "What it is settled in: the quote asset, the base asset, a third. Quantities and their limits then count contracts; null: they count the base asset",
  }),
  contractSize: Schema.NullOr(Schema.String).annotations({
    description: "What one contract stands for: of the base asset where LINEAR, of the quote asset where INVERSE",
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

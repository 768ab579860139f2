/** From a connector's row to the domain's Instrument: the steps become exact decimals here, on the main thread. */
import { Decimal } from "../domain/decimal.ts"
import type { VenueId } from "../domain/ids.ts"
import { type Instrument, instrumentIdOf } from "../domain/instrument/instrument.ts"
import type { InstrumentRow } from "./connector/wire.ts"

/** Without a step the venue gives no precision at all: eight digits are what spot venues share. */
const DIGITS_WITHOUT_STEP = 8

const digitsOf = (step: Decimal): number => {
  if (step.isZero()) return DIGITS_WITHOUT_STEP
  const text = step.toString()
  const dot = text.indexOf(".")
  return dot < 0 ? 0 : text.length - dot - 1
}

const decimal = (text: string): Decimal => Decimal.fromVenue(text) ?? Decimal.ZERO

export const instrumentOf = (venue: VenueId, row: InstrumentRow): Instrument => {
  const tickSize = decimal(row.tickSize)
  const lotSize = decimal(row.lotSize)
  return {
    instrumentId: instrumentIdOf(venue, row.symbol),
    venue,
    tenantId: null,
    symbol: row.symbol,
    baseAsset: row.baseAsset,
    quoteAsset: row.quoteAsset,
    securityType: "CRYPTO",
    tickSize,
    lotSize,
    minQuantity: decimal(row.minQuantity),
    maxQuantity: row.maxQuantity === null ? null : decimal(row.maxQuantity),
    minNotional: row.minNotional === null ? null : decimal(row.minNotional),
    precision: digitsOf(tickSize),
    scale: digitsOf(lotSize),
    ...(row.priceSignificantDigits === undefined ? {} : { priceSignificantDigits: row.priceSignificantDigits }),
    ...(row.contract === undefined
      ? {}
      : {
          contract: {
            type: row.contract.type,
            size: row.contract.size === null ? null : (Decimal.fromVenue(row.contract.size) ?? null),
          },
        }),
    status: row.active ? "ACTIVE" : "DELISTED",
  }
}

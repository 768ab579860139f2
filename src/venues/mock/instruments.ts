/** What MOCK lists, and where its synthetic prices start. Prices and quantities inside MOCK are whole numbers of 10^-digits. */
import { Decimal } from "../../domain/decimal.ts"
import type { VenueId } from "../../domain/ids.ts"
import { type Instrument, instrumentIdOf } from "../../domain/instrument/instrument.ts"
import { unitsOf } from "../matching/units.ts"

export const MOCK = "MOCK" as VenueId

export interface MockListing {
  readonly instrument: Instrument
  /** The middle of the synthetic market at its start, in price units. */
  readonly anchor: bigint
  /** Distance between two synthetic levels, in price units. */
  readonly step: bigint
  /** A usual quantity of one synthetic level, in quantity units. */
  readonly usualQuantity: bigint
}

const listing = (
  symbol: string,
  is: {
    readonly tickSize: string
    readonly lotSize: string
    readonly maxQuantity: string
    readonly minNotional: string
    readonly anchor: string
    readonly step: string
    readonly usualQuantity: string
  },
): MockListing => {
  const [baseAsset, quoteAsset] = symbol.split("/") as [string, string]
  const tickSize = Decimal.of(is.tickSize)
  const lotSize = Decimal.of(is.lotSize)
  const instrument: Instrument = {
    instrumentId: instrumentIdOf(MOCK, symbol),
    tenantId: null,
    venue: MOCK,
    symbol,
    baseAsset,
    quoteAsset,
    securityType: "CRYPTO",
    tickSize,
    lotSize,
    minQuantity: lotSize,
    maxQuantity: Decimal.of(is.maxQuantity),
    minNotional: Decimal.of(is.minNotional),
    precision: tickSize.scale,
    scale: lotSize.scale,
    status: "ACTIVE",
  }
  return {
    instrument,
    anchor: unitsOf(Decimal.of(is.anchor), instrument.precision)!,
    step: unitsOf(Decimal.of(is.step), instrument.precision)!,
    usualQuantity: unitsOf(Decimal.of(is.usualQuantity), instrument.scale)!,
  }
}

export const MOCK_LISTINGS: ReadonlyArray<MockListing> = [
  listing("BTC/USDT", {
    tickSize: "0.01",
    lotSize: "0.00001",
    maxQuantity: "9000",
    minNotional: "5",
    anchor: "60000",
    step: "1",
    usualQuantity: "0.5",
  }),
  listing("ETH/USDT", {
    tickSize: "0.01",
    lotSize: "0.0001",
    maxQuantity: "90000",
    minNotional: "5",
    anchor: "3000",
    step: "0.1",
    usualQuantity: "8",
  }),
  listing("SOL/USDT", {
    tickSize: "0.01",
    lotSize: "0.001",
    maxQuantity: "900000",
    minNotional: "5",
    anchor: "150",
    step: "0.02",
    usualQuantity: "120",
  }),
  listing("BTC/EUR", {
    tickSize: "0.01",
    lotSize: "0.00001",
    maxQuantity: "9000",
    minNotional: "5",
    anchor: "55000",
    step: "1",
    usualQuantity: "0.4",
  }),
  listing("ETH/BTC", {
    tickSize: "0.00001",
    lotSize: "0.0001",
    maxQuantity: "90000",
    minNotional: "0.0001",
    anchor: "0.05",
    step: "0.00001",
    usualQuantity: "10",
  }),
]

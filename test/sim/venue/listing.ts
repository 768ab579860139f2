/** What the simulated venue lists: its public record and its instruments, of which each has its own assets, tick and lot. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, VenueId } from "../../../src/domain/ids.ts"
import type { Instrument } from "../../../src/domain/instrument/instrument.ts"
import type { Venue } from "../../../src/domain/instrument/venue.ts"
import { PLAIN_CAPABILITIES, PROVEN_ORDERS } from "../../../src/domain/instrument/venue-capabilities.ts"
import { instrumentOf } from "../../kit/records/instruments.ts"

export const SIM = "SIM" as VenueId
export const BTC_USDT = "SIM:BTC/USDT" as InstrumentId
export const ETH_BTC = "SIM:ETH/BTC" as InstrumentId
export const DOGE_EUR = "SIM:DOGE/EUR" as InstrumentId

/** An asset that fees may be paid in; none of the instruments trades it. */
export const FEE_ASSET = "SIMB"

export const instrument = instrumentOf(BTC_USDT, { maxQuantity: Decimal.of("1000"), minNotional: Decimal.of("1") })

export const INSTRUMENTS: ReadonlyMap<InstrumentId, Instrument> = new Map(
  [
    instrument,
    instrumentOf(ETH_BTC, {
      tickSize: Decimal.of("0.0001"),
      lotSize: Decimal.of("0.1"),
      minQuantity: Decimal.of("0.1"),
      maxQuantity: Decimal.of("10000"),
      precision: 4,
      scale: 1,
    }),
    instrumentOf(DOGE_EUR, {
      tickSize: Decimal.of("0.00005"),
      lotSize: Decimal.of("0.25"),
      minQuantity: Decimal.of("0.25"),
      minNotional: Decimal.of("0.1"),
      precision: 5,
      scale: 2,
    }),
  ].map((it) => [it.instrumentId, it]),
)

export const listed = (instrumentId: InstrumentId): Instrument => {
  const found = INSTRUMENTS.get(instrumentId)
  if (found === undefined) throw new Error(`${instrumentId} is not listed`)
  return found
}

/** Markets of every instrument move between 80 and 120 of these price units; orders are for a few of these quantity units. */
export interface Units {
  readonly price: Decimal
  readonly quantity: Decimal
}

const UNIT: Units = { price: Decimal.ONE, quantity: Decimal.ONE }
const UNITS: ReadonlyMap<InstrumentId, Units> = new Map([
  [ETH_BTC, { price: Decimal.of("0.0005"), quantity: Decimal.ONE }],
  [DOGE_EUR, { price: Decimal.of("0.001"), quantity: Decimal.of("10") }],
])

export const unitsOf = (instrumentId: InstrumentId): Units => UNITS.get(instrumentId) ?? UNIT

/** What an exchange account has before anything is traded. Only the first two where BTC/USDT is all that is traded. */
export const FIRST_TOTALS: ReadonlyArray<readonly [asset: string, total: string]> = [
  ["BTC", "1000"],
  ["USDT", "100000"],
]
export const MORE_TOTALS: ReadonlyArray<readonly [asset: string, total: string]> = [
  ["ETH", "1000"],
  ["DOGE", "10000"],
  ["EUR", "1000"],
]

export const simVenue: Venue = {
  venue: SIM,
  name: "Simulated venue",
  status: "ACTIVE",
  features: ["SPOT"],
  needsCredentials: false,
  needsPassphrase: false,
  timesInForce: ["GTC", "IOC", "FOK", "GTX"],
  orderExpiryMillis: 5_000,
  orderIds: "VENUE",
  orders: PROVEN_ORDERS,
  takesOrders: true,
  feeInQuote: false,
  inProcess: false,
  environment: "PROD",
  capabilities: PLAIN_CAPABILITIES,
}

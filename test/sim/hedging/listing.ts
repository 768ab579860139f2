/** Venues, pairs and instruments of a hedging world: real venues, a test network, simulated ones, and one that trades derivatives. */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { Contract, Instrument } from "../../../src/domain/instrument/instrument.ts"
import type { Venue, VenueEnvironment } from "../../../src/domain/instrument/venue.ts"
import { instrumentOf } from "../../kit/records/instruments.ts"
import type { Random } from "../time.ts"
import { simVenue } from "../venue/listing.ts"

const venueOf = (name: string, environment: VenueEnvironment, features: ReadonlyArray<string> = ["SPOT"]): Venue => ({
  ...simVenue,
  venue: name as VenueId,
  name,
  environment,
  features,
  inProcess: environment === "SIMULATED",
})

export const VENUES: ReadonlyArray<Venue> = [
  venueOf("BINANCE", "PROD"),
  venueOf("KRAKEN", "PROD"),
  venueOf("DERIBIT", "PROD", ["FUTURES"]),
  venueOf("BINANCE_UAT", "UAT"),
  venueOf("MOCK", "SIMULATED"),
  venueOf("INTERNAL", "SIMULATED"),
]

const STAKES: ReadonlyArray<VenueEnvironment> = ["PROD", "UAT", "SIMULATED"]

/** Written here anew: the checks must not ask what they check. */
export const environmentOf = (venue: string): VenueEnvironment => {
  const found = VENUES.find((it) => it.venue === venue)
  if (found === undefined) throw new Error(`no venue ${venue}`)
  return found.environment
}

/** Of several the one with the most to lose. */
export const gravest = (venues: ReadonlyArray<string>): VenueEnvironment | undefined =>
  STAKES.find((it) => venues.some((venue) => environmentOf(venue) === it))

export interface Pair {
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  /** What one costs when the world begins. */
  readonly price: Decimal
  readonly tick: string
  readonly precision: number
}

const pairOf = (symbol: string, price: string, tick: string, precision: number): Pair => {
  const [baseAsset, quoteAsset] = symbol.split("/") as [string, string]
  return { symbol, baseAsset, quoteAsset, price: Decimal.of(price), tick, precision }
}

/** No base asset twice: an alert names the base asset alone. */
export const PAIRS: ReadonlyArray<Pair> = [
  pairOf("BTC/USDT", "100", "0.01", 2),
  pairOf("ETH/USDT", "10", "0.001", 3),
  pairOf("SOL/BTC", "0.05", "0.00001", 5),
]

export const pairOfSymbol = (symbol: string): Pair => {
  const found = PAIRS.find((it) => it.symbol === symbol)
  if (found === undefined) throw new Error(`no pair ${symbol}`)
  return found
}

/** What its quantities are numbers of at a venue of derivatives: mostly not of base. */
const CONTRACTS: ReadonlyArray<Contract | undefined> = [
  { type: "INVERSE", size: Decimal.of("10") },
  { type: "INVERSE", size: Decimal.ONE },
  { type: "LINEAR", size: Decimal.of("0.01") },
  { type: "LINEAR", size: Decimal.ONE },
  { type: "QUANTO", size: null },
  undefined,
]

/** The smallest orders of a world: no listing asks for more than this of base, or of worth in thousandths of the price of one. */
const MINIMA = ["0.001", "0.01", "0.1"] as const

export const drawInstruments = (random: Random): ReadonlyArray<Instrument> =>
  VENUES.flatMap(({ venue, features }) =>
    PAIRS.map((pair): Instrument => {
      const contract = features.includes("FUTURES") ? random.pick(CONTRACTS) : undefined
      // What clients are sold is as INTERNAL lists it.
      const isOwn = venue === "INTERNAL"
      return instrumentOf(`${venue}:${pair.symbol}`, {
        tickSize: Decimal.of(pair.tick),
        precision: pair.precision,
        minQuantity: Decimal.of(isOwn ? MINIMA[0] : random.pick(MINIMA)),
        maxQuantity: !isOwn && random.chance(0.25) ? Decimal.of("1.5") : null,
        minNotional: !isOwn && random.chance(0.4) ? pair.price.multiply(Decimal.of(random.pick(MINIMA))) : null,
        ...(contract !== undefined && { contract }),
      })
    }),
  )

/** Whether a quantity of it is an amount of base; written here anew, as above. */
export const isOfBase = ({ contract, venue }: Pick<Instrument, "contract" | "venue">): boolean =>
  contract === undefined
    ? VENUES.some((it) => it.venue === venue && it.features.includes("SPOT"))
    : contract.type === "LINEAR" && `${contract.size}` === "1"

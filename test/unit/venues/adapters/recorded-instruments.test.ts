/**
 * Whole lists of instruments as venues once sent them (cryptofeed's captures, which stand beside the repository): each step and limit
 * that unmodified ccxt reads from them is the one that the venue spelled, compared by a reader of numbers of its own.
 */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { Instrument } from "../../../../src/domain/instrument/instrument.ts"
import { BINANCE } from "../../../../src/venues/adapters/binance/profile.ts"
import { KRAKENFUTURES } from "../../../../src/venues/adapters/krakenfutures/profile.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { type Capture, hasCaptures, readCapture } from "../../../exchanges/cryptofeed/capture.ts"
import { listAt, readSpelled, type Spelled, textAt } from "../../../exchanges/cryptofeed/spelled-json.ts"
import { type Answers, readMarkets } from "../../../kit/records/ccxt-markets.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"

/** What the venue spelled of one market; undefined: it says nothing of the kind. */
interface Spelling {
  readonly id: string
  readonly tickSize: string | undefined
  readonly lotSize: string | undefined
  readonly minQuantity: string | undefined
  readonly maxQuantity?: string
}

interface List {
  readonly archive: string
  readonly profile: VenueProfile
  readonly answers: (capture: Capture) => Answers
  readonly spelled: (capture: Capture) => ReadonlyArray<Spelling>
  /** The venue's id of an instrument. */
  readonly idOf: (instrument: Instrument) => string
  readonly atLeast: number
}

const bodyOf = ({ answers }: Capture, url: string): string => {
  const body = answers.get(url)
  if (body === undefined) throw new Error(`${url} was not recorded`)
  return body
}

const filterOf = (symbol: Spelled, type: string): Spelled =>
  listAt(symbol, "filters").find((filter) => textAt(filter, "filterType") === type) ?? {}

const together = ({ baseAsset, quoteAsset }: Instrument): string => `${baseAsset}${quoteAsset}`

const [binanceSpot] = BINANCE
const [krakenFutures] = KRAKENFUTURES
if (binanceSpot === undefined || krakenFutures === undefined) throw new Error("a venue without a profile")

const binance = (archive: string, host: string, profile: VenueProfile, atLeast: number): List => ({
  archive,
  profile,
  answers: (capture) => (path) =>
    path.includes("exchangeInfo") ? bodyOf(capture, `https://${host}/api/v3/exchangeInfo`) : undefined,
  spelled: (capture) =>
    listAt(readSpelled(bodyOf(capture, `https://${host}/api/v3/exchangeInfo`)), "symbols").map((symbol) => ({
      id: textAt(symbol, "symbol"),
      tickSize: textAt(filterOf(symbol, "PRICE_FILTER"), "tickSize"),
      lotSize: textAt(filterOf(symbol, "LOT_SIZE"), "stepSize"),
      minQuantity: textAt(filterOf(symbol, "LOT_SIZE"), "minQty"),
      maxQuantity: textAt(filterOf(symbol, "LOT_SIZE"), "maxQty"),
    })),
  idOf: together,
  atLeast,
})

const GEMINI_DETAILS = "https://api.gemini.com/v1/symbols/details/"

const lists: ReadonlyArray<List> = [
  binance("BINANCE", "api.binance.com", binanceSpot, 1000),
  binance("BINANCE_US", "api.binance.us", { ...binanceSpot, exchange: "binanceus" }, 100),
  {
    archive: "OKX",
    profile: unproven("OKX", "okx", { options: { fetchMarkets: { types: ["spot"] } } }),
    answers: (capture) => (path) => bodyOf(capture, `https://www.okx.com${path}`),
    spelled: (capture) =>
      listAt(readSpelled(bodyOf(capture, "https://www.okx.com/api/v5/public/instruments?instType=SPOT")), "data").map(
        (row) => ({
          id: textAt(row, "instId"),
          tickSize: textAt(row, "tickSz"),
          lotSize: textAt(row, "lotSz"),
          minQuantity: textAt(row, "minSz"),
          maxQuantity: textAt(row, "maxLmtSz"),
        }),
      ),
    idOf: ({ symbol }) => symbol.replace("/", "-"),
    atLeast: 300,
  },
  {
    archive: "GEMINI",
    profile: unproven("GEMINI", "gemini", { options: { fetchMarketsFromAPI: { fetchDetailsForAllSymbols: true } } }),
    answers:
      ({ answers }) =>
      (path) =>
        path === "/v1/symbols"
          ? JSON.stringify(
              [...answers.keys()].flatMap((url) =>
                url.startsWith(GEMINI_DETAILS) ? [url.slice(GEMINI_DETAILS.length)] : [],
              ),
            )
          : answers.get(`https://api.gemini.com${path}`),
    spelled: ({ answers }) =>
      [...answers].flatMap(([url, body]) => {
        if (!url.startsWith(GEMINI_DETAILS)) return []
        const details = readSpelled(body)
        return {
          id: textAt(details, "symbol"),
          tickSize: textAt(details, "quote_increment"),
          // The venue's name for the step of a quantity.
          lotSize: textAt(details, "tick_size"),
          minQuantity: textAt(details, "min_order_size"),
        }
      }),
    idOf: together,
    atLeast: 50,
  },
  {
    archive: "COINBASE",
    profile: unproven("COINBASEEXCHANGE", "coinbaseexchange"),
    answers: (capture) => (path) =>
      path === "/products" ? bodyOf(capture, "https://api.pro.coinbase.com/products") : undefined,
    spelled: (capture) =>
      listAt(readSpelled(bodyOf(capture, "https://api.pro.coinbase.com/products"))).map((product) => ({
        id: textAt(product, "id"),
        tickSize: textAt(product, "quote_increment"),
        lotSize: textAt(product, "base_increment"),
        minQuantity: undefined,
      })),
    idOf: ({ symbol }) => symbol.replace("/", "-"),
    atLeast: 100,
  },
  {
    archive: "KRAKEN_FUTURES",
    profile: krakenFutures,
    answers: (capture) => () => {
      const body = bodyOf(capture, "https://futures.kraken.com/derivatives/api/v3/instruments")
      // In capitals, as the venue writes its symbols today.
      return body.replace(/"symbol":"[^"]+"/g, (symbol) => `"symbol":${symbol.slice(9).toUpperCase()}`)
    },
    spelled: (capture) =>
      listAt(
        readSpelled(bodyOf(capture, "https://futures.kraken.com/derivatives/api/v3/instruments")),
        "instruments",
      ).map((instrument) => ({
        id: textAt(instrument, "symbol").toUpperCase().replace("XBT", "BTC"),
        tickSize: textAt(instrument, "tickSize"),
        lotSize: undefined,
        minQuantity: undefined,
      })),
    idOf: ({ baseAsset, quoteAsset }) => `PI_${baseAsset}${quoteAsset}`,
    atLeast: 5,
  },
]

const same = (ours: Decimal | null, spelled: string | undefined): boolean =>
  spelled === undefined || (ours !== null && Decimal.fromVenue(spelled)?.equals(ours) === true)

describe.skipIf(!hasCaptures)("the recorded instruments (skipped without the captures)", () => {
  it.each(lists.map((list) => [list.archive, list] as const))(
    "of %s are as the venue spelled them",
    async (_name, list) => {
      const capture = await readCapture(list.archive)
      const bySpelling = new Map(list.spelled(capture).map((spelling) => [spelling.id, spelling]))
      const markets = await readMarkets(list.profile, list.answers(capture))
      let compared = 0
      for (const instrument of markets.values()) {
        const spelling = bySpelling.get(list.idOf(instrument))
        // ccxt has names of its own for some assets.
        if (spelling === undefined) continue
        compared += 1
        const { instrumentId, tickSize, lotSize, minQuantity, maxQuantity } = instrument
        const shown = { instrumentId, tickSize: `${tickSize}`, lotSize: `${lotSize}`, minQuantity: `${minQuantity}` }
        expect(same(tickSize, spelling.tickSize), JSON.stringify([shown, spelling])).toBe(true)
        expect(same(lotSize, spelling.lotSize), JSON.stringify([shown, spelling])).toBe(true)
        expect(same(minQuantity, spelling.minQuantity), JSON.stringify([shown, spelling])).toBe(true)
        expect(same(maxQuantity, spelling.maxQuantity), JSON.stringify([shown, spelling])).toBe(true)
        expect(instrument.precision).toBe((tickSize.toString().split(".")[1] ?? "").length)
      }
      expect(compared).toBeGreaterThanOrEqual(list.atLeast)
    },
  )
})

/**
 * What the gateway makes of one sample payload, and what the contract says to that: the connector's own instances and normalisers on the
 * way of each kind of record, down to the publication where there is one. A sample that gives no record must lack something it needs.
 */
import { Schema } from "effect"
import { TickerBoard } from "../../src/actors/market/ticker-board.ts"
import { TradeTape } from "../../src/actors/market/trade-tape.ts"
import { Decimal, PositiveDecimalText } from "../../src/domain/decimal.ts"
import type { InstrumentId } from "../../src/domain/ids.ts"
import { type InstrumentName, instrumentIdOf, parseInstrumentId } from "../../src/domain/instrument/instrument.ts"
import { klineRecord } from "../../src/domain/market/kline.ts"
import { OrderSide } from "../../src/domain/order/trade-order.ts"
import type { Publication } from "../../src/ports/channel-port.ts"
import { adapterOf, type ExchangeAdapter } from "../../src/venues/adapters/adapters.ts"
import type { VenueProfile } from "../../src/venues/adapters/profile.ts"
import { TradeIds } from "../../src/venues/trade-ids.ts"
import type {
  CcxtCandle,
  CcxtExchange,
  CcxtExchangeClass,
  CcxtOrder,
  CcxtTicker,
  CcxtTrade,
} from "../../src/venues/worker/exchange/ccxt.ts"
import { classify } from "../../src/venues/worker/exchange/errors.ts"
import { privateInstances, publicInstance } from "../../src/venues/worker/exchange/instance.ts"
import { Listing } from "../../src/venues/worker/exchange/markets.ts"
import { Digits, quoteNumbers } from "../../src/venues/worker/feed/digits.ts"
import { tickerRow, tradeRows } from "../../src/venues/worker/feed/market-rows.ts"
import { fill, orderState } from "../../src/venues/worker/session/normalise.ts"
import { asyncDocument, judge } from "../kit/rules/asyncapi.ts"
import type { Parser } from "./ccxt-comments.ts"

export type Outcome =
  | { readonly _tag: "Record"; readonly faults: ReadonlyArray<string> }
  /** Declared: the sample has no record in it, and this is why. */
  | { readonly _tag: "Refused"; readonly reason: string }
  /** ccxt's parser threw: the connector answers with the category. */
  | { readonly _tag: "Threw"; readonly category: string }

export type Kind = "ticker" | "trade" | "fill" | "order" | "kline"

export const KINDS: Readonly<Record<Parser, ReadonlyArray<Kind>>> = {
  parseTicker: ["ticker"],
  parseTrade: ["trade", "fill"],
  parseOrder: ["order"],
  parseOHLCV: ["kline"],
}

/** ccxt's parsers, which connectors only call through its fetch and watch methods. */
interface Parsing extends CcxtExchange {
  safeMarketStructure(market: object): object
  setMarkets(markets: ReadonlyArray<object>): unknown
  parseTicker(sample: unknown, market: object): CcxtTicker
  parseTrade(sample: unknown, market: object): CcxtTrade
  parseOrder(sample: unknown, market: object): CcxtOrder
}

const SECRETS = { apiKey: "key", apiSecret: "c2VjcmV0", apiPassphrase: "passphrase" }
const NOW = 1_700_000_000_000
/** Samples were written since there are exchanges; a time in seconds or µs is far outside. */
const Instant = Schema.Int.pipe(Schema.between(Date.UTC(2009, 0), Date.UTC(2100, 0)))

/** A venue's decimal, exponents and all: it becomes an exact one on its way into a row. */
const VenueDecimal = Schema.String.pipe(
  Schema.filter((text) => Decimal.fromVenue(text)?.isNegative() === false || `${text} is no amount`),
)
const Id = Schema.String.pipe(Schema.pattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u))

const Order = Schema.Struct({
  /** Somebody else's client id may look like one of ours. */
  tradeOrderId: Schema.NullOr(Schema.UUID),
  externalOrderId: Id,
  clientId: Schema.NullOr(Id),
  instrumentId: Schema.String,
  orderSide: OrderSide,
  orderType: Schema.Literal("MARKET", "LIMIT", "LIMIT_MAKER"),
  timeInForce: Schema.Literal("GTC", "IOC", "FOK", "GTD", "DAY", "GTX"),
  limitPrice: Schema.NullOr(VenueDecimal),
  quantity: VenueDecimal,
  executedQuantity: VenueDecimal,
  status: Schema.Literal("OPEN", "FILLED", "CANCELLED", "REJECTED", "EXPIRED", "UNKNOWN"),
  ending: Schema.NullOr(Schema.Literal("REMAINDER", "SELF_TRADE_PREVENTION", "WOULD_TAKE")),
  createdAt: Schema.NullOr(Instant),
  updatedAt: Schema.NullOr(Instant),
})

/** A rebate is a negative fee. */
const FeeQuantity = Schema.String.pipe(
  Schema.filter((text) => Decimal.fromVenue(text) !== undefined || `${text} is no amount`),
)
const Fill = Schema.Struct({
  tradeOrderId: Schema.Null,
  externalOrderId: Id,
  externalTradeId: Id,
  instrumentId: Schema.String,
  orderSide: OrderSide,
  quantity: VenueDecimal,
  price: VenueDecimal,
  fees: Schema.Array(Schema.Struct({ asset: Id, quantity: FeeQuantity })),
  executedAt: Instant,
})

const Ticker = Schema.Struct({
  lastPrice: Schema.NullOr(PositiveDecimalText),
  lastQuantity: Schema.NullOr(PositiveDecimalText),
  bidPrice: Schema.NullOr(PositiveDecimalText),
  bidQuantity: Schema.NullOr(PositiveDecimalText),
  askPrice: Schema.NullOr(PositiveDecimalText),
  askQuantity: Schema.NullOr(PositiveDecimalText),
  timestamp: Instant,
})
const Trade = Schema.Struct({
  externalTradeId: Id,
  price: PositiveDecimalText,
  quantity: PositiveDecimalText,
  timestamp: Instant,
})
const Kline = Schema.Struct({
  openAt: Instant,
  open: PositiveDecimalText,
  high: PositiveDecimalText,
  low: PositiveDecimalText,
  close: PositiveDecimalText,
  volume: PositiveDecimalText,
})

const faultsOf = <A, I>(schema: Schema.Schema<A, I>, value: unknown): ReadonlyArray<string> => {
  const judged = Schema.decodeUnknownEither(schema, { errors: "all" })(value)
  return judged._tag === "Right" ? [] : [judged.left.message.replace(/\s+/g, " ")]
}

const contract = judge(asyncDocument())

const contractFaults = (channel: string, record: unknown): ReadonlyArray<string> =>
  contract.accepted(channel, record).length === 1 ? [] : contract.faults(channel, record)

const publicationFaults = (channel: string, [publication]: ReadonlyArray<Publication>): ReadonlyArray<string> =>
  publication === undefined ? ["nothing was published"] : contractFaults(channel, JSON.parse(publication.json))

/** A text of the sample that is the same number in other digits, where none has these. */
const respelled = (json: string, values: ReadonlyArray<string | null>): ReadonlyArray<string> => {
  const texts: ReadonlyArray<string> = json.match(/(?<=")-?\d+(?:\.\d+)?(?=")/g) ?? []
  return values.flatMap((value) => {
    if (value === null || texts.includes(value) || texts.includes(`-${value}`)) return []
    const number = Decimal.fromVenue(value)
    const same = texts.find((text) => number !== undefined && Decimal.fromVenue(text)?.equals(number) === true)
    return same === undefined ? [] : [`${same} became ${value}`]
  })
}

const missing = (wants: Readonly<Record<string, boolean>>): string =>
  Object.entries(wants)
    .flatMap(([what, isThere]) => (isThere ? [] : [what]))
    .join(", ")

const isText = (value: unknown): boolean =>
  (typeof value === "string" && value !== "") || (typeof value === "number" && Number.isFinite(value))
const isSide = (side: string | undefined): boolean => side === "buy" || side === "sell"

/** One exchange as a connector has it, with one market, on which its samples are read. */
export class SampleReader {
  readonly #profile: VenueProfile
  readonly #adapter: ExchangeAdapter
  readonly #public: Parsing
  readonly #private: Parsing
  readonly #market: object
  readonly #listing: Listing
  readonly #digits = new Digits()
  readonly #instrumentId: InstrumentId
  readonly #name: InstrumentName

  constructor(Exchange: CcxtExchangeClass, profile: VenueProfile) {
    const settings = { profile, routes: {}, proxy: null }
    this.#profile = profile
    this.#adapter = adapterOf(profile)
    this.#public = publicInstance(Exchange, settings) as Parsing
    this.#private = privateInstances(Exchange, settings)(SECRETS) as Parsing
    this.#digits.install(this.#public)
    const isSpot = profile.lists === "spot"
    const [market, shared] = [this.#public, this.#private].map((exchange) =>
      exchange.safeMarketStructure({
        id: "BTCUSDT",
        lowercaseId: "btcusdt",
        symbol: isSpot ? "BTC/USDT" : "BTC/USDT:USDT",
        base: "BTC",
        quote: "USDT",
        baseId: "BTC",
        quoteId: "USDT",
        type: isSpot ? "spot" : "swap",
        spot: isSpot,
        swap: !isSpot,
        future: false,
        option: false,
        contract: !isSpot,
        active: true,
        precision: { price: exchange.parseNumber("0.01"), amount: exchange.parseNumber("0.00000001") },
        limits: {},
        info: {},
        ...(isSpot
          ? {}
          : {
              settle: "USDT",
              settleId: "USDT",
              linear: true,
              inverse: false,
              contractSize: exchange.parseNumber("1"),
            }),
      }),
    )
    if (market === undefined || shared === undefined) throw new Error("two instances make two markets")
    this.#market = market
    this.#public.setMarkets([market])
    this.#private.setMarkets([shared])
    this.#listing = new Listing(profile)
    this.#listing.update(this.#public.markets)
    this.#instrumentId = instrumentIdOf(profile.venue, "BTC/USDT")
    const name = parseInstrumentId(this.#instrumentId)
    if (name === undefined) throw new Error(this.#instrumentId)
    this.#name = name
  }

  judge(kind: Kind, json: string): Outcome {
    // A feed with bare numbers reaches ccxt with all of them in quotes.
    const text = this.#profile.bareNumbers ? quoteNumbers(json) : json
    try {
      this.#digits.frameStarts()
      return this.#read(kind, text)
    } catch (error) {
      return { _tag: "Threw", category: classify(error).category }
    } finally {
      this.#digits.frameEnds()
    }
  }

  #read(kind: Kind, json: string): Outcome {
    const sample: unknown = JSON.parse(json)
    switch (kind) {
      case "ticker":
        return this.#ticker(this.#public.parseTicker(sample, this.#market), json)
      case "trade":
        return this.#trade(this.#public.parseTrade(sample, this.#market), json)
      case "kline":
        return this.#kline(this.#public.parseOHLCV(sample, this.#market), json)
      case "fill":
        return this.#fill(this.#private.parseTrade(sample, this.#market))
      case "order":
        return this.#order(this.#private.parseOrder(sample, this.#market))
    }
  }

  #ticker(ticker: CcxtTicker, json: string): Outcome {
    const { at, ...row } = tickerRow(this.#instrumentId, ticker, this.#digits, this.#profile.lastQuantityField, NOW)
    const record = { ...row, venue: this.#profile.venue, symbol: "BTC/USDT", timestamp: at }
    const published: Array<Publication> = []
    const board = new TickerBoard({
      venue: this.#profile.venue,
      channels: recorder(published),
      tenantOf: () => null,
      clock: { now: () => NOW, monotonic: () => 0 },
      after: () => undefined,
      newEpoch: () => "epoch",
    })
    board.update(this.#instrumentId, record)
    const { lastPrice, bidPrice, bidQuantity, askPrice, askQuantity } = row
    return {
      _tag: "Record",
      faults: [
        ...faultsOf(Ticker, record),
        ...publicationFaults("ticker", published),
        ...respelled(json, [lastPrice, bidPrice, bidQuantity, askPrice, askQuantity]),
      ],
    }
  }

  #trade(trade: CcxtTrade, json: string): Outcome {
    const [row] = tradeRows(this.#instrumentId, [trade], this.#digits, new TradeIds(), NOW)
    const lacks = missing({ price: isText(trade.price), quantity: isText(trade.amount) })
    if (row === undefined) return refused(lacks)
    const published: Array<Publication> = []
    const tape = new TradeTape({
      instrumentId: this.#instrumentId,
      name: this.#name,
      channels: recorder(published),
      newEpoch: () => "epoch",
    })
    tape.publish(row)
    return {
      _tag: "Record",
      faults: [
        ...faultsOf(Trade, { ...row, timestamp: row.at }),
        ...publicationFaults("trade", published),
        ...respelled(json, [row.price, row.quantity]),
      ],
    }
  }

  #kline(candle: CcxtCandle, json: string): Outcome {
    const bar = this.#digits.bar(candle)
    if (bar === null) {
      const [time, open, high, low, close, volume] = candle
      return refused(
        missing({
          "time in ms": Schema.is(Instant)(time),
          open: isText(open),
          high: isText(high),
          low: isText(low),
          close: isText(close),
          volume: isText(volume),
        }),
      )
    }
    const record = klineRecord({ instrumentId: this.#instrumentId, name: this.#name, interval: "1m" }, [bar], true, NOW)
    return {
      _tag: "Record",
      faults: [
        ...faultsOf(Kline, bar),
        ...contractFaults("kline", record),
        ...respelled(json, [bar.open, bar.high, bar.low, bar.close, bar.volume]),
      ],
    }
  }

  /** As the answer to a submit carries it: what the trade itself does not say is the order's. */
  #fill(trade: CcxtTrade): Outcome {
    const named = this.#listing.named(trade)
    const context = { clientId: null, externalOrderId: "1", symbol: "BTC/USDT", side: "buy", at: NOW }
    const found = fill(this.#profile.venue, named, context)
    if (found === undefined)
      return refused(
        missing({
          id: isText(trade.id),
          price: isText(trade.price),
          quantity: isText(trade.amount),
          side: isSide(trade.side ?? context.side),
          listing: isListed(this.#profile, named.symbol ?? context.symbol),
        }),
      )
    return { _tag: "Record", faults: faultsOf(Fill, found) }
  }

  #order(order: CcxtOrder): Outcome {
    const named = this.#listing.named(order)
    const state = orderState(this.#profile, named, this.#adapter)
    if (state === undefined)
      return refused(
        missing({
          id: isText(order.id),
          quantity: isText(order.amount),
          side: isSide(order.side),
          listing: named.symbol !== undefined && isListed(this.#profile, named.symbol),
        }),
      )
    return { _tag: "Record", faults: faultsOf(Order, state) }
  }
}

const isListed = ({ venue }: VenueProfile, symbol: string): boolean =>
  parseInstrumentId(instrumentIdOf(venue, symbol)) !== undefined

const refused = (lacks: string): Outcome =>
  lacks === "" ? { _tag: "Record", faults: ["refused for no reason"] } : { _tag: "Refused", reason: `no ${lacks}` }

const recorder = (published: Array<Publication>) => ({
  publish: (publication: Publication) => void published.push(publication),
  isHeard: () => true,
  invalidate: () => undefined,
  terminate: () => undefined,
  attach: () => undefined,
})

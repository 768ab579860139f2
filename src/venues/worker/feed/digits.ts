/**
 * Keeps the venue's own digits where ccxt makes floats of them. A public instance needs floats (deleted levels must be falsy, venues 4.2), so the
 * parsers that turn text into a number are wrapped: each records number → source text, and the receiver of the number looks up the text. Texts
 * with different numbers of digits can share a number ("1.0" and "1.000"), so the last two parsed values, price then quantity, are searched first
 * and the rest of the frame only after them.
 */
import { Decimal } from "../../../domain/decimal.ts"
import type { Bar } from "../../../domain/market/kline.ts"
import type { CcxtBookRow, CcxtCandle, CcxtExchange, CcxtSocket, CcxtTicker, CcxtTrade, Raw } from "../exchange/ccxt.ts"
import { venueInstant } from "../exchange/instants.ts"

// Feeds that write prices as JSON numbers (Bitfinex, Deribit, Kraken): `4714.0` would come out as 4714, and nothing could tell how
// the venue had spelled it. Every number of a frame is put between quotes before ccxt parses it; its readers take texts as well.

/** A text is matched whole, so that digits inside it stay as they are; one without an end to the end, or every quote would be looked at again. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const QUOTE = 34

/** Exponents are not passed on: `2e-8` is published as 0.00000002. */
const withoutExponent = (number: string): string =>
  /[eE]/.test(number) ? (Decimal.fromVenue(number)?.toString() ?? number) : number

/** `[1,4714.0]` → `["1","4714.0"]` */
export const quoteNumbers = (json: string): string =>
  json.replace(TEXT_OR_NUMBER, (token) => (token.charCodeAt(0) === QUOTE ? token : `"${withoutExponent(token)}"`))

/** Wraps every socket that the instance makes from here on, before its first frame. */
export const quoteFrames = (exchange: CcxtExchange): void => {
  const make = exchange.client.bind(exchange)
  const wrapped = new WeakSet<CcxtSocket>()
  exchange.client = (url) => {
    const socket = make(url)
    if (wrapped.has(socket)) return socket
    wrapped.add(socket)
    const onMessage = socket.onMessage.bind(socket)
    // A frame is a Buffer with ws; ccxt would make the same text of it.
    socket.onMessage = (event) => onMessage({ data: quoteNumbers(String(event.data)) })
    return socket
  }
}

const property = (source: unknown, key: unknown): unknown =>
  typeof source === "object" && source !== null
    ? (source as Record<PropertyKey, unknown>)[key as PropertyKey]
    : undefined

/** The text of one price and one quantity. */
export type RowText = readonly [price: string, quantity: string]

/** Readings kept while no frame is handled: those of one row or candle are all that is asked for then. */
const KEPT_OUTSIDE = 64
const ASKED_OUTSIDE = 16

export class Digits {
  /** What was read, newest last: number and source text side by side. A list is cheaper here than a map with numbers as keys. */
  readonly #numbers: Array<number> = []
  readonly #texts: Array<string> = []
  #count = 0
  #inFrame = false
  readonly #rows = new WeakMap<object, RowText>()
  readonly #named = new WeakMap<object, Readonly<Record<string, string>>>()
  /** Of trades of an answer, by the venue's own row: ccxt hands on copies of what it parsed. */
  readonly #answered = new WeakMap<object, Readonly<Record<string, string>>>()
  readonly #bars = new WeakMap<object, Bar>()
  #numberToString: (value: number) => string = String

  frameStarts(): void {
    this.#inFrame = true
    this.#count = 0
  }

  frameEnds(): void {
    this.#inFrame = false
    this.#count = 0
  }

  /** Notes what a reader made of what it read; anything but a text that became a number is of no interest. */
  note(made: unknown, source: unknown): void {
    if (typeof made !== "number" || typeof source !== "string") return
    if (!this.#inFrame && this.#count >= KEPT_OUTSIDE) {
      this.#numbers.copyWithin(0, this.#count - ASKED_OUTSIDE, this.#count)
      this.#texts.copyWithin(0, this.#count - ASKED_OUTSIDE, this.#count)
      this.#count = ASKED_OUTSIDE
    }
    this.#numbers[this.#count] = made
    this.#texts[this.#count] = source
    this.#count += 1
  }

  /** The texts of a row [price, quantity, …] that was read just now, in this frame, or by `parseOrderBookBidAsk`. */
  row(row: CcxtBookRow): RowText {
    const known = this.#rows.get(row)
    if (known !== undefined) return known
    const price = row[0] ?? Number.NaN
    const quantity = row[1] ?? Number.NaN
    return this.#lastTwo(price, quantity) ?? [this.#text(price), this.#text(quantity)]
  }

  /** The text of a field of a parsed trade or ticker; null when the venue's feed does not carry it. */
  field(parsed: CcxtTrade | CcxtTicker, name: string): string | null {
    const kept = (this.#named.get(parsed) ?? this.#answered.get(parsed.info ?? parsed))?.[name]
    if (kept !== undefined) return withoutExponent(kept)
    const value = property(parsed, name)
    if (typeof value === "string") return withoutExponent(value)
    return typeof value === "number" && Number.isFinite(value) ? withoutExponent(this.#text(value)) : null
  }

  /** A candle that was read just now, in this frame, or by `parseOHLCV`; null for one that is not whole. */
  bar(candle: CcxtCandle): Bar | null {
    const known = this.#bars.get(candle)
    if (known !== undefined) return known
    const [time, ...numbers] = candle
    const openAt = typeof time === "number" ? venueInstant(time) : null
    if (openAt === null) return null
    // The texts of one candle were read in its order, and last of all.
    const texts: Array<string> = []
    let before = this.#count
    for (let place = 4; place >= 0; place--) {
      const value = numbers[place]
      if (value === undefined || value === null) return null
      let at = before - 1
      while (at >= 0 && this.#numbers[at] !== value) at--
      texts[place] = withoutExponent(at < 0 ? this.#text(value) : (this.#texts[at] ?? ""))
      if (at >= 0) before = at
    }
    const [open = "", high = "", low = "", close = "", volume = ""] = texts
    return { openAt, open, high, low, close, volume }
  }

  /** Wraps the readers of a public instance, in place. `safeNumber` reads through `parseNumber`, which is wrapped. */
  install(exchange: CcxtExchange): void {
    const numberToString = exchange.numberToString.bind(exchange)
    this.#numberToString = (value) => numberToString(value)
    const safeFloat = exchange.safeFloat.bind(exchange)
    exchange.safeFloat = (source, key, otherwise) => {
      const made = safeFloat(source, key, otherwise)
      this.note(made, property(source, key))
      return made
    }
    const safeFloat2 = exchange.safeFloat2.bind(exchange)
    exchange.safeFloat2 = (source, key1, key2, otherwise) => {
      const made = safeFloat2(source, key1, key2, otherwise)
      this.note(made, property(source, key1) ?? property(source, key2))
      return made
    }
    const parseNumber = exchange.parseNumber.bind(exchange)
    exchange.parseNumber = (value, otherwise) => {
      const made = parseNumber(value, otherwise)
      this.note(made, value)
      return made
    }
    const parseOrderBookBidAsk = exchange.parseOrderBookBidAsk.bind(exchange)
    exchange.parseOrderBookBidAsk = (source, priceKey, amountKey, countKey) => {
      const row = parseOrderBookBidAsk(source, priceKey, amountKey, countKey)
      const texts = this.#lastTwo(row[0], row[1])
      if (texts !== undefined) this.#rows.set(row, texts)
      return row
    }
    const parseOHLCV = exchange.parseOHLCV.bind(exchange)
    exchange.parseOHLCV = (source, market) => {
      const candle = parseOHLCV(source, market)
      const bar = this.bar(candle)
      if (bar !== null) this.#bars.set(candle, bar)
      return candle
    }
    const safeTrade = exchange.safeTrade.bind(exchange)
    exchange.safeTrade = (trade, market) => {
      const texts = this.#textsOf(trade, ["price", "amount"])
      const parsed = safeTrade(trade, market)
      this.#named.set(parsed, texts)
      if (!this.#inFrame && typeof parsed.info === "object" && parsed.info !== null)
        this.#answered.set(parsed.info, texts)
      return parsed
    }
    const safeTicker = exchange.safeTicker.bind(exchange)
    exchange.safeTicker = (ticker, market) => {
      const texts = this.#textsOf(ticker, ["last", "bid", "bidVolume", "ask", "askVolume"])
      const parsed = safeTicker(ticker, market)
      this.#named.set(parsed, texts)
      return parsed
    }
  }

  /** The texts of the two readings before this, if they are of these numbers. */
  #lastTwo(price: number | string | undefined, quantity: number | string | undefined): RowText | undefined {
    const at = this.#count
    if (at < 2 || this.#numbers[at - 2] !== price || this.#numbers[at - 1] !== quantity) return undefined
    return [this.#texts[at - 2] ?? "", this.#texts[at - 1] ?? ""]
  }

  /** The newest reading of this number in this frame; or of its negative, for venues that tell the side by the sign. */
  #text(value: number | string): string {
    if (typeof value === "string") return value
    for (let at = this.#count - 1; at >= 0; at--) {
      const text = this.#texts[at] ?? ""
      if (this.#numbers[at] === value) return text
      if (this.#numbers[at] === -value && text.startsWith("-")) return text.slice(1)
    }
    return this.#numberToString(value)
  }

  /** The fields as they were read: ccxt reads them once more, from numbers by then, whose texts are the newest ones afterwards. */
  #textsOf(source: Raw, names: ReadonlyArray<string>): Readonly<Record<string, string>> {
    const texts: Record<string, string> = {}
    for (const name of names) {
      const value = source[name]
      if (typeof value === "string" && value !== "") texts[name] = value
      else if (typeof value === "number" && Number.isFinite(value)) texts[name] = this.#text(value)
    }
    return texts
  }
}

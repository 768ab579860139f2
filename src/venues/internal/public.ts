/**
 * The public data of one market of the platform's own venue: the book, the tape and the bars as they are stored. The one thing to know: the
 * matcher may be ahead of it by what is being settled.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import type { SecondOfTrades } from "../../ports/journal-port.ts"
import type { FeedMarket, MatcherFeed, PublicBook } from "../matching/feed.ts"
import { MatcherKlines } from "../matching/klines.ts"
import { type MatchSide, RestingSide } from "../matching/matcher.ts"
import { countOf, unitsOf } from "../matching/units.ts"
import type { Settlement } from "./settlement.ts"

const digitsIn = (texts: ReadonlyArray<string>, least: number): number =>
  texts.reduce((most, text) => Math.max(most, text.includes(".") ? text.length - text.indexOf(".") - 1 : 0), least)

/** Levels by their totals, without the orders that make them. */
class StoredBook implements PublicBook {
  #sides = { BUY: new RestingSide<never>("BUY"), SELL: new RestingSide<never>("SELL") }

  clear(): void {
    this.#sides = { BUY: new RestingSide<never>("BUY"), SELL: new RestingSide<never>("SELL") }
  }

  set(side: MatchSide, price: bigint, quantity: bigint): void {
    const level = this.#sides[side].open(price)
    level.total = quantity
    if (quantity === 0n) this.#sides[side].close(level)
  }

  readonly levels = (side: MatchSide): ReadonlyArray<{ readonly price: bigint; readonly quantity: bigint }> =>
    Array.from(this.#sides[side].levels(), ({ price, total }) => ({ price, quantity: total }))

  readonly best = (side: MatchSide): { readonly price: bigint; readonly quantity: bigint } | undefined => {
    const level = this.#sides[side].best()
    return level === undefined ? undefined : { price: level.price, quantity: level.total }
  }
}

export class InternalPublic implements FeedMarket {
  readonly book = new StoredBook()
  readonly klines: MatcherKlines
  /** Of the bars: what was traded under other terms may have more digits than this market has now. */
  readonly #digits: Pick<Instrument, "precision" | "scale">
  lastPrice: string | null = null
  lastQuantity: string | null = null
  readonly #feed: MatcherFeed

  constructor(
    readonly instrument: Instrument,
    past: ReadonlyArray<SecondOfTrades>,
    feed: MatcherFeed,
  ) {
    this.#feed = feed
    this.#digits = {
      precision: digitsIn(
        past.flatMap(({ open, high, low, close }) => [open, high, low, close]),
        instrument.precision,
      ),
      scale: digitsIn(
        past.map(({ volume }) => volume),
        instrument.scale,
      ),
    }
    const { precision, scale } = this.#digits
    this.klines = new MatcherKlines(this.#digits)
    const price = (text: string): bigint => unitsOf(Decimal.of(text), precision) ?? 0n
    for (const second of past) {
      for (const text of [second.open, second.high, second.low]) this.klines.add(price(text), 0n, second.at)
      const volume = Decimal.fromVenue(second.volume) ?? Decimal.ZERO
      this.klines.add(price(second.close), unitsOf(volume, scale) ?? 0n, second.at)
      this.lastPrice = second.close
      this.lastQuantity = second.lastQuantity
    }
  }

  /** The book begins anew with these levels: of a restart of its market. */
  open(levels: (side: MatchSide) => Iterable<{ readonly price: bigint; readonly quantity: bigint }>): void {
    const { instrumentId } = this.instrument
    for (const side of ["BUY", "SELL"] as const)
      for (const { price } of this.book.levels(side)) this.#feed.level(instrumentId, side, price, 0n)
    this.book.clear()
    for (const side of ["BUY", "SELL"] as const)
      for (const { price, quantity } of levels(side)) this.#level(side, price, quantity)
  }

  /** It is stored. */
  published({ trades, levels }: Settlement): void {
    for (const trade of trades) {
      const { instrumentId } = this.instrument
      const { precision, scale } = this.#digits
      const price = trade.price.toString()
      const quantity = trade.quantity.toString()
      this.klines.add(countOf(trade.price, precision), countOf(trade.quantity, scale), trade.executedAt)
      this.lastPrice = price
      this.lastQuantity = quantity
      const { tradeId, takerSide, executedAt } = trade
      this.#feed.trade({ instrumentId, externalTradeId: tradeId, price, quantity, side: takerSide, at: executedAt })
    }
    for (const { side, price, quantity } of levels) this.#level(side, price, quantity)
  }

  #level(side: MatchSide, price: bigint, quantity: bigint): void {
    this.book.set(side, price, quantity)
    this.#feed.level(this.instrument.instrumentId, side, price, quantity)
  }
}

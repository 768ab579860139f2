/** The bars of one market of an in-process venue: built from its trades as they happen. Bounded memory that starts with the process. */
import { Decimal } from "../../domain/decimal.ts"
import type { Instrument } from "../../domain/instrument/instrument.ts"
import {
  type Bar,
  barIndex,
  barIndexFrom,
  barOpen,
  barStart,
  flatBar,
  KLINE_INTERVALS,
  type KlineInterval,
} from "../../domain/market/kline.ts"
import type { KlineAsk } from "../../ports/market-source.ts"

/** Bars with trades that are remembered of each interval. */
const KEPT = 2000

/** In whole ticks and lots. */
interface UnitBar {
  readonly openAt: number
  readonly open: bigint
  high: bigint
  low: bigint
  close: bigint
  volume: bigint
}

export class MatcherKlines {
  readonly #digits: Pick<Instrument, "precision" | "scale">
  readonly #bars: { readonly [I in KlineInterval]: Array<UnitBar> }
  /** Of the second that goes on: a trade costs one look at it, not one at each interval. */
  #second: UnitBar | null = null

  constructor(digits: Pick<Instrument, "precision" | "scale">) {
    this.#digits = digits
    this.#bars = Object.fromEntries(KLINE_INTERVALS.map((interval) => [interval, []] as const)) as never
  }

  add(price: bigint, quantity: bigint, at: number): void {
    const openAt = barStart("1s", at)
    if (this.#second !== null && this.#second.openAt !== openAt) this.#settle()
    const trade: UnitBar = { openAt, open: price, high: price, low: price, close: price, volume: quantity }
    if (this.#second === null) this.#second = trade
    else join(this.#second, trade)
  }

  read({ interval, from, to, limit }: KlineAsk, now: number): ReadonlyArray<Bar> {
    this.#settle()
    const bars = this.#bars[interval]
    const first = bars[0]
    if (first === undefined) return []
    const last = barIndex(interval, to === null ? now : Math.min(to, now))
    const asked = from === null ? last - limit + 1 : barIndexFrom(interval, from)
    const start = Math.max(asked, barIndex(interval, first.openAt))
    const end = Math.min(last, start + limit - 1)
    const rows: Array<Bar> = []
    // The bar whose close goes on until there is another.
    let at = bars.findLastIndex(({ openAt }) => openAt <= barOpen(interval, start))
    for (let index = start; index <= end; index++) {
      const openAt = barOpen(interval, index)
      if (bars[at + 1]?.openAt === openAt) at++
      const bar = bars[at]
      if (bar !== undefined)
        rows.push(bar.openAt === openAt ? this.#shown(bar) : flatBar(openAt, this.#price(bar.close)))
    }
    return rows
  }

  #settle(): void {
    const second = this.#second
    this.#second = null
    if (second === null) return
    for (const interval of KLINE_INTERVALS) {
      const bars = this.#bars[interval]
      const openAt = barStart(interval, second.openAt)
      const last = bars.at(-1)
      if (last?.openAt === openAt) join(last, second)
      else if (bars.push({ ...second, openAt }) > KEPT) bars.shift()
    }
  }

  #shown(bar: UnitBar): Bar {
    return {
      openAt: bar.openAt,
      open: this.#price(bar.open),
      high: this.#price(bar.high),
      low: this.#price(bar.low),
      close: this.#price(bar.close),
      volume: Decimal.fromUnits(bar.volume, this.#digits.scale).toString(),
    }
  }

  #price(units: bigint): string {
    return Decimal.fromUnits(units, this.#digits.precision).toString()
  }
}

const join = (bar: UnitBar, later: UnitBar): void => {
  if (later.high > bar.high) bar.high = later.high
  if (later.low < bar.low) bar.low = later.low
  bar.close = later.close
  bar.volume += later.volume
}

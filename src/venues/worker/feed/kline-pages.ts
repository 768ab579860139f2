/**
 * Bars of a venue's history: over its pages, on our grid, without gaps, in its own digits. Venues differ in all of it: some omit bars without
 * trades, some have fewer intervals, some start weeks or days elsewhere, some give few bars a page.
 */
import {
  type Bar,
  barEnd,
  barIndex,
  barIndexFrom,
  barOpen,
  barStart,
  flatBar,
  foldBars,
  type KlineInterval,
  longestBar,
  partsOf,
  withoutHoles,
} from "../../../domain/market/kline.ts"
import type { KlineAnswer, KlineAsk } from "../../../ports/market-source.ts"
import type { CcxtExchange } from "../exchange/ccxt.ts"
import type { Digits } from "./digits.ts"

/** Where ccxt does not say how many bars a page has. */
const PAGE = 300
const PAGE_MAX = 1000
/** Of one question; a venue that goes on without an end must not keep us for ever. */
const PAGES_MAX = 200
/** Intervals up to here are cut alike wherever a venue's day begins. */
const SAME_EVERYWHERE_MILLIS = 3_600_000
/** On which the last trade before an instant is looked for, when nothing was traded for a page of shorter bars. */
const COARSER: ReadonlyArray<KlineInterval> = ["1h", "1d", "1w"]

/** There was no exchange trading of coins before this. */
const EARLIEST = Date.UTC(2010, 0, 1)

/** ccxt's own word for it, so that it is classified alike. */
class NotSupported extends Error {}

export class KlinePages {
  readonly #exchange: CcxtExchange
  readonly #digits: Digits
  readonly #venueNow: () => number
  readonly #perPage: number | undefined
  readonly #kept: number
  /** Intervals whose bars open where ours do. */
  readonly #onGrid = new Map<KlineInterval, boolean>()
  /** By symbol and interval: there are no bars before that instant. */
  readonly #beginnings = new Map<string, number>()

  constructor(options: {
    readonly exchange: CcxtExchange
    readonly digits: Digits
    /** The venue's clock, ms. */
    readonly venueNow: () => number
    /** Where ccxt does not know it right. */
    readonly perPage: number | undefined
    /** Of each interval the venue remembers only so many of the newest bars; undefined: all. */
    readonly kept: number | undefined
  }) {
    this.#exchange = options.exchange
    this.#digits = options.digits
    this.#venueNow = options.venueNow
    this.#perPage = options.perPage
    this.#kept = options.kept ?? Number.POSITIVE_INFINITY
  }

  async read(symbol: string, { interval, from, to, limit }: Omit<KlineAsk, "instrumentId">): Promise<KlineAnswer> {
    const part = await this.#source(symbol, interval)
    const venueAt = this.#venueNow()
    const end = barIndex(interval, to === null ? venueAt : Math.min(to, venueAt))
    const remembered = barIndex(part, venueAt) - this.#kept + 1
    const asked = Math.max(
      from === null ? end - limit + 1 : barIndexFrom(interval, from),
      barIndexFrom(interval, remembered > 0 ? barOpen(part, remembered) : 0),
    )
    const nothing: KlineAnswer = { bars: [], venueAt }
    if (asked > end) return nothing
    const start = barOpen(interval, asked)
    // The beginning decides which bars are the first `limit` ones.
    const count = limit * Math.ceil(longestBar(interval) / longestBar(part))
    const opening = await this.#opening(symbol, part, start, barOpen(interval, end + 1), count)
    const [first] = opening
    if (first === undefined) return nothing
    const last = Math.min(end, barIndex(interval, first.openAt) + limit - 1)
    const until = Math.min(barOpen(interval, last + 1), venueAt + 1)
    const parts = await this.#rest(symbol, part, opening, until, count)
    return { bars: foldBars(interval, withoutHoles(part, parts, until - 1)), venueAt }
  }

  /** The interval itself, or the longest that it can be made of, of those that the venue has as we have them. */
  async #source(symbol: string, interval: KlineInterval): Promise<KlineInterval> {
    const { has, timeframes } = this.#exchange
    if (has["fetchOHLCV"] === true)
      for (const part of [interval, ...partsOf(interval)])
        if (timeframes?.[part] !== undefined && (await this.#isOnGrid(symbol, part))) return part
    throw new NotSupported(`the venue has no bars of ${interval}, nor shorter ones to build them from`)
  }

  async #isOnGrid(symbol: string, interval: KlineInterval): Promise<boolean> {
    if (longestBar(interval) <= SAME_EVERYWHERE_MILLIS) return true
    const known = this.#onGrid.get(interval)
    if (known !== undefined) return known
    const newest = (await this.#fetch(symbol, interval, undefined, 3)).at(-1)
    if (newest === undefined) return true
    const isOn = barStart(interval, newest.openAt) === newest.openAt
    this.#onGrid.set(interval, isOn)
    return isOn
  }

  /** Bars from the first on that opens at `start` or later; a flat one at `start` where the instrument is older than that. */
  async #opening(
    symbol: string,
    interval: KlineInterval,
    start: number,
    end: number,
    count: number,
  ): Promise<ReadonlyArray<Bar>> {
    const page = await this.#page(symbol, interval, start, count)
    const [first] = page
    if (first?.openAt === start) return page
    const close = await this.#closeBefore(symbol, interval, start)
    if (close !== undefined) return [flatBar(start, close), ...page]
    if (first !== undefined) return first.openAt < end ? page : []
    // A page that was to reach the end and is empty leaves nothing to look for.
    const begins = this.#pageEnd(symbol, interval, start, count) < end ? await this.#beginning(symbol) : undefined
    if (begins === undefined || begins >= end) return []
    // The first of the longest bars can be much longer than what is left out before the first of these.
    return this.#pageAfter(symbol, interval, Math.max(start, barStart(interval, begins)), end, count)
  }

  /** The first page with a bar. */
  async #pageAfter(
    symbol: string,
    interval: KlineInterval,
    start: number,
    end: number,
    count: number,
  ): Promise<ReadonlyArray<Bar>> {
    let since = start
    for (let pages = 0; since < end && pages < PAGES_MAX; pages++) {
      const page = await this.#page(symbol, interval, since, count)
      if (page.length > 0) return page
      since = this.#pageEnd(symbol, interval, since, count)
    }
    return []
  }

  /** Where a page from `since` on ends, at a venue that answers for a span of time. */
  #pageEnd(symbol: string, interval: KlineInterval, since: number, count: number): number {
    return barOpen(interval, barIndex(interval, since) + Math.min(count, this.#perPageOf(symbol)))
  }

  /** `bars`, and what follows them until `end`. */
  async #rest(
    symbol: string,
    interval: KlineInterval,
    bars: ReadonlyArray<Bar>,
    end: number,
    count: number,
  ): Promise<ReadonlyArray<Bar>> {
    const all = [...bars]
    let next = barEnd(interval, all.at(-1)?.openAt ?? end)
    for (let pages = 0; next < end; pages++) {
      if (pages === PAGES_MAX) throw new Error(`the history has more than ${PAGES_MAX} pages`)
      const page = await this.#page(symbol, interval, next, count)
      const last = page.at(-1)
      all.push(...page)
      next = last === undefined ? this.#pageEnd(symbol, interval, next, count) : barEnd(interval, last.openAt)
    }
    return all.filter(({ openAt }) => openAt < end)
  }

  /** The last price before an instant; undefined where nothing was traded before it. */
  async #closeBefore(symbol: string, interval: KlineInterval, at: number): Promise<string | undefined> {
    const floor = Math.max(EARLIEST, this.#beginnings.get(`${symbol} ${interval}`) ?? 0)
    if (at <= floor) return undefined
    const known = this.#exchange.timeframes
    const intervals = [interval, ...COARSER].filter(
      (it) => known?.[it] !== undefined && longestBar(it) >= longestBar(interval),
    )
    for (const each of intervals) {
      const isLast = each === intervals.at(-1)
      for (let until = at, pages = 0; until > floor && pages < (isLast ? PAGES_MAX : 1); pages++) {
        const length = longestBar(each)
        const since = Math.max(floor - length, until - length * this.#perPageOf(symbol))
        const page = await this.#fetch(symbol, each, since, this.#perPageOf(symbol))
        // A bar that ends later may hold what came after.
        const last = page.findLast(({ openAt }) => openAt + length <= at)
        if (last !== undefined) return last.close
        until = since
      }
    }
    this.#beginnings.set(`${symbol} ${interval}`, at)
    return undefined
  }

  /** Where the instrument's history begins, found backwards on its longest bars. */
  async #beginning(symbol: string): Promise<number | undefined> {
    const known = this.#beginnings.get(symbol)
    if (known !== undefined) return known
    const interval = (["1M", "1w", "1d", "1h"] as const).find((it) => this.#exchange.timeframes?.[it] !== undefined)
    if (interval === undefined) return undefined
    const span = longestBar(interval) * this.#perPageOf(symbol)
    let begins: number | undefined
    for (let until = this.#venueNow(), pages = 0; until > EARLIEST && pages < PAGES_MAX; pages++) {
      const since = Math.max(EARLIEST, until - span)
      const page = await this.#fetch(symbol, interval, since, this.#perPageOf(symbol))
      const before = until
      const first = page.find(({ openAt }) => openAt < before)
      if (first !== undefined) begins = first.openAt
      else if (begins !== undefined) break
      until = since
    }
    if (begins !== undefined) this.#beginnings.set(symbol, begins)
    return begins
  }

  /** On the grid, from `since` on. */
  async #page(symbol: string, interval: KlineInterval, since: number, count: number): Promise<ReadonlyArray<Bar>> {
    const bars = await this.#fetch(symbol, interval, since, Math.min(count, this.#perPageOf(symbol)))
    // Old bars of a venue that was down for a while can lie beside its own grid.
    return foldBars(interval, bars).filter(({ openAt }) => openAt >= since)
  }

  async #fetch(
    symbol: string,
    interval: KlineInterval,
    since: number | undefined,
    limit: number,
  ): Promise<ReadonlyArray<Bar>> {
    const candles = await this.#exchange.fetchOHLCV(symbol, interval, since, limit)
    return candles
      .flatMap((candle) => this.#digits.bar(candle) ?? [])
      .filter(({ openAt }) => since === undefined || openAt >= since)
      .sort((a, b) => a.openAt - b.openAt)
  }

  #perPageOf(symbol: string): number {
    const known = this.#perPage ?? this.#exchange.featureValue(symbol, "fetchOHLCV", "limit")
    return typeof known === "number" && known > 0 ? Math.min(known, PAGE_MAX) : PAGE
  }
}

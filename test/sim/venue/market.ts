/**
 * The public markets of a simulated world: trades that move the price of an instrument, the venue's bars made of them, and the feed through
 * which the newest process follows them with the gateway's own followers. The feed may be interrupted; the venue goes on trading.
 */
import { MarketFollowers } from "../../../src/actors/market/followers.ts"
import type { MarketListener } from "../../../src/actors/market/messages.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { Bar } from "../../../src/domain/market/kline.ts"
import type { MarketTrade } from "../../../src/ports/market-source.ts"
import type { World } from "../world.ts"
import { BTC_USDT, type Units, unitsOf } from "./listing.ts"

const MINUTE = 60_000
const WATCH_MILLIS = 1_000

/** One instrument. */
export class SimMarket {
  readonly units: Units
  price: Decimal
  /** Every trade there was, oldest first. */
  readonly trades: Array<{ readonly at: number; readonly price: Decimal }> = []
  readonly bars: Array<Bar> = []
  asks: ReadonlyArray<readonly [string, string]>
  /** Of the newest trade that the newest process has heard, or was told of. */
  lastPrice: string | null = null
  last: MarketTrade | null = null

  constructor(
    readonly instrumentId: InstrumentId,
    price: number,
    at: number,
  ) {
    this.units = unitsOf(instrumentId)
    this.price = this.at(price)
    this.asks = [[this.price.toString(), "1000"]]
    // What the ticker knows before anything is traded here.
    this.trades.push({ at, price: this.price })
  }

  /** So many price units. */
  at(units: number): Decimal {
    return this.units.price.multiply(Decimal.of(`${units}`))
  }

  /** The price in units, a whole number. */
  get level(): number {
    return Number(this.price.divide(this.units.price, 0, "HALF_EVEN").toString())
  }

  enter(at: number, price: Decimal): void {
    this.price = price
    this.trades.push({ at, price })
    const text = price.toString()
    const openAt = Math.floor(at / MINUTE) * MINUTE
    const bar = this.bars.at(-1)
    if (bar?.openAt !== openAt) {
      this.bars.push({ openAt, open: text, high: text, low: text, close: text, volume: "1" })
      return
    }
    const high = Decimal.max(Decimal.of(bar.high), price).toString()
    const low = Decimal.min(Decimal.of(bar.low), price).toString()
    this.bars[this.bars.length - 1] = { ...bar, high, low, close: text }
  }

  /**
   * The gateway can tell where the market stands from an instant on: it has heard of a trade since, has an older price from a feed that has
   * not fallen silent (`isLive`), or may read the newest trade in a bar that began since. Of a feed that fell silent the bars are read with
   * the next trade, or by the next process: `startedAt` is that of the newest one.
   */
  isTold(since: number, isLive: boolean, startedAt: number): boolean {
    if (this.last !== null && (isLive || this.last.at >= since)) return true
    const isRead = isLive || (this.trades.at(-1)?.at ?? 0) <= startedAt
    return isRead && (this.bars.at(-1)?.openAt ?? 0) >= since
  }

  /** The gateway hears the newest trade. */
  hear(at: number): MarketTrade {
    const price = this.price.toString()
    this.lastPrice = price
    this.asks = [[price, "1000"]]
    this.last = {
      instrumentId: this.instrumentId,
      externalTradeId: `M${this.trades.length}`,
      price,
      quantity: "1",
      side: "UNKNOWN",
      at,
    }
    return this.last
  }

  forget(): void {
    this.last = null
    this.lastPrice = null
  }
}

export class SimMarkets {
  isUp = true
  /** Whether a question for bars is answered. */
  tellsHistory: () => boolean = () => true
  /** Told of each trade that the gateway hears, before it does. */
  readonly hears: Array<(price: Decimal, instrumentId: InstrumentId) => void> = []
  readonly all: ReadonlyArray<SimMarket>
  private followers: MarketFollowers | null = null

  constructor(
    private readonly world: World,
    instruments: ReadonlyArray<InstrumentId> = [BTC_USDT],
    price = 100,
  ) {
    this.all = instruments.map((it) => new SimMarket(it, price, world.time.now))
    world.market = this
  }

  of(instrumentId: InstrumentId): SimMarket {
    const found = this.all.find((it) => it.instrumentId === instrumentId)
    if (found === undefined) throw new Error(`${instrumentId} is not traded`)
    return found
  }

  /** A new process: it has heard of no trade yet. */
  begin(alive: () => boolean): void {
    const { world } = this
    for (const market of this.all) market.forget()
    const followers = new MarketFollowers({
      monotonic: () => world.monotonic(),
      now: () => world.wall(),
      hold: () => undefined,
      release: () => undefined,
      lastTrade: (instrumentId) => this.of(instrumentId).last,
      best: () => undefined,
    })
    this.followers = followers
    const watch = (): void => {
      if (!alive()) return
      followers.watch(world.monotonic())
      world.time.schedule(watch, WATCH_MILLIS)
    }
    watch()
  }

  follow(instrumentId: InstrumentId, listener: MarketListener): () => void {
    return this.followers?.follow(instrumentId, listener) ?? (() => undefined)
  }

  /** As a ticker that was just opened says it. */
  know(instrumentId: InstrumentId): void {
    const market = this.of(instrumentId)
    if (this.isUp) market.lastPrice = market.price.toString()
  }

  trade(market: SimMarket, price: Decimal): void {
    const { world } = this
    const { instrumentId } = market
    const at = world.time.now
    market.enter(at, price)
    world.venue.trade(price, instrumentId)
    if (!this.isUp || !world.isRunning) return
    for (const hear of this.hears) hear(price, instrumentId)
    this.followers?.onTrade(market.hear(at))
    world.time.settle()
  }

  /** Trades go by unheard until the feed is up again. */
  down(): void {
    if (!this.isUp) return
    this.isUp = false
    for (const market of this.all) {
      market.forget()
      this.followers?.onTradesDown(market.instrumentId)
    }
    this.world.time.settle()
  }

  up(): void {
    this.isUp = true
  }
}

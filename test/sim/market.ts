/**
 * The public market of a simulated world: trades that move the price, the venue's bars made of them, and the feed through which the newest
 * process follows them with the gateway's own followers. The feed may be interrupted; the venue goes on trading.
 */
import { MarketFollowers } from "../../src/actors/market-followers.ts"
import type { MarketListener } from "../../src/actors/market-messages.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import type { Bar } from "../../src/domain/kline.ts"
import type { MarketTrade } from "../../src/ports/market-source.ts"
import { BTC_USDT } from "./venue.ts"
import type { World } from "./world.ts"

const MINUTE = 60_000
const WATCH_MILLIS = 1_000

export class SimMarket {
  price: Decimal
  /** Every trade there was, oldest first. */
  readonly trades: Array<{ readonly at: number; readonly price: Decimal }> = []
  readonly bars: Array<Bar> = []
  isUp = true
  /** Whether a question for bars is answered. */
  tellsHistory: () => boolean = () => true
  /** Told of each trade that the gateway hears, before it does. */
  heard: (price: Decimal) => void = () => undefined
  private followers: MarketFollowers | null = null
  private last: MarketTrade | null = null

  constructor(
    private readonly world: World,
    price: string,
  ) {
    this.price = Decimal.of(price)
    // What the ticker knows before anything is traded here.
    this.trades.push({ at: world.time.now, price: this.price })
    world.market = this
  }

  /** A new process: it has heard of no trade yet. */
  begin(alive: () => boolean): void {
    const { world } = this
    this.last = null
    world.lastPrice = null
    const followers = new MarketFollowers({
      monotonic: () => world.monotonic(),
      now: () => world.wall(),
      hold: () => undefined,
      release: () => undefined,
      lastTrade: () => this.last,
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

  follow(listener: MarketListener): () => void {
    return this.followers?.follow(BTC_USDT, listener) ?? (() => undefined)
  }

  /** As a ticker that was just opened says it. */
  know(): void {
    if (this.isUp) this.world.lastPrice = this.price.toString()
  }

  trade(price: Decimal): void {
    const { world } = this
    const at = world.time.now
    this.price = price
    this.trades.push({ at, price })
    this.enter(at, price.toString())
    world.venue.trade(price)
    if (!this.isUp || !world.isRunning) return
    this.heard(price)
    world.lastPrice = price.toString()
    world.asks = [[price.toString(), "1000"]]
    this.last = {
      instrumentId: BTC_USDT,
      externalTradeId: `M${this.trades.length}`,
      price: price.toString(),
      quantity: "1",
      side: "UNKNOWN",
      at,
    }
    this.followers?.onTrade(this.last)
    world.time.settle()
  }

  /** Trades go by unheard until the feed is up again. */
  down(): void {
    if (!this.isUp) return
    this.isUp = false
    this.last = null
    this.world.lastPrice = null
    this.followers?.onTradesDown(BTC_USDT)
    this.world.time.settle()
  }

  up(): void {
    this.isUp = true
  }

  private enter(at: number, price: string): void {
    const openAt = Math.floor(at / MINUTE) * MINUTE
    const bar = this.bars.at(-1)
    if (bar?.openAt !== openAt) {
      this.bars.push({ openAt, open: price, high: price, low: price, close: price, volume: "1" })
      return
    }
    const high = Decimal.max(Decimal.of(bar.high), Decimal.of(price)).toString()
    const low = Decimal.min(Decimal.of(bar.low), Decimal.of(price)).toString()
    this.bars[this.bars.length - 1] = { ...bar, high, low, close: price }
  }
}

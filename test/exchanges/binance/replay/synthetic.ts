/**
 * The synthetic market: seeded liquidity around a price that walks, and trades by nobody. One seed, one market.
 * Decimals are exact: the generator only chooses whole ticks and whole steps.
 */
import { toFixed8, UNIT } from "../fixed.ts"
import type { Market } from "../market.ts"
import type { Matching } from "../matching.ts"
import type { SymbolRules } from "../model.ts"

export const DEFAULT_SYMBOLS: ReadonlyArray<SymbolRules> = [
  { symbol: "BTCUSDT", base: "BTC", quote: "USDT", tickSize: "0.01", stepSize: "0.00001", startPrice: "60000" },
  { symbol: "ETHUSDT", base: "ETH", quote: "USDT", tickSize: "0.01", stepSize: "0.0001", startPrice: "3000" },
  { symbol: "BNBUSDT", base: "BNB", quote: "USDT", tickSize: "0.01", stepSize: "0.001", startPrice: "600" },
  { symbol: "SOLUSDT", base: "SOL", quote: "USDT", tickSize: "0.01", stepSize: "0.001", startPrice: "150" },
  { symbol: "XRPUSDT", base: "XRP", quote: "USDT", tickSize: "0.0001", stepSize: "0.1", startPrice: "0.6" },
  {
    symbol: "ETHBTC",
    base: "ETH",
    quote: "BTC",
    tickSize: "0.00001",
    stepSize: "0.0001",
    minNotional: "0.0001",
    startPrice: "0.05",
  },
]

/** Levels kept on each side, and the ticks between two of them. No round number: a snapshot that ends with one is taken for cut. */
export const LEVELS = 97
const GAP_TICKS = 5n
/** Worth of one level at the touch, in quote units of the first symbol's kind: about a third of a BTC. */
const LEVEL_NOTIONAL = toFixed8("20000")

/** mulberry32: small, fast, the same everywhere. Numbers in [0, 1). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export class SyntheticMarket {
  /** The grid line the market is at: bids stand below it, asks above. */
  #centre: bigint
  readonly #gap: bigint
  readonly #random: () => number

  constructor(
    readonly matching: Matching,
    readonly market: Market,
    seed: number,
  ) {
    this.#random = seededRandom(seed)
    this.#gap = market.filters.tickSize * GAP_TICKS
    const start = toFixed8(market.rules.startPrice ?? "100")
    this.#centre = start - (start % this.#gap)
    this.#fill()
    // One trade, so that a last price, a ticker and candles exist from the first moment.
    this.#trade()
  }

  /** One step of the walk: the centre may move by a line, some levels change, sometimes somebody trades. */
  step(): void {
    const direction = this.#random()
    if (direction < 0.15) this.#move(-this.#gap)
    else if (direction > 0.85) this.#move(this.#gap)
    for (let change = 0; change < 4; change += 1) {
      const line = BigInt(1 + Math.floor(this.#random() ** 2 * LEVELS))
      if (this.#random() < 0.5) this.#set("bids", this.#centre - line * this.#gap)
      else this.#set("asks", this.#centre + line * this.#gap)
    }
    if (this.#random() < 0.3) this.#trade()
  }

  #fill(): void {
    for (let line = 1n; line <= BigInt(LEVELS); line += 1n) {
      this.#set("bids", this.#centre - line * this.#gap)
      this.#set("asks", this.#centre + line * this.#gap)
    }
  }

  /** Removes before it adds: anonymous liquidity never crosses itself. */
  #move(by: bigint): void {
    const reach = BigInt(LEVELS) * this.#gap
    if (this.#centre + by <= reach) return
    this.#centre += by
    const [gone, filled] = by > 0n ? (["asks", "bids"] as const) : (["bids", "asks"] as const)
    this.matching.setLiquidity(this.market, gone, this.#centre, 0n)
    const farFilled = by > 0n ? this.#centre - reach - by : this.#centre + reach - by
    const farGone = by > 0n ? this.#centre + reach : this.#centre - reach
    this.matching.setLiquidity(this.market, filled, farFilled, 0n)
    this.#set(filled, this.#centre - by)
    this.#set(gone, farGone)
  }

  #set(side: "bids" | "asks", price: bigint): void {
    if (price > 0n) this.matching.setLiquidity(this.market, side, price, this.#quantity(price))
  }

  #trade(): void {
    const price = this.#centre
    const quantity = this.#quantity(price) / 10n
    const { stepSize } = this.market.filters
    const whole = quantity - (quantity % stepSize)
    if (whole === 0n) return
    this.matching.takeAnonymously(this.market, this.#random() < 0.5 ? "BUY" : "SELL", whole)
  }

  /** Whole steps worth between one and three times the notional of a level. */
  #quantity(price: bigint): bigint {
    const { stepSize, minNotional } = this.market.filters
    const { levelNotional } = this.market.rules
    const usual = minNotional < UNIT ? LEVEL_NOTIONAL / 10_000n : LEVEL_NOTIONAL
    const scale = levelNotional === undefined ? usual : toFixed8(levelNotional)
    const factor = BigInt(1000 + Math.floor(this.#random() * 2000))
    const quantity = (((scale * factor) / 1000n) * UNIT) / price
    return quantity - (quantity % stepSize)
  }
}

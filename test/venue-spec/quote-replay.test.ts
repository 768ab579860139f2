/**
 * Quotes over a recorded day: at 1,000 random frames, for random sides, sizes and kinds of size, the dealer's price is the walk of the book at
 * that frame, by a reckoning that shares nothing with it but the recorded texts.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { isFirm } from "../../src/domain/dealer/quote.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import { OrderBook } from "../../src/domain/market/order-book.ts"
import { readCapture } from "../exchanges/binance/replay/capture.ts"
import { bookChanges } from "../exchanges/binance/replay/recorded-books.ts"
import { QuoteWorld } from "../kit/worlds/quote-world.ts"

const FILE = fileURLToPath(new URL("../../../shared/data/hftbacktest/spot/btcusdt_20240808.gz", import.meta.url))
const isHere = existsSync(FILE)
if (!isHere) console.info("skipped: the recorded captures are not beside the repository")

const WANTED = 1_000
const SEED = 20_240_808

/** The same numbers in every run. */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

const E8 = 100_000_000n
const integer = (text: string): bigint => {
  const [whole = "0", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(8, "0").slice(0, 8))
}

/** Price text → quantity, both in 10⁻⁸. */
class DumbSide {
  readonly levels = new Map<bigint, bigint>()
  constructor(readonly isBids: boolean) {}
  take(rows: ReadonlyArray<readonly [string, string]>): void {
    for (const [price, quantity] of rows) {
      if (integer(quantity) === 0n) this.levels.delete(integer(price))
      else this.levels.set(integer(price), integer(quantity))
    }
  }
  sorted(): ReadonlyArray<readonly [bigint, bigint]> {
    const sign = this.isBids ? -1 : 1
    return [...this.levels].sort(([a], [b]) => (a < b ? -sign : sign))
  }
}

interface Dumb {
  /** Cents, with 20 bps added or taken off, rounded against the client. */
  readonly price: bigint
  /** Base that was walked, in 10⁻¹⁸. */
  readonly walked: bigint
}

/** Null: the first 1,000 levels are not enough. A size in quote is in 10⁻¹⁸ here. */
const dumbWalk = (side: DumbSide, isBuy: boolean, size: { base?: bigint; quote?: bigint }): Dumb | null => {
  let base = 0n
  let cost = 0n
  for (const [price, offered] of side.sorted().slice(0, 1_000)) {
    if (size.base !== undefined) {
      const taken = size.base - base < offered ? size.base - base : offered
      base += taken
      cost += price * taken
      if (base === size.base) return { price: rounded(base, cost, isBuy), walked: base * 10n ** 10n }
    } else {
      const all = cost + price * offered
      if (all * 100n >= size.quote!) {
        // A part of the level: its quantity as a fraction of 10⁻¹⁸, down.
        const part = ((size.quote! - cost * 100n) * E8) / price
        const walked = base * 10n ** 10n + part
        return { price: rounded(walked, cost * 10n ** 10n + part * price, isBuy), walked }
      }
      base += offered
      cost = all
    }
  }
  return null
}

/** Who sells for an amount gets it after the margin, so more than that is walked, and whatever is sold for it is walked whole. */
const dumbPrice = (side: DumbSide, isBuy: boolean, size: { base?: bigint; quote?: bigint }): bigint | null => {
  if (size.quote === undefined) return dumbWalk(side, isBuy, size)?.price ?? null
  const wanted = size.quote * 10n ** 10n
  const gross = isBuy ? wanted : (wanted * 10_000n + 9_979n) / 9_980n
  let walk = dumbWalk(side, isBuy, { quote: gross })
  for (;;) {
    if (walk === null) return null
    const lots = (size.quote * 100_000n) / (walk.price * E8)
    if (lots * 10n ** 15n <= walk.walked) return walk.price
    walk = dumbWalk(side, isBuy, { base: lots * 100_000n })
  }
}

const rounded = (base: bigint, cost: bigint, isBuy: boolean): bigint => {
  const numerator = cost * (isBuy ? 10_020n : 9_980n) * 100n
  const denominator = base * 10_000n * E8
  return isBuy ? (numerator + denominator - 1n) / denominator : numerator / denominator
}

describe.skipIf(!isHere)("quotes over a recorded market", () => {
  it("cost what the book at their frame says", async () => {
    const random = randomOf(SEED)
    const book = new OrderBook()
    const dumb = { bids: new DumbSide(true), asks: new DumbSide(false) }
    const world = new QuoteWorld()
    for (const key of [...world.stored.balances.keys()]) world.stored.balances.set(key, Decimal.of("1000000000000"))
    let frames = 0
    for await (const line of readCapture(FILE)) if (line.kind === "depth") frames++
    const chosen = new Map<number, number>()
    for (let n = 0; n < WANTED; n++) {
      const frame = 20 + Math.floor(random() * (frames - 20))
      chosen.set(frame, (chosen.get(frame) ?? 0) + 1)
    }
    let firm = 0
    let thin = 0
    for await (const { frame, rows, isFrame } of bookChanges(FILE)) {
      for (const change of rows)
        for (const side of ["bids", "asks"] as const) {
          dumb[side].take(change[side])
          for (const [price, quantity] of change[side]) book[side].set(price, quantity)
        }
      if (!isFrame) continue
      expect(book.isCrossed()).toBe(false)
      for (let n = chosen.get(frame) ?? 0; n > 0; n--) {
        const isBuy = random() < 0.5
        const isBase = random() < 0.5
        // From next to nothing to more than is there.
        const lots = BigInt(Math.ceil(10 ** (random() * 7)))
        const amount = isBase ? lots * 100_000n : lots * 100n * E8
        // Open quotes are capped.
        if ((firm + thin) % 50 === 0) world.rest()
        world.asks = book.asks.top(1_000)
        world.bids = book.bids.top(1_000)
        const { quote, error } = world.ask({
          orderSide: isBuy ? "BUY" : "SELL",
          size: isBase
            ? { quantityType: "BASE", quantity: Decimal.fromUnits(amount, 8) }
            : { quantityType: "QUOTE", quoteQuantity: Decimal.fromUnits(amount, 8) },
        })
        expect(error).toBeUndefined()
        const expected = dumbPrice(isBuy ? dumb.asks : dumb.bids, isBuy, isBase ? { base: amount } : { quote: amount })
        if (expected === null) {
          thin++
          expect(quote?.rejectReason).toBe("INSUFFICIENT_LIQUIDITY")
          continue
        }
        expect(quote).toMatchObject({ status: "CREATED", rejectReason: null })
        if (quote === undefined || !isFirm(quote)) continue
        expect(quote.price.toString()).toBe(Decimal.fromUnits(expected, 2).toString())
        firm++
      }
    }
    expect(firm + thin).toBeGreaterThan(900)
    expect(thin).toBeGreaterThan(10)
    expect(firm).toBeGreaterThan(500)
  })
})

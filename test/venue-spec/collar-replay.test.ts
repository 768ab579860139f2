/**
 * The collar over two recorded days: of four venues with the same market one shows a book that is bent by so much percent, up or down. A
 * quote that is priced from the bent book while that is outside the collar is money given away, and there is none. What is outside is
 * reckoned here in whole numbers from the recorded texts.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { dealerConfigOf } from "../../src/domain/dealer/config.ts"
import { isFirm } from "../../src/domain/dealer/quote.ts"
import { Decimal } from "../../src/domain/decimal.ts"
import { OrderBook } from "../../src/domain/market/order-book.ts"
import type { BookRows } from "../../src/domain/order/plan.ts"
import { bookChanges } from "../exchanges/binance/replay/recorded-books.ts"
import { LINKED, OTHER, QuoteWorld, THIRD } from "../kit/worlds/quote-world.ts"

const FOLDER = fileURLToPath(new URL("../../../shared/data/hftbacktest/spot/", import.meta.url))
const isHere = existsSync(FOLDER)
if (!isHere) console.info("skipped: the recorded captures are not beside the repository")
const FILES = ["20240808", "20240809"].map((day) => `${FOLDER}btcusdt_${day}.gz`)

/** Every frame so far from the one before is asked at: a hundred moments. */
const STRIDE = 64
const ROWS = 10
const PERCENTS = [-50, -5, -1, 1, 5, 50] as const
const COLLAR = 5n

interface Rows {
  readonly asks: BookRows
  readonly bids: BookRows
}

const bent = ({ asks, bids }: Rows, percent: number): Rows => {
  const factor = Decimal.fromUnits(BigInt(100 + percent), 2)
  const each = (rows: BookRows): BookRows => rows.map(([price, q]) => [`${Decimal.of(price).multiply(factor)}`, q])
  return { asks: each(asks), bids: each(bids) }
}

/** Twice the middle, in 10⁻⁸. */
const middle = ({ asks, bids }: Rows): bigint => {
  const units = (text: string): bigint => {
    const [whole = "", fraction = ""] = text.split(".")
    return BigInt(whole + fraction.padEnd(8, "0").slice(0, 8))
  }
  return units(asks[0]![0]) + units(bids[0]![0])
}

const isOutside = (own: bigint, others: ReadonlyArray<bigint>): boolean => {
  const sorted = [own, ...others].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  // Of an odd number the one in the middle, of an even one between two: doubled, both are whole.
  const median = sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!
  const distance = 2n * own - median
  return (distance < 0n ? -distance : distance) * 100n > median * COLLAR
}

const VENUES = ["BINANCE", "KRAKEN", "OKX"] as const

/** A dealer at the first so many venues, with money enough for every client. */
const deskOf = (count: number, collarPercent: number): QuoteWorld => {
  const world = new QuoteWorld()
  const accounts = [LINKED, OTHER, THIRD].slice(0, count)
  for (const [n, account] of accounts.entries()) {
    world.venues.set(account, VENUES[n]!)
    world.listed.add(`${VENUES[n]}:BTC/USDT`)
  }
  for (const key of [...world.stored.balances.keys()]) world.stored.balances.set(key, Decimal.of("1000000000000"))
  world.change({ linkedAccountIds: accounts, config: dealerConfigOf({ pricing: { collarPercent } }) })
  return world
}

interface Tally {
  asked: number
  /** Priced from the bent book, while it was in line, and while it was not. */
  inside: number
  outside: number
  refused: number
}

describe.skipIf(!isHere)("quotes over a recorded market of which one venue's book is bent", () => {
  const moments: Array<Rows> = []
  beforeAll(async () => {
    const book = new OrderBook()
    for await (const { frame, rows, isFrame } of bookChanges(...FILES)) {
      for (const change of rows)
        for (const side of ["bids", "asks"] as const)
          for (const [price, quantity] of change[side]) book[side].set(price, quantity)
      if (isFrame && frame % STRIDE === 0) moments.push({ asks: book.asks.top(ROWS), bids: book.bids.top(ROWS) })
    }
  })

  /** The bent one is the last of the venues. */
  const run = (count: number, collarPercent: number): ReadonlyMap<number, Tally> => {
    const tallies = new Map<number, Tally>(PERCENTS.map((it) => [it, { asked: 0, inside: 0, outside: 0, refused: 0 }]))
    for (const [n, now] of moments.entries()) {
      const world = deskOf(count, collarPercent)
      // Venues are never quite at one: the second shows what the first showed before.
      const straight = [now, moments[n - 1] ?? now].slice(0, count - 1)
      for (const percent of PERCENTS) {
        const wrong = bent(now, percent)
        for (const [n, shown] of [...straight, wrong].entries()) world.books.set(`${VENUES[n]}:BTC/USDT`, shown)
        const isOut = isOutside(middle(wrong), straight.map(middle))
        const tally = tallies.get(percent)!
        for (const orderSide of ["BUY", "SELL"] as const) {
          const { quote, error } = world.ask({
            orderSide,
            size: { quantityType: "BASE", quantity: Decimal.of("0.01") },
          })
          expect(error).toBeUndefined()
          tally.asked++
          if (quote === undefined || !isFirm(quote)) tally.refused++
          else if (quote.receipt.venue === VENUES[count - 1]) tally[isOut ? "outside" : "inside"]++
        }
      }
    }
    return tallies
  }

  it("are never priced from it outside the collar, and from it as from any other inside", () => {
    const tallies = run(3, 5)
    for (const [percent, { asked, inside, outside, refused }] of tallies) {
      expect(asked).toBeGreaterThan(190)
      expect([percent, outside, refused]).toEqual([percent, 0, 0])
      // In line its good side wins: half of what is asked.
      if (Math.abs(percent) === 1) expect(inside).toBe(asked / 2)
      if (Math.abs(percent) === 50) expect(inside).toBe(0)
    }
  })

  it("would be priced from it every second time without a collar", () => {
    for (const [percent, { asked, inside, outside }] of run(3, 100)) {
      expect([percent, inside + outside]).toEqual([percent, asked / 2])
      if (Math.abs(percent) === 50) expect(outside).toBe(asked / 2)
    }
  })

  it("are none at all beside one other book, for nobody can say which of the two is bent", () => {
    for (const [percent, { asked, outside, refused }] of run(2, 5)) {
      if (Math.abs(percent) === 50) expect(refused).toBe(asked)
      if (Math.abs(percent) === 1) expect([refused, outside]).toEqual([0, 0])
    }
  })
})

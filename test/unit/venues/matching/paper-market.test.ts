/** PAPER's queues: what an order takes from a live book, and when one that rests has its turn. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { BookRange } from "../../../../src/domain/market/market.ts"
import type { OrderSide } from "../../../../src/domain/order/trade-order.ts"
import type { MarketTrade } from "../../../../src/ports/market-source.ts"
import { PaperMarket, type PaperOrder } from "../../../../src/venues/paper/market.ts"

const BTC = "PAPER:BTC/USDT" as InstrumentId
const d = Decimal.of

const start = (bids: ReadonlyArray<string>, asks: ReadonlyArray<string>, range?: BookRange) => {
  const fills: Array<string> = []
  const market = new PaperMarket<PaperOrder>(({ order, price, quantity }) => {
    fills.push(`${order.id} ${quantity} at ${price}`)
  })
  let sequence = 1
  const depth = (
    snapshot: boolean,
    update: {
      readonly bids?: ReadonlyArray<string>
      readonly asks?: ReadonlyArray<string>
      readonly range?: BookRange | undefined
    },
  ) =>
    market.onDepth({
      instrumentId: BTC,
      snapshot,
      bids: update.bids ?? [],
      asks: update.asks ?? [],
      sequence: sequence++,
      nonce: null,
      venueAt: null,
      receivedAt: 0,
      ...(update.range !== undefined && { range: update.range }),
    })
  depth(true, { bids, asks, range })
  const trade = (price: string, quantity: string, side: MarketTrade["side"] = "SELL"): void =>
    market.onTrade({ instrumentId: BTC, externalTradeId: "t", price, quantity, side, at: 0 })
  return { market, fills, trade, diff: (update: Parameters<typeof depth>[1]) => depth(false, update) }
}

const order = (id: string, side: OrderSide, price: string | null): PaperOrder => ({
  id,
  side,
  price: price === null ? null : d(price),
})

describe("an order that takes", () => {
  it("walks the book best first, at the book's prices", () => {
    const { market, fills } = start(["99", "1"], ["101", "1", "102", "2", "103", "5"])
    expect(market.take(order("a", "BUY", null), d("2.5")).toString()).toBe("0")
    expect(fills).toEqual(["a 1 at 101", "a 1.5 at 102"])
  })

  it("stops at its limit and answers what is left", () => {
    const { market, fills } = start(["99", "1", "98", "4"], ["101", "1"])
    expect(market.take(order("a", "SELL", "98.5"), d("3")).toString()).toBe("2")
    expect(fills).toEqual(["a 1 at 99"])
  })

  it("does not get the same quantity twice until the venue speaks of the level again", () => {
    const { market, fills, diff } = start(["99", "1"], ["101", "1", "102", "2"])
    market.take(order("a", "BUY", null), d("1"))
    market.take(order("b", "BUY", null), d("1"))
    diff({ asks: ["101.00", "3"] })
    market.take(order("c", "BUY", null), d("1"))
    expect(fills).toEqual(["a 1 at 101", "b 1 at 102", "c 1 at 101"])
  })

  it("gets for an amount of quote what the book gives for it, in whole lots", () => {
    const { market } = start([], ["100", "1", "101", "2"])
    const affordable = (cost: string) => market.affordable(d(cost), d("0.01")).toString()
    expect(["100", "99.99", "150.5", "1000", "0.5"].map(affordable)).toEqual(["1", "0.99", "1.5", "3", "0"])
  })

  it("is told beforehand what it would get and pay", () => {
    const { market } = start([], ["101", "1", "102", "2"])
    const { quantity, cost } = market.quote("BUY", d("2"), null)
    expect([quantity.toString(), cost.toString()]).toEqual(["2", "203"])
    expect(market.quote("BUY", d("9"), d("101")).quantity.toString()).toBe("1")
  })
})

describe("an order that rests", () => {
  it("waits until what stood before it has traded", () => {
    const { market, fills, trade } = start(["99", "5"], ["101", "1"])
    market.rest(order("a", "BUY", "99"), d("99"), d("2"))
    trade("99", "4")
    expect(fills).toEqual([])
    trade("99", "1.5")
    expect(fills).toEqual(["a 0.5 at 99"])
    trade("99", "9")
    expect(fills).toEqual(["a 0.5 at 99", "a 1.5 at 99"])
    expect(market.restingCount).toBe(0)
  })

  it("moves up when those before it are gone, and not when more come behind", () => {
    const { market, fills, trade, diff } = start(["99", "5"], ["101", "1"])
    market.rest(order("a", "BUY", "99"), d("99"), d("1"))
    diff({ bids: ["99", "1"] })
    diff({ bids: ["99", "50"] })
    trade("99", "1")
    expect(fills).toEqual([])
    trade("99", "1")
    expect(fills).toEqual(["a 1 at 99"])
  })

  it("trades before anything at a worse price, at its own price", () => {
    const { market, fills, trade } = start(["99", "5", "98", "5"], ["101", "1"])
    market.rest(order("a", "BUY", "99"), d("99"), d("2"))
    trade("98", "1")
    expect(fills).toEqual(["a 1 at 99"])
  })

  it("shares a trade with those of ours in price, then in time", () => {
    const { market, fills, trade } = start(["98", "1"], ["101", "1"])
    market.rest(order("late", "BUY", "99"), d("99"), d("1"))
    market.rest(order("later", "BUY", "99"), d("99"), d("1"))
    market.rest(order("best", "BUY", "100"), d("100"), d("1"))
    trade("98", "2.5")
    expect(fills).toEqual(["best 1 at 100", "late 1 at 99", "later 0.5 at 99"])
  })

  it("is not met by a trade of its own side", () => {
    const { market, fills, trade } = start(["98", "1"], ["101", "1"])
    market.rest(order("a", "SELL", "100"), d("100"), d("1"))
    trade("100", "5", "SELL")
    expect(fills).toEqual([])
    trade("100", "5", "BUY")
    expect(fills).toEqual(["a 1 at 100"])
  })

  it("trades when the other side comes to its price", () => {
    const { market, fills, diff } = start(["98", "1"], ["101", "1"])
    market.rest(order("a", "BUY", "99"), d("99"), d("2"))
    diff({ asks: ["99", "0.5"] })
    expect(fills).toEqual(["a 0.5 at 99"])
    // The same quantity, said again by no new word of the venue, is gone.
    diff({ bids: ["97", "1"] })
    expect(fills).toEqual(["a 0.5 at 99"])
  })

  it("is left alone while the book is lost, and a hole loses it", () => {
    const { market, diff } = start(["99", "1"], ["101", "1"])
    expect(market.isSynced).toBe(true)
    market.onDepth({
      instrumentId: BTC,
      snapshot: false,
      bids: [],
      asks: ["99", "1"],
      sequence: 9,
      nonce: null,
      venueAt: null,
      receivedAt: 0,
    })
    expect(market.isSynced).toBe(false)
    expect(diff({ asks: ["99", "1"] })).toBe(true)
    expect(market.isSynced).toBe(false)
  })

  it("never fills more than it wants, whatever trades", () => {
    const quantity = fc.integer({ min: 1, max: 50 })
    void fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 95, max: 105 }), quantity, fc.constantFrom("BUY", "SELL", "UNKNOWN")), {
          maxLength: 60,
        }),
        fc.array(fc.tuple(fc.integer({ min: 95, max: 105 }), quantity, fc.constantFrom("BUY", "SELL")), {
          minLength: 1,
          maxLength: 8,
        }),
        (trades, orders) => {
          const filled = new Map<string, Decimal>()
          const market = new PaperMarket<PaperOrder>(({ order: { id }, quantity: part }) => {
            expect(part.isPositive()).toBe(true)
            filled.set(id, (filled.get(id) ?? Decimal.ZERO).add(part))
          })
          market.onDepth({
            instrumentId: BTC,
            snapshot: true,
            bids: ["90", "3"],
            asks: ["110", "3"],
            sequence: 1,
            nonce: null,
            venueAt: null,
            receivedAt: 0,
          })
          for (const [i, [price, wanted, side]] of orders.entries())
            market.rest(order(`${i}`, side as OrderSide, `${price}`), d(`${price}`), d(`${wanted}`))
          let traded = Decimal.ZERO
          for (const [price, part, side] of trades) {
            traded = traded.add(d(`${part}`))
            market.onTrade({
              instrumentId: BTC,
              externalTradeId: "t",
              price: `${price}`,
              quantity: `${part}`,
              side: side as MarketTrade["side"],
              at: 0,
            })
          }
          let sum = Decimal.ZERO
          for (const [id, part] of filled) {
            expect(part.atMost(d(`${orders[Number(id)]?.[1]}`))).toBe(true)
            sum = sum.add(part)
          }
          expect(sum.atMost(traded)).toBe(true)
        },
      ),
    )
  })
})

describe("a book that is known to a price", () => {
  const RANGE: BookRange = { lowestBid: "98", highestAsk: "102", levels: null }

  it("gives no price for what lies beyond it", () => {
    const { market } = start(["99", "1", "98", "1"], ["101", "1", "102", "1"], RANGE)
    expect(market.isBeyond("BUY", d("2"), null)).toBe(false)
    expect(market.isBeyond("BUY", d("2.1"), null)).toBe(true)
    expect(market.isBeyond("SELL", d("2.1"), d("97"))).toBe(true)
    // All that there is up to the limit is known.
    expect(market.isBeyond("SELL", d("2.1"), d("98"))).toBe(false)
    expect([market.isCostBeyond(d("203")), market.isCostBeyond(d("203.1"))]).toEqual([false, true])
  })

  it("of a venue that shows so many levels ends with the last of them", () => {
    const { market } = start(["99", "1"], ["101", "1", "102", "1"], { lowestBid: null, highestAsk: null, levels: 2 })
    expect(market.isBeyond("BUY", d("3"), null)).toBe(true)
    expect(market.isBeyond("SELL", d("3"), null)).toBe(false)
  })

  it("does not say what stands before an order that rests beyond it, until it is known so far", () => {
    const { market, fills, trade, diff } = start(["99", "1"], ["101", "1"], { ...RANGE, lowestBid: "99" })
    market.rest(order("a", "BUY", "97"), d("97"), d("1"))
    diff({ bids: ["97", "5"], range: { ...RANGE, lowestBid: "97" } })
    trade("97", "5")
    expect(fills).toEqual([])
    trade("97", "1")
    expect(fills).toEqual(["a 1 at 97"])
  })

  it("keeps an order's place when it reaches less far than it did", () => {
    const { market, fills, trade, diff } = start(["99", "1", "97", "5"], ["101", "1"], { ...RANGE, lowestBid: "97" })
    market.rest(order("a", "BUY", "97"), d("97"), d("1"))
    diff({ bids: ["97", "0"], range: { ...RANGE, lowestBid: "98" } })
    trade("97", "5")
    expect(fills).toEqual([])
  })
})

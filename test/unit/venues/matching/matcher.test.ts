/** Vectors of price-time priority, one order type after another. Prices and quantities are the matcher's bare units. */
import { describe, expect, it } from "vitest"
import {
  type MatchEvent,
  Matcher,
  type MatchOrder,
  type SelfTradePrevention,
} from "../../../../src/venues/matching/matcher.ts"

const order = (
  id: string,
  side: "BUY" | "SELL",
  price: number | null,
  quantity: number,
  more?: Partial<MatchOrder>,
) => ({
  id,
  owner: id[0]!,
  side,
  price: price === null ? null : BigInt(price),
  quantity: BigInt(quantity),
  timeInForce: "GTC" as const,
  postOnly: false,
  ...more,
})

/** One event as one short line. */
const said = (event: MatchEvent): string => {
  switch (event._tag) {
    case "Accepted":
      return `accepted ${event.order.id}`
    case "Amended":
      return `amended ${event.order.id}`
    case "Traded":
      return `${event.taker.id} takes ${event.quantity} at ${event.price} of ${event.maker.id}`
    case "Done":
      return `${event.order.id} ${event.reason} left ${event.remaining}`
    case "Paused":
      return `${event.order.id} paused left ${event.remaining}`
    case "LevelChanged":
      return `${event.side} ${event.price} = ${event.quantity}`
  }
}

const book = (prevention?: SelfTradePrevention, ...orders: ReadonlyArray<MatchOrder>): Matcher => {
  const matcher = new Matcher(prevention)
  for (const each of orders) matcher.submit(each)
  return matcher
}
const asks = [order("a1", "SELL", 101, 5), order("b1", "SELL", 100, 3), order("c1", "SELL", 100, 4)]

describe("a matcher", () => {
  it("rests a limit order that meets nobody", () => {
    const matcher = new Matcher()
    expect(matcher.submit(order("a1", "BUY", 99, 5)).map(said)).toEqual(["accepted a1", "BUY 99 = 5"])
    expect(matcher.best("BUY")).toEqual({ price: 99n, quantity: 5n })
    expect(matcher.remaining("a1")).toBe(5n)
  })

  it("pauses after so many trades, off the book, and goes on from there", () => {
    const matcher = book("NONE", ...asks)
    const taker = order("x1", "BUY", 101, 14)
    expect(matcher.submit(taker, 2).map(said)).toEqual([
      "accepted x1",
      "x1 takes 3 at 100 of b1",
      "b1 FILLED left 0",
      "x1 takes 4 at 100 of c1",
      "c1 FILLED left 0",
      "x1 paused left 7",
      "SELL 100 = 0",
    ])
    expect(matcher.remaining("x1")).toBe(undefined)
    expect(matcher.restore(taker, 7n, 2).map(said)).toEqual([
      "x1 takes 5 at 101 of a1",
      "a1 FILLED left 0",
      "SELL 101 = 0",
      "BUY 101 = 2",
    ])
  })

  it("does not pause an order that its last trade has filled", () => {
    const events = book("NONE", ...asks).submit(order("x1", "BUY", 101, 7), 2)
    expect(events.map(said)).toContain("x1 FILLED left 0")
  })

  it("ends a fill-or-kill order that more orders would have to fill than it may meet", () => {
    const fok = order("x1", "BUY", 101, 8, { timeInForce: "FOK" })
    expect(
      book("NONE", ...asks)
        .submit(fok, 2)
        .map(said),
    ).toEqual(["accepted x1", "x1 FOK_NOT_FILLED left 8"])
    expect(
      book("NONE", ...asks)
        .submit(fok, 3)
        .map(said),
    ).toContain("x1 FILLED left 0")
  })

  it("trades the best price first, the oldest first within it, at the maker's price", () => {
    expect(
      book("NONE", ...asks)
        .submit(order("x1", "BUY", 101, 9))
        .map(said),
    ).toEqual([
      "accepted x1",
      "x1 takes 3 at 100 of b1",
      "b1 FILLED left 0",
      "x1 takes 4 at 100 of c1",
      "c1 FILLED left 0",
      "x1 takes 2 at 101 of a1",
      "x1 FILLED left 0",
      "SELL 100 = 0",
      "SELL 101 = 3",
    ])
  })

  it("rests what a limit order leaves, and never past its price", () => {
    const matcher = book("NONE", ...asks)
    expect(
      matcher
        .submit(order("x1", "BUY", 100, 9))
        .map(said)
        .slice(-2),
    ).toEqual(["SELL 100 = 0", "BUY 100 = 2"])
    expect(matcher.best("SELL")).toEqual({ price: 101n, quantity: 5n })
    expect(matcher.remaining("x1")).toBe(2n)
  })

  it("keeps a partly filled maker at the head of its queue", () => {
    const matcher = book("NONE", ...asks)
    matcher.submit(order("x1", "BUY", 100, 1))
    expect(
      matcher
        .submit(order("y1", "BUY", 100, 3))
        .map(said)
        .slice(1, 4),
    ).toEqual(["y1 takes 2 at 100 of b1", "b1 FILLED left 0", "y1 takes 1 at 100 of c1"])
  })

  it("ends the rest of an IOC order and of a market order", () => {
    const ioc = book("NONE", ...asks).submit(order("x1", "BUY", 100, 9, { timeInForce: "IOC" }))
    expect(ioc.map(said)).toContain("x1 IOC_REMAINDER left 2")
    const market = book("NONE", ...asks).submit(order("x1", "BUY", null, 20))
    expect(market.map(said)).toContain("x1 NO_LIQUIDITY left 8")
    const nobody = new Matcher().submit(order("x1", "SELL", null, 20))
    expect(nobody.map(said)).toEqual(["accepted x1", "x1 NO_LIQUIDITY left 20"])
  })

  it("fills a FOK order whole or not at all", () => {
    const matcher = book("NONE", ...asks)
    const tooMuch = matcher.submit(order("x1", "BUY", 100, 8, { timeInForce: "FOK" }))
    expect(tooMuch.map(said)).toEqual(["accepted x1", "x1 FOK_NOT_FILLED left 8"])
    const whole = matcher.submit(order("x2", "BUY", 100, 7, { timeInForce: "FOK" }))
    expect(whole.map(said)).toContain("x2 FILLED left 0")
  })

  it("refuses a post-only order that would take, and rests another", () => {
    const matcher = book("NONE", ...asks)
    expect(matcher.submit(order("x1", "BUY", 100, 1, { postOnly: true })).map(said)).toEqual(["x1 WOULD_TAKE left 1"])
    expect(matcher.submit(order("x2", "BUY", 99, 1, { postOnly: true })).map(said)).toEqual([
      "accepted x2",
      "BUY 99 = 1",
    ])
  })

  it("cancels what rests, once", () => {
    const matcher = book("NONE", ...asks)
    expect(matcher.cancel("b1").map(said)).toEqual(["b1 CANCELLED left 3", "SELL 100 = 4"])
    expect(matcher.cancel("b1")).toEqual([])
    expect(matcher.cancel("never")).toEqual([])
    expect(matcher.cancel("c1").map(said)).toEqual(["c1 CANCELLED left 4", "SELL 100 = 0"])
    expect(matcher.best("SELL")?.price).toBe(101n)
  })

  it("lets an owner trade with himself only where the policy says so", () => {
    const own = order("b9", "BUY", 101, 9)
    expect(
      book("NONE", ...asks)
        .submit(own)
        .map(said),
    ).toContain("b9 takes 3 at 100 of b1")
    expect(
      book("CANCEL_NEWEST", ...asks)
        .submit(own)
        .map(said),
    ).toEqual(["accepted b9", "b9 SELF_TRADE_PREVENTION left 9"])
    expect(
      book("CANCEL_OLDEST", ...asks)
        .submit(own)
        .map(said)
        .slice(0, 3),
    ).toEqual(["accepted b9", "b1 SELF_TRADE_PREVENTION left 3", "b9 takes 4 at 100 of c1"])
  })

  it("counts an owner's own orders out of what a FOK order can have", () => {
    const fok = order("b9", "BUY", 101, 9, { timeInForce: "FOK" })
    expect(book("NONE", ...asks).fillable(fok)).toBe(9n)
    expect(book("CANCEL_NEWEST", ...asks).fillable(fok)).toBe(0n)
    expect(book("CANCEL_OLDEST", ...asks).fillable({ ...fok, quantity: 12n })).toBe(9n)
  })

  it("restores a queue in its old order, with what was left", () => {
    const matcher = new Matcher()
    matcher.restore(order("a1", "SELL", 100, 5), 2n)
    matcher.restore(order("b1", "SELL", 100, 5), 5n)
    expect(
      matcher
        .submit(order("x1", "BUY", 100, 3))
        .map(said)
        .slice(1, 4),
    ).toEqual(["x1 takes 2 at 100 of a1", "a1 FILLED left 0", "x1 takes 1 at 100 of b1"])
  })

  it("lets restored orders that cross trade again", () => {
    const matcher = new Matcher()
    matcher.restore(order("a1", "SELL", 100, 5), 5n)
    expect(matcher.restore(order("b1", "BUY", 101, 9), 4n).map(said)).toEqual([
      "b1 takes 4 at 100 of a1",
      "b1 FILLED left 0",
      "SELL 100 = 1",
    ])
  })

  it("says what a market order would cost", () => {
    const matcher = book("NONE", ...asks)
    expect(matcher.cost("BUY", 8n)).toBe(801n)
    expect(matcher.cost("BUY", 100n)).toBe(7n * 100n + 5n * 101n)
    expect(matcher.cost("SELL", 1n)).toBe(0n)
  })
})

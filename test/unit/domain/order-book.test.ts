/** The order book's edges: spellings, malformed text, depth. */
import { describe, expect, it } from "vitest"
import { BookSide, deletesLevel, MalformedLevel, OrderBook } from "../../../src/domain/market/order-book.ts"

describe("an order book side", () => {
  it("keeps the venue's own digits", () => {
    const bids = new BookSide("bids")
    bids.set("60000.10000000", "0.50000000")
    expect(bids.top(1)).toEqual([["60000.10000000", "0.50000000"]])
  })

  it("takes two spellings of a price for one level and shows the newest", () => {
    const asks = new BookSide("asks")
    asks.set("1.10", "5")
    expect(asks.set("1.1", "6")).toBe("1.10")
    expect(asks.top(9)).toEqual([["1.1", "6"]])
    expect(asks.set("1.1000", "0.000")).toBe("1.1")
    expect(asks.size).toBe(0)
  })

  it("tells prices apart that are one double", () => {
    const bids = new BookSide("bids")
    bids.set("9007199254740993.1", "1")
    bids.set("9007199254740993.2", "2")
    bids.set("9007199254740993.15", "3")
    expect(bids.top(9).map(([price]) => price)).toEqual([
      "9007199254740993.2",
      "9007199254740993.15",
      "9007199254740993.1",
    ])
  })

  it("keeps thousands of levels", () => {
    const asks = new BookSide("asks")
    for (let i = 5000; i > 0; i--) asks.set(`${i}`, "1")
    expect(asks.size).toBe(5000)
    expect(asks.level(0)).toEqual(["1", "1"])
    expect(asks.level(4999)).toEqual(["5000", "1"])
    expect(asks.level(5000)).toBeUndefined()
  })

  it.each(["", ".", "-1", "+1", "1.2.3", "0x10", "1e", "Infinity", 'a"b', " 1", "1".repeat(100)])(
    "refuses %j as a price and as a quantity",
    (text) => {
      const bids = new BookSide("bids")
      expect(() => bids.set(text, "1")).toThrow(MalformedLevel)
      expect(() => bids.set("1", text)).toThrow(MalformedLevel)
      expect(() => bids.replace([text, "1"])).toThrow(MalformedLevel)
      expect(() => bids.replace(["1", text])).toThrow(MalformedLevel)
      expect(bids.size).toBe(0)
    },
  )

  it.each([
    ["0", true],
    ["0.00000000", true],
    [".0", true],
    ["0e-7", true],
    ["0.0e5", true],
    ["0.00000001", false],
    ["1e-9", false],
    ["10", false],
  ])("knows whether %s deletes", (quantity, deletes) => {
    expect(deletesLevel(quantity)).toBe(deletes)
  })
})

describe("an order book", () => {
  it("is not crossed while a side is empty", () => {
    const book = new OrderBook()
    expect(book.isCrossed()).toBe(false)
    book.bids.set("5", "1")
    expect(book.isCrossed()).toBe(false)
    book.asks.set("5.0", "1")
    expect(book.isCrossed()).toBe(true)
    book.asks.set("5", "0")
    book.asks.set("5.01", "1")
    expect(book.isCrossed()).toBe(false)
  })
})

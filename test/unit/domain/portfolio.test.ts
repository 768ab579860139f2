/** Contract C10 in numbers: snapshots, executions since, and what our own orders hold. */
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import { Portfolio, type SnapshotRow, walkCost } from "../../../src/domain/order/portfolio.ts"

const d = Decimal.of
const row = (available: string, locked: string) => [{ asset: "USDT", available: d(available), locked: d(locked) }]
const shown = (portfolio: Portfolio): string => {
  const { available, locked } = portfolio.of("USDT")
  return `${available} + ${locked}`
}

const see = (
  portfolio: Portfolio,
  rows: ReadonlyArray<SnapshotRow>,
  at: number,
  complete: boolean,
  included: ReadonlyMap<string, Decimal> = new Map(),
) => portfolio.seen({ rows, at, complete, included })

describe("a portfolio", () => {
  it("adds what was executed after the snapshot, not what it contains", () => {
    const portfolio = new Portfolio()
    see(portfolio, row("1000", "0"), 100, true)
    expect(portfolio.executed("USDT", d("-10"), 100)).toBe(false)
    expect(portfolio.executed("USDT", d("-20"), 101)).toBe(true)
    expect(shown(portfolio)).toBe("980 + 0")
    // A snapshot that arrives late, of an instant between the two.
    see(portfolio, row("995", "0"), 100, true)
    expect(shown(portfolio)).toBe("975 + 0")
    see(portfolio, row("970", "0"), 102, true)
    expect(shown(portfolio)).toBe("970 + 0")
  })

  it("is as new as the newest of snapshot, execution and hold, and never of no time", () => {
    const portfolio = new Portfolio()
    const updatedAt = () => portfolio.of("USDT").updatedAt
    see(portfolio, row("1000", "0"), 100, true)
    expect(portfolio.of("BTC").updatedAt).toBe(100)
    portfolio.hold("USDT", d("0"), d("10"), 110)
    expect(updatedAt()).toBe(110)
    portfolio.executed("USDT", d("-4"), 120)
    expect(updatedAt()).toBe(120)
    portfolio.hold("USDT", d("10"), d("6"), 120)
    portfolio.hold("USDT", d("6"), d("0"), 130)
    // By another clock than the venue's the cause may be later: what is shown is the venue's time.
    portfolio.hold("USDT", d("0"), d("6"), 9_999, 130)
    portfolio.hold("USDT", d("6"), d("0"), 9_999, 130)
    expect(updatedAt()).toBe(130)
    // What was answered late says nothing of the time of what came before it.
    see(portfolio, row("996", "0"), 125, true)
    expect(updatedAt()).toBe(130)
    see(portfolio, row("996", "0"), 140, true)
    expect(updatedAt()).toBe(140)
  })

  it("ignores a snapshot older than the known one", () => {
    const portfolio = new Portfolio()
    see(portfolio, row("1000", "0"), 100, true)
    see(portfolio, row("5", "0"), 99, true)
    expect(shown(portfolio)).toBe("1000 + 0")
  })

  it("says when two snapshots of one instant differ, and takes the one that came later", () => {
    const portfolio = new Portfolio()
    expect(see(portfolio, row("1000", "0"), 100, true).isContested).toBe(false)
    expect(see(portfolio, row("1000", "0"), 100, false).isContested).toBe(false)
    expect(see(portfolio, row("900", "100"), 100, false).isContested).toBe(true)
    expect(shown(portfolio)).toBe("900 + 100")
    expect(see(portfolio, row("1000", "0"), 101, false).isContested).toBe(false)
    expect(see(portfolio, row("5", "0"), 99, false).isContested).toBe(false)
  })

  it("takes what it knew when it asked for contained in the answer, whatever the times say", () => {
    const portfolio = new Portfolio()
    see(portfolio, row("1000", "0"), 100, true)
    expect(portfolio.executed("USDT", d("-10"), 3_600_100)).toBe(true)
    const contains = portfolio.moveCount
    expect(portfolio.executed("USDT", d("-20"), 111)).toBe(true)
    portfolio.seen({ rows: row("990", "0"), at: 110, complete: true, included: new Map(), contains })
    expect(shown(portfolio)).toBe("970 + 0")
    see(portfolio, row("970", "0"), 120, false)
    expect(shown(portfolio)).toBe("970 + 0")
  })

  it("locks what foreign orders lock, and what ours hold, once", () => {
    const portfolio = new Portfolio()
    portfolio.hold("USDT", Decimal.ZERO, d("100"), 90)
    see(portfolio, row("850", "150"), 100, true, new Map([["USDT", d("100")]]))
    expect(shown(portfolio)).toBe("850 + 150")
    portfolio.hold("USDT", Decimal.ZERO, d("30"), 101)
    expect(shown(portfolio)).toBe("820 + 180")
    portfolio.hold("USDT", d("100"), Decimal.ZERO, 102)
    expect(shown(portfolio)).toBe("920 + 80")
  })

  it("does not take the hold of an order that ended since for a foreign one", () => {
    const portfolio = new Portfolio()
    portfolio.hold("USDT", Decimal.ZERO, d("100"), 90)
    portfolio.hold("USDT", d("100"), Decimal.ZERO, 105)
    see(portfolio, row("900", "100"), 100, true)
    expect(shown(portfolio)).toBe("1000 + 0")
  })

  it("is never negative", () => {
    const portfolio = new Portfolio()
    see(portfolio, row("10", "0"), 100, true)
    portfolio.hold("USDT", Decimal.ZERO, d("50"), 101)
    expect(shown(portfolio)).toBe("0 + 10")
    portfolio.executed("USDT", d("-50"), 102)
    expect(shown(portfolio)).toBe("0 + 0")
  })

  it("takes what a complete snapshot leaves out for zero, and a partial one for unchanged", () => {
    const portfolio = new Portfolio()
    see(portfolio, row("10", "0"), 100, true)
    see(portfolio, [{ asset: "BTC", available: d("1"), locked: d("0") }], 101, false)
    expect(shown(portfolio)).toBe("10 + 0")
    see(portfolio, [], 102, true)
    expect(shown(portfolio)).toBe("0 + 0")
  })
})

describe("a market order's need", () => {
  it("walks the book, goes on at its last price, and is unknown without one", () => {
    const book = [
      ["100", "1"],
      ["110", "1"],
    ] as const
    expect(walkCost(book, d("1.5"))!.toString()).toBe("155")
    expect(walkCost(book, d("3"))!.toString()).toBe("320")
    expect(walkCost([], d("1"))).toBeUndefined()
    // Known no further: what lies there may cost less or more.
    expect(walkCost(book, d("1.5"), () => true)!.toString()).toBe("155")
    expect(walkCost(book, d("3"), () => true)).toBeUndefined()
  })
})

/** The board of triggers against published numbers: Binance's trailing stop FAQ, Vega's order specification, and our own rules. */
import { describe, expect, it } from "vitest"
import type { MarketListener } from "../../../../src/actors/market/messages.ts"
import { TriggerBoard, type TriggerTerms } from "../../../../src/actors/market/triggers/board.ts"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { stopAt } from "../../../../src/domain/order/trigger-prices.ts"

const BTC = "SIM:BTC/USDT" as InstrumentId
const num = (text: string): Decimal => Decimal.of(text)

const board = () => {
  const listeners = new Set<MarketListener>()
  const triggers = new TriggerBoard((_id, listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  })
  const each = (run: (it: MarketListener) => void): void => {
    for (const it of [...listeners]) run(it)
  }
  const fired: Array<string> = []
  const told: Array<string> = []
  const watch = (name: string, terms: Partial<TriggerTerms>) =>
    triggers.watch(
      {
        instrumentId: BTC,
        orderSide: "SELL",
        source: "LAST_TRADE",
        on: "FALL",
        stopPrice: num("1"),
        trailing: null,
        ...terms,
      },
      {
        fired: (price, { by, isFirst }) => fired.push(`${name} ${price} ${by}${isFirst ? " first" : ""}`),
        moved: () => told.push(`${name} moved`),
        health: (isLive) => told.push(`${name} ${isLive ? "live" : "stale"}`),
        gap: (since) => told.push(`${name} gap ${since}`),
      },
    )
  const trailing = (name: string, on: "RISE" | "FALL", delta: number, from: string) => {
    const highWaterMark = num(from)
    const terms = { delta, amount: null, highWaterMark }
    return watch(name, { on, stopPrice: stopAt(on, terms, highWaterMark), trailing: terms })
  }
  return {
    triggers,
    fired,
    told,
    watch,
    trailing,
    followed: () => listeners.size,
    trade: (...prices: ReadonlyArray<string>) => {
      for (const price of prices) each((it) => it.onTrade?.(price, 0))
    },
    quote: (bid: string | null, ask: string | null) => each((it) => it.onQuote?.(bid, ask)),
    health: (isLive: boolean) => each((it) => it.onHealth?.(isLive)),
    gap: (since: number) => each((it) => it.onGap?.(since)),
  }
}

/** What fires at which price when an order begins to trail at the first of these prices. */
const trailed = (on: "RISE" | "FALL", delta: number, prices: ReadonlyArray<string>) => {
  const it = board()
  it.trailing("order", on, delta, prices[0]!)
  for (const price of prices) {
    it.trade(price)
    if (it.fired.length > 0) return price
  }
  return null
}

/** Trades in steps from one price to the next, both included. */
const series = (...turns: ReadonlyArray<number>): ReadonlyArray<string> => {
  const prices = [`${turns[0]}`]
  for (let i = 1; i < turns.length; i++)
    for (let step = 1; step <= 10; step++) prices.push(`${turns[i - 1]! + ((turns[i]! - turns[i - 1]!) * step) / 10}`)
  return prices
}

describe("a trailing stop", () => {
  // Binance begins to trail at its activation price; ours does at acceptance: from there on the numbers are the same.
  it("fires where Binance's scenarios A to D say", () => {
    expect(trailed("RISE", 500, series(44_000, 45_000, 46_000, 42_000, 44_100))).toBe("44100")
    expect(trailed("FALL", 1_000, series(39_000, 37_000, 41_000, 36_900))).toBe("36900")
    expect(trailed("RISE", 850, series(38_000, 37_000, 39_000, 38_000, 40_145))).toBe("40145")
    expect(trailed("FALL", 750, series(42_000, 45_000, 44_000, 46_500, 43_012.5))).toBe("43012.5")
  })

  it("does not fire a tick before them", () => {
    expect(trailed("RISE", 500, series(44_000, 46_000, 42_000, 44_099.99))).toBeNull()
    expect(trailed("FALL", 1_000, series(39_000, 41_000, 36_900.01))).toBeNull()
    expect(trailed("RISE", 850, series(38_000, 37_000, 40_144.99))).toBeNull()
    expect(trailed("FALL", 750, series(42_000, 46_500, 43_012.51))).toBeNull()
  })

  it("fires at the prices of Vega's 0014-ORDT specification", () => {
    expect(trailed("FALL", 500, ["50", "60", "58"])).toBeNull()
    expect(trailed("FALL", 500, ["50", "60", "58", "57"])).toBe("57")
    expect(trailed("RISE", 500, ["50", "40", "41"])).toBeNull()
    expect(trailed("RISE", 500, ["50", "40", "41", "42"])).toBe("42")
    expect(trailed("FALL", 2_500, ["50", "60", "50", "57", "46"])).toBeNull()
    expect(trailed("FALL", 2_500, ["50", "60", "50", "57", "46", "45"])).toBe("45")
  })

  it("keeps an absolute distance, and moves one way only", () => {
    const it = board()
    const watch = it.watch("order", {
      stopPrice: num("95"),
      trailing: { delta: null, amount: num("5"), highWaterMark: num("100") },
    })
    it.trade("101", "99", "100.5", "104.25", "100")
    expect(watch?.stopPrice().toString()).toBe("99.25")
    expect(watch?.highWaterMark()?.toString()).toBe("104.25")
    expect(it.told).toEqual(["order moved", "order moved"])
    it.trade("99.25")
    expect(it.fired).toEqual(["order 99.25 TRADE"])
  })

  it("keeps a stop that was given nearer to the market than its distance says", () => {
    const it = board()
    const watch = it.watch("order", {
      stopPrice: num("98"),
      trailing: { delta: null, amount: num("5"), highWaterMark: num("100") },
    })
    it.trade("101")
    expect(watch?.stopPrice().toString()).toBe("98")
    it.trade("104")
    expect(watch?.stopPrice().toString()).toBe("99")
  })

  it("follows a price that was missed, and says whether the newest one is beyond it then", () => {
    const it = board()
    const watch = it.trailing("order", "FALL", 500, "100")
    it.trade("97")
    expect(watch?.catchUp(num("101"))).toBe(false)
    expect(watch?.catchUp(num("110"))).toBe(true)
    expect(watch?.stopPrice().toString()).toBe("104.5")
  })
})

describe("a stop", () => {
  it("fires at its price and beyond, on the side that it looks at (0014-ORDT-047, -049)", () => {
    const it = board()
    it.trade("50")
    it.watch("rise 75", { on: "RISE", stopPrice: num("75") })
    it.watch("fall 25", { on: "FALL", stopPrice: num("25") })
    it.trade("74.99", "25.01")
    expect(it.fired).toEqual([])
    it.trade("75", "25")
    expect(it.fired).toEqual(["rise 75 75 TRADE", "fall 25 25 TRADE"])
  })

  it("fires at once where the known price is beyond it (0014-ORDT-048, -050)", () => {
    const it = board()
    it.watch("keeps it open", { on: "FALL", stopPrice: num("1") })
    it.trade("50")
    it.watch("rise 25", { on: "RISE", stopPrice: num("25") })
    it.watch("fall 75", { on: "FALL", stopPrice: num("75") })
    expect(it.fired).toEqual(["rise 25 50 TRADE first", "fall 75 50 TRADE first"])
  })

  it("fires in order of price, then of age", () => {
    const it = board()
    for (const price of ["90", "95", "80", "95", "70"]) it.watch(price, { on: "FALL", stopPrice: num(price) })
    it.watch("rise", { on: "RISE", stopPrice: num("200") })
    it.trade("80")
    expect(it.fired.map((line) => line.split(" ")[0])).toEqual(["95", "95", "90", "80"])
    expect(it.fired[0]).toBe("95 80 TRADE first")
  })

  it("is looked at with the ask for a BUY, the bid for a SELL, or the middle", () => {
    const it = board()
    it.watch("buy", { source: "BID_ASK", orderSide: "BUY", on: "RISE", stopPrice: num("101") })
    it.watch("sell", { source: "BID_ASK", orderSide: "SELL", on: "FALL", stopPrice: num("99") })
    it.watch("mid", { source: "MID", on: "RISE", stopPrice: num("100.75") })
    it.trade("150", "50")
    it.quote("99.5", "100.5")
    expect(it.fired).toEqual([])
    it.quote("99.5", "101")
    it.quote("99", "101")
    it.quote("100", "101.5")
    expect(it.fired).toEqual(["buy 101 QUOTE", "sell 99 QUOTE", "mid 100.75 QUOTE"])
  })

  it("on a mark price is not taken: no venue tells one", () => {
    const it = board()
    expect(it.watch("mark", { source: "MARK" })).toBeUndefined()
    expect([it.followed(), it.triggers.size]).toEqual([0, 0])
  })

  it("that is called off does not fire, not even in the same moment", () => {
    const it = board()
    const second = it.watch("second", { stopPrice: num("90") })
    it.triggers.watch(
      {
        instrumentId: BTC,
        orderSide: "SELL",
        source: "LAST_TRADE",
        on: "FALL",
        stopPrice: num("95"),
        trailing: null,
      },
      {
        fired: () => second?.callOff(),
        moved: () => undefined,
        health: () => undefined,
        gap: () => undefined,
      },
    )
    it.trade("80")
    expect(it.fired).toEqual([])
    expect([it.followed(), it.triggers.size]).toEqual([0, 0])
  })

  it("hears of silence and gaps; a price from before them fires nothing", () => {
    const it = board()
    it.watch("old", { stopPrice: num("1") })
    it.trade("50")
    it.health(false)
    it.watch("late", { stopPrice: num("60") })
    expect(it.fired).toEqual([])
    it.health(true)
    it.gap(7)
    it.trade("60")
    expect(it.told).toEqual(["old stale", "late stale", "old live", "late live", "old gap 7", "late gap 7"])
    expect(it.fired).toEqual(["late 60 TRADE first"])
  })
})

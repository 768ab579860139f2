/** What lies in the hole of a trade stream, and what may be told of it. */
import { describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../../../src/domain/ids.ts"
import type { MarketTrade } from "../../../../../src/ports/market-source.ts"
import { TradeIds } from "../../../../../src/venues/trade-ids.ts"
import { MissedTrades, tradesBetween } from "../../../../../src/venues/worker/feed/trades.ts"

const trade = (id: number, at = id): MarketTrade => ({
  instrumentId: "BINANCE:BTC/USDT" as InstrumentId,
  externalTradeId: String(id),
  price: "1",
  quantity: "1",
  side: "BUY",
  at,
})

const trades = (...ids: ReadonlyArray<number>): ReadonlyArray<MarketTrade> => ids.map((id) => trade(id))
const idsOf = (of: ReadonlyArray<MarketTrade> | undefined): ReadonlyArray<number> | undefined =>
  of?.map(({ externalTradeId }) => Number(externalTradeId))

const setUp = ({
  last = null,
  isAsked = true,
}: {
  readonly last?: MarketTrade | null
  readonly isAsked?: boolean
} = {}) => {
  const told: Array<number> = []
  const holes: Array<string> = []
  const questions: Array<{
    readonly answer: (history: ReadonlyArray<MarketTrade>) => void
    readonly fail: () => void
  }> = []
  const seen = new TradeIds()
  const history = () =>
    new Promise<ReadonlyArray<MarketTrade>>((resolve, reject) => {
      questions.push({ answer: resolve, fail: () => reject(new Error("away")) })
    })
  const missed = new MissedTrades({
    last,
    history: isAsked ? history : undefined,
    isNew: ({ externalTradeId }) => seen.take(externalTradeId, "") !== undefined,
    tell: (of) => void told.push(...of.map(({ externalTradeId }) => Number(externalTradeId))),
    notFound: (after, before) => void holes.push(`${after.externalTradeId}..${before.externalTradeId}`),
  })
  const question = async (nth: number) => {
    for (;;) {
      const asked = questions[nth]
      if (asked !== undefined) return asked
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  const untilTold = async (count: number) => {
    while (told.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { missed, told, holes, questions, question, untilTold }
}

describe("what lies between two trades of a history", () => {
  it("is in the order of time, then of ids as numbers", () => {
    const history = [trade(8, 1), trade(11, 3), trade(10, 2), trade(9, 2), trade(12, 4)]
    expect(idsOf(tradesBetween(history, trade(8), trade(12)))).toEqual([9, 10, 11])
  })

  it("is nothing where they are neighbours, and unknown where the history lacks one of them", () => {
    expect(tradesBetween(trades(1, 2), trade(1), trade(2))).toEqual([])
    expect(tradesBetween(trades(2, 3), trade(1), trade(3))).toBeUndefined()
    expect(tradesBetween(trades(1, 2), trade(1), trade(3))).toBeUndefined()
  })
})

describe("trades behind a hole", () => {
  it("wait for the history, and so do those behind them", async () => {
    const { missed, told, questions, question, untilTold } = setUp()
    missed.take(trades(1, 2), true)
    expect(told).toEqual([1, 2])
    expect(questions).toEqual([])
    missed.take(trades(6), true)
    missed.take(trades(7), false)
    expect(told).toEqual([1, 2])
    const { answer } = await question(0)
    answer(trades(1, 2, 3, 4, 5, 6, 7, 8))
    await untilTold(7)
    expect(told).toEqual([1, 2, 3, 4, 5, 6, 7])
    missed.take(trades(8), false)
    expect(told.at(-1)).toBe(8)
  })

  it("are asked for again while the history is behind or away, and a second hole has a question of its own", async () => {
    const { missed, told, holes, question, untilTold } = setUp()
    missed.take(trades(1), false)
    missed.take(trades(3), true)
    missed.take(trades(5), true)
    const first = await question(0)
    first.answer(trades(1, 2))
    const second = await question(1)
    second.answer(trades(1, 2, 3))
    const third = await question(2)
    third.fail()
    const fourth = await question(3)
    fourth.answer(trades(3, 4, 5))
    await untilTold(5)
    expect(told).toEqual([1, 2, 3, 4, 5])
    expect(holes).toEqual([])
  })

  it("are told without the missed ones when no history names both ends, and the hole is noticed", async () => {
    const { missed, told, holes, question, untilTold } = setUp()
    missed.take(trades(1), false)
    missed.take(trades(9), true)
    for (let nth = 0; nth < 3; nth++) {
      const { answer } = await question(nth)
      answer(trades(4, 5, 9))
    }
    await untilTold(2)
    expect(told).toEqual([1, 9])
    expect(holes).toEqual(["1..9"])
  })

  it("are known for such where a worker of before has told trades", async () => {
    const { missed, told, question, untilTold } = setUp({ last: trade(1) })
    missed.take(trades(4), true)
    const { answer } = await question(0)
    answer(trades(1, 2, 3, 4))
    await untilTold(3)
    expect(told).toEqual([2, 3, 4])
  })

  it("wait for nothing where the venue has no history, and the hole is noticed", async () => {
    const { missed, told, holes, untilTold } = setUp({ isAsked: false })
    missed.take(trades(1), true)
    expect(holes).toEqual([])
    missed.take(trades(9), true)
    await untilTold(2)
    expect([told, holes]).toEqual([[1, 9], ["1..9"]])
  })
})

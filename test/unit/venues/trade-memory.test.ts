/** What the main thread remembers of the trades that readers were told. */
import { describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { MarketTrade } from "../../../src/ports/market-source.ts"
import { TradeMemory } from "../../../src/venues/trade-ids.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId
const ETH = "BINANCE:ETH/USDT" as InstrumentId

const trades = (instrumentId: InstrumentId, ...ids: ReadonlyArray<number>): ReadonlyArray<MarketTrade> =>
  ids.map((id) => ({ instrumentId, externalTradeId: String(id), price: "1", quantity: "1", side: "BUY", at: id }))

describe("the memory of trades", () => {
  it("lets each through once, and says where a stream goes on", () => {
    const memory = new TradeMemory()
    expect(memory.recall(BTC)).toBeNull()
    expect(memory.take(trades(BTC, 1, 2))).toEqual(trades(BTC, 1, 2))
    expect(memory.take(trades(BTC, 2, 3))).toEqual(trades(BTC, 3))
    expect(memory.take(trades(BTC, 1))).toEqual([])
    expect(memory.recall(BTC)).toEqual({ last: trades(BTC, 3)[0], ids: ["1", "2", "3"] })
  })

  it("is of each instrument its own, until it is forgotten", () => {
    const memory = new TradeMemory()
    memory.take(trades(BTC, 1))
    expect(memory.take(trades(ETH, 1))).toEqual(trades(ETH, 1))
    memory.forget(BTC)
    expect([memory.recall(BTC), memory.recall(ETH)?.ids]).toEqual([null, ["1"]])
  })
})

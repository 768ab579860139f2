/** The reader and the judge of recorded captures: what they must not overlook. */
import { describe, expect, it } from "vitest"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import type { DepthUpdate, MarketTrade } from "../../../src/ports/market-source.ts"
import { type Heard, judge, type Told } from "../../exchanges/cryptofeed/judge.ts"
import { at, listAt, readSpelled, textAt } from "../../exchanges/cryptofeed/spelled-json.ts"

const instrumentId = "BITFINEX:BTC/USD" as InstrumentId

const told: Told = {
  instrument: { instrumentId, bookStream: "book", tradeStream: "trades" },
  books: [
    { isSnapshot: true, bids: [["1.10", "5.00"]], asks: [["1.20", "7"]] },
    { isSnapshot: false, bids: [["1.10", "0.00"]], asks: [] },
    { isSnapshot: false, bids: [], asks: [] },
    { isSnapshot: false, bids: [["2e-8", "4.0"]], asks: [] },
  ],
  trades: [
    { id: "7", price: "1.10", quantity: "0.50" },
    { id: "7", price: "1.10", quantity: "0.50" },
  ],
}

const update = (snapshot: boolean, bids: ReadonlyArray<string>, asks: ReadonlyArray<string> = []): DepthUpdate => ({
  instrumentId,
  snapshot,
  bids,
  asks,
  sequence: 0,
  nonce: null,
  venueAt: null,
  receivedAt: 0,
})

const trade = (price: string, quantity = "0.50"): MarketTrade => ({
  instrumentId,
  externalTradeId: "7",
  price,
  quantity,
  side: "BUY",
  at: 0,
})

const right: Heard = {
  updates: [
    update(true, ["1.10", "5.00"], ["1.20", "7"]),
    update(false, ["1.10", "0"]),
    update(false, ["0.00000002", "4.0"]),
  ],
  trades: [trade("1.10")],
}

describe("the judge of a replayed capture", () => {
  it("finds nothing where every frame is an update with the same levels and digits", () => {
    expect(judge(told, right)).toMatchObject({
      frames: 4,
      empty: 1,
      updates: 3,
      lost: 0,
      apart: 0,
      tradesIn: 1,
      tradesOut: 1,
      tradesLost: 0,
      tokens: 10,
      changed: 0,
    })
  })

  it.each<[string, Partial<Heard>, object]>([
    ["a frame without an update", { updates: right.updates.slice(0, 2) }, { lost: 1, apart: 1 }],
    ["an update without a frame", { updates: [...right.updates, update(false, ["3", "1"])] }, { lost: 1, apart: 1 }],
    [
      "two frames in one update",
      { updates: [right.updates[0]!, update(false, ["1.10", "0", "0.00000002", "4.0"])] },
      { lost: 2, apart: 0 },
    ],
    [
      "a digit less in a quantity",
      { updates: [...right.updates.slice(0, 2), update(false, ["0.00000002", "4"])] },
      { lost: 0, changed: 1, apart: 1 },
    ],
    [
      "another quantity",
      { updates: [...right.updates.slice(0, 2), update(false, ["0.00000002", "4.1"])] },
      { lost: 1, apart: 1 },
    ],
    ["a trade that did not come out", { trades: [] }, { tradesLost: 1 }],
    ["a trade that came out twice", { trades: [trade("1.10"), trade("1.10")] }, { tradesLost: 1 }],
    ["a trade of another quantity", { trades: [trade("1.10", "0.51")] }, { tradesLost: 1 }],
    ["a digit less in a trade", { trades: [trade("1.1")] }, { tradesLost: 0, changed: 1 }],
  ])("finds %s", (_, wrong, found) => {
    expect(judge(told, { ...right, ...wrong })).toMatchObject(found)
  })
})

describe("JSON as it is spelled", () => {
  it("keeps every digit of a number, and all else as JSON says", () => {
    const json = '{"a":[4714.0, -1e-8,"x\\"1,2", [], {}],"b":{"c":null,"d":true},"e":19203.444049780002}'
    const read = readSpelled(json)
    expect(listAt(read, "a")).toEqual(["4714.0", "-1e-8", 'x"1,2', [], {}])
    expect([at(read, "b", "c"), at(read, "b", "d"), textAt(read, "e")]).toEqual([null, true, "19203.444049780002"])
    expect([textAt(read, "missing"), listAt(read, "b"), at(read, "a", 9)]).toEqual(["", [], undefined])
  })

  it.each(["{", "[1,]", '{"a" 1}', "nul", '"x', "1 2"])("refuses %s", (json) => {
    expect(() => readSpelled(json)).toThrow("not JSON")
  })
})

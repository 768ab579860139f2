/** When Coinbase has heard that a stream is over, by its lists of what it sends, in each order in which they can come. */
import { describe, expect, it } from "vitest"
import { coinbase } from "../../../../src/venues/adapters/coinbase/adapter.ts"
import type { CcxtMarket, CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"

const market = (base: string) => ({ id: `${base}-USD`, symbol: `${base}/USD` }) as CcxtMarket
const list = (...ids: ReadonlyArray<string>) => ({
  channel: "subscriptions",
  sequence_num: 1,
  events: [{ subscriptions: ids.length === 0 ? {} : { level2: ids.map((base) => `${base}-USD`) } }],
})

const line = () => {
  const { leaving } = coinbase
  if (leaving === undefined) throw new Error("it has no words to leave with")
  const socket = {} as CcxtSocket
  return {
    hears: (message: unknown) => leaving.hear?.(socket, message),
    leaves: (base: string) => {
      const leave = leaving.leave({ stream: "book", market: market(base), socket, request: () => 1 })
      if (leave === null || leave === "LATER") throw new Error("it cannot be left")
      return (message: unknown) => {
        const isHeard = leave.isHeard?.(message)
        leaving.hear?.(socket, message)
        return isHeard
      }
    },
  }
}

describe("the end of a book at Coinbase", () => {
  it("is heard with the first list that has it no more", () => {
    const { hears, leaves } = line()
    hears(list("BTC"))
    hears(list("BTC", "WBTC"))
    const isHeard = leaves("BTC")
    expect([list("BTC", "WBTC", "ETH"), list("WBTC", "ETH")].map(isHeard)).toEqual([false, true])
  })

  it("is not heard with the answer to what was asked before the book was", () => {
    const { hears, leaves } = line()
    hears(list("ETH"))
    // Asked for in this order: SOL, BTC, the end of BTC.
    const isHeard = leaves("BTC")
    expect([list("ETH", "SOL"), list("ETH", "SOL", "BTC"), list("ETH", "SOL")].map(isHeard)).toEqual([
      false,
      false,
      true,
    ])
  })

  it("is heard once for each time that it was asked for", () => {
    const { hears, leaves } = line()
    hears(list("BTC"))
    const first = leaves("BTC")
    expect(first(list())).toBe(true)
    const second = leaves("BTC")
    expect([list(), list("BTC"), list()].map(second)).toEqual([false, false, true])
  })
})

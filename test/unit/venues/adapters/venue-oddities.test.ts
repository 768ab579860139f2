/** What venues say that cannot be so, on a real ccxt instance: times that are none, exponents, signs, and numbers that are read twice. */
import { describe, expect, it } from "vitest"
import type { InstrumentId, VenueId } from "../../../../src/domain/ids.ts"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import { TradeIds } from "../../../../src/venues/trade-ids.ts"
import type { CcxtExchange, CcxtOrder, CcxtTicker, CcxtTrade } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { venueInstant } from "../../../../src/venues/worker/exchange/instants.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { Digits } from "../../../../src/venues/worker/feed/digits.ts"
import { tickerRow, tradeRows } from "../../../../src/venues/worker/feed/market-rows.ts"
import { fill, orderState } from "../../../../src/venues/worker/session/normalise.ts"
import { unproven } from "../../../kit/worlds/unproven-venue.ts"

const PROFILE = unproven("CRYPTOCOM", "cryptocom")
const INSTRUMENT = "CRYPTOCOM:BTC/USD" as InstrumentId
const VENUE = "CRYPTOCOM" as VenueId
const RECEIVED_AT = 1_700_000_000_000
const AT = 1_687_403_045_415

const started = async (): Promise<{ readonly exchange: CcxtExchange; readonly digits: Digits }> => {
  const exchange = publicInstance(await loadExchange(PROFILE.exchange), { profile: PROFILE, routes: {}, proxy: null })
  const digits = new Digits()
  digits.install(exchange)
  digits.frameStarts()
  return { exchange, digits }
}

describe("a venue's time", () => {
  it.each([
    [AT, AT],
    [AT + 0.75, AT],
    [0, null],
    [-1, null],
    [Math.floor(AT / 1000), null],
    [AT * 1000, null],
    [Number.NaN, null],
    [undefined, null],
    [null, null],
  ])("of %s is %s", (said, at) => {
    expect(venueInstant(said)).toBe(at)
  })

  it("is that of the arrival where a trade or a ticker has none", async () => {
    const { exchange, digits } = await started()
    const trade = exchange.safeTrade({ id: "1", price: "5.10", amount: "2", timestamp: 0 })
    const [row] = tradeRows(INSTRUMENT, [trade], digits, new TradeIds(), RECEIVED_AT)
    expect(row).toMatchObject({ price: "5.10", quantity: "2", at: RECEIVED_AT })
    const ticker = exchange.safeTicker({ last: "5.10", timestamp: 1_416_561_032 })
    expect(tickerRow(INSTRUMENT, ticker, digits, null, RECEIVED_AT).at).toBe(RECEIVED_AT)
  })

  it("is no bar's where it is none", async () => {
    const { digits } = await started()
    expect(digits.bar([1_621_162_800, 5, 6, 4, 5, 1])).toBeNull()
    expect(digits.bar([1_621_162_800_000, 5, 6, 4, 5, 1])).toMatchObject({ openAt: 1_621_162_800_000 })
  })

  it("is not known of an order that says 0, so that it is not older than all others", () => {
    const order = { id: "1", symbol: "BTC/USD", side: "buy", type: "limit", price: "5", amount: "1", status: "open" }
    const times = { timestamp: AT, lastUpdateTimestamp: undefined, lastTradeTimestamp: 0 }
    const profile = { ...PROFILE, orderTimes: { created: "timestamp", updated: "lastTradeTimestamp" } }
    const state = orderState(profile, { ...order, ...times } as CcxtOrder, adapterOf(profile))
    expect(state).toMatchObject({ createdAt: AT, updatedAt: null })
  })

  it("of a fill that has none is the one it came with", () => {
    const trade = { id: "1", order: "2", symbol: "BTC/USD", side: "buy", price: "5", amount: "1", timestamp: undefined }
    const found = fill(VENUE, trade as CcxtTrade, { clientId: null, at: AT })
    expect(found?.executedAt).toBe(AT)
  })
})

describe("a venue's digits", () => {
  it("are those that were read first, when ccxt reads its own number once more", async () => {
    const { exchange, digits } = await started()
    const raw = { k: "30447.660", b: "30442.00", bs: "13.210" }
    const ticker = exchange.safeTicker({
      last: exchange.safeNumber(raw, "k"),
      bid: exchange.safeNumber(raw, "b"),
      bidVolume: exchange.safeNumber(raw, "bs"),
    })
    const row = tickerRow(INSTRUMENT, ticker, digits, null, RECEIVED_AT)
    expect(row).toMatchObject({ lastPrice: "30447.660", bidPrice: "30442.00", bidQuantity: "13.210", askPrice: null })
  })

  it("have no exponent", async () => {
    const { exchange, digits } = await started()
    const trade = exchange.safeTrade({ id: "1", price: "1e-7", amount: "2.50e3", timestamp: AT })
    const [row] = tradeRows(INSTRUMENT, [trade], digits, new TradeIds(), RECEIVED_AT)
    expect(row).toMatchObject({ price: "0.0000001", quantity: "2500" })
  })

  it("with a sign are no amount", async () => {
    const { digits } = await started()
    const ticker = { last: "5", bid: "4", bidVolume: "12", ask: "6", askVolume: "-14", timestamp: AT, info: {} }
    const row = tickerRow(INSTRUMENT, { symbol: "BTC/USD", ...ticker } as CcxtTicker, digits, null, RECEIVED_AT)
    expect(row).toMatchObject({ bidQuantity: "12", askPrice: "6", askQuantity: null })
  })
})

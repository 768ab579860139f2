/** What the actors really publish is what the AsyncAPI document says: each publication is exactly one message of its channel. */
import { describe, expect, it } from "vitest"
import { BookLost, BookPublisher } from "../../../src/actors/market/order-book.ts"
import { TickerBoard } from "../../../src/actors/market/ticker-board.ts"
import { TradeTape } from "../../../src/actors/market/trade-tape.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, VenueId } from "../../../src/domain/ids.ts"
import { parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"
import type { Publication } from "../../../src/ports/channel-port.ts"
import type { EntryChange } from "../../../src/ws/maps/entries.ts"
import { bookChanges, orderChanges, positionChanges } from "../../../src/ws/maps/maps.ts"
import { asyncDocument, judge } from "../../kit/rules/asyncapi.ts"
import { simulate } from "../../sim/simulation.ts"
import { okOf, World } from "../../sim/world.ts"

const BTC = "MOCK:BTC/USDT" as InstrumentId
const document = asyncDocument()
const judged = judge(document)

const recorder = () => {
  const published: Array<Publication> = []
  return {
    published,
    port: {
      publish: (publication: Publication) => void published.push(publication),
      isHeard: () => true,
      invalidate: () => undefined,
      terminate: () => undefined,
      attach: () => undefined,
    },
  }
}

/** The message that each publication is, in order. */
const messagesOf = (published: ReadonlyArray<Publication>): ReadonlyArray<string | undefined> =>
  published.map(({ kind, json, tags = {} }) => {
    const record = JSON.parse(json)
    expect(document.channels[kind]?.["x-tags"] ?? []).toEqual(expect.arrayContaining(Object.keys(tags)))
    const names = judged.accepted(kind, record)
    expect(names, `${json}\n${judged.faults(kind, record).join("\n")}`).toHaveLength(1)
    return names[0]
  })

/** The message that each entry of a map is, in order; removals have none. */
const entriesOf = (channel: string, changes: ReadonlyArray<EntryChange>): ReadonlyArray<string> =>
  changes.flatMap(({ json, tags = {} }) => {
    expect(document.channels[channel]?.["x-tags"] ?? []).toEqual(expect.arrayContaining(Object.keys(tags)))
    if (json === null) return []
    const names = judged.accepted(channel, JSON.parse(json))
    expect(names, `${json}\n${judged.faults(channel, JSON.parse(json)).join("\n")}`).toHaveLength(1)
    return names
  })

/** Kinds of an account's events, after each was found to be the message of its kind. */
const ownKinds = (published: ReadonlyArray<Publication>): ReadonlyArray<string> => {
  const kinds = published.map(({ json }) => String(JSON.parse(json).kind))
  expect(messagesOf(published)).toEqual(kinds)
  return kinds
}

describe("publications", () => {
  it("of an order book", () => {
    const { published, port } = recorder()
    const name = parseInstrumentId(BTC)
    if (name === undefined) throw new Error(BTC)
    const book = new BookPublisher({ instrumentId: BTC, name, channels: port, newEpoch: () => "epoch" })
    const update = { instrumentId: BTC, nonce: null, venueAt: null, receivedAt: 1000 }
    book.onDepth({ ...update, snapshot: true, sequence: 1, bids: ["100.10", "1"], asks: ["101", "2", "102", "3"] })
    book.onDepth({ ...update, snapshot: false, sequence: 2, bids: ["100.10", "0"], asks: ["101.0", "5"] })
    book.markStale()
    expect(() => book.onDepth({ ...update, snapshot: false, sequence: 9, bids: [], asks: [] })).toThrow(BookLost)
    book.onDepth({ ...update, snapshot: true, sequence: 20, bids: [], asks: [] })
    expect(() =>
      book.onDepth({ ...update, snapshot: false, sequence: 21, bids: ["5", "1"], asks: ["4", "1"] }),
    ).toThrow(BookLost)
    expect(messagesOf(published)).toEqual([
      "OrderBook.SNAPSHOT",
      "OrderBook.DIFF",
      "OrderBook.DIFF",
      "OrderBook.SNAPSHOT",
      "OrderBook.SNAPSHOT",
    ])
    expect(judged.accepted("orderbook", JSON.parse(book.snapshotJson(10)))).toEqual(["OrderBook.SNAPSHOT"])
    const [snapshot, diff, stale] = published.map(({ json }) => entriesOf("orderbookMap", bookChanges(json).changes))
    expect(snapshot).toEqual(["OrderBook.LEVEL", "OrderBook.LEVEL", "OrderBook.LEVEL", "OrderBook.STATE"])
    expect(diff).toEqual(["OrderBook.LEVEL", "OrderBook.STATE"])
    expect(stale).toEqual(["OrderBook.STATE"])
  })

  it("of tickers, of one instrument and of the venue", () => {
    const { published, port } = recorder()
    const board = new TickerBoard({
      venue: "MOCK" as VenueId,
      channels: port,
      tenantOf: () => null,
      clock: { now: () => 0, monotonic: () => 0 },
      after: () => undefined,
      newEpoch: () => "epoch",
    })
    const record = { instrumentId: BTC, venue: "MOCK", symbol: "BTC/USDT", timestamp: 1000 } as const
    const unknown = { bidPrice: null, bidQuantity: null, askPrice: null, askQuantity: null }
    board.update(BTC, { ...record, ...unknown, lastPrice: "100.10", lastQuantity: null })
    expect(messagesOf(published)).toEqual(["Ticker", "VenueTicker"])
  })

  it("of trades", () => {
    const { published, port } = recorder()
    const name = parseInstrumentId(BTC)
    if (name === undefined) throw new Error(BTC)
    const tape = new TradeTape({ instrumentId: BTC, name, channels: port, newEpoch: () => "epoch" })
    for (const side of ["BUY", "SELL", "UNKNOWN"] as const)
      tape.publish({ instrumentId: BTC, externalTradeId: side, price: "100.10", quantity: "1", side, at: 1000 })
    expect(messagesOf(published)).toEqual(["Trade", "Trade", "Trade"])
  })

  it("of accounts in seeded lives: the message is the event's kind", () => {
    const seen = new Set<string>()
    const entries = new Set<string>()
    for (let seed = 1; seed <= 3; seed++) {
      const { published, violations } = simulate(seed)
      expect(violations).toEqual([])
      for (const kind of ownKinds(published)) seen.add(kind)
      for (const { json } of published) {
        for (const name of entriesOf("accountOrders", orderChanges(json))) entries.add(name)
        for (const name of entriesOf("accountPositions", positionChanges(json))) entries.add(name)
      }
    }
    expect([...entries].sort()).toEqual(["OpenOrder", "Position"])
    for (const kind of [
      "TRADE_ORDER.CREATED",
      "TRADE_ORDER.PARTIALLY_FILLED",
      "TRADE_ORDER.FILLED",
      "TRADE_ORDER.CANCELLED",
      "TRADE_ORDER.REJECTED",
      "TRADE_ORDER.PENDING_CANCEL",
      "TRADE_ORDER.UNKNOWN",
      "EXECUTION.CREATED",
      "PORTFOLIO.UPDATED",
      "TRADING_ACCOUNT.UPDATED",
      "TRADING_ACCOUNT.RECONCILED",
    ])
      expect(seen).toContain(kind)
  })

  it("of an account whose venue executes what it had cancelled, and takes what it had lost", () => {
    const world = new World()
    world.start()
    world.advance(1_000)
    const placed = () => {
      const asked = world.submit()
      world.advance(100)
      return okOf(asked).order
    }
    const sim = world.venue.find(placed())
    if (sim === undefined) throw new Error("the venue does not know the order")
    world.venue.end(sim, "CANCELLED")
    world.advance(100)
    world.venue.fill(sim, Decimal.of("0.3"))
    world.advance(100)
    world.venue.fates.submit = () => "lostBefore"
    const lost = placed()
    world.advance(75_000)
    world.venue.place(
      {
        instrumentId: lost.instrumentId,
        orderSide: lost.orderSide,
        orderType: "LIMIT",
        timeInForce: lost.timeInForce,
        quantity: "1",
        limitPrice: "100",
      },
      lost.tradeOrderId,
    )
    world.advance(1_000)
    expect(ownKinds(world.published)).toEqual(
      expect.arrayContaining(["TRADE_ORDER.LATE_FILL", "TRADING_ACCOUNT.ALERT"]),
    )
  })
})

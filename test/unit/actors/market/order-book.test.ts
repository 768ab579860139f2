/** The order book actor alone: what it publishes for each kind of update, and what it refuses to believe. */
import { describe, expect, it } from "vitest"
import { BookLost, BookPublisher } from "../../../../src/actors/market/order-book.ts"
import { bookChannel } from "../../../../src/domain/channel.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import { parseInstrumentId } from "../../../../src/domain/instrument/instrument.ts"
import type { Publication, StreamPosition } from "../../../../src/ports/channel-port.ts"
import type { DepthUpdate } from "../../../../src/ports/market-source.ts"

const BTC = "BINANCE:BTC/USDT" as InstrumentId

const depth = (sequence: number, bids: ReadonlyArray<string>, asks: ReadonlyArray<string>): DepthUpdate => ({
  instrumentId: BTC,
  snapshot: false,
  bids,
  asks,
  sequence,
  nonce: null,
  venueAt: null,
  receivedAt: 1000 + sequence,
})
const snapshot = (sequence: number, bids: ReadonlyArray<string>, asks: ReadonlyArray<string>): DepthUpdate => ({
  ...depth(sequence, bids, asks),
  snapshot: true,
  venueAt: 5000 + sequence,
})

const listened = (heard = true) => {
  const published: Array<Publication> = []
  let epochs = 0
  const actor = new BookPublisher({
    instrumentId: BTC,
    name: parseInstrumentId(BTC)!,
    channels: {
      publish: (publication) => void published.push(publication),
      isHeard: (channel) => heard && channel === bookChannel(BTC),
      invalidate: () => undefined,
      terminate: () => undefined,
      attach: () => undefined,
    },
    newEpoch: () => `epoch${++epochs}`,
  })
  const records = () => published.map((publication) => JSON.parse(publication.json))
  return { actor, published, records }
}

describe("an order book actor", () => {
  it("publishes a snapshot as the whole record of the specification", () => {
    const { actor, published } = listened()
    actor.onDepth(snapshot(7, ["100.10", "1.0", "100.2", "2"], ["101.00", "3", "100.90", "4"]))
    expect(published).toEqual([
      {
        channel: "market:orderbook:BINANCE:BTC/USDT",
        kind: "orderbook",
        epoch: "epoch1",
        offset: 1,
        json: '{"updateType":"SNAPSHOT","instrumentId":"BINANCE:BTC/USDT","venue":"BINANCE","symbol":"BTC/USDT","orderBookType":"L2","columns":["price","quantity","orderCount"],"bids":[["100.2","2",""],["100.10","1.0",""]],"asks":[["100.90","4",""],["101.00","3",""]],"timestamp":5007,"sequence":1,"previousSequence":null,"quality":"SYNCED"}',
      },
    ])
  })

  it("publishes changed levels with the venue's digits, deletes as 0, and the gateway's time where the venue gives none", () => {
    const { actor, records } = listened()
    actor.onDepth(snapshot(7, ["100.10", "1.0"], ["101.00", "3"]))
    actor.onDepth(depth(8, ["100.10", "0.00000000", "99.5", "7.10"], ["101.00", "3.50"]))
    expect(records()[1]).toMatchObject({
      updateType: "DIFF",
      bids: [
        ["100.10", "0", ""],
        ["99.5", "7.10", ""],
      ],
      asks: [["101.00", "3.50", ""]],
      timestamp: 1008,
      sequence: 2,
      previousSequence: 1,
      quality: "SYNCED",
    })
    expect(actor.top("bids", 5)).toEqual([["99.5", "7.10"]])
  })

  it("deletes a price under the spelling that readers know before it shows the new one", () => {
    const { actor, records } = listened()
    actor.onDepth(snapshot(1, ["100.10", "1"], []))
    actor.onDepth(depth(2, ["100.1", "2"], []))
    actor.onDepth(depth(3, ["100.100", "0"], []))
    expect(records()[1].bids).toEqual([
      ["100.10", "0", ""],
      ["100.1", "2", ""],
    ])
    expect(records()[2].bids).toEqual([["100.1", "0", ""]])
  })

  it("loses its place at a hole, at a repeat and at a step back, and keeps what was last known until a snapshot", () => {
    for (const sequence of [9, 7, 6]) {
      const { actor, records } = listened()
      actor.onDepth(snapshot(7, ["100", "1"], ["101", "1"]))
      expect(() => actor.onDepth(depth(sequence, ["100", "5"], []))).toThrow(BookLost)
      expect(records()[1]).toMatchObject({ updateType: "DIFF", bids: [], asks: [], quality: "RESYNCING", sequence: 2 })
      actor.onDepth(depth(8, ["100", "6"], []))
      expect(records().length).toBe(2)
      expect(actor.top("bids", 1)).toEqual([])
      expect(JSON.parse(actor.position().snapshot!)).toMatchObject({ bids: [["100", "1", ""]], quality: "RESYNCING" })
      actor.onDepth(snapshot(20, ["100", "6"], ["101", "1"]))
      actor.onDepth(depth(21, ["100", "7"], []))
      expect(records().map((record) => record.quality)).toEqual(["SYNCED", "RESYNCING", "SYNCED", "SYNCED"])
      expect(actor.top("bids", 1)).toEqual([["100", "7"]])
    }
  })

  it("never publishes a crossed book: its levels are withdrawn and it is lost", () => {
    const { actor, published, records } = listened()
    actor.onDepth(snapshot(1, ["100", "1"], ["101", "1"]))
    expect(() => actor.onDepth(depth(2, ["101.0", "1"], []))).toThrow(BookLost)
    expect(records()[1]).toMatchObject({ updateType: "SNAPSHOT", bids: [], asks: [], quality: "RESYNCING" })
    expect(published.some(({ json }) => json.includes("101.0"))).toBe(false)
    expect(() => actor.onDepth(snapshot(5, ["102", "1"], ["101", "1"]))).toThrow(BookLost)
    expect(records().every((record) => record.quality !== "SYNCED" || record.sequence === 1)).toBe(true)
  })

  it("does not believe levels that are no decimals", () => {
    const { actor, records } = listened()
    actor.onDepth(snapshot(1, ["100", "1"], ["101", "1"]))
    expect(() => actor.onDepth(depth(2, ["100", '1","2'], []))).toThrow(BookLost)
    expect(records()[1]).toMatchObject({ bids: [], asks: [], quality: "RESYNCING" })
  })

  it("says nothing of a book that was never there", () => {
    const { actor, published } = listened()
    actor.onDepth(depth(3, ["100", "1"], []))
    actor.lose()
    actor.markStale()
    expect(() => actor.onDepth(snapshot(5, ["102", "1"], ["101", "1"]))).toThrow(BookLost)
    expect(published).toEqual([])
    expect(actor.position()).toEqual({ epoch: "epoch1", offset: 0, snapshot: null } satisfies StreamPosition)
  })

  it("counts what nobody heard, and opens a new epoch for the next listener", () => {
    const { actor, published } = listened(false)
    actor.onDepth(snapshot(1, ["100", "1"], []))
    actor.onDepth(depth(2, ["100", "2"], []))
    expect(published).toEqual([])
    actor.opened()
    expect(actor.position()).toMatchObject({ epoch: "epoch2", offset: 2 })
    actor.opened()
    expect(actor.position().epoch).toBe("epoch2")
  })

  it("goes from a mere silence straight back to SYNCED", () => {
    const { actor, records } = listened()
    actor.onDepth(snapshot(1, ["100", "1"], []))
    actor.markStale()
    actor.markStale()
    actor.onDepth(depth(2, ["100", "2"], []))
    expect(records().map((record) => [record.quality, record.sequence])).toEqual([
      ["SYNCED", 1],
      ["STALE", 2],
      ["SYNCED", 3],
    ])
  })

  it("says in every record how far it reaches, until it reaches to the end", () => {
    const { actor, records } = listened()
    const range = { lowestBid: "99.50", highestAsk: null, levels: null }
    actor.onDepth({ ...snapshot(1, ["100", "1", "99.50", "2"], ["101", "1"]), range })
    expect([actor.isWhole("bids"), actor.isWhole("asks")]).toEqual([false, true])
    actor.onDepth(depth(2, ["100", "3"], []))
    const farther = { lowestBid: "98", highestAsk: null, levels: null }
    actor.onDepth({ ...depth(3, ["99", "4", "98", "5"], []), range: farther })
    actor.lose()
    actor.onDepth(snapshot(9, ["100", "1"], ["101", "1"]))
    expect(records().map(({ updateType, coveredRange }) => [updateType, coveredRange])).toEqual([
      ["SNAPSHOT", range],
      ["DIFF", range],
      ["DIFF", farther],
      ["DIFF", farther],
      ["SNAPSHOT", undefined],
    ])
    expect([actor.isWhole("bids"), actor.isWhole("asks")]).toEqual([true, true])
  })

  it("of a venue that shows so many levels is whole while there are fewer", () => {
    const { actor } = listened()
    const range = { lowestBid: null, highestAsk: null, levels: 2 }
    actor.onDepth({ ...snapshot(1, ["100", "1", "99", "2"], ["101", "1"]), range })
    expect([actor.isWhole("bids"), actor.isWhole("asks")]).toEqual([false, true])
  })

  it("is not written as a SNAPSHOT for who asks for its position alone", () => {
    const { actor } = listened()
    actor.onDepth(snapshot(1, ["100", "1"], ["101", "1"]))
    let written = 0
    const write = actor.snapshotJson.bind(actor)
    actor.snapshotJson = (levels) => {
      written++
      return write(levels)
    }
    const position = actor.position()
    expect([position.offset, written]).toEqual([1, 0])
    expect([JSON.parse(position.snapshot ?? "").sequence, written]).toEqual([1, 1])
  })
})

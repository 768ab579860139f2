/**
 * Maps against the plainest truth: an order book's records folded into a map are the book, and a reader who follows the protocol as
 * the official client does has the truth in the end, however it was cut off, gathered or made to page.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BookLost, BookPublisher } from "../../../src/actors/market/order-book.ts"
import type { InstrumentId, VenueId } from "../../../src/domain/ids.ts"
import type { OrderBookRecord } from "../../../src/domain/market/market.ts"
import type { Publication } from "../../../src/ports/channel-port.ts"
import type { EncodedPublication } from "../../../src/ws/fanout/topic.ts"
import { type EntryChange, MapEntries } from "../../../src/ws/maps/entries.ts"
import { BOOK_KEY, bookChanges, levelKey } from "../../../src/ws/maps/maps.ts"
import { MapFlows, type MapView } from "../../../src/ws/maps/pages.ts"
import type { SubscribeResult } from "../../../src/ws/protocol/protocol.ts"

const INSTRUMENT = "MOCK:BTC/USDT" as InstrumentId

/** Few prices in several spellings, so that levels come, go and are spelt anew; bids and asks rarely cross. */
const spelling = fc.constantFrom("", "0", "00")
const price = (from: number) =>
  fc.tuple(fc.integer({ min: from, max: from + 11 }), spelling).map(([n, zeros]) => `${n}.5${zeros}`)
const quantity = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("0", "0.00", "0e0") },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 99 }).map((n) => `${n}.25`) },
)
const side = (from: number) =>
  fc.array(fc.tuple(price(from), quantity), { maxLength: 8, size: "max" }).map((levels) => levels.flat())
const update = fc.record({
  isSnapshot: fc.boolean(),
  isGap: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  bids: side(10),
  asks: side(20),
})

describe("a book's map", () => {
  it("is the book after every SNAPSHOT and DIFF", () => {
    void fc.assert(
      fc.property(fc.array(update, { minLength: 1, maxLength: 60, size: "max" }), fc.nat(), (updates, joinAt) => {
        const entries = new MapEntries("e")
        const heard: Array<Publication> = []
        const actor = new BookPublisher({
          instrumentId: INSTRUMENT,
          name: { venue: "MOCK" as VenueId, symbol: "BTC/USDT", baseAsset: "BTC", quoteAsset: "USDT" } as never,
          channels: {
            isHeard: () => true,
            publish: (publication) => void heard.push(publication),
            invalidate: () => {},
            terminate: () => {},
            attach: () => {},
          },
          newEpoch: () => "e",
        })
        let sequence = 0
        let isFollowing = false
        for (const [index, { isSnapshot, isGap, bids, asks }] of updates.entries()) {
          sequence += isGap ? 2 : 1
          try {
            actor.onDepth({
              instrumentId: INSTRUMENT,
              snapshot: isSnapshot,
              bids,
              asks,
              sequence,
              nonce: null,
              venueAt: index,
              receivedAt: index,
            })
          } catch (error) {
            expect(error).toBeInstanceOf(BookLost)
          }
          const published = heard.splice(0)
          if (isFollowing)
            for (const { json } of published) {
              const { isWhole, changes } = bookChanges(json)
              if (isWhole) entries.replace(changes)
              else entries.apply(changes)
            }
          else if (index >= joinAt % updates.length) {
            isFollowing = true
            const { snapshot } = actor.position()
            if (snapshot !== null) entries.replace(bookChanges(snapshot).changes)
          }
          if (!isFollowing || actor.sequence === 0) continue
          const book = JSON.parse(actor.snapshotJson(1000)) as OrderBookRecord
          const expected = new Map<string, unknown>([
            [BOOK_KEY, { sequence: book.sequence, timestamp: book.timestamp, quality: book.quality }],
          ])
          for (const name of ["bids", "asks"] as const)
            for (const [at, amount, orderCount] of book[name])
              expected.set(levelKey(name, at), { side: name, price: at, quantity: amount, orderCount })
          expect(contents(entries)).toEqual(expected)
        }
      }),
      { numRuns: 300 },
    )
  })
})

const contents = (entries: MapEntries, wants: MapView["wants"] = () => true): Map<string, unknown> =>
  new Map(
    entries
      .page(0, entries.offset, Number.MAX_SAFE_INTEGER, wants)
      .entries.map(({ key = "", json }) => [key, JSON.parse(json)] as const),
  )

type Body = NonNullable<SubscribeResult["state"]>[number]

/** What the official client does with replies and publications of a map (its `_mapSubscribe` and what follows it). */
class Reader {
  map = new Map<string, unknown>()
  isLive = false
  private position: { epoch: string; offset: number } | undefined
  private flow: { epoch: string; offset: number } | undefined
  private state: Array<Body> = []
  private stream: Array<Body> = []
  private cursor = ""
  private isRecovering = false
  private phase = 2
  private flows = new MapFlows(() => 0)
  /** What waits for the end of a window, newest value of each key. */
  private readonly window = new Map<string, EncodedPublication>()

  constructor(
    private readonly view: MapView,
    private readonly limit: number,
  ) {}

  /** The next command and its reply. */
  step(): void {
    if (this.isLive) return
    if (this.phase === 2 && this.flow === undefined && this.position !== undefined) {
      this.isRecovering = true
      this.phase = 1
      this.flow = this.position
    }
    const parameters = {
      channel: "c",
      type: 1,
      phase: this.phase,
      limit: this.limit,
      ...(this.phase === 2 && this.cursor !== "" ? { cursor: this.cursor } : {}),
      ...(this.flow === undefined ? {} : { epoch: this.flow.epoch, offset: this.flow.offset }),
      ...(this.isRecovering ? { recover: true } : {}),
    }
    const step = this.flows.step({ id: 1, method: "subscribe", key: "subscribe", parameters }, this.view)
    if (step._tag === "Refused" && step.error.code === 112) {
      this.position = undefined
      return this.restart()
    }
    if (step._tag !== "Page" && step._tag !== "Live") throw new Error(JSON.stringify(step))
    const { result } = step
    const most = this.limit === 0 ? 1000 : this.limit
    for (const list of [result.state, result.publications]) expect(list?.length ?? 0).toBeLessThanOrEqual(most)
    expect(step._tag === "Live").toBe(result.phase === undefined)
    if (step._tag === "Live") return this.goLive(result)
    const { epoch = "", offset = 0, state = [], publications = [] } = result
    if (result.phase === 2) {
      this.flow ??= { epoch, offset }
      this.state.push(...state)
      if (result.cursor === undefined) this.phase = 1
      else this.cursor = result.cursor
    } else {
      this.stream.push(...publications)
      this.flow = { epoch, offset }
    }
  }

  hear(publications: ReadonlyArray<EncodedPublication>): void {
    if (!this.isLive) return
    for (const publication of publications.filter(this.view.wants)) {
      this.window.delete(publication.key ?? "")
      this.window.set(publication.key ?? "", publication)
    }
  }

  /** The window ends; `only` the first so many arrive. */
  deliver(only = Number.MAX_SAFE_INTEGER): void {
    for (const publication of [...this.window.values()].slice(0, only)) {
      this.change(this.view.body(publication))
      this.position = { epoch: this.position?.epoch ?? "", offset: publication.offset }
    }
    this.window.clear()
  }

  /** The connection is lost with what was on its way. */
  cut(): void {
    this.window.clear()
    this.flows = new MapFlows(() => 0)
    this.isLive = false
    this.restart()
  }

  private restart(): void {
    this.flow = undefined
    this.state = []
    this.stream = []
    this.cursor = ""
    this.isRecovering = false
    this.phase = 2
  }

  private goLive({ epoch = "", offset = 0, state = [], publications = [], recovered = false }: SubscribeResult): void {
    if (!recovered) {
      this.map.clear()
      for (const body of [...this.state, ...state]) this.change(body)
    }
    for (const body of [...this.stream, ...publications]) this.change(body)
    this.position = { epoch, offset }
    this.isLive = true
    this.restart()
  }

  private change({ key = "", removed, data }: Body): void {
    if (removed) this.map.delete(key)
    else this.map.set(key, JSON.parse(String(data)))
  }
}

const SIDES = [{ side: "even" }, { side: "odd" }] as const
const entryChange = (keys: number) =>
  fc.tuple(fc.nat({ max: keys - 1 }), fc.option(fc.integer({ min: 0, max: 3 }), { freq: 3 })).map(
    ([n, value]): EntryChange => ({
      key: `k${n}`,
      json: value === null ? null : String(value),
      tags: SIDES[n % 2] ?? SIDES[0],
    }),
  )

describe("a reader of a map", () => {
  it.each([
    ["of a map that fits one page", 60, undefined],
    ["of a map of many pages", 450, undefined],
    ["of a part of a map", 450, "odd"],
  ])("%s has the truth in the end", (_what, keys, only) => {
    const moment = fc.oneof(
      { weight: 6, arbitrary: fc.record({ changes: fc.array(entryChange(keys), { maxLength: 40, size: "max" }) }) },
      { weight: 2, arbitrary: fc.record({ all: fc.array(entryChange(keys), { maxLength: keys, size: "max" }) }) },
      { weight: 8, arbitrary: fc.constant("step" as const) },
      { weight: 4, arbitrary: fc.constant("deliver" as const) },
      { weight: 2, arbitrary: fc.record({ cutAfter: fc.nat({ max: 20 }) }) },
    )
    void fc.assert(
      fc.property(fc.array(moment, { maxLength: 60, size: "max" }), fc.constantFrom(0, 100, 173), (moments, limit) => {
        const entries = new MapEntries("e")
        entries.replace(Array.from({ length: keys }, (_, n) => ({ key: `k${n}`, json: "9", tags: SIDES[n % 2] })))
        const wants: MapView["wants"] = ({ tags }) => only === undefined || tags?.["side"] === only
        const body: MapView["body"] = ({ json, offset, key = "", removed = false }) => ({
          data: json,
          offset,
          key,
          removed,
        })
        const reader = new Reader({ entries, wants, body, recoveryMax: 1000 }, limit)
        for (const each of moments) {
          if (each === "step") reader.step()
          else if (each === "deliver") reader.deliver()
          else if ("changes" in each) reader.hear(entries.apply(each.changes))
          else if ("all" in each) reader.hear(entries.replace(each.all))
          else {
            reader.deliver(each.cutAfter)
            reader.cut()
          }
        }
        for (let steps = 0; !reader.isLive; steps++) {
          expect(steps).toBeLessThan(20)
          reader.step()
        }
        reader.deliver()
        expect(reader.map).toEqual(contents(entries, wants))
      }),
      // Shrinking so much takes minutes and says little: the seed tells the case.
      { numRuns: 200, endOnFailure: true },
    )
  })
})

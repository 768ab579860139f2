/**
 * The checked book against the loopback Kraken's own levels: after any changes it holds exactly the venue's N best, and any frame that
 * is lost, late or changed shows at the next one, unless it changed nothing that counts.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CheckedBook } from "../../../src/venues/adapters/kraken/checked-book.ts"
import { readKrakenFrame } from "../../../src/venues/adapters/kraken/frames.ts"
import { quoteNumbers } from "../../../src/venues/worker/feed/digits.ts"
import { toFixed8 } from "../../exchanges/binance/fixed.ts"
import { Matching } from "../../exchanges/binance/matching.ts"
import { withPlaces } from "../../exchanges/kraken/numbers.ts"
import { DEFAULT_PAIRS, rulesOf } from "../../exchanges/kraken/pairs.ts"
import { ShownBook } from "../../exchanges/kraken/shown-book.ts"

const [PAIR] = DEFAULT_PAIRS
if (PAIR === undefined) throw new Error("no pair")
const DEPTH = 10

interface Change {
  readonly side: "bids" | "asks"
  readonly at: number
  readonly quantity: string
}

const change: fc.Arbitrary<Change> = fc.record({
  side: fc.constantFrom("bids" as const, "asks" as const),
  at: fc.integer({ min: 0, max: 24 }),
  quantity: fc.constantFrom("0", "0", "0.1", "0.10000001", "2", "1234.5"),
})
const turns = fc.array(fc.array(change, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 40 })

/** A market, and the text of the venue's frame for each turn; undefined where nobody would hear of it. */
const venue = () => {
  const changed = { bids: new Set<bigint>(), asks: new Set<bigint>() }
  const nothing = () => undefined
  const matching = new Matching(
    { onLevel: (_, side, price) => changed[side].add(price), onTrade: nothing, onOrder: nothing, onBalances: nothing },
    () => 0,
  )
  const market = matching.addSymbol(rulesOf(PAIR))
  const shown = new ShownBook(PAIR, market, DEPTH, () => 0)
  return {
    snapshot: () => shown.snapshot(),
    turn: (changes: ReadonlyArray<Change>): string | undefined => {
      for (const { side, at, quantity } of changes) {
        const price = side === "bids" ? `${1000 - at}.${at % 10}` : `${1001 + at}.${at % 10}`
        matching.setLiquidity(market, side, toFixed8(price), toFixed8(quantity))
      }
      const text = shown.update(changed)
      changed.bids.clear()
      changed.asks.clear()
      return text
    },
    levels: () => {
      const rows = (side: "bids" | "asks") =>
        market[side].levels
          .slice(0, DEPTH)
          .flatMap((level) => [withPlaces(level.price, PAIR.priceDecimals), withPlaces(level.total, PAIR.lotDecimals)])
      return { bids: rows("bids"), asks: rows("asks") }
    },
  }
}

const frameOf = (text: string) => {
  const frame = readKrakenFrame(JSON.parse(quoteNumbers(text)))
  if (frame?.kind !== "book") throw new Error("no book frame")
  return frame
}

const begin = (text: string): CheckedBook => {
  const book = CheckedBook.from(frameOf(text), DEPTH, null)
  if (book === undefined) throw new Error("the snapshot was not taken")
  return book
}

/** A reader that knows nothing but the changes it is told. */
const follow = (held: Map<string, string>, rows: ReadonlyArray<string>): void => {
  for (let at = 0; at < rows.length; at += 2) {
    if (rows[at + 1] === "0") held.delete(rows[at] ?? "")
    else held.set(rows[at] ?? "", rows[at + 1] ?? "")
  }
}

describe("a checked book", () => {
  it("holds the venue's best levels after every frame, and so does whoever follows its changes", () => {
    void fc.assert(
      fc.property(turns, (all) => {
        const at = venue()
        const book = begin(at.snapshot())
        const held = { bids: new Map<string, string>(), asks: new Map<string, string>() }
        for (const changes of all) {
          const text = at.turn(changes)
          if (text === undefined) continue
          const rows = book.apply(frameOf(text))
          expect(rows).toBeDefined()
          for (const side of ["bids", "asks"] as const) follow(held[side], rows?.[side] ?? [])
          expect(book.rows()).toEqual(at.levels())
          for (const side of ["bids", "asks"] as const) {
            expect(new Set([...held[side]].flat())).toEqual(new Set(at.levels()[side]))
          }
        }
      }),
    )
  })

  it("never holds another book than the venue's after a frame was lost or came late", () => {
    void fc.assert(
      fc.property(turns, fc.nat(), fc.boolean(), (all, nth, isLate) => {
        const at = venue()
        const book = begin(at.snapshot())
        let seen = 0
        let held: string | undefined
        for (const changes of all) {
          const text = at.turn(changes)
          if (text === undefined) continue
          seen += 1
          if (seen === 1 + (nth % 5)) {
            held = text
            continue
          }
          if (book.apply(frameOf(text)) === undefined) return
          if (isLate && held !== undefined) {
            if (book.apply(frameOf(held)) === undefined) return
            held = undefined
            // What undoes itself in the next frame fits the book of a moment ago, its checksum too: the frame after it tells.
            continue
          }
          expect(book.rows()).toEqual(at.levels())
        }
      }),
    )
  })
})

/** The checksum of a book against the venue's own example, and the two spellings of a figure that a frame may have. */
import { describe, expect, it } from "vitest"
import { type BookFrame, CheckedBook, Crc32 } from "../../../../src/venues/adapters/kraken/checked-book.ts"
import { readKrakenFrame } from "../../../../src/venues/adapters/kraken/frames.ts"
import { quoteNumbers } from "../../../../src/venues/worker/feed/digits.ts"

/** docs.kraken.com, "Book checksum (WebSocket v2)": levels and expected sum. */
const EXAMPLE = `{"channel":"book","type":"snapshot","data":[{"symbol":"BTC/USD","bids":[
  {"price":45283.5,"qty":0.10000000},{"price":45283.4,"qty":1.54582015},{"price":45282.1,"qty":0.10000000},
  {"price":45281.0,"qty":0.10000000},{"price":45280.3,"qty":1.54592586},{"price":45279.0,"qty":0.07990000},
  {"price":45277.6,"qty":0.03310103},{"price":45277.5,"qty":0.30000000},{"price":45277.3,"qty":1.54602737},
  {"price":45276.6,"qty":0.15445238}],"asks":[
  {"price":45285.2,"qty":0.00100000},{"price":45286.4,"qty":1.54571953},{"price":45286.6,"qty":1.54571109},
  {"price":45289.6,"qty":1.54560911},{"price":45290.2,"qty":0.15890660},{"price":45291.8,"qty":1.54553491},
  {"price":45294.7,"qty":0.04454749},{"price":45296.1,"qty":0.35380000},{"price":45297.5,"qty":0.09945542},
  {"price":45299.5,"qty":0.18772827}],"checksum":3310070434,"timestamp":"2023-10-06T17:35:55.440295Z"}]}`

const PLACES = { price: 1, quantity: 8 }

const frameOf = (json: string): BookFrame => {
  const frame = readKrakenFrame(JSON.parse(quoteNumbers(json)))
  if (frame?.kind !== "book") throw new Error("no book frame")
  return frame
}

describe("the checksum of a book", () => {
  it("is the venue's in the venue's own example, digits and all", () => {
    const frame = frameOf(EXAMPLE)
    expect(frame.bids.slice(0, 2)).toEqual(["45283.5", "0.10000000"])
    expect(frame.venueAt).toBe(Date.parse("2023-10-06T17:35:55.440Z"))
    expect(CheckedBook.from(frame, 10, null)?.rows().asks.slice(0, 2)).toEqual(["45285.2", "0.00100000"])
  })

  it("is the venue's, too, where a frame leaves out zeros that were summed", () => {
    const short = EXAMPLE.replaceAll(/(\.\d*?)0+([,}])/g, "$1$2").replaceAll(/\.([,}])/g, "$1")
    expect(short).toContain('"price":45281,"qty":0.1}')
    expect(CheckedBook.from(frameOf(short), 10, null)).toBeUndefined()
    expect(CheckedBook.from(frameOf(short), 10, PLACES)).toBeDefined()
  })

  it("is another as soon as one digit differs", () => {
    const wrong = EXAMPLE.replace("0.07990000", "0.07990001")
    expect(CheckedBook.from(frameOf(wrong), 10, PLACES)).toBeUndefined()
  })

  it("sums as CRC-32 does", () => {
    expect(new Crc32().add("1234").add("56789").value).toBe(0xcbf43926)
  })
})

describe("a book of few levels", () => {
  const frame = (change: Partial<BookFrame>): BookFrame => ({
    symbol: "BTC/USD",
    snapshot: false,
    bids: [],
    asks: [],
    checksum: 0,
    venueAt: null,
    ...change,
  })
  const sumOf = (...texts: ReadonlyArray<string>): number => new Crc32().add(texts.join("")).value

  it("cuts off what is pushed out of its depth, and says so", () => {
    const book = CheckedBook.from(
      frame({ snapshot: true, bids: ["2", "1", "1", "1"], checksum: sumOf("2111") }),
      2,
      null,
    )
    expect(book?.apply(frame({ bids: ["3", "1"], checksum: sumOf("3121") }))?.bids).toEqual(["3", "1", "1", "0"])
    // The venue names the level again when it comes back into reach.
    const back = book?.apply(frame({ bids: ["3", "0", "1", "7"], checksum: sumOf("2117") }))
    expect(back?.bids).toEqual(["3", "0", "1", "7"])
  })

  it("keeps the spelling of a price for as long as it has the level", () => {
    const book = CheckedBook.from(frame({ snapshot: true, asks: ["2.50", "1"], checksum: sumOf("2501") }), 10, null)
    expect(book?.apply(frame({ asks: ["2.5", "3"], checksum: sumOf("2503") }))?.asks).toEqual(["2.50", "3"])
    expect(book?.apply(frame({ asks: ["2.5", "0.00"], checksum: sumOf() }))?.asks).toEqual(["2.50", "0"])
  })

  it("is replaced by a newer one through the changes between them", () => {
    const of = (...bids: ReadonlyArray<string>) =>
      CheckedBook.from(frame({ snapshot: true, bids, checksum: sumOf(bids.join("")) }), 10, null)
    const [before, after] = [of("5", "1", "4", "1", "3", "1"), of("5", "1", "4", "2", "2", "1")]
    if (before === undefined || after === undefined) throw new Error("not taken")
    expect(after.since(before).bids).toEqual(["3", "0", "4", "2", "2", "1"])
  })
})

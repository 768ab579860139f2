/**
 * Judges what a connector made of a capture, by a book of its own: every recorded frame must be one update with the same levels in the
 * same digits, every recorded trade must have come out once. Nothing of the connector's code is used.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DepthUpdate, MarketTrade } from "../../../src/ports/market-source.ts"
import type { Capture } from "./capture.ts"
import type { Level, RecordedBook, RecordedInstrument, RecordedTrade, Recording } from "./recording.ts"
import { readSpelled } from "./spelled-json.ts"

/** What the venue sent of one instrument. */
export interface Told {
  readonly instrument: RecordedInstrument
  readonly books: ReadonlyArray<RecordedBook>
  readonly trades: ReadonlyArray<RecordedTrade>
}

/** What the connector said of it. */
export interface Heard {
  readonly updates: ReadonlyArray<DepthUpdate>
  readonly trades: ReadonlyArray<MarketTrade>
}

export interface Verdict {
  /** Recorded frames of the book, with its snapshot. */
  readonly frames: number
  /** Of them: older than the REST snapshot. */
  readonly older: number
  /** Of them: without a level. */
  readonly empty: number
  readonly updates: number
  /** Levels by which the two books differ at the end. */
  readonly apart: number
  /** Frames without an update of their own, levels that differ, and updates without a frame. */
  readonly lost: number
  readonly tradesIn: number
  readonly tradesOut: number
  /** Trades of one side only, or of another quantity. */
  readonly tradesLost: number
  /** Prices and quantities that came in. */
  readonly tokens: number
  /** Of them: spelled otherwise where they came out. */
  readonly changed: number
}

type Rows = ReadonlyMap<string, Level>

const plain = (text: string): string => Decimal.fromVenue(text)?.toString() ?? text
const isZero = (text: string): boolean => plain(text) === "0"

/** A number in the venue's spelling; one with an exponent is spelled plainly by everybody. */
export const isSameSpelling = (told: string, heard: string): boolean =>
  told === heard || (/e/i.test(told) && plain(told) === heard)

/** By price; of one price named twice the later counts. A deleted level has the quantity 0. */
const rowsOf = (levels: ReadonlyArray<Level>): Rows =>
  new Map(levels.map(([price, quantity]) => [plain(price), [price, isZero(quantity) ? "0" : quantity]]))

const paired = (flat: ReadonlyArray<string>): ReadonlyArray<Level> =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] ?? "", flat[2 * i + 1] ?? ""])

/** The number of tokens that are spelled otherwise; undefined where the rows are not the same. */
const compare = (told: Rows, heard: Rows): number | undefined => {
  if (told.size !== heard.size) return undefined
  let changed = 0
  for (const [key, [price, quantity]] of told) {
    const other = heard.get(key)
    if (other === undefined || plain(quantity) !== plain(other[1])) return undefined
    if (!isSameSpelling(price, other[0])) changed += 1
    if (!isSameSpelling(quantity, other[1])) changed += 1
  }
  return changed
}

export const toldBy = (capture: Capture, recording: Recording): ReadonlyArray<Told> => {
  const frames = capture.frames.map((text) => {
    const frame = readSpelled(text)
    return { frame, stream: recording.streamOf(frame) }
  })
  return recording.instruments.map((instrument) => ({
    instrument,
    books: frames.flatMap(({ frame, stream }) =>
      stream === instrument.bookStream ? (recording.book(frame) ?? []) : [],
    ),
    trades: frames.flatMap(({ frame, stream }) => (stream === instrument.tradeStream ? recording.trades(frame) : [])),
  }))
}

export const judge = (told: Told, heard: Heard): Verdict => {
  const book = judgeBook(told, heard.updates)
  const trades = judgeTrades(told.trades, heard.trades)
  return {
    ...book,
    ...trades,
    tokens: book.tokens + trades.tokens,
    changed: book.changed + trades.changed,
  }
}

/** The book that begins, and every frame with a level that is not in it: as many updates there must be. */
export const expectedOf = ({ instrument: { restBook }, books }: Told): ReadonlyArray<RecordedBook> => {
  const [begin, ...later] = restBook === undefined ? books : [restBook, ...books]
  if (begin?.isSnapshot !== true) throw new Error("the capture does not begin with a book")
  return [begin, ...later.filter((frame) => !isOlder(frame, restBook) && frame.bids.length + frame.asks.length > 0)]
}

export const updatesOf = (told: Told): number => expectedOf(told).length

const judgeBook = (told: Told, updates: ReadonlyArray<DepthUpdate>) => {
  const { instrument, books } = told
  const expected = expectedOf(told)
  let lost = Math.max(0, updates.length - expected.length)
  let tokens = 0
  let changed = 0
  expected.forEach((frame, i) => {
    const update = updates[i]
    const [bids, asks] = frame.isSnapshot ? withoutDeleted(frame) : [rowsOf(frame.bids), rowsOf(frame.asks)]
    tokens += 2 * (bids.size + asks.size)
    const bidsChanged = update && compare(bids, rowsOf(paired(update.bids)))
    const asksChanged = update && compare(asks, rowsOf(paired(update.asks)))
    if (update?.snapshot !== frame.isSnapshot || bidsChanged === undefined || asksChanged === undefined) lost += 1
    else changed += bidsChanged + asksChanged
  })
  return {
    frames: books.length,
    older: books.filter((frame) => isOlder(frame, instrument.restBook)).length,
    empty: books.filter(({ bids, asks }) => bids.length + asks.length === 0).length,
    updates: updates.length,
    apart: apart(fold(expected), fold(updates.map((update) => levelsIn(update)))),
    lost,
    tokens,
    changed,
  }
}

const levelsIn = ({ snapshot, bids, asks }: DepthUpdate): RecordedBook => ({
  isSnapshot: snapshot,
  bids: paired(bids),
  asks: paired(asks),
})

/** Side and price → how both are spelled. */
export type FoldedBook = Map<string, Level>

/** Takes the next frame of a book in. */
export const take = (levels: FoldedBook, book: RecordedBook): void => {
  if (book.isSnapshot) levels.clear()
  for (const side of ["bids", "asks"] as const) {
    for (const [key, level] of rowsOf(book[side])) {
      if (level[1] === "0") levels.delete(`${side} ${key}`)
      else levels.set(`${side} ${key}`, level)
    }
  }
}

/** The book after all of them. */
const fold = (books: ReadonlyArray<RecordedBook>): ReadonlyMap<string, Level> => {
  const levels: FoldedBook = new Map()
  for (const book of books) take(levels, book)
  return levels
}

const apart = (told: ReadonlyMap<string, Level>, heard: ReadonlyMap<string, Level>): number => {
  const isEqual = (key: string): boolean => {
    const [a, b] = [told.get(key), heard.get(key)]
    return a !== undefined && b !== undefined && isSameSpelling(a[0], b[0]) && isSameSpelling(a[1], b[1])
  }
  return [...new Set([...told.keys(), ...heard.keys()])].filter((key) => !isEqual(key)).length
}

/** What the REST snapshot includes already. */
export const isOlder = (frame: RecordedBook, restBook: RecordedBook | undefined): boolean =>
  restBook?.sequence !== undefined && frame.sequence !== undefined && frame.sequence <= restBook.sequence

const withoutDeleted = (snapshot: RecordedBook): readonly [Rows, Rows] => {
  const kept = (levels: ReadonlyArray<Level>): Rows =>
    new Map([...rowsOf(levels)].filter(([, [, quantity]]) => quantity !== "0"))
  return [kept(snapshot.bids), kept(snapshot.asks)]
}

const judgeTrades = (told: ReadonlyArray<RecordedTrade>, heard: ReadonlyArray<MarketTrade>) => {
  const byId = new Map(told.map((trade) => [trade.id, trade]))
  const seen = new Set<string>()
  let tradesLost = 0
  let changed = 0
  for (const { externalTradeId, price, quantity } of heard) {
    const trade = byId.get(externalTradeId)
    if (trade === undefined || seen.has(externalTradeId)) tradesLost += 1
    else {
      if (plain(trade.price) !== plain(price) || plain(trade.quantity) !== plain(quantity)) tradesLost += 1
      if (!isSameSpelling(trade.price, price)) changed += 1
      if (!isSameSpelling(trade.quantity, quantity)) changed += 1
    }
    seen.add(externalTradeId)
  }
  for (const id of byId.keys()) if (!seen.has(id)) tradesLost += 1
  return { tradesIn: byId.size, tradesOut: heard.length, tradesLost, tokens: 2 * byId.size, changed }
}

export const sum = (quantities: ReadonlyArray<string>): string =>
  quantities
    .reduce((total, quantity) => total.add(Decimal.fromVenue(quantity) ?? Decimal.ZERO), Decimal.ZERO)
    .toString()

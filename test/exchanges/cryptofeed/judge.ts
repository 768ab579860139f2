/**
 * Judges what a connector made of a capture, by a book of its own: every recorded frame must be one update with the same levels in the
 * same digits, every recorded trade must have come out once. Nothing of the connector's code is used.
 */
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DepthUpdate, MarketTrade } from "../../../src/ports/venue-port.ts"
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
  /** Of them: older than the REST snapshot, or joined to it before it was published. */
  readonly joined: number
  readonly updates: number
  /** Frames without an update of their own, and updates without a frame. */
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
const isSameSpelling = (told: string, heard: string): boolean =>
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

const sides = ["bids", "asks"] as const

const compareBoth = (
  told: { readonly [S in (typeof sides)[number]]: Rows },
  { bids, asks }: DepthUpdate,
): number | undefined => {
  const bidsChanged = compare(told.bids, rowsOf(paired(bids)))
  const asksChanged = compare(told.asks, rowsOf(paired(asks)))
  return bidsChanged === undefined || asksChanged === undefined ? undefined : bidsChanged + asksChanged
}

class FoldedBook {
  readonly bids = new Map<string, Level>()
  readonly asks = new Map<string, Level>()

  apply(book: RecordedBook): void {
    for (const side of sides) {
      for (const [key, level] of rowsOf(book[side])) {
        if (level[1] === "0") this[side].delete(key)
        else this[side].set(key, level)
      }
    }
  }
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

const judgeBook = ({ instrument, books }: Told, updates: ReadonlyArray<DepthUpdate>) => {
  const { restBook } = instrument
  const folded = new FoldedBook()
  const [begin, ...later] = restBook === undefined ? books : [restBook, ...books]
  const oldest = restBook?.sequence
  const frames = later.filter(({ sequence }) => oldest === undefined || sequence === undefined || sequence > oldest)
  const [first, ...rest] = updates
  let joined = later.length - frames.length
  let tokens = 0
  let changed = 0
  if (begin === undefined || !isSnapshotOf(begin, restBook)) throw new Error("the capture does not begin with a book")
  folded.apply(begin)
  // What arrived before the answer of REST is in the first snapshot.
  let match = first?.snapshot === true ? compareBoth(folded, first) : undefined
  let at = 0
  for (; match === undefined && restBook !== undefined && first !== undefined && at < frames.length; at++) {
    folded.apply(frames[at] ?? begin)
    match = compareBoth(folded, first)
    joined += 1
  }
  const base = { frames: books.length, joined, updates: updates.length }
  if (match === undefined) return { ...base, lost: books.length, tokens, changed }
  tokens += 2 * (folded.bids.size + folded.asks.size)
  changed += match
  const expected = frames.slice(at).filter(({ bids, asks }) => bids.length + asks.length > 0)
  let lost = Math.abs(expected.length - rest.length)
  expected.forEach((frame, i) => {
    const update = rest[i]
    if (update === undefined) return
    const bids = rowsOf(frame.bids)
    const asks = rowsOf(frame.asks)
    const differing = update.snapshot === frame.isSnapshot ? compareBoth({ bids, asks }, update) : undefined
    tokens += 2 * (bids.size + asks.size)
    if (differing === undefined) lost += 1
    else changed += differing
  })
  return { ...base, lost, tokens, changed }
}

const isSnapshotOf = (begin: RecordedBook, restBook: RecordedBook | undefined): boolean =>
  begin === restBook || begin.isSnapshot

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

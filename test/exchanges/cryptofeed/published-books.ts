/**
 * What subscribers of a recorded book are published: the connector's updates through the market's book actor, read as a client reads them.
 * After each publication its 200 best levels a side are those of the recording, as strings.
 */
import { BookPublisher } from "../../../src/actors/market/order-book.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import { parseInstrumentId } from "../../../src/domain/instrument/instrument.ts"
import type { DepthUpdate } from "../../../src/ports/market-source.ts"
import { BookReader } from "../../kit/readers/market-reader.ts"
import { RecordingChannels } from "../../kit/worlds/market-channels.ts"
import { expectedOf, type FoldedBook, isSameSpelling, type Told, take } from "./judge.ts"
import type { Level } from "./recording.ts"

const DEPTH = 200

export interface PublishedBooks {
  /** Whole books to the depth, one after each publication. */
  readonly compared: number
  readonly unequal: ReadonlyArray<string>
}

type Side = "bids" | "asks"

/** Best first, of the recording after so many of its frames. */
const best = (levels: ReadonlyMap<string, Level>, side: Side): ReadonlyArray<Level> =>
  [...levels]
    .flatMap(([key, level]) => (key.startsWith(side) ? [{ level, value: Decimal.fromVenue(level[0]) }] : []))
    .sort((a, b) => (side === "bids" ? -1 : 1) * (a.value ?? Decimal.ZERO).compare(b.value ?? Decimal.ZERO))
    .slice(0, DEPTH)
    .map(({ level }) => level)

const isSame = (told: ReadonlyArray<Level>, read: ReadonlyArray<Level>): boolean =>
  told.length === read.length &&
  told.every(([price, quantity], at) => {
    const other = read[at]
    return other !== undefined && isSameSpelling(price, other[0]) && isSameSpelling(quantity, other[1])
  })

/** Whole books are compared after each `every`-th update, and after the last. */
export const publishedBooks = (told: Told, updates: ReadonlyArray<DepthUpdate>, every = 1): PublishedBooks => {
  const { instrumentId } = told.instrument
  const name = parseInstrumentId(instrumentId)
  if (name === undefined) throw new Error(`${instrumentId} is no name`)
  const channels = new RecordingChannels()
  const actor = new BookPublisher({ instrumentId, name, channels: channels.port, newEpoch: () => "recorded" })
  channels.port.attach("orderbook", {
    opened: () => actor.opened(),
    closed: () => undefined,
    position: () => actor.position(),
  })
  const expected = expectedOf(told)
  const unequal: Array<string> = []
  const recorded: FoldedBook = new Map()
  let compared = 0
  const reader = new BookReader(channels, actor.channel)
  updates.forEach((update, at) => {
    const frame = expected[at]
    if (frame === undefined) return
    take(recorded, frame)
    actor.onDepth(update)
    if (at % every !== 0 && at < updates.length - 1) return
    const read = reader.book()
    compared += 1
    for (const side of ["bids", "asks"] as const)
      if (!isSame(best(recorded, side), read[side].slice(0, DEPTH)))
        unequal.push(`${side} of ${instrumentId} after frame ${at}`)
  })
  reader.leave()
  return { compared, unequal }
}

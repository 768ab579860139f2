/**
 * One recorded day of a Binance book as an oracle needs it: the snapshot it begins with, every depth frame, and the tops that the
 * venue itself said at the update ids where frames end. A day without a snapshot begins where the day before ended.
 */
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { type CaptureRow, type DepthFrame, readCapture } from "../../exchanges/binance/replay/capture.ts"

const FOLDER = fileURLToPath(new URL("../../../../shared/data/hftbacktest/spot/", import.meta.url))

export const DAYS = ["20240808", "20240809"] as const
export type Day = (typeof DAYS)[number]

/** The captures stand beside the repository and are never committed. */
export const hasDays = existsSync(FOLDER)

export interface Top {
  readonly bid: CaptureRow
  readonly ask: CaptureRow
}

/** A book by the text of its prices. */
export interface Levels {
  readonly bids: Map<string, string>
  readonly asks: Map<string, string>
}

export interface RecordedDay {
  readonly day: Day
  /** A capture that begins with a snapshot. */
  readonly file: string
  readonly lastUpdateId: number
  readonly bids: ReadonlyArray<CaptureRow>
  readonly asks: ReadonlyArray<CaptureRow>
  readonly frames: ReadonlyArray<DepthFrame>
  /** By update id. */
  readonly tops: ReadonlyMap<number, Top>
}

/** The days in order; what `remove` removes was made for them. */
export const readDays = async (
  days: ReadonlyArray<Day>,
): Promise<{ readonly days: ReadonlyArray<RecordedDay>; readonly remove: () => Promise<void> }> => {
  const scratch = await mkdtemp(join(tmpdir(), "recorded-day-"))
  const read: Array<RecordedDay> = []
  for (const day of DAYS.slice(0, Math.max(...days.map((each) => DAYS.indexOf(each))) + 1)) {
    const file = join(FOLDER, `btcusdt_${day}.gz`)
    const before = read.at(-1)
    read.push(
      await readDay(day, before === undefined ? file : await continued(before, file, join(scratch, `${day}.gz`))),
    )
  }
  return {
    days: read.filter(({ day }) => days.includes(day)),
    remove: () => rm(scratch, { recursive: true, force: true }),
  }
}

const readDay = async (day: Day, file: string): Promise<RecordedDay> => {
  const frames: Array<DepthFrame> = []
  const said = new Map<number, Top>()
  let begin: Pick<RecordedDay, "lastUpdateId" | "bids" | "asks"> | undefined
  for await (const line of readCapture(file)) {
    if (line.kind === "snapshot") begin ??= line
    else if (line.kind === "bookTicker") said.set(line.updateId, { bid: line.bid, ask: line.ask })
    else if (line.kind === "depth") frames.push(line)
  }
  if (begin === undefined) throw new Error(`${file} has no snapshot`)
  const { lastUpdateId, bids, asks } = begin
  const tops = new Map(
    frames.flatMap(({ finalUpdateId: id }) => {
      const top = said.get(id)
      return top === undefined || id <= lastUpdateId ? [] : [[id, top] as const]
    }),
  )
  return { day, file, lastUpdateId, bids, asks, frames, tops }
}

/** A capture of the next day with the book of this day's end before it: gzip files may follow each other in one file. */
const continued = async (before: RecordedDay, next: string, at: string): Promise<string> => {
  const book = beginningOf(before)
  const later = before.frames.filter(({ finalUpdateId }) => finalUpdateId > before.lastUpdateId)
  for (const frame of later) change(book, frame)
  const last = later.at(-1)
  if (last === undefined) throw new Error(`${before.day} has no frame after its snapshot`)
  const snapshot = { lastUpdateId: last.finalUpdateId, bids: [...book.bids], asks: [...book.asks] }
  const line = gzipSync(`${last.receivedAtNanos} ${JSON.stringify(snapshot)}\n`)
  await writeFile(at, Buffer.concat([line, await readFile(next)]))
  return at
}

export const beginningOf = ({ bids, asks }: Pick<RecordedDay, "bids" | "asks">): Levels => ({
  bids: new Map(bids),
  asks: new Map(asks),
})

/** By the venue's own rule, without any code of the gateway: absolute quantities, zero deletes. */
export const change = (book: Levels, frame: DepthFrame): void => {
  for (const side of ["bids", "asks"] as const)
    for (const [price, quantity] of frame[side]) {
      if (/[1-9]/.test(quantity)) book[side].set(price, quantity)
      else book[side].delete(price)
    }
}

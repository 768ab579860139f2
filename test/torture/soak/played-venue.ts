/**
 * One venue that plays its capture again and again: it waits for all subscriptions and for the books that begin by REST, plays at a
 * bounded pace, asks whether every book arrived, and cuts the line, so that all begins anew.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import { readCapture } from "../../exchanges/cryptofeed/capture.ts"
import { isOlder } from "../../exchanges/cryptofeed/judge.ts"
import type { Recorded, Recording } from "../../exchanges/cryptofeed/recording.ts"
import { type Replayer, startReplayer } from "../../exchanges/cryptofeed/replayer.ts"
import type { Spelled } from "../../exchanges/cryptofeed/spelled-json.ts"
import { TRADE_ROWS_MAX } from "./soak-judge.ts"

/** ccxt's dialling backoff forgets its failures after 15 s of a connection. */
const LOOP_SECONDS_MIN = 20
const FRAMES_PER_SECOND_MAX = 120
const PATIENCE_MILLIS = 120_000
/**
 * A book that has none of its recorded beginning will not have it before the next loop: the gateway asks for a lost one after 5 s, and
 * a recording cannot answer in its middle.
 */
const BOOKS_MILLIS = 20_000

/** ccxt keeps 1,000 trades of each instrument by default, about 1 kB each: what fills for hours would look like a leak. */
const withFewTrades = (recording: Recording): Recording => ({
  ...recording,
  profile: { ...recording.profile, options: { ...recording.profile.options, tradesLimit: TRADE_ROWS_MAX } },
})

export interface PlayedVenue {
  readonly venue: string
  readonly recording: Recording
  readonly replayer: Replayer
  /** A fault is a loop after which not every book was SYNCED. */
  readonly facts: () => { readonly loops: number; readonly faults: ReadonlyArray<string> }
  /** Ends soon after `isOver`. */
  readonly loop: (synced: () => Promise<ReadonlyArray<InstrumentId>>, isOver: () => boolean) => Promise<void>
}

export const startPlayedVenue = async (archive: string, recorded: Recorded): Promise<PlayedVenue> => {
  const capture = await readCapture(archive)
  const recording = withFewTrades(recorded(capture))
  const replayer = await startReplayer(capture, recording)
  const { venue } = recording.profile
  const perSecond = Math.min(FRAMES_PER_SECOND_MAX, capture.frames.length / LOOP_SECONDS_MIN)
  const { instruments } = recording
  const wanted = instruments.flatMap(({ bookStream, tradeStream }) => [bookStream, tradeStream])
  const beginByRest = new Map(instruments.map(({ bookStream, restBook }) => [bookStream, restBook]))
  const isIncluded = (frame: Spelled, stream: string): boolean => {
    const book = beginByRest.has(stream) ? recording.book(frame) : undefined
    return book !== undefined && isOlder(book, beginByRest.get(stream))
  }
  const idsOf = (books: Recording["instruments"]) => books.map(({ instrumentId }) => instrumentId)
  const ofRest = idsOf(instruments.filter(({ restBook }) => restBook !== undefined))
  const faults: Array<string> = []
  let loops = 0

  const loop: PlayedVenue["loop"] = async (synced, isOver) => {
    /** What of `ids` is not SYNCED in time. */
    const missing = async (ids: ReadonlyArray<InstrumentId>): Promise<ReadonlyArray<InstrumentId>> => {
      for (const end = performance.now() + BOOKS_MILLIS; ; await sleep(250)) {
        const there = new Set(await synced())
        const left = ids.filter((id) => !there.has(id))
        if (left.length === 0 || isOver() || performance.now() > end) return isOver() ? [] : left
      }
    }
    while (!isOver()) {
      const end = performance.now() + PATIENCE_MILLIS
      while (!wanted.every((stream) => replayer.streams.has(stream)) && !isOver()) {
        if (performance.now() > end) {
          const left = wanted.filter((stream) => !replayer.streams.has(stream))
          faults.push(`loop ${loops + 1}: not subscribed to ${left.join(", ")}`)
          return
        }
        await sleep(100)
      }
      await replayer.play((frame, stream) => !isOver() && isIncluded(frame, stream), perSecond)
      const unbegun = await missing(ofRest)
      await replayer.play((frame, stream) => !isOver() && !isIncluded(frame, stream), perSecond)
      const left = [...unbegun, ...(await missing(idsOf(instruments)))]
      if (isOver()) return
      loops += 1
      if (left.length > 0) faults.push(`loop ${loops}: ${left.length} of ${instruments.length} books not SYNCED`)
      replayer.cut()
    }
  }
  return { venue, recording, replayer, facts: () => ({ loops, faults }), loop }
}

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

/** ccxt's dialling backoff forgets its failures after 15 s of a connection. */
const LOOP_SECONDS_MIN = 20
const FRAMES_PER_SECOND_MAX = 120
const PATIENCE_MILLIS = 120_000

export interface PlayedVenue {
  readonly venue: string
  readonly recording: Recording
  readonly replayer: Replayer
  readonly facts: () => { readonly loops: number; readonly faults: ReadonlyArray<string> }
  /** Ends soon after `isOver`. */
  readonly loop: (synced: () => Promise<ReadonlyArray<InstrumentId>>, isOver: () => boolean) => Promise<void>
}

export const startPlayedVenue = async (archive: string, recorded: Recorded): Promise<PlayedVenue> => {
  const capture = await readCapture(archive)
  const recording = recorded(capture)
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
      for (const end = performance.now() + PATIENCE_MILLIS; ; await sleep(250)) {
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
      for (const id of await missing(ofRest)) faults.push(`loop ${loops + 1}: ${id} did not begin`)
      await replayer.play((frame, stream) => !isOver() && !isIncluded(frame, stream), perSecond)
      for (const id of await missing(idsOf(instruments))) faults.push(`loop ${loops + 1}: ${id} is not SYNCED`)
      if (isOver()) return
      loops += 1
      replayer.cut()
    }
  }
  return { venue, recording, replayer, facts: () => ({ loops, faults }), loop }
}

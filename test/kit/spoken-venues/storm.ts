/**
 * Readers that subscribe, read and leave at random on one venue, over one feed with unmodified ccxt: what they caused to end, and whose book
 * differs from the venue's at the end. The same seed plays the same steps.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { MarketStream } from "../../../src/ports/market-source.ts"
import { Random } from "../../sim/time.ts"
import { speaking } from "./feed.ts"

export interface Storm {
  readonly instruments: number
  readonly steps: number
  readonly seed: number
}

export interface StormFound {
  readonly opened: number
  readonly closed: number
  readonly read: number
  /** Connections that ended, and streams that were told to be lost. */
  readonly ended: number
  readonly lost: ReadonlyArray<string>
  /** Books that are open, and do not show the venue's newest change in time. */
  readonly behind: ReadonlyArray<string>
}

const STREAMS: ReadonlyArray<MarketStream> = ["book", "book", "book", "trade", "ticker"]
/** Venues take what they are asked one by one; the last end is waited for as long. */
const SETTLED_MILLIS = 20_000

/** B, AB, CAB, DCAB: a name is a part of the ones after it. */
const namesOf = (count: number): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    (_, nth) =>
      Array.from({ length: (nth % 4) + 1 }, (__, at) => String.fromCharCode(65 + ((nth - at + 26) % 26))).join("") +
      String.fromCharCode(65 + Math.floor(nth / 26)),
  )

export const readerStorm = async (venue: string, { instruments, steps, seed }: Storm): Promise<StormFound> => {
  const random = new Random(seed)
  const bases = [...new Set(namesOf(instruments))]
  const spoken = await speaking(venue, bases)
  const open = new Map<string, readonly [MarketStream, string]>()
  const count = { opened: 0, closed: 0, read: 0 }
  try {
    for (let step = 0; step < steps; step++) {
      const stream = random.pick(STREAMS)
      const base = random.pick(bases)
      const key = `${stream} ${base}`
      const drawn = random.next()
      if (drawn < 0.2) {
        count.read += 1
        void spoken.feed.confirm(spoken.instrument(base))
      } else if (open.has(key)) {
        open.delete(key)
        count.closed += 1
        spoken.close(stream, base)
      } else {
        open.set(key, [stream, base])
        count.opened += 1
        spoken.open(stream, base)
      }
      // Some steps follow each other within a turn of the loop.
      if (random.next() < 0.6) await sleep(random.next() < 0.5 ? 0 : 5)
      if (random.next() < 0.5) spoken.move()
    }
    const books = [...open.values()].flatMap(([stream, base]) => (stream === "book" ? [base] : []))
    const isBehind = (base: string): boolean => spoken.best(base).heard !== spoken.best(base).sent
    const until = Date.now() + SETTLED_MILLIS
    // A book that is asked for by REST joins on to a change.
    for (let behind = books; behind.length > 0 && Date.now() < until; behind = behind.filter(isBehind)) {
      spoken.move()
      await sleep(200)
    }
    const told = spoken.told()
    return {
      ...count,
      ended: spoken.ended(),
      lost: told.flatMap((it) => (it._tag === "StreamLost" ? [`${it.instrumentId} ${it.stream}: ${it.reason}`] : [])),
      behind: books.filter(isBehind),
    }
  } finally {
    await spoken.stop()
  }
}

/**
 * One recorded day with one kind of fault: the loopback exchange sends it to a real connector in its thread, the market data actors make
 * publications of it, and a subscriber's book is judged at each of them.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Exit, Scope } from "effect"
import { bookChannel } from "../../../src/domain/channel.ts"
import type { InstrumentId } from "../../../src/domain/ids.ts"
import { PROFILES } from "../../../src/venues/adapters/registry.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { BookReader } from "../../kit/readers/market-reader.ts"
import { connectedMarkets } from "../../kit/worlds/connected-markets.ts"
import { type BookFacts, BookJudge } from "./book-judge.ts"
import { planOf, type Variant } from "./fault-plan.ts"
import type { RecordedDay } from "./recorded-day.ts"

const BTC_USDT = "BINANCE:BTC/USDT" as InstrumentId
/** As many as the recording begins with: no venue that is played from it can say more, so its books are seeded again and again. */
const SEED_LEVELS = 1000
/** A snapshot may wait for the venue's request budget, which is counted by the minute. */
const PATIENCE_MILLIS = 100_000

export interface BookRunOptions {
  readonly recorded: RecordedDay
  readonly variant: Variant
  /** How many times as fast as it was recorded, between two holds. */
  readonly speed: number
  readonly seed: number
  /** One frame of so many is faulty. */
  readonly every: number
  /** So many depth frames after the snapshot; all of them when absent. */
  readonly frames?: number
  readonly progress?: (line: string) => void
}

export interface BookRunFacts extends BookFacts {
  readonly frames: number
  readonly faults: number
  /** SNAPSHOTs after the first one. */
  readonly resyncs: number
  /** Faults that made a hole and were not followed by a SNAPSHOT from behind it. */
  readonly unanswered: number
  /** Checkpoints that the venue named in these frames. */
  readonly named: number
  /** Holds at which the reader did not get to where the venue stood: what it was told instead. */
  readonly behind: ReadonlyArray<string>
  readonly notices: ReadonlyArray<string>
}

export const runBook = async (options: BookRunOptions): Promise<BookRunFacts> => {
  const { recorded, variant, speed, seed, every, progress } = options
  const frames = recorded.frames
    .filter(({ finalUpdateId }) => finalUpdateId > recorded.lastUpdateId)
    .slice(0, options.frames)
  const plan = planOf(variant, frames, every, seed)
  const judge = new BookJudge(recorded)
  const notices: Array<string> = []
  const exchange = await startBinanceExchange({
    replay: {
      file: recorded.file,
      speed,
      start: "by hand",
      sending: (frame) => {
        const planned = frame.kind === "depth" ? plan.faults.get(frame.finalUpdateId) : undefined
        if (planned === undefined) return
        exchange.fault(planned.fault)
        for (const id of planned.lost) judge.lost(id)
      },
    },
  })
  const scope = await Effect.runPromise(Scope.make())
  try {
    const { channels } = await Effect.runPromise(
      connectedMarkets(
        PROFILES.filter(({ venue }) => venue === "BINANCE").map((profile) => ({
          ...profile,
          bookReach: { way: "SEED", levels: SEED_LEVELS },
        })),
        {
          venueRoutes: exchange.routes,
          venuesInactive: [],
          notice: (_, what) => notices.push(what),
          // A machine that is busy elsewhere must not look like a thread that hangs.
          times: { missesMax: 300 },
        },
        (sink) => ({
          ...sink,
          depth: (update) => {
            judge.updating(update)
            sink.depth(update)
          },
        }),
      ).pipe(Scope.extend(scope)),
    )
    const reader = new BookReader(channels, bookChannel(BTC_USDT), (each) => judge.published(each))
    const isAt = (id: number): Promise<boolean> => happens(() => judge.at === id)
    const behind: Array<string> = []
    let unanswered = 0
    if (!(await isAt(recorded.lastUpdateId))) throw new Error(`no book to begin with; ${notices.join("; ")}`)
    const { replay } = exchange
    if (replay === undefined) throw new Error("an exchange without a replay")
    const faults = [...plan.faults.values()]
    let thrown = 0
    for (const [n, hold] of plan.holds.entries()) {
      const held = replay.pauseAfter((frame) => frame.kind === "depth" && frame.finalUpdateId === hold)
      replay.start()
      replay.resume()
      await Promise.race([held, replay.done])
      if (!(await isAt(hold))) {
        behind.push(`${hold}: ${judge.at === 0 ? (reader.last?.quality ?? "no book") : `SYNCED at ${judge.at}`}`)
        break
      }
      for (let fault = faults[thrown]; fault !== undefined && fault.id <= hold; fault = faults[++thrown])
        if (fault.lost.some((id) => judge.snapshotAt < id)) unanswered += 1
      if (n % 10 === 9) progress?.(`${recorded.day} ${variant}: ${n + 1} of ${plan.holds.length} holds`)
    }
    const named = frames.filter(({ finalUpdateId }) => recorded.tops.has(finalUpdateId)).length
    return {
      ...judge.facts,
      frames: frames.length,
      faults: thrown,
      resyncs: judge.facts.snapshots - 1,
      unanswered,
      named,
      behind,
      notices,
    }
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await exchange.stop()
  }
}

/** Waits for a condition; false when it does not come. */
const happens = async (condition: () => boolean): Promise<boolean> => {
  for (const end = performance.now() + PATIENCE_MILLIS; !condition(); await sleep(2))
    if (performance.now() > end) return false
  return true
}

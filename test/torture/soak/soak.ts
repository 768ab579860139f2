/**
 * `soak`: the captures of eight venues, looped for minutes through their connectors in worker threads at a bounded pace, the line cut
 * after each loop. Judges what grows after the warm-up: heap of each thread, memory of the process, handles, and what ccxt keeps.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { hasCaptures } from "../../exchanges/cryptofeed/capture.ts"
import type { Recorded } from "../../exchanges/cryptofeed/recording.ts"
import { binance } from "../../exchanges/cryptofeed/recordings/binance.ts"
import { bitfinex } from "../../exchanges/cryptofeed/recordings/bitfinex.ts"
import { bitstamp } from "../../exchanges/cryptofeed/recordings/bitstamp.ts"
import { coinbase } from "../../exchanges/cryptofeed/recordings/coinbase.ts"
import { deribit } from "../../exchanges/cryptofeed/recordings/deribit.ts"
import { gemini } from "../../exchanges/cryptofeed/recordings/gemini.ts"
import { krakenfutures } from "../../exchanges/cryptofeed/recordings/krakenfutures.ts"
import { okx } from "../../exchanges/cryptofeed/recordings/okx.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { type PlayedVenue, startPlayedVenue } from "./played-venue.ts"
import { startSoakChild } from "./soak-child.ts"
import type { SoakSample } from "./soak-gateway.ts"
import { judgeSoak, MEGABYTE, type TimedSample } from "./soak-judge.ts"

export interface SoakOptions {
  readonly minutes: number
  readonly progress: (line: string) => void
}

const CAPTURES: ReadonlyArray<readonly [archive: string, recorded: Recorded]> = [
  ["BINANCE", binance],
  ["BITFINEX", bitfinex],
  ["BITSTAMP", bitstamp],
  ["COINBASE", coinbase],
  ["DERIBIT", deribit],
  ["GEMINI", gemini],
  ["KRAKEN_FUTURES", krakenfutures],
  ["OKX", okx],
]

const SAMPLE_MILLIS = 10_000

const line = (minutes: number, { threads, rssBytes, books, trades }: SoakSample, cpu: number): string => {
  const heaps = threads.map(({ thread, heapUsedBytes }) => `${thread}: ${(heapUsedBytes / MEGABYTE).toFixed(2)}`)
  const handles = threads.map(({ resources }) => Object.values(resources).reduce((sum, n) => sum + n, 0))
  const kept: Record<string, number> = {}
  for (const { caches } of threads) for (const [name, n] of Object.entries(caches)) kept[name] = (kept[name] ?? 0) + n
  return (
    `${minutes.toFixed(1)} min: heap ${heaps.join(", ")} MB, rss ${(rssBytes / MEGABYTE).toFixed(0)} MB, handles ${handles.join("/")}, ` +
    `published ${books} of books, ${trades} trades, kept ${JSON.stringify(kept)}, cpu ${(100 * cpu).toFixed(0)} %`
  )
}

const ownCpuMicros = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

export const soak = async ({ minutes, progress }: SoakOptions): Promise<ReadonlyArray<Verdict>> => {
  if (!hasCaptures) return [{ name: "captures", passed: true, says: "skipped: they are not beside the repository" }]
  const venues: Array<PlayedVenue> = []
  const child = startSoakChild()
  try {
    for (const [archive, recorded] of CAPTURES) venues.push(await startPlayedVenue(archive, recorded))
    await child.ask(
      "start",
      venues.map(({ recording: { profile, instruments }, replayer: { routes } }) => ({
        profile,
        routes,
        instruments: instruments.map(({ instrumentId }) => instrumentId),
      })),
    )
    const startedAt = performance.now()
    const minutesNow = (): number => (performance.now() - startedAt) / 60_000
    const isOver = (): boolean => minutesNow() >= minutes
    const loops = venues.map(({ venue, loop }) => loop(() => child.ask("synced", venue), isOver))
    const samples: Array<TimedSample> = []
    const measured = measure(samples, () => child.ask("sample", undefined), minutesNow, isOver, progress)
    await Promise.all([measured, ...loops])
    const last = child.notices().slice(-5)
    if (last.length > 0) progress(`the last of ${child.notices().length} words for the operator: ${last.join(" | ")}`)
    return judgeSoak(
      samples,
      minutes,
      venues.map(({ venue, facts }) => ({ venue, ...facts() })),
    )
  } finally {
    await child.stop()
    for (const { replayer } of venues) await replayer.stop()
  }
}

const measure = async (
  samples: Array<TimedSample>,
  sample: () => Promise<SoakSample>,
  minutesNow: () => number,
  isOver: () => boolean,
  progress: (line: string) => void,
): Promise<void> => {
  while (!isOver()) {
    await sleep(SAMPLE_MILLIS)
    const taken = await sample()
    const cpuMicros = taken.cpuMicros + ownCpuMicros()
    const before = samples.at(-1)
    const timed = { ...taken, minutes: minutesNow(), cpuMicros }
    samples.push(timed)
    const since = before ?? { cpuMicros: 0, minutes: 0 }
    progress(line(timed.minutes, taken, (cpuMicros - since.cpuMicros) / ((timed.minutes - since.minutes) * 60e6)))
  }
}

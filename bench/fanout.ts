/**
 * `fanout`: the real hub and socket server against bare `app.publish` of the same bytes (target: 0.9 of its deliveries per CPU second),
 * and the market-data model of 200,000 deliveries a second with a 10 ms flush (target: 35 % of a core).
 */

import type { Counts, Subscribers } from "./fanout-readers.ts"
import type { Load, Published } from "./fanout-server.ts"
import { type Child, startChild } from "./kit/child.ts"
import { medians, type Result, row, runBench, say } from "./kit/report.ts"

type Variant = "ours" | "floor"
const VARIANTS: ReadonlyArray<Variant> = ["ours", "floor"]
const ROUNDS = 9
const ROUND_MILLIS = 600
const MODEL_ROUNDS = 2
const MODEL_MILLIS = 2_500

interface Case {
  readonly name: string
  readonly load: Load
  readonly sockets: number
  readonly channelsPerSocket: number
  readonly rounds: number
}

const bursts = (sockets: number, burst: number): Case => {
  // About 200,000 deliveries a second, so that the readers keep up on a shared core.
  const everyMillis = Math.max(1, Math.round((sockets * burst * 1000) / 200_000))
  const load = { flush: "immediate", instruments: 1, burst, everyMillis, millis: ROUND_MILLIS } as const
  return { name: `${sockets} subscribers, bursts of ${burst}`, load, sockets, channelsPerSocket: 1, rounds: ROUNDS }
}

const model = (flush: Load["flush"]): Case => ({
  name: `500 x 20 of 200 channels, 200k/s, ${flush === "window" ? "10 ms flush" : "at once"}`,
  load: { flush, instruments: 200, burst: 4, everyMillis: 1, millis: MODEL_MILLIS },
  sockets: 500,
  channelsPerSocket: 20,
  rounds: MODEL_ROUNDS,
})

type Figures = Record<
  | "cpuMicros"
  | "deliveriesPerCpuSecond"
  | "perSecond"
  | "coreShare"
  | "framesPerMessage"
  | "rssBytes"
  | "lost"
  | "lateTurns",
  number
>

const measure = async (server: Child, readers: Child, each: Case, before: Counts): Promise<[Figures, Counts]> => {
  const published = await server.ask<Published>("run", each.load)
  const perPublication = (each.sockets * each.channelsPerSocket) / each.load.instruments
  const expected = published.publications * perPublication
  const counts = await readers.ask<Counts>("counts", before.messages + expected)
  const delivered = counts.messages - before.messages
  return [
    {
      cpuMicros: published.cpuMicros / delivered,
      deliveriesPerCpuSecond: (delivered * 1e6) / published.cpuMicros,
      perSecond: (delivered * 1000) / published.wallMillis,
      coreShare: published.cpuMicros / 1000 / published.wallMillis,
      framesPerMessage: (counts.frames - before.frames) / delivered,
      rssBytes: published.rssBytes,
      lost: expected - delivered,
      lateTurns: published.lateTurns,
    },
    counts,
  ]
}

const channelsOf = (each: Case, channels: ReadonlyArray<string>): Subscribers["sockets"] =>
  Array.from({ length: each.sockets }, (_, s) =>
    Array.from(
      { length: each.channelsPerSocket },
      (_, c) => channels[(s * each.channelsPerSocket + c) % each.load.instruments]!,
    ),
  )

const runCase = async (each: Case): Promise<Record<Variant, Figures>> => {
  const parts = new Map<Variant, { server: Child; readers: Child; counts: Counts; rounds: Array<Figures> }>()
  for (const variant of VARIANTS) {
    const server = await startChild("fanout-server")
    const readers = await startChild("fanout-readers")
    const { port, channels } = await server.ask<{ port: number; channels: ReadonlyArray<string> }>("start", {
      variant,
      flush: each.load.flush,
    })
    await readers.ask("subscribe", { variant, port, sockets: channelsOf(each, channels) } satisfies Subscribers)
    const counts = { messages: 0, frames: 0, bytes: 0, closed: 0 }
    parts.set(variant, { server, readers, counts, rounds: [] })
  }
  for (let round = 0; round <= each.rounds; round++)
    // Turned around each round: whoever comes second meets warmer caches.
    for (const [variant, part] of round % 2 === 0 ? [...parts] : [...parts].reverse()) {
      const [figures, counts] = await measure(part.server, part.readers, each, part.counts)
      part.counts = counts
      // The first one warms up, but what it loses is lost all the same.
      if (round > 0) part.rounds.push(figures)
      if (counts.closed > 0) throw new Error(`${variant}: ${counts.closed} sockets were closed`)
    }
  const result = {} as Record<Variant, Figures>
  for (const [variant, part] of parts) {
    result[variant] = { ...medians(part.rounds), lost: part.rounds.reduce((sum, figures) => sum + figures.lost, 0) }
    await part.readers.stop()
    await part.server.stop()
  }
  for (const variant of VARIANTS) {
    const f = result[variant]
    say(row(`${each.name}: ${variant}`, f.cpuMicros, f.perSecond, f.coreShare * 100, f.framesPerMessage, f.lost))
  }
  return result
}

const bench = async (): Promise<Result> => {
  say(row("", "CPU us/msg", "msg/s", "core %", "frames/msg", "lost"))
  const hundred = await runCase(bursts(100, 10))
  const thousand = await runCase(bursts(1000, 10))
  const windowed = await runCase(model("window"))
  const immediate = await runCase(model("immediate"))
  const cases = { hundred, thousand, windowed, immediate }
  const ratioOf = (each: Record<Variant, Figures>): number =>
    each.ours.deliveriesPerCpuSecond / each.floor.deliveriesPerCpuSecond
  const ratio = Math.min(ratioOf(hundred), ratioOf(thousand))
  say(
    `deliveries per CPU second, ours / floor: ${ratioOf(hundred).toFixed(3)} (100), ${ratioOf(thousand).toFixed(3)} (1000); target 0.9`,
  )
  say(`core share of the model with a 10 ms flush: ${(windowed.ours.coreShare * 100).toFixed(1)} %; target 35 %`)
  const of = (variant: Variant) => ({
    p50: null,
    p99: null,
    p999: null,
    perSecond: windowed[variant].perSecond,
    cpuMicros: hundred[variant].cpuMicros,
    rssBytes: windowed[variant].rssBytes,
    lost: Object.values(cases).reduce((sum, each) => sum + each[variant].lost, 0),
    coreShareAt200k: windowed[variant].coreShare,
    cases: Object.fromEntries(Object.entries(cases).map(([name, each]) => [name, each[variant]])),
  })
  return {
    bench: "fanout",
    conditions: {
      frameBytes: 300,
      rounds: ROUNDS,
      roundMillis: ROUND_MILLIS,
      model: "500 sockets x 20 channels of 200, 20 publications/s each, 4 per ms",
      ratio: "deliveries per CPU second ours / floor, the worse of 100 and 1000 subscribers",
    },
    figures: of("ours"),
    floor: of("floor"),
    ratio,
  }
}

await runBench(bench)

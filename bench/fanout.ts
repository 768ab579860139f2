/**
 * `fanout`: the real hub and socket server against bare `app.publish` of the same bytes (targets: in bursts 0.9 of its deliveries per CPU
 * second; evenly and busy, with the window, 0.6 of its CPU per message), and the market-data model of 200,000 deliveries a second with a 10 ms flush (target: 35 % of a core).
 */

import { type Child, startChild } from "./kit/child.ts"
import { medians, type Result, row, runBench, say } from "./kit/report.ts"
import type { Counts, Subscribers } from "./processes/fanout-readers.ts"
import type { Load, Published, Start } from "./processes/fanout-server.ts"

type Variant = "ours" | "floor"
const VARIANTS: ReadonlyArray<Variant> = ["ours", "floor"]
const ROUNDS = 9
const ROUND_MILLIS = 600
/** Of 10,000 publications a second. */
const WARM_MILLIS = 2_000
const MODEL_ROUNDS = 2
const MODEL_MILLIS = 2_500

interface Case {
  readonly name: string
  readonly load: Load
  /** How the floor sends. */
  readonly floorFlush: Load["flush"]
  readonly sockets: number
  readonly channelsPerSocket: number
  readonly rounds: number
}

const steady = (name: string, sockets: number, everyMillis: number): Case => ({
  name,
  load: { flush: "window", instruments: 1, burst: 1, everyMillis, millis: ROUND_MILLIS },
  floorFlush: "immediate",
  sockets,
  channelsPerSocket: 1,
  rounds: ROUNDS,
})

const bursts = (name: string, sockets: number, everyMillis: number): Case => ({
  name,
  load: { flush: "immediate", instruments: 1, burst: 10, everyMillis, millis: ROUND_MILLIS },
  floorFlush: "immediate",
  sockets,
  channelsPerSocket: 1,
  rounds: ROUNDS,
})

const model = (flush: Load["flush"]): Case => ({
  name: `500 x 20 of 200 channels, 200k/s, ${flush === "window" ? "10 ms flush" : "at once"}`,
  load: { flush, instruments: 200, burst: 4, everyMillis: 1, millis: MODEL_MILLIS },
  floorFlush: flush,
  sockets: 500,
  channelsPerSocket: 20,
  rounds: MODEL_ROUNDS,
})

/** The scenarios of realtime D; `window` is what ours ships with, against a floor that sends at once. */
const CASES = {
  hundredEvenly: steady("100 subscribers, 100/s evenly", 100, 10),
  thousandEvenly: steady("1000 subscribers, 20/s evenly", 1000, 50),
  hundredFast: steady("100 subscribers, 1000/s evenly", 100, 1),
  hundredBursts: bursts("100 subscribers, 1000/s in bursts of 10", 100, 10),
  thousandBursts: bursts("1000 subscribers, 100/s in bursts of 10", 1000, 100),
  scattered: {
    name: "200 x 50 of 200 channels, 400/s in bursts of 20",
    load: { flush: "immediate", instruments: 200, burst: 20, everyMillis: 50, millis: 2 * ROUND_MILLIS },
    floorFlush: "immediate",
    sockets: 200,
    channelsPerSocket: 50,
    rounds: ROUNDS,
  },
  windowed: model("window"),
  immediate: model("immediate"),
} as const satisfies Record<string, Case>

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

/**
 * What both do for each publication, often enough for the compiler: the scattered case has 400 a second, and its whole run fewer than V8
 * waits for. One reader of all channels, who leaves again.
 */
const warmUp = async (server: Child, readers: Child, subscribers: Subscribers): Promise<void> => {
  const channels = [...new Set(subscribers.sockets.flat())]
  await readers.ask("subscribe", { ...subscribers, sockets: [channels] } satisfies Subscribers)
  const load = {
    flush: "immediate",
    instruments: channels.length,
    burst: 10,
    everyMillis: 1,
    millis: WARM_MILLIS,
  } as const
  const { publications } = await server.ask<Published>("warm", load)
  await readers.ask("counts", publications)
  await readers.ask("leave")
}

const runCase = async (each: Case): Promise<Record<Variant, Figures>> => {
  const parts = new Map<Variant, { server: Child; readers: Child; counts: Counts; rounds: Array<Figures> }>()
  for (const variant of VARIANTS) {
    const server = await startChild("fanout-server")
    const readers = await startChild("fanout-readers")
    const { port, channels } = await server.ask<{ port: number; channels: ReadonlyArray<string> }>("start", {
      variant,
      flush: variant === "ours" ? each.load.flush : each.floorFlush,
      instruments: each.load.instruments,
    } satisfies Start)
    const subscribers: Subscribers = { variant, port, sockets: channelsOf(each, channels) }
    await warmUp(server, readers, subscribers)
    await readers.ask("subscribe", subscribers)
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
  const cases = {} as Record<keyof typeof CASES, Record<Variant, Figures>>
  for (const [name, each] of Object.entries(CASES) as ReadonlyArray<[keyof typeof CASES, Case]>)
    cases[name] = await runCase(each)
  const perCpuSecond = ({ ours, floor }: Record<Variant, Figures>): number =>
    ours.deliveriesPerCpuSecond / floor.deliveriesPerCpuSecond
  const perMessage = ({ ours, floor }: Record<Variant, Figures>): number => ours.cpuMicros / floor.cpuMicros
  const inBursts = [cases.hundredBursts, cases.thousandBursts, cases.scattered].map(perCpuSecond)
  const evenly = [cases.hundredEvenly, cases.thousandEvenly, cases.hundredFast].map(perMessage)
  const listed = (ratios: ReadonlyArray<number>): string => ratios.map((each) => each.toFixed(3)).join(", ")
  const { windowed, hundredBursts } = cases
  say(`bursts, window 0: deliveries per CPU second, ours / floor: ${listed(inBursts)}; target 0.9`)
  say(
    `evenly, with the window: CPU per message, ours / floor that sends at once: ${listed(evenly)}; target 0.6 when busy`,
  )
  say(`core share of the model with a 10 ms flush: ${(windowed.ours.coreShare * 100).toFixed(1)} %; target 35 %`)
  const ratio = Math.min(...inBursts)
  const of = (variant: Variant) => ({
    p50: null,
    p99: null,
    p999: null,
    perSecond: windowed[variant].perSecond,
    cpuMicros: hundredBursts[variant].cpuMicros,
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
      warmUp: "20,000 publications to one reader",
      model: "500 sockets x 20 channels of 200, 20 publications/s each, 4 per ms",
      ratio: "deliveries per CPU second ours / floor, the worst of the cases in bursts",
      evenly: "CPU per message ours (with the window) / floor (at once)",
    },
    figures: { ...of("ours"), evenly, inBursts },
    floor: of("floor"),
    ratio,
  }
}

await runBench(bench)

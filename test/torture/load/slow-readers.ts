/**
 * Readers that stop reading, beside others that go on: who is closed or spared, what the others notice, and what it costs in memory. The
 * server is a process of its own; the readers are in this one.
 */
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { type SocketChild, startSocketChild } from "../../kit/servers/socket-child.ts"
import { BOOK } from "../../kit/servers/socket-server.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { Crowd, type CrowdReader } from "./slow-crowd.ts"

export interface SlowReadersOptions {
  readonly connections: number
  /** How many of them stop. */
  readonly stopped: number
  readonly progress: (line: string) => void
}

const TRADES = "market:trade:MOCK:BTC/USDT"
const TICKER = "market:ticker:MOCK:BTC/USDT"
const BYTES = 4000
const PER_SECOND = 30
const MEASURED_MILLIS = 8000
const PATIENCE_MILLIS = 180_000
/** Noise of a machine that has other work: two tenths of a millisecond more are no doubling. */
const P99_FLOOR_MILLIS = 5

const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MB`
const load = (): string => `load ${loadavg()[0]?.toFixed(1)}`
const counted = (values: ReadonlyArray<number | undefined>): string => {
  const counts = new Map<number | undefined, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `${value ?? "open"}: ${count}`).join(", ")
}
const sum = (readers: ReadonlyArray<CrowdReader>, of: (reader: CrowdReader) => number): number =>
  readers.reduce((total, reader) => total + of(reader), 0)

const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MILLIS
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`${what}: not after ${PATIENCE_MILLIS / 1000} s`)
    await sleep(250)
  }
}

/** Reads on in slices, so that their backlogs are not all in this process at once. */
const resumeAll = async ({ readers }: Crowd, isDone: (reader: CrowdReader) => boolean): Promise<void> => {
  for (let n = 0; n < readers.length; n += 25) {
    const slice = readers.slice(n, n + 25)
    for (const { socket } of slice) socket.resume()
    await until("a reader that goes on", () => slice.every(isDone))
  }
}

const everyEvent = async (options: SlowReadersOptions, server: SocketChild): Promise<ReadonlyArray<Verdict>> => {
  const { connections, stopped, progress } = options
  const say = (line: string): void => progress(`every event: ${line}, ${load()}`)
  const others = await Crowd.open({ url: server.url, channel: TRADES, size: connections - stopped, mayJump: false })
  const stops = await Crowd.open({ url: server.url, channel: TRADES, size: stopped, mayJump: false })
  await server.ask("load", { channel: TRADES, kind: "trade", bytes: BYTES, perSecond: PER_SECOND })
  await sleep(2000)
  const base = (await server.ask("facts")).memory.rss
  others.p99Millis()
  await sleep(MEASURED_MILLIS)
  const before = others.p99Millis()
  say(`p99 ${before.toFixed(1)} ms before, ${megabytes(base)}`)
  for (const { socket } of stops.readers) socket.pause()
  let peak = base
  let toldAt = performance.now()
  await until("3008 for all that stopped", async () => {
    const stats = await server.ask("stats")
    peak = Math.max(peak, stats.rss)
    if (performance.now() - toldAt > 5000) {
      toldAt = performance.now()
      say(`${stats.behind} behind, ${stats.closes["3008"] ?? 0} closed`)
    }
    return Object.values(stats.closes).reduce((total, n) => total + n, 0) >= stopped
  })
  const during = others.p99Millis()
  const stats = await server.ask("stats")
  await sleep(MEASURED_MILLIS)
  const later = others.p99Millis()
  const top = (await server.ask("quiet"))[TRADES] ?? 0
  await until("the others' last publication", () => others.readers.every(({ last }) => last === top))
  await resumeAll(stops, ({ closed }) => closed !== undefined)
  stops.close()
  await sleep(1000)
  const after = (await server.ask("facts")).memory.rss
  const missing = sum(others.readers, ({ faults }) => faults)
  const openOthers = others.readers.filter(({ closed }) => closed === undefined).length
  const seen = sum(stops.readers, ({ received }) => received) / stopped
  others.close()
  return [
    {
      name: "who stopped",
      passed: stats.closes["3008"] === stopped,
      says:
        `closed by the server ${JSON.stringify(stats.closes)} of ${stopped}, ${stats.closedByAge} of them by age; they saw ` +
        `${counted(stops.readers.map(({ closed }) => closed))} after ${seen.toFixed(0)} publications each on average`,
    },
    {
      name: "what they got",
      passed: sum(stops.readers, ({ faults }) => faults) === 0,
      says: `a beginning with ${sum(stops.readers, ({ faults }) => faults)} holes`,
    },
    {
      name: "the others",
      passed: missing === 0 && openOthers === others.readers.length,
      says: `${missing} holes, ${openOthers} of ${others.readers.length} still open, all at publication ${top}`,
    },
    {
      name: "the others' p99",
      passed: during <= Math.max(2 * before, P99_FLOOR_MILLIS),
      says: `${before.toFixed(2)} ms before, ${during.toFixed(2)} ms during, ${later.toFixed(2)} ms after (${load()})`,
    },
    {
      name: "memory",
      passed: after <= base * 1.25,
      says: `${megabytes(base)} before, ${megabytes(peak)} at its peak, ${megabytes(after)} after`,
    },
  ]
}

/** Those that stop are spared until they read again, and then follow like the others. */
const spared = async (
  name: "book" | "ticker",
  options: SlowReadersOptions,
  server: SocketChild,
): Promise<ReadonlyArray<Verdict>> => {
  const isBook = name === "book"
  const channel = isBook ? BOOK : TICKER
  const size = Math.max(1, Math.floor(options.stopped / 5))
  const others = await Crowd.open({ url: server.url, channel, size, mayJump: !isBook })
  const stops = await Crowd.open({ url: server.url, channel, size, mayJump: true })
  await server.ask("load", { channel, kind: isBook ? "book" : "ticker", bytes: BYTES, perSecond: PER_SECOND })
  await sleep(1000)
  for (const { socket } of stops.readers) socket.pause()
  await until(`all that stopped spared`, async () => (await server.ask("stats")).parked >= size)
  options.progress(`${name}: ${size} spared, ${load()}`)
  await sleep(1000)
  for (const { socket } of stops.readers) socket.resume()
  await until("all served again", async () => (await server.ask("stats")).parked === 0)
  await sleep(1000)
  const top = (await server.ask("quiet"))[channel] ?? 0
  await until("the last publication", () => [...others.readers, ...stops.readers].every(({ last }) => last === top))
  const { closes } = await server.ask("stats")
  const faults = sum([...others.readers, ...stops.readers], (reader) => reader.faults)
  const snapshots = stops.readers.map((reader) => reader.snapshots)
  const missed = stops.readers.filter(({ received }) => received < top).length
  others.close()
  stops.close()
  return [
    {
      name: `${name}: who stopped`,
      passed:
        Object.keys(closes).length === 0 &&
        missed === size &&
        faults === 0 &&
        (!isBook || snapshots.every((count) => count === 1)),
      says:
        `${missed} of ${size} were spared publications, closed: ${JSON.stringify(closes)}; ` +
        `${isBook ? `SNAPSHOTs on their return: ${counted(snapshots)}; ` : ""}${faults} that did not follow; all at ${top} in the end`,
    },
  ]
}

export const slowReaders = async (options: SlowReadersOptions): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  const runs = [
    (server: SocketChild) => spared("ticker", options, server),
    (server: SocketChild) => spared("book", options, server),
    (server: SocketChild) => everyEvent(options, server),
  ]
  for (const run of runs) {
    // Whoever does not read does not answer pings either: without them it is the bytes alone that count.
    const server = await startSocketChild({ pings: false })
    try {
      verdicts.push(...(await run(server)))
    } finally {
      await server.stop()
    }
  }
  return verdicts
}

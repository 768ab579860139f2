/**
 * `book`: from a depth frame's leaving the venue to its receipt by a subscriber of the gateway (ccxt worker, book actor, hub, socket), against a
 * `watchOrderBook` loop in one process on the same frames (targets: every update delivered; added p50 of 0.3 ms at 1,000 frames/s; 5,000 a worker).
 */
import type { Routes } from "../test/exchanges/route-ccxt.ts"
import { type Child, startChild } from "./kit/child.ts"
import { endGateways, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { medians, type Percentiles, percentiles, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf, rssBytesOf } from "./kit/usage.ts"
import type { Sightings } from "./processes/book-wire.ts"

const RATES = [100, 1_000, 5_000, 20_000] as const
const ROUNDS = 3
const ROUND_MILLIS = 2_000
/** What was pushed may still wait in queues; whoever has not shown the last frame by then has lost it. */
const DRAIN_MILLIS_MAX = 20_000

const SIDES = ["ours", "floor"] as const
type SideName = (typeof SIDES)[number]

/** A venue, and who follows its book: the two sides take turns, and neither sees the other's frames. */
interface Side {
  readonly venue: Child
  readonly consumer: Child
  /** Whose CPU counts: the process that makes books of frames. */
  readonly pid: number
}

interface Pushed {
  readonly first: number
  readonly sentAt: Float64Array
}

type Figures = Percentiles & Record<"pushed" | "seen" | "drainMillis" | "cpuMicros", number>
type Found = Readonly<Record<SideName, Figures>>

const startVenue = async () => {
  const venue = await startChild("book-venue")
  return { venue, routes: await venue.ask<Routes>("start") }
}

const startOurs = async (): Promise<Side> => {
  const { venue, routes } = await startVenue()
  const gateway = await startGateway({ DATA_DIR: scratch("book"), VENUE_ROUTES: JSON.stringify(routes) })
  const { accessToken, call } = await signUp(gateway)
  await call("/market/instrument/sync", { venue: "BINANCE" })
  const consumer = await startChild("book-reader")
  const url = `${gateway.http.replace("http", "ws")}/connection/websocket`
  await consumer.ask("start", { url, token: accessToken })
  return { venue, consumer, pid: gateway.pid }
}

const startFloor = async (): Promise<Side> => {
  const { venue, routes } = await startVenue()
  const consumer = await startChild("book-loop")
  await consumer.ask("start", routes)
  return { venue, consumer, pid: consumer.pid }
}

/** Until the consumer has seen a frame: its book is there. */
const awaitBook = async ({ venue, consumer }: Side, what: string): Promise<void> => {
  for (let waited = 0; waited < 20_000; waited += 200) {
    await sleep(200)
    if ((await consumer.ask<Sightings>("take")).frames.length > 0) return
  }
  throw new Error(`${what} sees no frame; the venue has ${await venue.ask<number>("listeners")} listeners`)
}

/** Until the consumer has seen the frame or waited in vain; answers the ms it took. */
const drain = async ({ consumer }: Side, last: number): Promise<number> => {
  const from = performance.now()
  while ((await consumer.ask<number>("newest")) < last && performance.now() - from < DRAIN_MILLIS_MAX) await sleep(20)
  return performance.now() - from
}

/** One round of one side: the frames are pushed, and all that came of them is waited for. */
const round = async (side: Side, perSecond: number): Promise<Figures> => {
  const { venue, consumer, pid } = side
  await consumer.ask("take")
  const before = cpuMicrosOf(pid) ?? Number.NaN
  const { first, sentAt } = await venue.ask<Pushed>("push", { perSecond, millis: ROUND_MILLIS })
  const drainMillis = await drain(side, first + sentAt.length - 1)
  const cpuMicros = (cpuMicrosOf(pid) ?? Number.NaN) - before
  const { frames, at } = await consumer.ask<Sightings>("take")
  await venue.ask("trickle")
  const delays = [...frames].flatMap((frame, i) => {
    const [sent, seen] = [sentAt[frame - first], at[i]]
    return sent === undefined || seen === undefined ? [] : [seen - sent]
  })
  return {
    ...percentiles(delays),
    pushed: sentAt.length,
    seen: delays.length,
    drainMillis,
    cpuMicros: cpuMicros / sentAt.length,
  }
}

/** Medians of the rounds; what was pushed and seen is summed, so that no loss is averaged away. */
const joined = (rounds: ReadonlyArray<Figures>): Figures => {
  const sum = (of: (each: Figures) => number): number => rounds.reduce((total, each) => total + of(each), 0)
  return { ...medians(rounds), pushed: sum(({ pushed }) => pushed), seen: sum(({ seen }) => seen) }
}

const atRate = async (sides: Readonly<Record<SideName, Side>>, perSecond: number): Promise<Found> => {
  const rounds: Readonly<Record<SideName, Array<Figures>>> = { ours: [], floor: [] }
  for (let n = 0; n < ROUNDS; n++)
    for (const name of n % 2 === 0 ? SIDES : SIDES.toReversed()) rounds[name].push(await round(sides[name], perSecond))
  const found = { ours: joined(rounds.ours), floor: joined(rounds.floor) }
  for (const name of SIDES) {
    const { p50, p99, seen, pushed, cpuMicros, drainMillis } = found[name]
    say(row(`${perSecond} frames/s: ${name}`, p50, p99, seen, pushed, cpuMicros, drainMillis))
  }
  return found
}

/** µs that the way through the gateway costs beside the loop. */
const added = ({ ours, floor }: Found) => ({ p50: ours.p50 - floor.p50, p99: ours.p99 - floor.p99 })

const bench = async (): Promise<Result> => {
  const sides = { ours: await startOurs(), floor: await startFloor() }
  for (const name of SIDES) await awaitBook(sides[name], name)

  say(row("us", "p50", "p99", "seen", "pushed", "CPU us/frame", "drain ms"))
  const rates = new Map<number, Found>()
  for (const perSecond of RATES) rates.set(perSecond, await atRate(sides, perSecond))
  const rssBytes = rssBytesOf(sides.ours.pid)

  const at = rates.get(1_000)
  if (at === undefined) throw new Error("the target's rate was not measured")
  const all = [...rates.values()]
  const lost = all.reduce((sum, { ours }) => sum + ours.pushed - ours.seen, 0)
  const addedMicros = Object.fromEntries([...rates].map(([rate, found]) => [rate, added(found)]))
  say(
    `added at 1,000 frames/s: p50 ${(added(at).p50 / 1000).toFixed(2)} ms, p99 ${(added(at).p99 / 1000).toFixed(2)} ms; ` +
      `target p50 0.3 ms. Updates lost: ours ${lost}`,
  )
  const { p50, p99, p999, cpuMicros } = at.ours
  return {
    bench: "book",
    conditions: {
      rates: RATES,
      rounds: ROUNDS,
      roundMillis: ROUND_MILLIS,
      frame: "four levels, about 220 bytes, single update ids",
      latency:
        "from the frame's send call at the venue to its receipt, of the frames that were seen; pushed on a 1 ms clock",
      ratio: "added p50 in ms at 1,000 frames/s",
    },
    figures: { p50, p99, p999, cpuMicros, rssBytes, lost, addedMicros, rates: Object.fromEntries(rates) },
    floor: {
      p50: at.floor.p50,
      p99: at.floor.p99,
      p999: at.floor.p999,
      cpuMicros: at.floor.cpuMicros,
      seenShare: Object.fromEntries([...rates].map(([rate, { floor }]) => [rate, floor.seen / floor.pushed])),
    },
    ratio: added(at).p50 / 1000,
  }
}

await runBench(bench, endGateways)

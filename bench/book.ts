/**
 * `book`: from a depth frame's leaving the venue to its receipt by a subscriber of the gateway (ccxt worker, book actor, hub, socket), against a
 * `watchOrderBook` loop in one process on the same frames (targets: every update delivered; added p50 of 0.3 ms at 1,000 frames/s; 5,000 a worker).
 */
import type { Routes } from "../test/exchanges/route-ccxt.ts"
import type { Sightings } from "./book-wire.ts"
import { type Child, startChild } from "./kit/child.ts"
import { endGateways, scratch, signUp, startGateway } from "./kit/gateway.ts"
import { medians, type Percentiles, percentiles, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { cpuMicrosOf, rssBytesOf } from "./kit/usage.ts"

const RATES = [100, 1_000, 5_000] as const
const ROUNDS = 3
const ROUND_MILLIS = 2_000

interface Pushed {
  readonly first: number
  readonly sentAt: Float64Array
  readonly tookMillis: number
}

type Figures = Percentiles & Record<"pushed" | "seen" | "cpuMicros", number>

const figuresOf = (pushed: Pushed, sightings: Sightings, cpuMicros: number): Figures => {
  const delays: Array<number> = []
  for (const [i, frame] of sightings.frames.entries()) {
    const sentAt = pushed.sentAt[frame - pushed.first]
    if (sentAt !== undefined) delays.push(sightings.at[i]! - sentAt)
  }
  const total = pushed.sentAt.length
  return { ...percentiles(delays), pushed: total, seen: delays.length, cpuMicros: cpuMicros / total }
}

/** Until the consumer has seen a frame: its book is there. */
const awaitBook = async (venue: Child, consumer: Child, what: string): Promise<void> => {
  for (let waited = 0; waited < 20_000; waited += 200) {
    await sleep(200)
    if ((await consumer.ask<Sightings>("take")).frames.length > 0) return
  }
  throw new Error(`${what} sees no frame; the venue has ${await venue.ask<number>("listeners")} listeners`)
}

const bench = async (): Promise<Result> => {
  const start = async () => {
    const venue = await startChild("book-venue")
    return { venue, routes: await venue.ask<Routes>("start") }
  }
  // A venue each: the two sides take turns, and neither sees the other's frames.
  const [oursAt, floorAt] = [await start(), await start()]
  const gateway = await startGateway({ DATA_DIR: scratch("book"), VENUE_ROUTES: JSON.stringify(oursAt.routes) })
  const { accessToken, call } = await signUp(gateway)
  await call("/market/instrument/sync", { venue: "BINANCE" })
  const reader = await startChild("book-reader")
  const url = `${gateway.http.replace("http", "ws")}/connection/websocket`
  await reader.ask("start", { url, token: accessToken })
  const loop = await startChild("book-loop")
  await loop.ask("start", floorAt.routes)
  const sides = {
    ours: { venue: oursAt.venue, consumer: reader, pid: gateway.pid },
    floor: { venue: floorAt.venue, consumer: loop, pid: loop.pid },
  }
  for (const [what, { venue, consumer }] of Object.entries(sides)) await awaitBook(venue, consumer, what)

  say(row("us", "p50", "p99", "seen", "pushed", "CPU us/frame"))
  const found: Record<string, Record<keyof typeof sides, Figures>> = {}
  for (const perSecond of RATES) {
    const rounds = { ours: [] as Array<Figures>, floor: [] as Array<Figures> }
    for (let round = 0; round < ROUNDS; round++)
      for (const side of round % 2 === 0 ? (["ours", "floor"] as const) : (["floor", "ours"] as const)) {
        const { venue, consumer, pid } = sides[side]
        await consumer.ask("take")
        const before = cpuMicrosOf(pid) ?? Number.NaN
        const pushed = await venue.ask<Pushed>("push", { perSecond, millis: ROUND_MILLIS })
        await sleep(300)
        const cpuMicros = (cpuMicrosOf(pid) ?? Number.NaN) - before
        rounds[side].push(figuresOf(pushed, await consumer.ask<Sightings>("take"), cpuMicros))
        await venue.ask("trickle")
      }
    found[perSecond] = { ours: medians(rounds.ours), floor: medians(rounds.floor) }
    for (const side of ["ours", "floor"] as const) {
      const f = medians(rounds[side])
      say(row(`${perSecond} frames/s: ${side}`, f.p50, f.p99, f.seen, f.pushed, f.cpuMicros))
      // Losses are summed, not averaged away.
      const lost = rounds[side].reduce((sum, it) => sum + it.pushed - it.seen, 0)
      found[perSecond]![side] = {
        ...found[perSecond]![side],
        seen: f.pushed * ROUNDS - lost,
        pushed: f.pushed * ROUNDS,
      }
    }
  }
  const rssBytes = rssBytesOf(gateway.pid)
  await gateway.stop()
  const at = found["1000"]!
  const addedP50 = at.ours.p50 - at.floor.p50
  const lostBy = (side: keyof typeof sides): number =>
    Object.values(found).reduce((sum, each) => sum + each[side].pushed - each[side].seen, 0)
  const seenShare = Object.fromEntries(
    Object.entries(found).map(([rate, each]) => [rate, each.floor.seen / each.floor.pushed]),
  )
  say(
    `added at 1,000 frames/s: p50 ${(addedP50 / 1000).toFixed(2)} ms; target 0.3 ms. Updates lost: ours ${lostBy("ours")}`,
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
    figures: { p50, p99, p999, cpuMicros, rssBytes, lost: lostBy("ours"), addedP50, rates: found },
    floor: { p50: at.floor.p50, p99: at.floor.p99, p999: at.floor.p999, cpuMicros: at.floor.cpuMicros, seenShare },
    ratio: addedP50 / 1000,
  }
}

await runBench(bench, endGateways)

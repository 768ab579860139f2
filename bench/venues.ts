/**
 * `venues`: what it costs to start the connectors of all exchanges, in one thread and in a thread each, and how long 500 books of one venue take
 * (its request limit allows 120 snapshots a minute). The floor is the same workers' host before any venue was asked for.
 */
import type { VenueStats } from "../src/ports/venue-stats.ts"
import type { ShardRule } from "../src/venues/connector/placement.ts"
import { startChild } from "./kit/child.ts"
import { medians, type Result, row, runBench, say, sleep } from "./kit/report.ts"
import { rssBytesOf } from "./kit/usage.ts"

const ROUNDS = 3
const SYMBOLS = 3500
const BOOKS = 500
const BOOKS_MILLIS_MAX = 600_000
const MEGABYTE = 1_048_576
/** Until garbage of the start is gone, mostly. */
const SETTLE_MILLIS = 3000

const RULES = {
  "one thread": { "*": { public: "all", private: "all" } },
  "a thread each": "apart",
} as const satisfies Readonly<Record<string, ShardRule>>

interface Started {
  readonly venues: number
  readonly threads: number
  readonly startMillis: number
  readonly cpuMillis: number
  readonly rssMegabytes: number
  readonly heapMegabytes: number
}

const startAll = async (rule: ShardRule): Promise<Started> => {
  const host = await startChild("venues-host")
  try {
    const rssBefore = rssBytesOf(host.pid)
    const cpuBefore = await host.ask<number>("cpuMicros")
    // No host has a route: nothing is dialled, and no markets are loaded.
    const venues = await host.ask<number>("start", { rule, routes: {} })
    const startMillis = await host.ask<number>("useAll")
    const cpuMillis = ((await host.ask<number>("cpuMicros")) - cpuBefore) / 1000
    await sleep(SETTLE_MILLIS)
    const { shards } = await host.ask<VenueStats>("stats")
    return {
      venues,
      threads: shards.length,
      startMillis,
      cpuMillis,
      rssMegabytes: (rssBytesOf(host.pid) - rssBefore) / MEGABYTE,
      heapMegabytes: shards.reduce((sum, { heapUsedBytes }) => sum + heapUsedBytes, 0) / MEGABYTE,
    }
  } finally {
    await host.stop()
  }
}

const manyBooks = async () => {
  const exchange = await startChild("venues-exchange")
  const host = await startChild("venues-host")
  const rssBefore = rssBytesOf(host.pid)
  await host.ask("start", { rule: "apart", routes: await exchange.ask("start", SYMBOLS) })
  const from = performance.now()
  const symbols = Array.from({ length: BOOKS }, (_, i) => `C${i}/USDT`)
  await host.ask("openBooks", { venue: "BINANCE", symbols })
  let firstMillis = Number.NaN
  let whole = 0
  while (whole < BOOKS && performance.now() - from < BOOKS_MILLIS_MAX) {
    await sleep(whole === 0 ? 20 : 500)
    whole = (await host.ask<{ whole: number }>("books")).whole
    if (whole > 0 && Number.isNaN(firstMillis)) {
      firstMillis = performance.now() - from
      say(`the first book after ${Math.round(firstMillis)} ms, with the ${SYMBOLS} symbols of the venue`)
    }
  }
  const allMillis = performance.now() - from
  await sleep(SETTLE_MILLIS)
  const { shards } = await host.ask<VenueStats>("stats")
  const heapMegabytes = (shards[0]?.heapUsedBytes ?? 0) / MEGABYTE
  const figures = {
    whole,
    firstMillis,
    allMillis,
    rssMegabytes: (rssBytesOf(host.pid) - rssBefore) / MEGABYTE,
    heapMegabytes,
  }
  say(row(`${whole} of ${BOOKS} books`, `${Math.round(allMillis / 1000)} s`, `${Math.round(figures.rssMegabytes)} MB`))
  await host.stop()
  await exchange.stop()
  return figures
}

const bench = async (): Promise<Result> => {
  const rounds: Record<keyof typeof RULES, Array<Started>> = { "one thread": [], "a thread each": [] }
  const names = Object.keys(RULES) as ReadonlyArray<keyof typeof RULES>
  for (let round = 0; round < ROUNDS; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) rounds[name].push(await startAll(RULES[name]))
  say(row("all exchanges", "venues", "threads", "start ms", "CPU ms", "RSS + MB", "heap MB"))
  const found = Object.fromEntries(names.map((name) => [name, medians(rounds[name])]))
  for (const [name, it] of Object.entries(found))
    say(row(name, it.venues, it.threads, it.startMillis, it.cpuMillis, it.rssMegabytes, it.heapMegabytes))
  const books = await manyBooks()
  const [together, apart] = [found["one thread"], found["a thread each"]]
  return {
    bench: "venues",
    conditions: {
      rounds: ROUNDS,
      venues: "one profile of each exchange, without routes: code and instances, no markets",
      books: `${BOOKS} order books of a venue with ${SYMBOLS} symbols, all opened at once, 1,000 levels a side`,
      ratio: "memory of a thread each / of one thread",
    },
    figures: { ...found, books, lost: BOOKS - books.whole },
    floor: {},
    ratio: (apart?.rssMegabytes ?? Number.NaN) / (together?.rssMegabytes ?? Number.NaN),
  }
}

await runBench(bench)

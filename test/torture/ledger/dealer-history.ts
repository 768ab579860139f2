/**
 * A dealer with a long history: what its start costs, the step of the schema that sums up what was before, one quote more, and thousands of
 * executed quotes that cannot be hedged. The history is made by the database; what is measured is read by the store as the actor reads it.
 */
import { randomUUID } from "node:crypto"
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId, TradingAccountId } from "../../../src/domain/ids.ts"
import { HedgeStore, hedgeIntentFact, type StoredHedges } from "../../../src/ports/hedge-store.ts"
import { hedgeStoreLayer } from "../../../src/store/dealers/hedge-store-sql.ts"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { migrate, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { makeHedgeHistory, sumOfEverything } from "../../kit/records/hedge-history.ts"
import { intentOf } from "../../kit/records/hedges.ts"
import { HedgeWorld } from "../../kit/worlds/hedge-world.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

const MIGRATIONS = join(import.meta.dirname, "../../../src/store/migrations")
/** The last step before the one that sums up. */
const BEFORE = 29
const PAGE = 250_000
const WAKE_MILLIS_MAX = 2_000
const RSS_MB_MAX = 200
/** One quote more, against the same with no history. */
const QUOTE_RATIO_MAX = 1.5
const QUOTES = 300
const UNHEDGED = 20_000
const UNHEDGED_RATIO_MAX = 1.3

const timed = async <A>(run: () => Promise<A>): Promise<readonly [A, number]> => {
  const startedAt = performance.now()
  const result = await run()
  return [result, performance.now() - startedAt]
}

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** One executed quote, as the ledger stores it, of each of these dealers by turns: what the machine does beside it is the same for all. */
const oneMore = async (client: pg.Client, dealers: ReadonlyArray<DealerAccountId>): Promise<ReadonlyArray<number>> => {
  const times = dealers.map((): Array<number> => [])
  for (let n = 0; n < QUOTES; n++)
    for (const [index, dealerAccountId] of dealers.entries()) {
      const ids = { hedgeIntentId: randomUUID() as never, quoteId: randomUUID() as never }
      const rows = JSON.stringify([hedgeIntentFact({ ...intentOf(n), ...ids, dealerAccountId }).row])
      const [, millis] = await timed(() => client.query("SELECT ledger_facts_hedge_intent($1::jsonb)", [rows]))
      times[index]!.push(millis)
    }
  return times.map(median)
}

/** CPU of the last hundred executed quotes against that of the first hundred after the code is warm, while nothing can be hedged. */
const unhedged = (): number => {
  const costOf = (world: HedgeWorld, from: number, to: number): number => {
    const before = process.cpuUsage()
    for (let n = from; n <= to; n++) world.executed(intentOf(n))
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  costOf(new HedgeWorld({}, []), 1, 3_000)
  const ratios = Array.from({ length: 5 }, () => {
    const world = new HedgeWorld({}, [])
    const first = costOf(world, 1, 100)
    costOf(world, 101, UNHEDGED - 100)
    return costOf(world, UNHEDGED - 99, UNHEDGED) / first
  })
  return median(ratios)
}

export const dealerHistory = async (options: {
  readonly quotes: number
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const { quotes, progress } = options
  const ratio = unhedged()
  progress(
    `dealer-history: ${UNHEDGED} executed quotes without a hedge, the last hundred cost ${ratio.toFixed(2)} of the first`,
  )
  const directory = scratchDirectory("history")
  const folder = join(directory, "migrations")
  const server = await startEmbeddedPostgres({ dataDir: join(directory, "postgres"), durable: false })
  const client = new pg.Client({ connectionString: server.url() })
  try {
    mkdirSync(folder, { recursive: true })
    for (const file of readdirSync(MIGRATIONS))
      if (Number(file.slice(0, 4)) <= BEFORE) cpSync(join(MIGRATIONS, file), join(folder, file))
    await migrate(server.url(), { folder })
    await client.connect()
    const dealerAccountId = randomUUID() as DealerAccountId
    const tradingAccountId = randomUUID() as TradingAccountId
    for (let from = 1; from <= quotes; from += PAGE) {
      const to = Math.min(quotes, from + PAGE - 1)
      await makeHedgeHistory(client, { dealerAccountId, tradingAccountId, from, to })
      progress(`dealer-history: ${to} executed quotes and their hedges`)
    }
    const [, migrated] = await timed(() => migrate(server.url()))
    progress(`dealer-history: summed up in ${(migrated / 1_000).toFixed(1)} s`)
    const [few, many] = (await oneMore(client, [randomUUID() as DealerAccountId, dealerAccountId])) as [number, number]
    const runtime = ManagedRuntime.make(hedgeStoreLayer.pipe(Layer.provide(sqlLayer(server.url()))))
    const store = await runtime.runPromise(HedgeStore)
    // Another dealer first: what the pool and the code cost is not the history's.
    await runtime.runPromise(store.load(randomUUID() as DealerAccountId))
    const before = process.memoryUsage.rss()
    const [lines, woke] = await timed(() => runtime.runPromise(store.load(dealerAccountId)))
    const grown = (process.memoryUsage.rss() - before) / 1_048_576
    const [woken, everything] = [lines[0] as StoredHedges, await sumOfEverything(client, dealerAccountId)]
    await runtime.dispose()
    const isExact = (["owed", "reference", "spread", "hedged", "cost"] as const).every((name) =>
      woken.totals[name].equals(Decimal.of(everything[name])),
    )
    return [
      {
        name: "a start",
        passed: woke <= WAKE_MILLIS_MAX,
        says: `${woke.toFixed(0)} ms after ${quotes} executed quotes`,
      },
      { name: "memory", passed: grown <= RSS_MB_MAX, says: `${grown.toFixed(0)} MB more` },
      {
        name: "sums",
        passed: isExact,
        says: isExact ? "are those of every row" : `${JSON.stringify([woken.totals, everything])}`,
      },
      {
        name: "one quote more",
        passed: many / few <= QUOTE_RATIO_MAX,
        says: `p50 ${many.toFixed(2)} ms, ${few.toFixed(2)} ms with no history`,
      },
      {
        name: "a quote that cannot be hedged",
        passed: ratio <= UNHEDGED_RATIO_MAX,
        says: `the last hundred of ${UNHEDGED} cost ${ratio.toFixed(2)} of the first`,
      },
    ]
  } finally {
    await client.end()
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * The lease on a database in every order of events, as far as there is time; and the same with one part of the protocol taken out at a time, each of
 * which must go wrong.
 */
import { rmSync } from "node:fs"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { SESSION_LOCK } from "../../../src/store/postgres/lease.ts"
import { OWNER_LOCK } from "../../../src/store/postgres/node.ts"
import { migrate } from "../../../src/store/postgres/sql.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { type Bounds, type Explored, explore } from "./explore.ts"
import { ServerModel } from "./server-model.ts"
import { exploreShards, type ShardBounds, type ShardsExplored, type Without } from "./shards.ts"

export const LOCKS = { owner: OWNER_LOCK, sessions: SESSION_LOCK }

export const SMALL: Bounds = { seconds: 2, starts: 2, renewals: 1, writes: 1, cuts: 0, kills: 0 }
const LARGE: Bounds = { seconds: 3, starts: 3, renewals: 2, writes: 2, cuts: 1, kills: 1 }
const ONE_NAME = ["gateway", "gateway"] as const
const TWO_NAMES = ["a", "b"] as const

export interface Sabotage {
  readonly what: string
  readonly change: (text: string) => string
  readonly bounds: Bounds
}

/** Each takes out one condition; in these bounds it has to be missed. */
export const SABOTAGES: ReadonlyArray<Sabotage> = [
  {
    what: "the epoch of a batch",
    change: (text) => text.replace("AND epoch = $2 FOR KEY SHARE", "FOR KEY SHARE"),
    bounds: SMALL,
  },
  {
    what: "the epoch of a renewal",
    change: (text) => text.replace("AND epoch = $2 RETURNING", "RETURNING"),
    bounds: SMALL,
  },
  {
    what: "the end of the lease before a take-over",
    change: (text) => text.replace("until < clock_timestamp() AND", ""),
    bounds: SMALL,
  },
  {
    what: "the end of the sessions before",
    change: (text) => text.replace(/pg_terminate_backend\(pid(, \$2)?\)/, "true"),
    bounds: { ...SMALL, seconds: 0, renewals: 0, cuts: 1 },
  },
]

// Two nodes of a cluster, of which one owns the database and the other waits (keeper-thread.ts).

const QUIET: Bounds = { seconds: 2, starts: 2, renewals: 0, writes: 0, cuts: 0, kills: 0 }

/** Of each everything is seen, but of all together. */
export const CLUSTER_SMALL: ReadonlyArray<readonly [what: string, bounds: Bounds, nodes: readonly [string, string]]> = [
  ["two processes of one name", QUIET, ONE_NAME],
  ["one leaves", { ...QUIET, seconds: 0, writes: 1, looks: 1, leaves: 1 }, TWO_NAMES],
]
const CLUSTER_LARGE: typeof CLUSTER_SMALL = [
  ["one waits and looks again", { ...QUIET, looks: 1 }, TWO_NAMES],
  [
    "all together",
    { seconds: 3, starts: 3, renewals: 2, writes: 2, cuts: 1, kills: 1, looks: 2, leaves: 1 },
    TWO_NAMES,
  ],
]

// Two nodes that share shards, as several gateways on one database will (shards.ts).

const NOTHING: ShardBounds = { seconds: 0, starts: 2, renewals: 0, takes: 2, releases: 0, writes: 0, cuts: 0, kills: 0 }

/** Of each everything is seen; together they take some minutes. */
const SHARED: ReadonlyArray<readonly [what: string, bounds: ShardBounds]> = [
  ["leases, releases and batches", { ...NOTHING, seconds: 2, renewals: 1, releases: 1, writes: 1 }],
  ["lost sessions and kills", { ...NOTHING, seconds: 2, starts: 3, writes: 1, cuts: 1, kills: 1 }],
  ["shards that go back and forth", { ...NOTHING, takes: 4, releases: 2, writes: 2 }],
]
const SHARED_SMALL: ShardBounds = { ...NOTHING, seconds: 2, writes: 1 }

export interface SharedSabotage {
  readonly what: string
  readonly change?: (text: string) => string
  readonly without?: Without
  readonly bounds: ShardBounds
}

export const SHARED_SABOTAGES: ReadonlyArray<SharedSabotage> = [
  {
    what: "the epoch of a batch",
    change: (text) => text.replace("AND epoch = $2 FOR KEY SHARE", "FOR KEY SHARE"),
    bounds: SHARED_SMALL,
  },
  { what: "the wait of a take for batches in flight", without: { lock: true }, bounds: SHARED_SMALL },
  {
    what: "the end of the lease before a take",
    change: (text) => text.replace("AND until < clock_timestamp() AND EXISTS", "AND EXISTS"),
    bounds: SHARED_SMALL,
  },
  { what: "the end of the lease before a signature", without: { lease: true }, bounds: SHARED_SMALL },
  {
    what: "the wait of a release for its batch",
    without: { drain: true },
    bounds: { ...NOTHING, releases: 1, writes: 1 },
  },
  {
    what: "the grant that a release names",
    change: (text) => text.replace("AND epoch = $2 AND term = $4 RETURNING", "AND epoch = $2 RETURNING"),
    bounds: { ...NOTHING, takes: 3, releases: 1, cuts: 1 },
  },
  {
    what: "the order of a node's own takes",
    change: (text) => text.replace(" AND s.asked < $4", ""),
    bounds: { ...NOTHING, takes: 3, cuts: 1 },
  },
]

const wordsOf = (
  { states, steps, depth, isWhole, violations, seen }: Explored | ShardsExplored,
  asked: number,
): string =>
  [
    `${states} states, ${steps} steps, ${depth} deep, ${isWhole ? "all within the bounds" : violations.length > 0 ? "to the first violation" : "as far as the time went"}`,
    `${asked} statements asked of PostgreSQL`,
    Object.entries(seen)
      .map(([what, times]) => `${what}: ${times}`)
      .join(", "),
    ...violations.slice(0, 1).map(({ what, way }) => `${what}: ${way.join("; ")}`),
  ].join("\n  ")

export const ownership = async (options: {
  readonly minutes: number
  readonly progress: (line: string) => void
}): Promise<ReadonlyArray<Verdict>> => {
  const directory = scratchDirectory("ownership")
  let server: EmbeddedPostgres | undefined
  try {
    server = await startEmbeddedPostgres({ dataDir: directory, durable: false })
    const url = server.url()
    await migrate(url)
    const run = async (
      bounds: Bounds,
      nodes: readonly [string, string],
      minutes: number,
      change?: (text: string) => string,
      isCluster = false,
    ): Promise<{ readonly explored: Explored; readonly says: string }> => {
      const model = await ServerModel.over(url, LOCKS, change)
      try {
        const untilMillis = performance.now() + minutes * 60_000
        const explored = await explore(model, bounds, nodes, { isCluster, untilMillis })
        return { explored, says: wordsOf(explored, model.asked) }
      } finally {
        await model.close()
      }
    }
    const verdicts: Array<Verdict> = []
    for (const { what, change, bounds } of SABOTAGES) {
      options.progress(`ownership: without ${what}`)
      const { explored, says } = await run(bounds, ONE_NAME, options.minutes, change)
      verdicts.push({ name: `red without ${what}`, passed: explored.violations.length > 0, says })
    }
    for (const [name, nodes] of [
      ["two processes of one name", ONE_NAME],
      ["two processes of two names", TWO_NAMES],
    ] as const) {
      options.progress(`ownership: ${name}`)
      // It ends by itself.
      const small = await run(SMALL, nodes, Number.POSITIVE_INFINITY)
      verdicts.push({
        name: `${name}, all of the small`,
        passed: small.explored.isWhole && small.explored.violations.length === 0,
        says: small.says,
      })
      const large = await run(LARGE, nodes, options.minutes / 2)
      verdicts.push({ name, passed: large.explored.violations.length === 0, says: large.says })
    }
    for (const { what, change, bounds } of SABOTAGES) {
      options.progress(`ownership: a cluster without ${what}`)
      const { explored, says } = await run(bounds, TWO_NAMES, options.minutes, change, true)
      verdicts.push({ name: `a cluster: red without ${what}`, passed: explored.violations.length > 0, says })
    }
    for (const [what, bounds, nodes] of [...CLUSTER_SMALL, ...CLUSTER_LARGE]) {
      options.progress(`ownership: a cluster: ${what}`)
      const isAll = what !== "all together"
      const minutes = isAll ? Number.POSITIVE_INFINITY : options.minutes
      const { explored, says } = await run(bounds, nodes, minutes, undefined, true)
      const passed = explored.violations.length === 0 && (explored.isWhole || !isAll)
      verdicts.push({ name: `a cluster: ${what}`, passed, says })
    }
    const runShared = async (
      bounds: ShardBounds,
      { change, without }: Pick<SharedSabotage, "change" | "without"> = {},
    ) => {
      const model = await ServerModel.over(url, LOCKS, change)
      try {
        const explored = await exploreShards(model, bounds, without)
        return { explored, says: wordsOf(explored, model.asked) }
      } finally {
        await model.close()
      }
    }
    for (const sabotage of SHARED_SABOTAGES) {
      options.progress(`ownership: two shards without ${sabotage.what}`)
      const { explored, says } = await runShared(sabotage.bounds, sabotage)
      verdicts.push({ name: `two shards: red without ${sabotage.what}`, passed: explored.violations.length > 0, says })
    }
    for (const [what, bounds] of SHARED) {
      options.progress(`ownership: two nodes, two shards: ${what}`)
      const { explored, says } = await runShared(bounds)
      const passed = explored.isWhole && explored.violations.length === 0
      verdicts.push({ name: `two nodes, two shards: ${what}`, passed, says })
    }
    return verdicts
  } finally {
    await server?.stop().catch(() => undefined)
    rmSync(directory, { recursive: true, force: true })
  }
}

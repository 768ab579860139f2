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
    change: (text) => text.replace("pg_terminate_backend(pid, $2)", "true"),
    bounds: { ...SMALL, seconds: 0, renewals: 0, cuts: 1 },
  },
]

const wordsOf = ({ states, steps, depth, isWhole, violations, seen }: Explored, asked: number): string =>
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
    ): Promise<{ readonly explored: Explored; readonly says: string }> => {
      const model = await ServerModel.over(url, LOCKS, change)
      try {
        const explored = await explore(model, bounds, nodes, { untilMillis: performance.now() + minutes * 60_000 })
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
    return verdicts
  } finally {
    await server?.stop().catch(() => undefined)
    rmSync(directory, { recursive: true, force: true })
  }
}

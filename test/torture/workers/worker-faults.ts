/**
 * Faults of a connector's thread while all connectors stream: it throws, exits, runs out of memory, spins for ever, or leaves a rejection
 * unhandled. Judged: how soon its books are fresh again, what the others notice, and that the process lives.
 */
import { spawnSync } from "node:child_process"
import { loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { V8_FLAGS } from "../../../scripts/v8-flags.ts"
import type { ShardRule } from "../../../src/venues/connector/placement.ts"
import { SHARD_TIMES } from "../../../src/venues/connector/shard.ts"
import type { BreakHow } from "../../../src/venues/connector/wire.ts"
import { startLine } from "../../kit/servers/process-line.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { type HostAsks, type HostFacts, type Recovery, VENUES, type VenueName } from "./worker-faults-host.ts"
import type { VenuesAsks } from "./worker-faults-venues.ts"

const FAULTS = ["throw", "exit", "oom", "spin", "reject"] as const satisfies ReadonlyArray<BreakHow>

export interface WorkerFaultsOptions {
  /** How often each fault happens, to one venue after the other. */
  readonly rounds: number
  /** Where the venues have a thread each, and where they share one. */
  readonly faults: Readonly<Record<keyof typeof THREADS, ReadonlyArray<BreakHow>>>
  /** Between two steps of each venue's markets. */
  readonly stepMillis: number
  /** Of quiet before each fault, and of looking on after it. */
  readonly calmMillis: number
  /** As the gateway has it, or more where a starved machine must not be taken for a thread that hangs. */
  readonly missesMax: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

export interface FaultRound {
  readonly threads: keyof typeof THREADS
  readonly how: BreakHow
  readonly victim: VenueName
  readonly before: HostFacts
  readonly recovery: Recovery
  /** From the fault until the victim streamed again, and a while longer. */
  readonly during: HostFacts
}

export interface WorkerFaults {
  readonly rounds: ReadonlyArray<FaultRound>
  /** How each host ended: "0" in good order. A host that died before has failed its round. */
  readonly endings: ReadonlyArray<string>
}

/** A thread for each venue, and one for all of them, which dies with all. */
export const THREADS = {
  apart: "apart",
  together: { "*": { public: "all", private: "all" } },
} as const satisfies Readonly<Record<string, ShardRule>>

/** A heap that fills within moments. */
const HEAP_MEGABYTES = 128
const FLAGS = { flags: V8_FLAGS }

/** Runs the faults; rejects when the process with the connectors dies. */
export const causeFaults = async (options: WorkerFaultsOptions): Promise<WorkerFaults> => {
  const { stepMillis, calmMillis, missesMax, built, progress } = options
  const rounds: Array<FaultRound> = []
  const endings: Array<string> = []
  const venues = startLine<VenuesAsks>(new URL("./worker-faults-venues.ts", import.meta.url), FLAGS)
  try {
    const routes = await venues.ask("start", stepMillis)
    for (const threads of ["apart", "together"] as const) {
      const host = startLine<HostAsks>(new URL("./worker-faults-host.ts", import.meta.url), FLAGS)
      try {
        await host.ask("start", { routes, shards: THREADS[threads], heapMegabytes: HEAP_MEGABYTES, missesMax, built })
        const faults = options.faults[threads]
        for (let n = 0; n < options.rounds * faults.length; n++) {
          const how = faults[n % faults.length] ?? "exit"
          const victim = VENUES[n % VENUES.length] ?? "BINANCE"
          await sleep(calmMillis)
          await host.ask("look", undefined)
          await sleep(calmMillis)
          const before = await host.ask("look", undefined)
          const recovery = await host.ask("break", { venue: victim, how })
          await sleep(calmMillis / 2)
          const during = await host.ask("look", undefined)
          rounds.push({ threads, how, victim, before, recovery, during })
          progress(`${threads}: ${how} of ${victim}, whole again after ${recovery.allMillis.toFixed(0)} ms`)
        }
      } finally {
        endings.push(await host.stop())
      }
    }
  } finally {
    await venues.stop()
  }
  return { rounds, endings }
}

/** Of the scoreboard: a thread that died is replaced and its books are fresh within 2 s. */
const FRESH_MILLIS_MAX = 2000
/** The others' delays may double, or grow to this: a thread that starts takes one of two cores. */
const P99_FLOOR_MILLIS = 50

const sorted = (values: Iterable<number>): Float64Array => Float64Array.from(values).sort()
const percentile = (values: Float64Array, share: number): number =>
  values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
/** The median and the worst. */
const shown = (values: Float64Array): string =>
  `${percentile(values, 0.5).toFixed(0)} (worst ${percentile(values, 1).toFixed(0)})`
const sum = (values: ReadonlyArray<number>): number => values.reduce((total, value) => total + value, 0)

const others = (round: FaultRound): ReadonlyArray<VenueName> => VENUES.filter((name) => name !== round.victim)
const delaysOf = (rounds: ReadonlyArray<FaultRound>, when: "before" | "during"): Float64Array =>
  sorted(rounds.flatMap((round) => others(round).flatMap((name) => [...round[when].venues[name].delays])))
/** What the venues other than the victim counted from the fault on. */
const countOf = (rounds: ReadonlyArray<FaultRound>, what: "downs" | "holes" | "updates"): number =>
  sum(rounds.flatMap((round) => others(round).map((name) => round.during.venues[name][what])))

/** How much a machine may be blamed: on one that does other work too, `patient` looks at what happened and not at how fast. */
interface Terms {
  readonly freshMillisMax: number
  readonly isPatient: boolean
}

const fresh = (name: string, rounds: ReadonlyArray<FaultRound>, { freshMillisMax }: Terms): Verdict => {
  const of = (what: keyof Recovery): Float64Array => sorted(rounds.map(({ recovery }) => recovery[what]))
  const first = of("firstMillis")
  const worst = percentile(first, 1)
  return {
    name: `${name}: fresh again`,
    passed: worst <= freshMillisMax,
    says:
      `the thread gone after ${shown(of("lostMillis"))} ms, the first snapshot after ${shown(first)}, all books after ${shown(of("allMillis"))}, ` +
      `${rounds.length} times`,
  }
}

const undisturbed = (name: string, rounds: ReadonlyArray<FaultRound>, { isPatient }: Terms): Verdict => {
  const [before, during] = [delaysOf(rounds, "before"), delaysOf(rounds, "during")]
  const [p99Before, p99] = [percentile(before, 0.99), percentile(during, 0.99)]
  const loop = Math.max(...rounds.map((round) => round.during.loopDelayMax))
  const downs = countOf(rounds, "downs")
  return {
    name: `${name}: the others`,
    passed: downs === 0 && (isPatient || p99 <= Math.max(2 * p99Before, P99_FLOOR_MILLIS)),
    says:
      `${downs} interruptions, p50 ${percentile(before, 0.5).toFixed(1)} → ${percentile(during, 0.5).toFixed(1)} ms, ` +
      `p99 ${p99Before.toFixed(1)} → ${p99.toFixed(1)} ms of ${before.length} and ${during.length} book updates; ` +
      `this process's loop was late by ${loop.toFixed(1)} ms at most`,
  }
}

const judge = ({ rounds, endings }: WorkerFaults, terms: Terms): ReadonlyArray<Verdict> => {
  const verdicts = Object.keys(THREADS).flatMap((threads) =>
    FAULTS.flatMap((how) => {
      const own = rounds.filter((round) => round.threads === threads && round.how === how)
      const name = `${threads}, ${how}`
      const survives = how === "reject"
      return [
        ...(survives ? [] : [fresh(name, own, terms)]),
        // Who shares the thread is lost and fresh again with it.
        ...(threads === "apart" || survives ? [undisturbed(name, own, terms)] : []),
      ]
    }),
  )
  const holes = sum(rounds.flatMap(({ during }) => VENUES.map((name) => during.venues[name].holes)))
  const calm = sum(rounds.map(({ before }) => sum(VENUES.map((name) => before.venues[name].updates))))
  const rss = Math.max(...rounds.map(({ during }) => during.rssBytes))
  return [
    ...verdicts,
    {
      name: "books",
      passed: holes === 0,
      says: `${holes} updates that did not follow the one before, ${calm} in calm`,
    },
    {
      name: "the process",
      passed: endings.every((ending) => ending === "0"),
      says: `alive through ${rounds.length} faults, then ended with ${endings.join(" and ")}; ${(rss / 1_048_576).toFixed(0)} MB at most (load ${loadavg()[0]?.toFixed(1)})`,
    },
  ]
}

/** Steps of the markets this far apart make 200 to 300 book updates a second, with all their trades. */
const STEP_MILLIS = 10
const CALM_MILLIS = 2000
/** Heartbeats of 200 ms that a thread may miss where the machine is not its own. */
const PATIENT_MISSES = 20

/**
 * On compiled code, as users run it: threads that compile what they load start much later. `patienceMillis`: books are fresh within that
 * time, and delays are not judged; null: as the scoreboard has it.
 */
export const workerFaults = async ({
  rounds,
  patienceMillis,
  progress,
}: Pick<WorkerFaultsOptions, "rounds" | "progress"> & {
  readonly patienceMillis: number | null
}): Promise<ReadonlyArray<Verdict>> => {
  const build = spawnSync(process.execPath, [fileURLToPath(new URL("../../../scripts/build.mjs", import.meta.url))])
  if (build.status !== 0) throw new Error(`the build failed: ${build.stderr}`)
  const isPatient = patienceMillis !== null
  const missesMax = isPatient ? PATIENT_MISSES : SHARD_TIMES.missesMax
  const times = { stepMillis: STEP_MILLIS, calmMillis: CALM_MILLIS, missesMax }
  const faults = { apart: FAULTS, together: FAULTS }
  const terms = { freshMillisMax: patienceMillis ?? FRESH_MILLIS_MAX, isPatient }
  return judge(await causeFaults({ rounds, faults, ...times, built: true, progress }), terms)
}

/**
 * What is done to a cluster, by kinds. The one thing to know: each takes back what it has done before it ends, so that the nodes can be whole again; whether another node has to
 * take over is the kind's own to say.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Parted } from "../../kit/proxies/cut-proxy.ts"
import { clocksMissing } from "../nemesis/clock-steps.ts"
import { type ClusterStage, type ClusterStageOptions, NOTICE_MILLIS, type Place } from "./cluster-stage.ts"

/** Of one that is stopped, or parted: longer than a take-over. */
const STOPPED_MILLIS = 6_000
/** Of brokers, which none takes over from. */
const BROKER_MILLIS = 4_000
const POSTGRES_MILLIS = 1_500
const CLOCK_MILLIS = 5_000

export interface Struck {
  /** performance.now() of the fault. */
  readonly at: number
  /** Until another node did the operations, of SIGTERM after the notice, in which the one before still does them; null: none has to. */
  readonly coreMillis: number | null
}

type Strike = (stage: ClusterStage, round: number) => Promise<Struck>

const ownerOf = (stage: ClusterStage): { readonly place: Place; readonly term: number } => {
  const found = stage.owner()
  if (found === undefined) throw new Error("no node owns the database")
  return found
}

const ended = async ({ process }: Pick<Place, "process">): Promise<void> => void (await process?.exited)

/** The owner's process is done this to; it is there again by its supervisor. */
const signalled =
  (signal: NodeJS.Signals): Strike =>
  async (stage) => {
    const { place, term } = ownerOf(stage)
    const { process } = place
    const at = performance.now()
    process?.kill(signal)
    const noticeMillis = signal === "SIGTERM" ? NOTICE_MILLIS : 0
    const coreMillis = (await stage.nextOwner(term, at)) - noticeMillis
    if (signal === "SIGSTOP") {
      await sleep(Math.max(0, at + STOPPED_MILLIS - performance.now()))
      process?.kill("SIGCONT")
    }
    await ended({ process })
    return { at, coreMillis }
  }

/** A node that does not own the database. */
const edgeKilled: Strike = async (stage, round) => {
  const { place } = ownerOf(stage)
  const others = stage.places.filter((it) => it !== place)
  const { process } = others[round % others.length]!
  const at = performance.now()
  process?.kill("SIGKILL")
  await ended({ process })
  return { at, coreMillis: null }
}

/** Nothing of `whose` passes between the owner and PostgreSQL: another one takes over, and the one before ends. */
const partedFromPostgres =
  (whose: Parted): Strike =>
  async (stage) => {
    const { place, term } = ownerOf(stage)
    const { process } = place
    const at = performance.now()
    place.toPostgres.part(whose)
    try {
      const coreMillis = await stage.nextOwner(term, at)
      await sleep(Math.max(0, at + STOPPED_MILLIS - performance.now()))
      place.toPostgres.mend()
      await ended({ process })
      return { at, coreMillis }
    } finally {
      place.toPostgres.mend()
    }
  }

/** Nothing of `whose` passes between the owner and the brokers: it goes on for its own clients, and others hold what they cannot pass on. */
const partedFromBrokers =
  (whose: Parted): Strike =>
  async (stage) => {
    const { place } = ownerOf(stage)
    const at = performance.now()
    for (const proxy of place.toBrokers) proxy.part(whose)
    await sleep(BROKER_MILLIS)
    for (const proxy of place.toBrokers) proxy.mend()
    return { at, coreMillis: null }
  }

/** These of the two brokers, for a while. */
const brokers =
  (which: (round: number) => ReadonlyArray<number>, how: "killed" | "stopped"): Strike =>
  async (stage, round) => {
    const chosen = which(round).map((n) => stage.brokers[n]!)
    const at = performance.now()
    await Promise.all(chosen.map((broker) => (how === "killed" ? broker.kill() : broker.freeze())))
    await sleep(BROKER_MILLIS)
    for (const broker of chosen) {
      if (how === "killed") await broker.start()
      else broker.thaw()
    }
    return { at, coreMillis: null }
  }

/** All nodes lose their sessions; whichever is there first has the database next. */
const postgresRestarted: Strike = async (stage, round) => {
  const { term } = ownerOf(stage)
  const at = performance.now()
  await stage.database.restart(round % 2 === 0 ? "SIGKILL" : "SIGINT", POSTGRES_MILLIS)
  return { at, coreMillis: await stage.nextOwner(term, at) }
}

const failedOver: Strike = async (stage) => {
  const { term } = ownerOf(stage)
  const at = performance.now()
  await stage.database.failOver()
  return { at, coreMillis: await stage.nextOwner(term, at) }
}

/** The owner's wall clock, by turns before and behind. */
const clockStepped: Strike = async (stage, round) => {
  const { place } = ownerOf(stage)
  const at = performance.now()
  place.setClock(round % 2 === 0 ? "+50m" : "-50m")
  await sleep(CLOCK_MILLIS)
  place.setClock("+0")
  return { at, coreMillis: null }
}

export interface Kind {
  readonly strike: Strike
  readonly what: string
  readonly stage?: Pick<ClusterStageOptions, "isPair" | "hasClocks">
  /** PostgreSQL itself is away at first: the goal for a take-over is none for this. */
  readonly isOfDatabase?: boolean
  /** A cluster lasts for one of them. */
  readonly isOnce?: boolean
  /** Why it cannot be done here. */
  readonly missing?: string | null
}

export const KINDS = {
  kill: { strike: signalled("SIGKILL"), what: "SIGKILL of the owner" },
  stop: { strike: signalled("SIGSTOP"), what: "SIGSTOP of the owner, SIGCONT after 6 s" },
  term: { strike: signalled("SIGTERM"), what: "SIGTERM of the owner" },
  "edge-kill": { strike: edgeKilled, what: "SIGKILL of another node" },
  "broker-kill": { strike: brokers((round) => [round % 2], "killed"), what: "one of two brokers killed for 4 s" },
  "broker-stop": { strike: brokers((round) => [round % 2], "stopped"), what: "one of two brokers stopped for 4 s" },
  "brokers-kill": { strike: brokers(() => [0, 1], "killed"), what: "both brokers killed for 4 s" },
  "part-postgres": { strike: partedFromPostgres("both"), what: "owner and PostgreSQL parted for 6 s" },
  "deaf-postgres": {
    strike: partedFromPostgres("target"),
    what: "what PostgreSQL says does not reach the owner for 6 s",
  },
  "part-broker": { strike: partedFromBrokers("both"), what: "owner and brokers parted for 4 s" },
  "deaf-broker": { strike: partedFromBrokers("target"), what: "what brokers say does not reach the owner for 4 s" },
  "mute-broker": { strike: partedFromBrokers("client"), what: "what the owner says does not reach brokers for 4 s" },
  postgres: {
    strike: postgresRestarted,
    what: "PostgreSQL killed, or told to end, for 1.5 s, by turns",
    isOfDatabase: true,
  },
  failover: {
    strike: failedOver,
    what: "PostgreSQL's primary killed, its synchronous standby promoted 1 s later",
    stage: { isPair: true },
    isOnce: true,
    isOfDatabase: true,
  },
  clock: {
    strike: clockStepped,
    what: "the owner's clock 50 minutes before or behind for 5 s",
    stage: { hasClocks: true },
    missing: clocksMissing,
  },
} as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS
export const KIND_NAMES = Object.keys(KINDS) as ReadonlyArray<KindName>

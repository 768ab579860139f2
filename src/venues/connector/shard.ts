/**
 * One worker thread and the connectors in it: a single-thread Piscina pool with one long task for each connector and one for the thread's
 * heartbeat. Terminates a hanging thread, and determines which connector made a thread crash. When and where a connector restarts is decided by
 * its link.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads"
import { Piscina } from "piscina"
import type { ConnectorFigures, ShardStats } from "../../ports/venue-stats.ts"
import type { Beat, ConnectorTask, PulseTask } from "./wire.ts"

// The clockwork of worker threads: how soon a hang is seen, how soon a connector begins again, and when that is given up for a while.

export interface ShardTimes {
  readonly heartbeatMillis: number
  /** Heartbeats without an answer before a thread counts as hung: what a reader waits for at least when it is. */
  readonly missesMax: number
  /**
   * The same while a connector in it loads: code and thousands of markets keep a thread busy for long. As long as `bootMillis`: where a
   * machine is so slow that loading takes longer than this, each thread would be ended before it is up, for ever.
   */
  readonly missesMaxLoading: number
  /** From the start of the thread to its first word. */
  readonly bootMillis: number
  readonly restartFirstMillis: number
  readonly restartMaxMillis: number
  readonly breakerCrashes: number
  readonly breakerWindowMillis: number
  readonly breakerPauseMillis: number
}

export const SHARD_TIMES: ShardTimes = {
  heartbeatMillis: 200,
  missesMax: 5,
  missesMaxLoading: 150,
  bootMillis: 30_000,
  restartFirstMillis: 50,
  restartMaxMillis: 5000,
  breakerCrashes: 5,
  breakerWindowMillis: 60_000,
  breakerPauseMillis: 30_000,
}

/**
 * Whether a thread hangs: it neither answers its heartbeats nor does anything. One under a flood of frames answers late, because Node
 * reads a socket for up to 2 MB before it looks at anything else; ending it then would lose the very data it is busy with.
 */
export class Vigil {
  readonly #doneSoFar: () => number
  #done = 0
  #missed = 0

  /** `doneSoFar`: a count that grows with whatever the thread does. */
  constructor(doneSoFar: () => number) {
    this.#doneSoFar = doneSoFar
  }

  answered(): void {
    this.#missed = 0
  }

  /**
   * A heartbeat later: how many in a row have brought no sign of life. One that came late itself counts for nothing: a machine that keeps
   * this thread waiting keeps the other one waiting, too.
   */
  tick(isLate: boolean): number {
    const done = this.#doneSoFar()
    const hasWorked = done !== this.#done
    this.#done = done
    if (hasWorked) this.#missed = 0
    const missed = this.#missed
    if (!isLate) this.#missed += 1
    return missed
  }
}

/** How a task ended. `blame` is the cause: a crash names its connector, a hang or a full heap names none. */
export interface Ending {
  readonly reason: string
  readonly blame: "own" | "other" | "unknown"
  /** Other connectors were in the thread that died. */
  readonly hadNeighbours: boolean
}

/** A connector's side towards its thread. */
export interface ShardMember {
  readonly name: string
  /** It is loading code or its first markets. */
  readonly isLoading: () => boolean
  /** Takes in what was said before the end; true when it says that the thread died of its doing. */
  readonly lastWords: () => boolean
  readonly ended: (ending: Ending) => void
}

const CLOSE_TIMEOUT_MILLIS = 3000
const TENANTS_MAX = 1000

/** Beside this file, in the same form: TypeScript in development, JavaScript once built. */
const OWN_CODE = new URL("../worker/", import.meta.url).href
const isTypeScript = import.meta.url.endsWith(".ts")

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

interface ShardOptions {
  readonly name: string
  readonly times: ShardTimes
  readonly heapMegabytes: number
  /** The folder of a thread's code once built, by URL; for tests. Default: this program's own. */
  readonly threadCode?: string | undefined
  /** Words for the operator. */
  readonly notice: (what: string) => void
}

/** The pulse of one thread's life. */
interface Pulse {
  readonly port: MessagePort
  readonly startedAt: number
  readonly vigil: Vigil
  beats: number
}

export class Shard {
  readonly name: string
  readonly #options: ShardOptions
  readonly #members = new Set<ShardMember>()
  /** Tasks that ended in this loop turn: a thread that dies ends all of its tasks in one. */
  #over: Array<{ readonly member: ShardMember | null; readonly reason: string }> = []
  #pool: Piscina | undefined
  #pulse: Pulse | undefined
  #heart: NodeJS.Timeout | undefined
  #tickedAt = 0
  #latest: Beat | undefined
  #deaths = 0
  #lastDeath: string | null = null
  #hangs = false

  constructor(options: ShardOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Runs a connector; the first one starts the thread. */
  run(task: ConnectorTask, member: ShardMember): void {
    this.#members.add(member)
    const pool = this.#started()
    // Without an AbortSignal: aborting a Piscina task terminates its thread.
    pool.run(task, { transferList: [task.port] }).then(
      () => this.#ended(member, "the connector ended"),
      (error: unknown) => this.#ended(member, messageOf(error)),
    )
  }

  /** A connector leaves, its task ended or not (`hangs`). With the last one the thread ends; never rejects. */
  async leave(member: ShardMember, hangs: boolean): Promise<void> {
    this.#hangs ||= hangs
    if (!this.#members.delete(member) || this.#members.size > 0) return
    const [pool, isHanging] = [this.#pool, this.#hangs]
    clearInterval(this.#heart)
    this.#pulse?.port.close()
    this.#pulse = undefined
    this.#pool = undefined
    this.#latest = undefined
    this.#hangs = false
    await (isHanging ? pool?.destroy() : pool?.close())
  }

  figuresOf(connector: string): ConnectorFigures | undefined {
    return this.#latest?.connectors[connector]
  }

  stats(): ShardStats {
    const beat = this.#latest
    return {
      shard: this.name,
      state: this.#pulse === undefined ? "down" : this.#pulse.beats > 0 ? "up" : "starting",
      connectors: [...this.#members].map((member) => member.name),
      deaths: this.#deaths,
      lastDeath: this.#lastDeath,
      heapUsedBytes: beat?.heapUsedBytes ?? 0,
      heapMaxBytes: this.#options.heapMegabytes * 1_048_576,
      externalBytes: beat?.externalBytes ?? 0,
      loopDelayMillis: beat?.loopDelayMillis ?? 0,
      busy: beat?.busy ?? 0,
      rejections: beat?.rejections ?? 0,
    }
  }

  #started(): Piscina {
    if (this.#pool === undefined) {
      this.#pool = this.#makePool()
      this.#tickedAt = performance.now()
      this.#heart = setInterval(() => this.#onTick(), this.#options.times.heartbeatMillis)
    }
    if (this.#pulse === undefined) this.#startPulse(this.#pool)
    return this.#pool
  }

  get #isTypeScript(): boolean {
    return isTypeScript && this.#options.threadCode === undefined
  }

  #file(name: "connector" | "pulse"): string {
    return `${this.#options.threadCode ?? OWN_CODE}${name}${this.#isTypeScript ? ".ts" : ".js"}`
  }

  #makePool(): Piscina {
    const pool = new Piscina({
      filename: this.#file("connector"),
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: TENANTS_MAX,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Waiting in Atomics would stop the sockets of the thread.
      atomics: "disabled",
      resourceLimits: { maxOldGenerationSizeMb: this.#options.heapMegabytes },
      execArgv: this.#isTypeScript ? ["--import", "tsx"] : [],
      recordTiming: false,
      closeTimeout: CLOSE_TIMEOUT_MILLIS,
    })
    // A thread that dies between two tasks; a dying task is heard of by its own promise.
    pool.on("error", (error) => this.#options.notice(`pool: ${messageOf(error)}`))
    return pool
  }

  #startPulse(pool: Piscina): void {
    const { port1, port2 } = new MessageChannel()
    const done = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)
    const count = new Int32Array(done)
    const vigil = new Vigil(() => Atomics.load(count, 0))
    const pulse: Pulse = { port: port1, startedAt: performance.now(), vigil, beats: 0 }
    this.#pulse = pulse
    port1.on("message", (beat: Beat) => {
      if (this.#pulse !== pulse) return
      vigil.answered()
      pulse.beats += 1
      this.#latest = beat
    })
    port1.postMessage(0)
    const task: PulseTask = { port: port2, done }
    const ended = (reason: string) => {
      port1.close()
      if (this.#pulse !== pulse) return
      this.#pulse = undefined
      this.#ended(null, reason)
    }
    pool.run(task, { filename: this.#file("pulse"), name: "pulse", transferList: [port2] }).then(
      () => ended("its heartbeat stopped"),
      (error: unknown) => ended(messageOf(error)),
    )
  }

  #onTick(): void {
    const { heartbeatMillis, missesMax, missesMaxLoading, bootMillis } = this.#options.times
    const now = performance.now()
    const isLate = now - this.#tickedAt > 1.5 * heartbeatMillis
    this.#tickedAt = now
    const pulse = this.#pulse
    if (pulse === undefined) return
    if (pulse.beats === 0) {
      if (now - pulse.startedAt > bootMillis) this.#terminate()
      return
    }
    const isLoading = [...this.#members].some((member) => member.isLoading())
    if (pulse.vigil.tick(isLate) >= (isLoading ? missesMaxLoading : missesMax)) this.#terminate()
    else pulse.port.postMessage(pulse.beats)
  }

  #terminate(): void {
    for (const thread of this.#pool?.threads ?? []) {
      thread.terminate().catch((error: unknown) => this.#options.notice(`terminate: ${messageOf(error)}`))
    }
  }

  #ended(member: ShardMember | null, reason: string): void {
    this.#over.push({ member, reason })
    if (this.#over.length === 1) setImmediate(() => this.#bury())
  }

  #bury(): void {
    const over = this.#over
    this.#over = []
    const death = over.find(({ member }) => member === null)
    const words = over.flatMap(({ member, reason }) =>
      member === null ? [] : [{ member, reason, isBlamed: member.lastWords() }],
    )
    if (death === undefined) {
      // The thread lives: a task that ended by itself is its own affair.
      for (const { member, reason } of words) member.ended({ reason, blame: "own", hadNeighbours: false })
      return
    }
    this.#deaths += 1
    this.#lastDeath = death.reason
    this.#latest = undefined
    const culprit = words.find(({ isBlamed }) => isBlamed)?.member
    const blameOf = (member: ShardMember) => (culprit === undefined ? "unknown" : member === culprit ? "own" : "other")
    const hadNeighbours = this.#members.size > 1
    for (const { member, reason } of words) member.ended({ reason, blame: blameOf(member), hadNeighbours })
  }
}

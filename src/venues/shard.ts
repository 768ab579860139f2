/**
 * The life of one worker thread: one single-thread Piscina pool whose only task is the connector. Watches its heartbeat, ends it
 * when it hangs, starts it again with a growing pause, and pauses long after five deaths in a minute. What the worker should be
 * doing is not known here: `replay` says it, and it is posted into each new port before the task starts.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads"
import { Piscina } from "piscina"
import type { Batch, Command, ShardSettings, ShardTask, WorkerRecord } from "./wire.ts"

export interface ShardTimes {
  readonly heartbeatMillis: number
  /** Heartbeats without an answer before the thread counts as hung. */
  readonly missesMax: number
  /** From the start of the thread to its first word. */
  readonly bootMillis: number
  readonly restartFirstMillis: number
  readonly restartMaxMillis: number
  readonly breakerCrashes: number
  readonly breakerWindowMillis: number
  readonly breakerPauseMillis: number
}

export const SHARD_TIMES: ShardTimes = {
  heartbeatMillis: 500,
  missesMax: 3,
  bootMillis: 30_000,
  restartFirstMillis: 100,
  restartMaxMillis: 5000,
  breakerCrashes: 5,
  breakerWindowMillis: 60_000,
  breakerPauseMillis: 30_000,
}

export interface ShardEvents {
  readonly replay: () => Iterable<Command>
  readonly record: (record: WorkerRecord) => void
  /** The worker is gone. `began`: it had started to read, so anything posted to it may have been done. */
  readonly lost: (reason: string, began: boolean) => void
}

export type ShardState = "idle" | "starting" | "up" | "waiting" | "stopped"

const HEAP_MEGABYTES = 512
const CLOSE_TIMEOUT_MILLIS = 3000
/** Batches between two acknowledgements. */
const ACKNOWLEDGE_EVERY = 16

/** Beside this file, in the same form: TypeScript in development and tests, JavaScript once built. */
const isTypeScript = import.meta.url.endsWith(".ts")
const WORKER_FILE = new URL(`./worker/connector${isTypeScript ? ".ts" : ".js"}`, import.meta.url).href

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export class Shard {
  readonly #settings: ShardSettings
  readonly #times: ShardTimes
  readonly #events: ShardEvents
  #pool: Piscina | undefined
  #port: MessagePort | undefined
  #task: Promise<void> = Promise.resolve()
  #state: ShardState = "idle"
  #epoch = 0
  #began = false
  #missed = 0
  #beat = 0
  #startedAt = 0
  #crashes: Array<number> = []
  #inARow = 0
  #heart: NodeJS.Timeout | undefined
  #restart: NodeJS.Timeout | undefined

  constructor(settings: ShardSettings, times: ShardTimes, events: ShardEvents) {
    this.#settings = settings
    this.#times = times
    this.#events = events
  }

  get state(): ShardState {
    return this.#state
  }

  /** Starts the thread unless it runs, or waits to run, already. */
  start(): void {
    if (this.#state !== "idle") return
    this.#heart = setInterval(() => this.#onBeat(), this.#times.heartbeatMillis)
    this.#begin()
  }

  /** False: there is no worker to take it now, and it was not kept. */
  post(command: Command): boolean {
    if (this.#port === undefined) return false
    this.#port.postMessage(command)
    return true
  }

  /** Lets the task end, then the thread; never rejects, and takes `CLOSE_TIMEOUT_MILLIS` for a thread that hangs. */
  async stop(): Promise<void> {
    if (this.#state === "stopped") return
    this.#state = "stopped"
    clearInterval(this.#heart)
    clearTimeout(this.#restart)
    this.#port?.close()
    this.#port = undefined
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), CLOSE_TIMEOUT_MILLIS)
    })
    const end = await Promise.race([this.#task, late])
    clearTimeout(timer)
    await (end === "late" ? this.#pool?.destroy() : this.#pool?.close())
  }

  #begin(): void {
    const epoch = ++this.#epoch
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#state = "starting"
    this.#began = false
    this.#missed = 0
    this.#startedAt = performance.now()
    port1.on("message", (batch: Batch) => {
      // Words of a worker that is given up already must not reach anybody.
      if (epoch === this.#epoch) this.#onBatch(batch)
    })
    for (const command of this.#events.replay()) port1.postMessage(command)
    this.#pool ??= this.#makePool()
    const task: ShardTask = { shard: this.#settings, port: port2 }
    // Without an AbortSignal: aborting a Piscina task terminates its thread.
    this.#task = this.#pool.run(task, { transferList: [port2] }).then(
      () => this.#ended(epoch, "the connector ended"),
      (error: unknown) => this.#ended(epoch, messageOf(error)),
    )
  }

  #makePool(): Piscina {
    const pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Waiting in Atomics would stop the sockets of the thread.
      atomics: "disabled",
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
      execArgv: isTypeScript ? ["--import", "tsx"] : [],
      recordTiming: false,
      closeTimeout: CLOSE_TIMEOUT_MILLIS,
    })
    // A thread that dies between two tasks; a dying task is heard of by its own promise.
    pool.on("error", (error) => this.#events.record({ _tag: "Noticed", what: `pool: ${messageOf(error)}` }))
    return pool
  }

  #onBatch({ batch, records }: Batch): void {
    if (batch % ACKNOWLEDGE_EVERY === 0) this.#port?.postMessage({ _tag: "Acknowledge", batch } satisfies Command)
    for (const record of records) {
      if (record._tag === "Hello") {
        this.#began = true
        if (this.#state === "starting") this.#state = "up"
      } else if (record._tag === "Pong") this.#missed = 0
      this.#events.record(record)
    }
  }

  #onBeat(): void {
    if (this.#state === "starting") {
      if (performance.now() - this.#startedAt > this.#times.bootMillis) this.#terminate()
      return
    }
    if (this.#state !== "up") return
    if (this.#missed >= this.#times.missesMax) {
      this.#terminate()
      return
    }
    this.#missed += 1
    this.post({ _tag: "Ping", beat: ++this.#beat })
  }

  #terminate(): void {
    for (const thread of this.#pool?.threads ?? []) {
      thread.terminate().catch((error: unknown) => this.#ended(this.#epoch, messageOf(error)))
    }
  }

  #ended(epoch: number, reason: string): void {
    if (epoch !== this.#epoch || this.#state === "stopped") return
    const port = this.#port
    if (port !== undefined) {
      // What it said before it died counts: an order may have been acknowledged in its last breath.
      for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port))
        this.#onBatch(last.message)
      port.close()
    }
    this.#port = undefined
    // From here on nothing of this epoch is heard.
    this.#epoch += 1
    this.#state = "waiting"
    this.#events.lost(reason, this.#began)
    this.#restart = setTimeout(() => this.#begin(), this.#pauseMillis())
  }

  #pauseMillis(): number {
    const now = performance.now()
    const { breakerWindowMillis, breakerCrashes, breakerPauseMillis, restartFirstMillis, restartMaxMillis } =
      this.#times
    this.#inARow = now - this.#startedAt > breakerWindowMillis / 2 ? 1 : this.#inARow + 1
    this.#crashes = [...this.#crashes.filter((at) => now - at < breakerWindowMillis), now]
    if (this.#crashes.length >= breakerCrashes) return breakerPauseMillis
    return Math.min(restartFirstMillis * 2 ** (this.#inARow - 1), restartMaxMillis) * (0.8 + Math.random() * 0.4)
  }
}

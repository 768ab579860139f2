/**
 * The link to one connector, wherever it runs: its port, its restart with backoff, and its circuit breaker. A connector that crashes five times
 * in a minute gets a thread of its own, and one that keeps crashing there pauses long. Its desired state is not known here: `replay` supplies it,
 * and it is posted into each new port before the task starts.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort } from "node:worker_threads"
import type { ConnectorFigures } from "../../ports/venue-stats.ts"
import type { Placement } from "./placement.ts"
import type { Ending, Shard, ShardMember, ShardTimes } from "./shard.ts"
import type { Batch, Command, ConnectorSettings, ConnectorTask, WorkerRecord } from "./wire.ts"

export interface LinkEvents {
  readonly replay: () => Iterable<Command>
  readonly record: (record: WorkerRecord) => void
  /** The connector is gone. `began`: it had started to read, so anything posted to it may have been done. */
  readonly lost: (reason: string, began: boolean) => void
}

export type LinkState = "idle" | "starting" | "up" | "waiting" | "stopped"

const CLOSE_TIMEOUT_MILLIS = 3000
/** Weight of the batches between two acknowledgements; far below what the outbox allows to be unacknowledged. */
const ACKNOWLEDGE_EVERY = 1024

export class ConnectorLink {
  readonly #settings: ConnectorSettings
  readonly #times: ShardTimes
  readonly #placement: Placement
  readonly #events: LinkEvents
  readonly #member: ShardMember
  #shard: Shard | undefined
  #port: MessagePort | undefined
  #running: Promise<void> = Promise.resolve()
  #stopRunning: () => void = () => undefined
  #state: LinkState = "idle"
  #epoch = 0
  #began = false
  #isLoading = false
  #isBlamed = false
  #startedAt = 0
  #acknowledged = 0
  #crashes: Array<number> = []
  #inARow = 0
  #restarts = 0
  #restart: NodeJS.Timeout | undefined

  constructor(settings: ConnectorSettings, times: ShardTimes, placement: Placement, events: LinkEvents) {
    this.#settings = settings
    this.#times = times
    this.#placement = placement
    this.#events = events
    this.#member = {
      name: settings.connector,
      isLoading: () => this.#isLoading,
      lastWords: () => this.#lastWords(),
      ended: (ending) => this.#ended(ending),
    }
  }

  get state(): LinkState {
    return this.#state
  }

  /** How often it has begun anew. */
  get restarts(): number {
    return this.#restarts
  }

  /** The thread it runs in; null before its first start. */
  get shardName(): string | null {
    return this.#shard?.name ?? null
  }

  get figures(): ConnectorFigures | undefined {
    return this.#shard?.figuresOf(this.#settings.connector)
  }

  /** Starts the connector unless it runs, or waits to run, already. */
  start(): void {
    if (this.#state === "idle") this.#begin()
  }

  /** False: there is no connector to take it now, and it was not kept. */
  post(command: Command): boolean {
    if (this.#port === undefined) return false
    this.#port.postMessage(command)
    return true
  }

  /** Lets the task end, then leaves the thread; never rejects, and takes `CLOSE_TIMEOUT_MILLIS` for a thread that hangs. */
  async stop(): Promise<void> {
    if (this.#state === "stopped") return
    this.#state = "stopped"
    clearTimeout(this.#restart)
    this.#port?.close()
    this.#port = undefined
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), CLOSE_TIMEOUT_MILLIS)
    })
    const end = await Promise.race([this.#running, late])
    clearTimeout(timer)
    await this.#shard?.leave(this.#member, end === "late")
  }

  #begin(): void {
    const epoch = ++this.#epoch
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.#state = "starting"
    this.#began = false
    this.#isLoading = true
    this.#isBlamed = false
    this.#acknowledged = 0
    this.#startedAt = performance.now()
    port1.on("message", (batch: Batch) => {
      // Messages of an abandoned connector must be dropped.
      if (epoch === this.#epoch) this.#onBatch(batch)
    })
    for (const command of this.#events.replay()) port1.postMessage(command)
    this.#running = new Promise((resolve) => {
      this.#stopRunning = resolve
    })
    this.#shard = this.#placement.shardOf(this.#settings)
    const task: ConnectorTask = { settings: this.#settings, port: port2 }
    this.#shard.run(task, this.#member)
  }

  #onBatch({ weight, records }: Batch): void {
    if (weight - this.#acknowledged >= ACKNOWLEDGE_EVERY) {
      this.#acknowledged = weight
      this.#port?.postMessage({ _tag: "Acknowledge", weight } satisfies Command)
    }
    for (const record of records) {
      if (record._tag === "Hello") {
        this.#began = true
        if (this.#state === "starting") this.#state = "up"
      } else if (record._tag === "Reachable") this.#isLoading = false
      else if (record._tag === "Blamed") this.#isBlamed = true
      this.#events.record(record)
    }
  }

  /** What it said before it died counts: an order may have been acknowledged in its last breath. */
  #lastWords(): boolean {
    const port = this.#port
    if (port !== undefined)
      for (let last = receiveMessageOnPort(port); last !== undefined; last = receiveMessageOnPort(port))
        this.#onBatch(last.message)
    return this.#isBlamed
  }

  #ended({ reason, blame, hadNeighbours }: Ending): void {
    this.#stopRunning()
    if (this.#state === "stopped") return
    this.#port?.close()
    this.#port = undefined
    // From here on nothing of this epoch is heard.
    this.#epoch += 1
    this.#state = "waiting"
    const pauseMillis = blame === "other" ? this.#times.restartFirstMillis : this.#crashed(hadNeighbours)
    this.#events.lost(reason, this.#began)
    this.#restart = setTimeout(() => {
      this.#restarts += 1
      this.#begin()
    }, pauseMillis)
  }

  /** Counts a crash that may be its own; answers the pause until the next start. */
  #crashed(hadNeighbours: boolean): number {
    const now = performance.now()
    const { breakerWindowMillis, breakerCrashes, breakerPauseMillis, restartFirstMillis, restartMaxMillis } =
      this.#times
    this.#inARow = now - this.#startedAt > breakerWindowMillis / 2 ? 1 : this.#inARow + 1
    this.#crashes = [...this.#crashes.filter((at) => now - at < breakerWindowMillis), now]
    if (this.#crashes.length >= breakerCrashes) {
      if (!hadNeighbours) return breakerPauseMillis
      this.#moveAway()
      this.#crashes = []
      this.#inARow = 1
    }
    return Math.min(restartFirstMillis * 2 ** (this.#inARow - 1), restartMaxMillis) * (0.8 + Math.random() * 0.4)
  }

  /** Away from its neighbours, into a thread of its own. */
  #moveAway(): void {
    const shard = this.#shard
    this.#placement.isolate(this.#settings.connector)
    this.#events.record({
      _tag: "Noticed",
      what: `crashed too often on a shared thread: moved out of thread ${shard?.name}`,
    })
    void shard?.leave(this.#member, false)
  }
}

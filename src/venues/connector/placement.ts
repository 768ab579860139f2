/**
 * Which thread a connector runs in. One thread serves many venues of little traffic; a connector that keeps crashing is moved to a thread of its
 * own. Figures behind the default: venues 1.
 */
import { availableParallelism } from "node:os"
import { Shard, type ShardTimes } from "./shard.ts"
import type { ConnectorSettings } from "./wire.ts"

/** The threads of one venue by name; where they differ, its private sessions have a connector of their own. */
export interface VenueThreads {
  readonly public: string
  readonly private: string
}

/**
 * `auto`: venues share as many threads as there are cores beside the main thread's, each new one joining the emptiest. `apart`: every
 * venue has its own. A record: thread names by venue, `*` for those it does not name (else as in `auto`).
 */
export type ShardRule = "auto" | "apart" | Readonly<Record<string, VenueThreads>>

/** Past so many shared threads the memory of one more buys nothing: connectors of little traffic sleep nearly always. */
const SHARED_MAX = 4

export interface PlacementOptions {
  readonly rule: ShardRule
  readonly times: ShardTimes
  readonly heapMegabytes: number
  /** For tests: the folder of the threads' code. */
  readonly threadCode?: string | undefined
  readonly notice: (shard: string, what: string) => void
}

export class Placement {
  readonly #options: PlacementOptions
  readonly #shards = new Map<string, Shard>()
  readonly #assigned = new Map<string, Shard>()
  readonly #sharedMax: number

  constructor(options: PlacementOptions, cores = availableParallelism()) {
    this.#options = options
    this.#sharedMax = Math.min(Math.max(cores - 1, 1), SHARED_MAX)
  }

  /** The same one each time, unless the connector was isolated meanwhile. */
  shardOf({
    connector,
    profile,
  }: Pick<ConnectorSettings, "connector"> & { readonly profile: { readonly venue: string } }): Shard {
    const known = this.#assigned.get(connector)
    if (known !== undefined) return known
    const shard = this.#choose(connector, profile.venue)
    this.#assigned.set(connector, shard)
    return shard
  }

  /** From its next start on the connector has a thread of its own, until the process ends. */
  isolate(connector: string): void {
    this.#assigned.set(connector, this.#named(`${connector} alone`))
  }

  /** Whether the venue's private sessions live in another thread than its market data. */
  isSplit(venue: string): boolean {
    const threads = this.#threadsOf(venue)
    return threads !== undefined && threads.public !== threads.private
  }

  get shards(): ReadonlyArray<Shard> {
    return [...this.#shards.values()]
  }

  #choose(connector: string, venue: string): Shard {
    // A venue's first connector has its name, those that more sessions need have a number, too.
    const isFirst = connector === venue
    const threads = this.#threadsOf(venue)
    if (threads !== undefined && (isFirst || this.isSplit(venue)))
      return this.#named(isFirst ? threads.public : threads.private)
    if (this.#options.rule === "apart" || !isFirst) return this.#named(connector)
    const shared = Array.from({ length: this.#sharedMax }, (_, index) => `venues-${index + 1}`)
    const emptiest = shared.reduce((best, name) => (this.#membersOf(name) < this.#membersOf(best) ? name : best))
    return this.#named(emptiest)
  }

  #threadsOf(venue: string): VenueThreads | undefined {
    const { rule } = this.#options
    return typeof rule === "string" ? undefined : (rule[venue] ?? rule["*"])
  }

  #membersOf(name: string): number {
    let assigned = 0
    for (const shard of this.#assigned.values()) if (shard.name === name) assigned += 1
    return assigned
  }

  #named(name: string): Shard {
    const known = this.#shards.get(name)
    if (known !== undefined) return known
    const { times, heapMegabytes, threadCode, notice } = this.#options
    const shard = new Shard({ name, times, heapMegabytes, threadCode, notice: (what) => notice(name, what) })
    this.#shards.set(name, shard)
    return shard
  }
}

/**
 * Depth diffs of a live (not replayed) symbol: changed levels are gathered and leave every 100 ms on `@depth@100ms`
 * and every second on `@depth`, with the first and final update id they hold. Partial books (`@depth5`) leave with them.
 */
import type { Faults } from "../faults.ts"
import { formatFixed } from "../fixed.ts"
import type { Market, MarketView } from "../market.ts"
import type { StreamHub } from "./stream-hub.ts"

interface Gathered {
  firstUpdateId: number
  finalUpdateId: number
  readonly bids: Map<bigint, bigint>
  readonly asks: Map<bigint, bigint>
}

const PARTIAL_DEPTHS = [5, 10, 20]

export class DiffStreams {
  readonly #gathered = new Map<string, Gathered>()

  constructor(
    readonly hub: StreamHub,
    readonly faults: Faults,
    readonly views: ReadonlyMap<string, MarketView>,
    readonly now: () => number,
    /** As contracts have it: a diff names the update before it. */
    readonly isLinked = false,
  ) {}

  onLevel(market: Market, side: "bids" | "asks", price: bigint, total: bigint): void {
    const name = market.rules.symbol.toLowerCase()
    for (const stream of [`${name}@depth`, `${name}@depth@100ms`]) {
      const known = this.#gathered.get(stream)
      const gathered = known ?? {
        firstUpdateId: market.updateId,
        finalUpdateId: market.updateId,
        bids: new Map(),
        asks: new Map(),
      }
      if (known === undefined) this.#gathered.set(stream, gathered)
      gathered.finalUpdateId = market.updateId
      gathered[side].set(price, total)
    }
  }

  /** Forgets what was gathered: what was there before anybody could listen is no change. */
  forget(): void {
    this.#gathered.clear()
  }

  /** Sends what was gathered at one of the two speeds. */
  flush(speed: "100ms" | "1000ms"): void {
    for (const [stream, gathered] of this.#gathered) {
      if (stream.endsWith("@100ms") !== (speed === "100ms")) continue
      this.#gathered.delete(stream)
      const symbol = stream.slice(0, stream.indexOf("@")).toUpperCase()
      if (this.hub.has(stream)) {
        const text = JSON.stringify({
          e: "depthUpdate",
          E: this.now(),
          s: symbol,
          U: gathered.firstUpdateId,
          u: gathered.finalUpdateId,
          ...(this.isLinked && { T: this.now(), pu: gathered.firstUpdateId - 1 }),
          b: rows(gathered.bids),
          a: rows(gathered.asks),
        })
        for (const frame of this.faults.onDiff(stream, text)) this.hub.publish(stream, frame)
      }
      for (const limit of PARTIAL_DEPTHS) {
        const partial = stream.replace("@depth", `@depth${limit}`)
        const view = this.views.get(symbol)
        if (this.hub.has(partial) && view !== undefined) this.hub.publish(partial, JSON.stringify(view.depth(limit)))
      }
    }
  }
}

const rows = (levels: ReadonlyMap<bigint, bigint>) =>
  [...levels].map(([price, total]) => [formatFixed(price), formatFixed(total)])

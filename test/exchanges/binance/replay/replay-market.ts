/**
 * A symbol whose market is a capture: frames leave byte-equal, REST shows the snapshot plus the frames sent so far.
 * Orders of accounts meet the replayed levels as anonymous liquidity in the matching engine; they never change what is shown.
 */

import type { Faults } from "../faults.ts"
import { toFixed8 } from "../fixed.ts"
import type { Market, MarketView } from "../market.ts"
import type { Matching } from "../matching.ts"
import type { StreamHub } from "../wire/stream-hub.ts"
import { aggregateEvent } from "../wire/wire-public.ts"
import type { CaptureFrame } from "./capture.ts"
import type { ReplayOptions } from "./replay.ts"
import { Replay } from "./replay.ts"
import { ReplayBook } from "./replay-book.ts"
import { Tape } from "./tape.ts"

export class ReplayMarket {
  readonly book: ReplayBook
  readonly view: MarketView
  readonly #tape = new Tape()
  /** The capture's own time: of the last trade or diff sent. */
  #eventAt: number

  private constructor(
    readonly replay: Replay,
    readonly market: Market,
    readonly matching: Matching,
    readonly hub: StreamHub,
    readonly faults: Faults,
  ) {
    this.book = new ReplayBook(replay.snapshot)
    this.#eventAt = Number(replay.snapshot.receivedAtNanos / 1_000_000n)
    this.view = {
      rules: market.rules,
      tape: this.#tape,
      depth: (limit) => {
        const shown = this.book.depth(limit)
        replay.options.showing?.(shown)
        return shown
      },
      now: () => this.#eventAt,
    }
    this.#rest("bids", replay.snapshot.bids)
    this.#rest("asks", replay.snapshot.asks)
  }

  /** `market` must be the capture's symbol. */
  static async open(
    options: ReplayOptions,
    find: (symbol: string) => Market,
    matching: Matching,
    hub: StreamHub,
    faults: Faults,
  ): Promise<ReplayMarket> {
    const opened: { market?: ReplayMarket } = {}
    // Frames begin only after `start`, which nobody can call before this returns.
    const replay = await Replay.open({ ...options, start: "by hand" }, (_, frame) => opened.market?.onFrame(frame))
    const market = new ReplayMarket(replay, find(replay.symbol), matching, hub, faults)
    opened.market = market
    return market
  }

  onFrame(frame: CaptureFrame): void {
    const name = frame.symbol.toLowerCase()
    if (frame.kind === "depth") {
      if (this.book.apply(frame)) {
        this.#rest("bids", frame.bids)
        this.#rest("asks", frame.asks)
      }
      for (const stream of [`${name}@depth`, `${name}@depth@100ms`]) {
        for (const text of this.faults.onDiff(stream, frame.text)) this.hub.publish(stream, text)
      }
      return
    }
    this.hub.publish(`${name}@${frame.kind}`, frame.text)
    if (frame.kind !== "trade") return
    const { tradeId, tradedAt, isBuyerMaker } = frame
    const trade = {
      tradeId,
      price: toFixed8(frame.price),
      quantity: toFixed8(frame.quantity),
      tradedAt,
      isBuyerMaker,
    }
    this.#eventAt = tradedAt
    this.#tape.add(trade)
    // The engine's own tape runs on our clock: it values market orders and triggers stops.
    this.market.tape.add({ ...trade, tradedAt: this.matching.now() })
    const aggregates = `${name}@aggTrade`
    if (this.hub.has(aggregates)) {
      this.hub.publish(aggregates, JSON.stringify(aggregateEvent(frame.symbol, trade, tradedAt)))
    }
  }

  #rest(side: "bids" | "asks", rows: ReadonlyArray<readonly [string, string]>): void {
    for (const [price, quantity] of rows) {
      this.matching.setLiquidity(this.market, side, toFixed8(price), toFixed8(quantity))
    }
  }
}

/**
 * Later images of closed hedges that are no longer in memory. The one thing to know: the sums contain such a hedge as it was when it was evicted,
 * so what it was counted as is read from the store and only the difference is counted; nothing else is read again.
 */
import { Exit } from "effect"
import type { HedgeProgress } from "../../../domain/dealer/hedging/hedging.ts"
import type { TradeOrderId } from "../../../domain/ids.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import { LeanMap } from "../../../foundation/lean.ts"
import type { DealerCore } from "../core.ts"

export class LateHedges {
  /** What was told of each hedge while the store is asked about an image before. */
  readonly #waiting = new LeanMap<TradeOrderId, Array<TradeOrder>>()

  constructor(
    private readonly core: Pick<DealerCore, "self" | "parts">,
    private readonly outcome: {
      /** It counted as `before` until this image of it. */
      readonly known: (order: TradeOrder, before: HedgeProgress) => void
      /** What was told meanwhile. */
      readonly again: (order: TradeOrder) => void
    },
  ) {}

  hear(order: TradeOrder): void {
    const { tradeOrderId } = order
    const waiting = this.#waiting.get(tradeOrderId)
    if (waiting !== undefined) {
      waiting.push(order)
      return
    }
    const later: Array<TradeOrder> = []
    this.#waiting.set(tradeOrderId, later)
    this.core.self.fork(this.core.parts.hedgeStore.before(order), (exit) => {
      if (Exit.isFailure(exit))
        throw new Error(`no record of what hedge ${tradeOrderId} was counted as`, { cause: exit.cause })
      this.#waiting.delete(tradeOrderId)
      // Null: the sums have this image already, or it changed nothing that counts.
      if (exit.value !== null) this.outcome.known(order, exit.value)
      for (const it of later) this.outcome.again(it)
    })
  }
}

/**
 * Later images of hedges that are over and that memory has forgotten. The one thing to know: the sums have such a hedge as it was when it was
 * forgotten, so what it had counted as is asked of the store, and the difference is counted; nothing else is read again.
 */
import { Exit } from "effect"
import type { HedgeProgress } from "../../../domain/dealer/hedging/hedging.ts"
import type { TradeOrderId } from "../../../domain/ids.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { DealerCore } from "../core.ts"

export class LateHedges {
  /** What was told of each hedge while the store is asked about an image before. */
  readonly #waiting = new Map<TradeOrderId, Array<TradeOrder>>()

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
        throw new Error(`nobody knows what hedge ${tradeOrderId} counted as`, { cause: exit.cause })
      this.#waiting.delete(tradeOrderId)
      // Null: the sums have this image already, or it changed nothing that counts.
      if (exit.value !== null) this.outcome.known(order, exit.value)
      for (const it of later) this.outcome.again(it)
    })
  }
}

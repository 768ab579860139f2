/**
 * Where accounts say what became of hedges: every stored image of one, once it is durable. The one thing to know: what is said before the
 * dealers are there is not kept, since they read it from the store when they wake.
 */
import { Context } from "effect"
import type { TradeOrder } from "../domain/trade-order.ts"

export class HedgeDesk {
  #serve: ((order: TradeOrder) => void) | null = null

  readonly tell = (order: TradeOrder): void => this.#serve?.(order)

  readonly serve = (serve: (order: TradeOrder) => void): void => {
    this.#serve = serve
  }
}

/** Of this process. */
export class HedgeDeskInForce extends Context.Reference<HedgeDeskInForce>()("actors/HedgeDesk", {
  defaultValue: () => new HedgeDesk(),
}) {}

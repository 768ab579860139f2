/**
 * Where accounts say what became of hedges: every stored image of one, once it is durable, and that an account can be asked no longer, or again. The
 * one thing to know: what is said before the dealers are there is not kept, since they read it from the store when they wake.
 */
import { Context } from "effect"
import type { TradingAccountStatus } from "../../../domain/account/trading-account.ts"
import type { TradingAccountId } from "../../../domain/ids.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"

/** Whether an account in this state can still say what became of its orders: one that is gone, or has no credential, says nothing. */
export const canBeAsked = (status: TradingAccountStatus | undefined): boolean =>
  status !== undefined && status !== "DISCONNECTED" && status !== "INACTIVE"

export interface HedgeListener {
  readonly tell: (order: TradeOrder) => void
  /** The account can be asked no longer. */
  readonly lost: (account: TradingAccountId) => void
  /** It can be asked again. */
  readonly found: (account: TradingAccountId) => void
}

export class HedgeDesk implements HedgeListener {
  #listener: HedgeListener | null = null

  readonly tell = (order: TradeOrder): void => this.#listener?.tell(order)

  readonly lost = (account: TradingAccountId): void => this.#listener?.lost(account)

  readonly found = (account: TradingAccountId): void => this.#listener?.found(account)

  readonly serve = (listener: HedgeListener): void => {
    this.#listener = listener
  }
}

/** Of this process. */
export class HedgeDeskInForce extends Context.Reference<HedgeDeskInForce>()("actors/HedgeDesk", {
  defaultValue: () => new HedgeDesk(),
}) {}

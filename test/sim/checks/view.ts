/** What the checks of one account look at: its durable rows and events, and the exchange's own orders. */
import type { TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { StoredEvent } from "../../../src/ports/account-store.ts"
import { type SimOrder, shownKey } from "../venue/exchange.ts"
import type { World } from "../world.ts"

/** So long a trade has been listed when a proof has seen it for certain: the view of it takes a while. */
export const LISTED_MILLIS = 5_000
/** From a page of a list to the next. */
const PAGE_MILLIS = 200

export class AccountView {
  constructor(
    readonly world: World,
    readonly id: TradingAccountId,
    /** The exchange account to which it is connected. */
    readonly exchange: string,
    readonly say: (violation: string) => void,
  ) {}

  /** As they are durable, oldest first. */
  rows(): ReadonlyArray<TradeOrder> {
    const found: Array<TradeOrder> = []
    for (const { order } of this.world.database.orders.values())
      if (order.tradingAccountId === this.id) found.push(order)
    return found
  }

  row(id: TradeOrderId): TradeOrder | undefined {
    const order = this.world.database.orders.get(id)?.order
    return order?.tradingAccountId === this.id ? order : undefined
  }

  events(): ReadonlyArray<StoredEvent> {
    return this.world.database.events.get(this.id) ?? []
  }

  /** The exchange's own order. */
  simOf(order: TradeOrder): SimOrder | undefined {
    const { venue } = this.world
    // What is imported is the order of that id, whoever placed it.
    return order.origin === "EXTERNAL" && order.externalOrderId !== null
      ? venue.orders.get(shownKey(order))
      : venue.find(order)
  }

  /** So long a question may wait for its turn: lists are asked for one after the other, page by page. */
  get turnMillis(): number {
    const { venue } = this.world
    const { openOrders, trades: lists } = venue.traits
    const orders = venue.ordersOf(this.exchange)
    const trades = venue.fillsOf(this.exchange)
    return PAGE_MILLIS * (4 + orders.length / openOrders.size + (2 * trades.length) / lists.size)
  }

  /** By what is durable. */
  status(): string {
    return this.world.database.accounts.get(this.id)?.status ?? "none"
  }
}

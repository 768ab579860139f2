/**
 * Orders that are over and have left memory, read back from the store with the rest of their list: for replays, reads, cancels and late
 * evidence. The one thing to know: what the store answers counts only as long as memory has not known it newer.
 */
import { Effect, Exit } from "effect"
import type { TradeOrder } from "../domain/trade-order.ts"
import type { OrderName } from "../ports/account-store.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live } from "./trading-account-live.ts"

/** The order first, then the others of its list; empty when the account has no such order. */
export type StoredOrders = ReadonlyArray<TradeOrder>

export const storedOrders = ({ parts, id }: AccountCore, by: OrderName): Effect.Effect<StoredOrders> =>
  Effect.flatMap(parts.store.find(id, by), (order) => {
    if (order === null) return Effect.succeed([])
    if (order.orderListId === null) return Effect.succeed([order])
    return Effect.map(parts.store.ofList(id, order.orderListId), (list) => [
      order,
      ...list.filter((it) => it.tradeOrderId !== order.tradeOrderId),
    ])
  })

/** Memory knew one of them newer than it was read, and does not have it any more. */
export const areOutdated = (core: AccountCore, orders: StoredOrders): boolean =>
  orders.some((it) => core.isOutdated(it))

/** Into memory, as far as they are not there: the first of them. Only what is not outdated. */
export const adoptAll = (core: AccountCore, orders: StoredOrders): Live | undefined => {
  const [live] = orders.map((order) => core.orders.get(order.tradeOrderId) ?? core.adopt(order))
  return live
}

/** Runs in a turn, with undefined when the account has no such order. */
export const recall = (core: AccountCore, by: OrderName, run: (live: Live | undefined) => void): void =>
  core.self.fork(storedOrders(core, by), (exit) => {
    if (Exit.isFailure(exit)) return
    if (areOutdated(core, exit.value)) core.whenDurable(() => recall(core, by, run))
    else run(adoptAll(core, exit.value))
  })

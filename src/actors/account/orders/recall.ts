/**
 * Orders that are over and have left memory, read back from the store with the rest of their list: for replays, reads, cancels and late
 * evidence. The one thing to know: what the store answers counts for some seconds after it was asked, and only as long as memory has not
 * known it newer.
 */
import { Effect, Exit } from "effect"
import type { TradeOrderId } from "../../../domain/ids.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { OrderName } from "../../../ports/account-store.ts"
import type { AccountCore } from "../core.ts"
import { BELIEVED_MILLIS } from "../order-memory.ts"
import type { WorkingOrder } from "../working-order.ts"

export interface StoredOrders {
  readonly by: OrderName
  /** Monotonic ms. */
  readonly askedAt: number
  /** The order first, then the others of its list; empty when the account has no such order. */
  readonly orders: ReadonlyArray<TradeOrder>
}

export const storedOrders = ({ parts, id }: AccountCore, by: OrderName): Effect.Effect<StoredOrders> =>
  Effect.gen(function* () {
    const askedAt = parts.clock.monotonic()
    const order = yield* parts.store.find(id, by)
    if (order === null) return { by, askedAt, orders: [] }
    if (order.orderListId === null) return { by, askedAt, orders: [order] }
    const list = yield* parts.store.ofList(id, order.orderListId)
    return { by, askedAt, orders: [order, ...list.filter((it) => it.tradeOrderId !== order.tradeOrderId)] }
  })

/** Memory knew one of them newer than it was read, and does not have it any more, or may have. */
export const areOutdated = (core: AccountCore, { by, askedAt, orders }: StoredOrders): boolean => {
  if (core.parts.clock.monotonic() - askedAt > BELIEVED_MILLIS) return true
  if (orders.length > 0) return orders.some((it) => core.orders.isOutdated(it))
  const id = "tradeOrderId" in by ? by.tradeOrderId : core.orders.idOfClient(by.clientOrderId)
  return id !== undefined && core.orders.isOutdated({ tradeOrderId: id, version: 0 })
}

/** Into memory, as far as they are not there: the first of them. Only what is not outdated. */
export const adoptAll = (core: AccountCore, { orders }: StoredOrders): WorkingOrder | undefined => {
  const [working] = orders.map((order) => core.orders.get(order.tradeOrderId) ?? core.adopt(order))
  return working
}

/** Runs in a turn, with undefined when the account has no such order. */
export const recall = (core: AccountCore, by: OrderName, run: (working: WorkingOrder | undefined) => void): void =>
  core.self.fork(storedOrders(core, by), (exit) => {
    if (Exit.isFailure(exit)) return
    if (areOutdated(core, exit.value)) core.whenDurable(() => recall(core, by, run))
    else run(adoptAll(core, exit.value))
  })

/** At once for an order that is stored and in memory; else when its unit is settled (null: it was undone), or when it is read back. */
export const whenKnown = (
  core: AccountCore,
  tradeOrderId: TradeOrderId,
  run: (working: WorkingOrder | null) => void,
): void => {
  const working = core.orders.get(tradeOrderId)
  if (working?.stored === true) run(working)
  else if (working !== undefined) working.whenStored.push((exists) => run(exists ? working : null))
  else
    recall(core, { tradeOrderId }, (found) => {
      if (found === undefined) throw new Error(`order ${tradeOrderId} has an idempotency key but is not in the store`)
      run(found)
    })
}

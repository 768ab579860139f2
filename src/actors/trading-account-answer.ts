/**
 * How a submit is answered: at once, when the order has come as far as the caller waits for, or with an order that was there before. An
 * answer names only what is durable.
 */
import type { DomainError } from "../domain/errors/domain-error.ts"
import { DuplicateClientOrderId, IdempotencyConflict } from "../domain/errors/trade-order.ts"
import { isTerminal } from "../domain/order-status.ts"
import type { Reply } from "../domain/reply.ts"
import type { SubmitAnswer, SubmitOrder } from "./account-messages.ts"
import type { AccountCore } from "./trading-account-core.ts"
import type { Live, Waiter } from "./trading-account-live.ts"

/** How long awaitClosed and awaitAccepted wait, from the moment the request was read. */
export const AWAIT_MILLIS = 1_000

type SubmitReply = Reply<SubmitAnswer, DomainError>

export const waitOf = ({ awaitClosed, awaitAccepted }: SubmitOrder["request"]): Waiter["until"] | null =>
  awaitClosed === true ? "CLOSED" : awaitAccepted === true ? "ACCEPTED" : null

/** The image of now, once it is durable: what comes meanwhile may not be. */
const answerNow = (core: AccountCore, { order }: Live, { reply, replayed }: Waiter): void =>
  core.whenDurable(() => reply.ok({ order, replayed }))

/** Answers when the order comes that far, or with whatever it is 1 s after the request was read. */
export const awaitFurther = (core: AccountCore, live: Live, waiter: Waiter, receivedAt: number): void => {
  const { order } = live
  const isAccepted = order.externalOrderId !== null || order.orderStatus === "ACCEPTED"
  if (isTerminal(order.orderStatus) || (waiter.until === "ACCEPTED" && isAccepted)) {
    answerNow(core, live, waiter)
    return
  }
  live.waiters.push(waiter)
  core.self.later(Math.max(0, receivedAt + AWAIT_MILLIS - core.parts.clock.monotonic()), () => {
    if (!live.waiters.includes(waiter)) return
    live.waiters = live.waiters.filter((it) => it !== waiter)
    answerNow(core, live, waiter)
  })
}

/** Answers name the list's other orders too, in their state of then. */
export const withLinked = (core: AccountCore, { order }: Live, reply: SubmitReply): SubmitReply => {
  const { orderListId, tradeOrderId } = order
  if (orderListId === null) return reply
  return {
    ok: (answer) => {
      const linked = core.orders
        .ofList(orderListId)
        .map((it) => it.order)
        .filter((it) => it.tradeOrderId !== tradeOrderId)
      core.whenDurable(() => reply.ok({ ...answer, linked }))
    },
    fail: reply.fail,
  }
}

/** The same key again: the existing order in its current state, or 409. */
export const replay = (
  core: AccountCore,
  { request, reply, receivedAt }: SubmitOrder,
  live: Live,
  by: "idempotencyKey" | "clientOrderId",
  print: string,
): void => {
  const { tradeOrderId } = live.order
  if (live.order.fingerprint !== print) {
    const governs = by === "idempotencyKey" || (request.idempotencyKey ?? null) === null
    const error = governs ? new IdempotencyConflict({ tradeOrderId }) : new DuplicateClientOrderId({ tradeOrderId })
    core.whenDurable(() => reply.fail(error))
    return
  }
  const until = waitOf(request)
  const waiter: Waiter = { until: until ?? "ACCEPTED", reply: withLinked(core, live, reply), replayed: true }
  if (until === null) answerNow(core, live, waiter)
  else awaitFurther(core, live, waiter, receivedAt)
}

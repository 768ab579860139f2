/**
 * How a submit is answered: at once, when the order has come as far as the caller waits for, or with an order that was there before. An
 * answer names only what is durable. A submit that is about to be refused may be the repeat of one whose order has left memory: the store is
 * asked first. Of one that is not refused the store's own indexes say it (KeyUsed), so this costs nothing on the way of an order.
 */
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { DuplicateClientOrderId, IdempotencyConflict } from "../../../domain/errors/trade-order.ts"
import type { TradeOrderId } from "../../../domain/ids.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import { fingerprint } from "../../../domain/order/submit-request.ts"
import type { Reply } from "../../../domain/reply.ts"
import type { AccountCore } from "../core.ts"
import type { SubmitAnswer, SubmitOrder } from "../messages.ts"
import type { Waiter, WorkingOrder } from "../working-order.ts"
import { whenKnown } from "./recall.ts"

/** How long awaitClosed and awaitAccepted wait, from the moment the request was read. */
export const AWAIT_MILLIS = 1_000

type SubmitReply = Reply<SubmitAnswer, DomainError>

export const waitOf = ({ awaitClosed, awaitAccepted }: SubmitOrder["request"]): Waiter["until"] | null =>
  awaitClosed === true ? "CLOSED" : awaitAccepted === true ? "ACCEPTED" : null

/** The image of now, once it is durable: what comes meanwhile may not be. */
const answerNow = (core: AccountCore, { order }: WorkingOrder, { reply, replayed }: Waiter): void =>
  core.whenDurable(() => reply.ok({ order, replayed }))

/** Answers when the order comes that far, or with whatever it is 1 s after the request was read. */
export const awaitFurther = (core: AccountCore, working: WorkingOrder, waiter: Waiter, receivedAt: number): void => {
  const { order } = working
  const isAccepted = order.externalOrderId !== null || order.orderStatus === "ACCEPTED"
  if (isTerminal(order.orderStatus) || (waiter.until === "ACCEPTED" && isAccepted)) {
    answerNow(core, working, waiter)
    return
  }
  working.waiters.push(waiter)
  core.self.later(Math.max(0, receivedAt + AWAIT_MILLIS - core.parts.clock.monotonic()), () => {
    if (!working.waiters.includes(waiter)) return
    working.waiters = working.waiters.filter((it) => it !== waiter)
    answerNow(core, working, waiter)
  })
}

/** Answers name the list's other orders too, in their state of then. */
export const withLinked = (core: AccountCore, { order }: WorkingOrder, reply: SubmitReply): SubmitReply => {
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

/**
 * Of a repeat by client order id the key is no part: a client's middleware makes a fresh one for every call, or none, and a client that is
 * refused its own repeat takes the id for used up and orders once more.
 */
const isSameOrder = ({ order }: WorkingOrder, request: SubmitOrder["request"], print: string): boolean =>
  order.fingerprint === print ||
  (order.clientOrderId !== null &&
    order.clientOrderId === request.clientOrderId &&
    order.fingerprint === fingerprint({ ...request, idempotencyKey: order.idempotencyKey }))

/** The same key again: the existing order in its current state, or 409. */
export const replay = (
  core: AccountCore,
  { request, reply, receivedAt }: SubmitOrder,
  working: WorkingOrder,
  by: "idempotencyKey" | "clientOrderId",
  print: string,
): void => {
  const { tradeOrderId } = working.order
  if (!isSameOrder(working, request, print)) {
    const governs = by === "idempotencyKey" || (request.idempotencyKey ?? null) === null
    const error = governs ? new IdempotencyConflict({ tradeOrderId }) : new DuplicateClientOrderId({ tradeOrderId })
    core.whenDurable(() => reply.fail(error))
    return
  }
  const until = waitOf(request)
  const waiter: Waiter = { until: until ?? "ACCEPTED", reply: withLinked(core, working, reply), replayed: true }
  if (until === null) answerNow(core, working, waiter)
  else awaitFurther(core, working, waiter, receivedAt)
}

// Older orders of the key

/**
 * Says nothing of what was before: the caller comes again (and is not looked at, because that should cost little), or the key has been
 * looked at.
 */
const SAYS_NOTHING: ReadonlySet<DomainError["_tag"]> = new Set<DomainError["_tag"]>([
  "Busy",
  "OrderRateLimited",
  "IdempotencyConflict",
  "DuplicateClientOrderId",
])

type Keys = Pick<SubmitOrder["request"], "idempotencyKey" | "clientOrderId">

/** The key that governs (contract C2), else the client order id, which is used once for ever. */
const olderOf = (
  { idempotencyKey, clientOrderId }: Keys,
  idOfKey: (key: string) => TradeOrderId | undefined,
  idOfClient: (clientOrderId: string) => TradeOrderId | undefined,
) => {
  const governing = idempotencyKey ?? clientOrderId ?? null
  const byKey = governing === null ? undefined : idOfKey(governing)
  if (byKey !== undefined) return { tradeOrderId: byKey, by: "idempotencyKey" as const }
  const byClient = clientOrderId ? idOfClient(clientOrderId) : undefined
  return byClient === undefined ? undefined : { tradeOrderId: byClient, by: "clientOrderId" as const }
}

/** Of the orders in memory. */
export const olderInMemory = (core: AccountCore, keys: Keys) =>
  olderOf(
    keys,
    (key) => core.orders.idOfKey(key),
    (clientOrderId) => core.orders.idOfClient(clientOrderId),
  )

/**
 * Asked of the store, then looked for in memory once more; `use` runs in a turn (at once where no key governs), and never where the store
 * does not answer.
 */
export const findOlder = (core: AccountCore, keys: Keys, use: (older: ReturnType<typeof olderOf>) => void): void => {
  const { idempotencyKey, clientOrderId } = keys
  const governing = idempotencyKey ?? clientOrderId ?? null
  if (governing === null) return use(undefined)
  const clientOrderIds = clientOrderId ? [clientOrderId] : []
  core.names.ask({ keys: [governing], clientOrderIds }, (found) =>
    use(
      olderInMemory(core, keys) ??
        olderOf(
          keys,
          (key) => found.keys.get(key),
          (id) => found.clientOrderIds.get(id),
        ),
    ),
  )
}

/** The submit, whose refusal is answered only when no older order has its key. */
export const answeredUnlessOlder = (core: AccountCore, message: SubmitOrder): SubmitOrder => {
  const { request, reply } = message
  const { idempotencyKey, clientOrderId } = request
  if ((idempotencyKey ?? clientOrderId ?? null) === null) return message
  const refuse = (error: DomainError): void => {
    if (SAYS_NOTHING.has(error._tag)) return reply.fail(error)
    findOlder(core, request, (older) => {
      if (older === undefined) return reply.fail(error)
      whenKnown(core, older.tradeOrderId, (working) => {
        if (working === null) reply.fail(error)
        else replay(core, message, working, older.by, fingerprint(request))
      })
    })
  }
  return { ...message, reply: { ok: reply.ok, fail: refuse } }
}

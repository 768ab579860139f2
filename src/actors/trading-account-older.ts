/**
 * A submit that is about to be refused may be the repeat of an older one, whose order has left memory: the store is asked first. Of one that
 * is not refused the store's own indexes say it (KeyUsed), so this costs nothing on the way of an order.
 */
import type { DomainError } from "../domain/errors/domain-error.ts"
import { fingerprint } from "../domain/fingerprint.ts"
import type { TradeOrderId } from "../domain/ids.ts"
import type { SubmitOrder } from "./account-messages.ts"
import { whenKnown } from "./trading-account-admission.ts"
import { replay } from "./trading-account-answer.ts"
import type { AccountCore } from "./trading-account-core.ts"

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
      whenKnown(core, older.tradeOrderId, (live) => {
        if (live === null) reply.fail(error)
        else replay(core, message, live, older.by, fingerprint(request))
      })
    })
  }
  return { ...message, reply: { ok: reply.ok, fail: refuse } }
}

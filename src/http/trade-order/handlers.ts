/** Orders go to the account's actor and are answered from its commit; lists come from the store, which only knows what is durable. */

import { Effect, Schema } from "effect"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import type { InvalidInstrumentId } from "../../domain/errors/market.ts"
import {
  ConflictingParameters,
  InvalidCursor,
  type InvalidParameter,
  InvalidTimeRange,
  MissingParameter,
} from "../../domain/errors/request.ts"
import { OrderNotFound, OutcomeUnknown } from "../../domain/errors/trade-order.ts"
import type { InstrumentId, TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import { invalidInstrumentId, parseInstrumentId } from "../../domain/instrument/instrument.ts"
import type { NarrativeStatus, OrderStatus } from "../../domain/order/status.ts"
import { ofInstrument } from "../../domain/order/submit-request.ts"
import type { TradeOrder } from "../../domain/order/trade-order.ts"
import { tradeOrderJson, tradeOrderRecord } from "../../domain/order/trade-order-record.ts"
import type { Reply } from "../../domain/reply.ts"
import { placedBy } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import { dateTime } from "../../foundation/time.ts"
import type { RefusedSubmits } from "../../store/orders/refused-submits.ts"
import type { OrderKeyset, OrderQuery, TradeOrders } from "../../store/orders/trade-orders.ts"
import { type AccountReach, accountOf, accountsOf, actorOf, listedAccounts } from "../account-access.ts"
import { fieldsOf, JsonText } from "../edge/envelope.ts"
import { ask, type Handlers, type HttpReply, isFailure, type RequestFacts, relayed } from "../edge/route.ts"
import { type Cursors, timeKey } from "../pagination.ts"
import { instantFault } from "../query.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { TradeOrderApi } from "./endpoints.ts"
import { keyedBy, submittedText, timingText } from "./submit-endpoint.ts"

// The words of the `status` and `orderStatus` filters, of either vocabulary, as formal states (contract C1.1).

interface StatusFilter {
  readonly orderStatus: ReadonlyArray<OrderStatus>
  /** PENDING_CANCEL, PENDING_REPLACE and REPLACED count only with (true) or without (false) executions. */
  readonly hasFills?: boolean
}

/** Shown as OPEN before the first fill and as PARTIALLY_FILLED after it. */
const MOMENTARY: ReadonlyArray<OrderStatus> = ["PENDING_CANCEL", "PENDING_REPLACE", "REPLACED"]

export const statusFilter = (word: OrderStatus | NarrativeStatus): StatusFilter => {
  switch (word) {
    case "PENDING":
      return { orderStatus: ["CREATED", "SUBMITTED", "UNKNOWN"] }
    case "OPEN":
      return { orderStatus: ["ACCEPTED", ...MOMENTARY], hasFills: false }
    case "PARTIALLY_FILLED":
      return { orderStatus: ["PARTIALLY_FILLED", ...MOMENTARY], hasFills: true }
    case "CANCELLED":
      return { orderStatus: ["CANCELLED", "REVOKED"] }
    default:
      return { orderStatus: [word] }
  }
}

export interface TradeOrderParts {
  readonly reach: AccountReach
  readonly tradingAccounts: TradingAccounts["Type"]
  readonly orders: TradeOrders
  readonly gate: VenueGate
  readonly cursors: Cursors
  readonly refused: RefusedSubmits
  readonly now: () => number
  readonly monotonic: () => number
}

type OrderName = { readonly tradeOrderId: TradeOrderId } | { readonly clientOrderId: string }

/** Exactly one of the two names of an order. */
const nameOf = (given: {
  readonly tradeOrderId?: TradeOrderId | null | undefined
  readonly clientOrderId?: string | null | undefined
}): OrderName | MissingParameter | ConflictingParameters => {
  const { tradeOrderId, clientOrderId } = given
  if (tradeOrderId && clientOrderId) return new ConflictingParameters({ parameters: ["tradeOrderId", "clientOrderId"] })
  if (tradeOrderId) return { tradeOrderId: tradeOrderId.toLowerCase() as TradeOrderId }
  return clientOrderId ? { clientOrderId } : new MissingParameter({ parameter: "tradeOrderId" })
}

const isUuid = Schema.is(Schema.UUID)

/** `timeKey` back into the store's terms; undefined when a signed cursor is of another list's form. */
const keysetOf = (after: string): OrderKeyset | undefined => {
  const [at, id] = after.split("|")
  return at === undefined || id === undefined ? undefined : { createdAt: Number(at), tradeOrderId: id as TradeOrderId }
}

/** An actor that is lost knows no id; what asked it may. */
const ofOrder = (error: DomainError, id: TradeOrderId | null): DomainError =>
  error._tag === "OutcomeUnknown" && error.tradeOrderId === null ? new OutcomeUnknown({ tradeOrderId: id }) : error

const orderText = (order: TradeOrder): JsonText => new JsonText(tradeOrderJson(order))

/** The order as the answer, or a failure that names it where the request does. */
const ofNamed = (
  by: OrderName,
  request: RequestFacts,
  reply: Pick<HttpReply<JsonText, never>, "ok" | "relay" | "onDeadline">,
): Reply<TradeOrder, DomainError> => {
  const id = "tradeOrderId" in by ? by.tradeOrderId : null
  if (id !== null) {
    request.tradeOrderId = id
    reply.onDeadline(() => new OutcomeUnknown({ tradeOrderId: id }))
  }
  return {
    ok: (order) => {
      request.tradeOrderId ??= order.tradeOrderId
      reply.ok(orderText(order))
    },
    fail: (error) => reply.relay(ofOrder(error, id)),
  }
}

export const tradeOrderHandlers = (parts: TradeOrderParts): Handlers<typeof TradeOrderApi> => {
  const { reach, tradingAccounts, orders, gate, cursors, refused } = parts

  /** In the tenant where the user is now. */
  const ownAccounts = (principal: Principal): ReadonlyArray<TradingAccountId> =>
    accountsOf(reach, principal).map((it) => it.tradingAccountId)

  /**
   * From the actor: current, and durable before it is told. With all of its executions: of an order that has more than it carries the store
   * tells them, with the image that they belong to.
   */
  const wholeOrder = (account: TradingAccountId, by: OrderName) =>
    Effect.flatMap(
      ask<TradeOrder, DomainError>((reply) => tradingAccounts.post(account, { _tag: "ReadOrder", by, reply })),
      (order) =>
        order.executionCount > order.executions.length
          ? Effect.map(orders.whole(order.tradeOrderId), (stored) => stored ?? order)
          : Effect.succeed(order),
    )

  return {
    submit: ({ body, principal, request }, reply) => {
      const keyed = keyedBy(request.header("idempotency-key"), body)
      if (isFailure(keyed)) return reply.fail(keyed)
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      const actor = actorOf(request, principal)
      const note = (error: DomainError): void => {
        const { clientOrderId = null, idempotencyKey = null } = keyed
        const { tradingAccountId, tenantId } = account
        const { _tag: failure, message } = error
        refused.note(
          {
            requestId: request.callId,
            at: parts.now(),
            tenantId,
            tradingAccountId,
            placedBy: placedBy(actor),
            clientOrderId,
            idempotencyKey,
            asked: keyed,
            failure,
            message,
            figures: fieldsOf(error),
          },
          parts.monotonic(),
        )
      }
      const closed = gate.closedTo(account.venue, principal)
      if (closed !== undefined) {
        note(closed)
        return reply.fail(closed)
      }
      const named = body.instrumentId ?? ""
      const instrumentId = gate.canonicalInstrumentId(named)
      const isAlias = instrumentId !== named
      let made: TradeOrderId | null = null
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "SubmitOrder",
        request: isAlias ? ofInstrument(keyed, instrumentId) : keyed,
        receivedAt: request.receivedAt,
        // The right to a user's own money is its own for ever; to a dealer's it is asked with each order.
        ...(account.userId === null ? { actor } : {}),
        placedBy: actor,
        counted: (submits) => {
          request.submitsCounted = submits
        },
        named: (tradeOrderId) => {
          made = tradeOrderId
          request.tradeOrderId = tradeOrderId
          reply.onDeadline(() => new OutcomeUnknown({ tradeOrderId }))
        },
        reply: {
          ok: (answer) => {
            const { order, replayed, timing } = answer
            request.tradeOrderId = order.tradeOrderId
            const headers: Record<string, string> = {}
            if (timing !== undefined) headers["Server-Timing"] = timingText(timing)
            if (replayed) headers["Idempotency-Replayed"] = "true"
            if (isAlias) for (const [name, value] of Object.entries(gate.headersFor([named]))) headers[name] = value
            reply.ok(submittedText(answer), { headers })
          },
          fail: (error) => {
            // What is refused has made no order, whatever it was to be called.
            if (error._tag !== "OutcomeUnknown") {
              request.tradeOrderId = undefined
              note(error)
            }
            reply.relay(ofOrder(error, made))
          },
        },
      })
    },

    cancel: ({ body, principal, request }, reply) => {
      const by = nameOf(body)
      if ("_tag" in by) return reply.fail(by)
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "CancelOrder",
        by,
        receivedAt: request.receivedAt,
        reply: ofNamed(by, request, reply),
      })
    },

    replace: ({ body, principal, request }, reply) => {
      const by = nameOf(body)
      if ("_tag" in by) return reply.fail(by)
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      const closed = gate.closedTo(account.venue, principal)
      if (closed !== undefined) return reply.fail(closed)
      const { quantity, limitPrice, stopPrice } = body
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "ReplaceOrder",
        by,
        asked: { quantity, limitPrice, stopPrice },
        placedBy: placedBy(actorOf(request, principal)),
        receivedAt: request.receivedAt,
        reply: ofNamed(by, request, reply),
      })
    },

    cancelAll: ({ body, principal, request }, reply) => {
      const instrumentId = body.instrumentId ? gate.canonicalInstrumentId(body.instrumentId) : null
      if (instrumentId !== null && parseInstrumentId(instrumentId) === undefined)
        return reply.fail(invalidInstrumentId(instrumentId))
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "CancelAllOrders",
        instrumentId: instrumentId as InstrumentId | null,
        receivedAt: request.receivedAt,
        reply: { ok: (swept) => reply.ok(swept), fail: reply.relay },
      })
    },

    cancelAllAfter: ({ body, principal }, reply) => {
      const account = accountOf(reach, principal, body.tradingAccountId, "write")
      if (isFailure(account)) return reply.fail(account)
      return tradingAccounts.post(account.tradingAccountId, {
        _tag: "CancelAllAfter",
        timeoutMillis: body.timeoutMs,
        reply: {
          ok: ({ tradingAccountId, cancelAllAt }) =>
            reply.ok({
              tradingAccountId,
              cancelAllAt,
              cancelAllAtDateTime: cancelAllAt === null ? null : dateTime(cancelAllAt),
            }),
          fail: reply.relay,
        },
      })
    },

    get: ({ query, principal, request }, reply) => {
      const by = nameOf(query)
      if ("_tag" in by) return reply.fail(by)
      if ("tradeOrderId" in by) request.tradeOrderId = by.tradeOrderId
      const answer = (account: TradingAccountId) =>
        relayed(
          Effect.map(wholeOrder(account, by), (order) => {
            request.tradeOrderId = order.tradeOrderId
            reply.ok(orderText(order))
          }),
          reply,
        )
      if (query.tradingAccountId !== undefined) {
        const account = accountOf(reach, principal, query.tradingAccountId, "read")
        return isFailure(account) ? reply.fail(account) : answer(account.tradingAccountId)
      }
      if (!("tradeOrderId" in by)) return reply.fail(new MissingParameter({ parameter: "tradingAccountId" }))
      const found = orders.list({
        tradingAccountIds: ownAccounts(principal),
        tradeOrderId: by.tradeOrderId,
        limit: 1,
        offset: 0,
        counted: false,
      })
      return Effect.flatMap(found, ({ orders: [order] }) =>
        order === undefined ? Effect.sync(() => reply.fail(new OrderNotFound())) : answer(order.tradingAccountId),
      )
    },

    list: ({ query, principal }, reply) => {
      if (query.status !== undefined && query.orderStatus !== undefined && query.status !== query.orderStatus)
        return reply.fail(new ConflictingParameters({ parameters: ["status", "orderStatus"] }))
      const plan = cursors.plan({
        scope: `tradeOrder/list:${principal.userId}`,
        filters: {
          tradeOrderId: query.tradeOrderId?.toLowerCase(),
          clientOrderId: query.clientOrderId,
          orderListId: query.orderListId,
          status: query.orderStatus ?? query.status,
          tradingAccountId: query.tradingAccountId?.toLowerCase(),
          userId: query.userId?.toLowerCase(),
          instrumentId: query.instrumentId === undefined ? undefined : gate.canonicalInstrumentId(query.instrumentId),
          startTime: query.startTime,
          endTime: query.endTime,
          updatedSince: query.updatedSince,
          ascending: query.ascending,
        },
        limit: query.limit ?? 50,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const wanted = orderQuery(plan.filters)
      if (isFailure(wanted)) return reply.fail(wanted)
      const asked = listedAccounts(reach, principal, plan.filters)
      if (isFailure(asked)) return reply.fail(asked)
      const cursor = plan.after === null ? undefined : keysetOf(plan.after)
      if (plan.after !== null && cursor === undefined) return reply.fail(new InvalidCursor())
      // The specification types it as a string: one that no list can have finds nothing.
      if (wanted.orderListId !== undefined && !isUuid(wanted.orderListId))
        return reply.ok([], { pagination: cursors.pagination(plan, 0, null) })
      const found = orders.list({
        ...wanted,
        tradingAccountIds: asked.map((it) => it.tradingAccountId),
        limit: plan.limit,
        offset: plan.offset,
        counted: plan.total === null,
        ...(cursor === undefined ? {} : { cursor }),
      })
      return Effect.map(found, (page) => {
        const total = plan.total ?? { count: page.total, isLowerBound: page.totalIsLowerBound }
        const last = page.orders.at(-1)
        const next = page.hasNext && last !== undefined ? timeKey(last.createdAt, last.tradeOrderId) : null
        reply.ok(page.orders.map(tradeOrderRecord), {
          pagination: cursors.pagination(plan, total.count, next, total.isLowerBound),
          headers: gate.headersFor(query.instrumentId === undefined ? [] : [query.instrumentId]),
        })
      })
    },
  }

  function orderQuery(
    filters: Readonly<Record<string, string | number | boolean>>,
  ): Partial<OrderQuery> | InvalidTimeRange | InvalidInstrumentId | InvalidParameter {
    const text = (name: string): string | undefined => {
      const value = filters[name]
      return typeof value === "string" ? value : undefined
    }
    const instant = (name: string): number | undefined => {
      const value = filters[name]
      return typeof value === "number" ? value : undefined
    }
    const [startTime, endTime, updatedSince] = [instant("startTime"), instant("endTime"), instant("updatedSince")]
    const fault = instantFault({ startTime, endTime, updatedSince })
    if (fault !== undefined) return fault
    if (startTime !== undefined && endTime !== undefined && startTime > endTime) return new InvalidTimeRange()
    const instrumentId = text("instrumentId")
    if (instrumentId !== undefined && parseInstrumentId(instrumentId) === undefined)
      return invalidInstrumentId(instrumentId)
    const [tradeOrderId, clientOrderId, status] = [text("tradeOrderId"), text("clientOrderId"), text("status")]
    const orderListId = text("orderListId")
    return {
      ...(tradeOrderId === undefined ? {} : { tradeOrderId: tradeOrderId as TradeOrderId }),
      ...(clientOrderId === undefined ? {} : { clientOrderId }),
      ...(orderListId === undefined ? {} : { orderListId }),
      ...(status === undefined ? {} : statusFilter(status as OrderStatus | NarrativeStatus)),
      ...(instrumentId === undefined ? {} : { instrumentId: instrumentId as InstrumentId }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(endTime === undefined ? {} : { endTime }),
      ...(updatedSince === undefined ? {} : { updatedSince }),
      ...(filters["ascending"] === true ? { ascending: true } : {}),
    }
  }
}

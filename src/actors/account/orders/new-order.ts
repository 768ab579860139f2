/**
 * New orders: the rows that a checked submit becomes, the submitted order first, then the orders that come with it (contract C4); their way to
 * the store, whatever its type: in memory at once, all of them one unit; and where each goes once it is durable. The one thing to know: where an
 * older order has their key, or another one their quote, nothing of them ever was, and the submit is answered with what is.
 */

import { Decimal } from "../../../domain/decimal.ts"
import { QuoteUsed } from "../../../domain/errors/quote.ts"
import type { DealerAccountId, QuoteId, TradeOrderId } from "../../../domain/ids.ts"
import type { LegPlan, OrderPlan } from "../../../domain/order/plan.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { SubmitRequest } from "../../../domain/order/submit-request.ts"
import { NO_TERMS, type OrderTerms } from "../../../domain/order/terms.ts"
import { type ContingencyType, placeOf, type TradeOrder, UNPLACED } from "../../../domain/order/trade-order.ts"
import { tradeOrderJson } from "../../../domain/order/trade-order-record.ts"
import { watchExpiry } from "../contingent/expiry.ts"
import { armTrigger, stampedAt } from "../contingent/trigger.ts"
import type { AccountCore } from "../core.ts"
import type { HedgeOf, SubmitOrder } from "../messages.ts"
import type { WorkingOrder } from "../working-order.ts"
import { replay } from "./answer.ts"
import { deadlinesFrom, dispatch } from "./dispatch.ts"
import { whenKnown } from "./recall.ts"

/**
 * Where an order goes once it is durable: to the venue, to the watch over its trigger, or nowhere while it waits for its parent. Called
 * from the commit callback of the unit that let it go; at a venue that follows the journal, while that unit is on its way.
 */
export const release = (core: AccountCore, working: WorkingOrder): void => {
  // It may have been withdrawn between its unit and the callback.
  if (isTerminal(working.order.orderStatus)) return
  watchExpiry(core, working)
  switch (placeOf(working.order)) {
    case "WAITING":
    case "DEALER":
      return
    case "ARMED":
      armTrigger(core, working)
      return
    case "VENUE":
      dispatch(core, working)
  }
}

export interface NewOrder {
  readonly request: SubmitRequest
  readonly plan: OrderPlan
  /** By `holdOf`. */
  readonly held: Decimal
  readonly fingerprint: string
  /** Wall ms. */
  readonly now: number
  readonly hedge: HedgeOf | undefined
  /** Of a QUOTED order, which is known to its dealer already. */
  readonly quoted?: QuotedName
}

interface QuotedName {
  readonly tradeOrderId: TradeOrderId
  readonly quoteId: QuoteId
  readonly dealerAccountId: DealerAccountId
}

const ordersOf = (core: AccountCore, made: NewOrder): readonly [TradeOrder, ...ReadonlyArray<TradeOrder>] => {
  const { plan } = made
  if (plan.list === null) return [submitted(core, made)]
  const { contingencyType, legs } = plan.list
  const isPair = contingencyType === "OCO"
  const own = submitted(core, made)
  const orderListId = isPair ? core.parts.ids.uuid() : own.tradeOrderId
  // One leg of a pair holds for both: the take-profit, which may rest at the venue.
  const isHolder = !isPair || own.terms?.leg === "TAKE_PROFIT"
  const first: TradeOrder = { ...own, orderListId, contingencyType, held: isHolder ? own.held : Decimal.ZERO }
  const legType: ContingencyType = contingencyType === "OTO" ? "OTO" : "OCO"
  const children = legs.map((leg): TradeOrder => {
    const held = isHolder ? Decimal.ZERO : own.held
    const parentId = isPair ? null : own.tradeOrderId
    return { ...legOf(core, own, leg, parentId, made.now), orderListId, contingencyType: legType, held }
  })
  const [other] = children
  if (!plan.list.isNative || other === undefined) return [first, ...children]
  return [pairedWith(first, other), pairedWith(other, first)]
}

const pairedWith = (order: TradeOrder, { tradeOrderId }: TradeOrder): TradeOrder => ({
  ...order,
  terms: { ...(order.terms ?? NO_TERMS), pairedWith: tradeOrderId },
})

/** When an order must be on its way: only one that leaves at once has such an instant. */
const deadlineOf = (core: AccountCore, leavesAtOnce: boolean, now: number) =>
  leavesAtOnce ? deadlinesFrom(core, now) : { notAfter: null, submitDeadline: null }

/** Those of an order that is watched from now on know how the venue's clock stands. */
const termsArmed = (core: AccountCore, terms: OrderTerms | null): OrderTerms | null => {
  const armedAt = terms?.trigger?.armedAt ?? null
  return terms === null || terms.trigger === null || armedAt === null
    ? terms
    : { ...terms, trigger: stampedAt(core, terms.trigger, armedAt) }
}

/** One literal: what is spread first and added to afterwards grows field by field, and costs ten times as much as all its values. */
const submitted = (
  core: AccountCore,
  { request, plan, held, fingerprint, now, hedge, quoted }: NewOrder,
): TradeOrder => {
  const { notAfter, submitDeadline } = deadlineOf(core, plan.terms?.trigger?.execution !== "EMULATED", now)
  return {
    tradeOrderId: quoted?.tradeOrderId ?? (core.parts.ids.uuid() as TradeOrderId),
    tenantId: core.account.tenantId,
    tradingAccountId: core.id,
    version: 1,
    venue: core.account.venue,
    instrumentId: plan.instrument.instrumentId,
    orderListId: null,
    contingencyType: null,
    quoteId: quoted?.quoteId ?? null,
    positionId: plan.positionId,
    replacesTradeOrderId: null,
    dealerAccountId: hedge?.dealerAccountId ?? quoted?.dealerAccountId ?? null,
    hedgeForQuoteIds: hedge?.quotes.quoteIds ?? UNPLACED.hedgeForQuoteIds,
    hedgeForQuoteCount: hedge?.quotes.count ?? 0,
    terms: termsArmed(core, plan.terms),
    baseAsset: plan.instrument.baseAsset,
    quoteAsset: plan.instrument.quoteAsset,
    orderSide: plan.orderSide,
    orderType: plan.orderType,
    timeInForce: plan.timeInForce,
    orderStatus: "CREATED",
    statusBeforeCancel: null,
    rejectReason: null,
    cancelReason: null,
    limitPrice: plan.limitPrice,
    quantity: plan.quantity,
    orderQuantityType: plan.orderQuantityType,
    quantityRounding: plan.quantityRounding,
    baseQuantity: plan.baseQuantity,
    executedQuantity: Decimal.ZERO,
    executedCost: Decimal.ZERO,
    executedPrice: null,
    overfillQuantity: Decimal.ZERO,
    executions: UNPLACED.executions,
    executionCount: UNPLACED.executionCount,
    fees: UNPLACED.fees,
    unexplained: UNPLACED.unexplained,
    clientOrderId: request.clientOrderId ?? null,
    idempotencyKey: request.idempotencyKey ?? null,
    fingerprint,
    externalOrderId: null,
    origin: "GATEWAY",
    doubt: null,
    cancelRequested: false,
    evidence: UNPLACED.evidence,
    notAfter,
    submitDeadline,
    held,
    createdAt: now,
    updatedAt: now,
    expireAt: plan.expireAt,
    canceledAt: null,
    venueUpdatedAt: null,
  }
}

/** An order of the gateway's in the place of another, with the same terms; it goes by no key. Version 0: its first unit makes it 1. */
export const heirOf = (core: AccountCore, order: TradeOrder, change: Partial<TradeOrder>): TradeOrder => {
  const now = core.parts.clock.now()
  const { orderListId, contingencyType, positionId, terms, expireAt } = order
  const { dealerAccountId, hedgeForQuoteIds, hedgeForQuoteCount } = order
  return {
    ...order,
    ...UNPLACED,
    version: 0,
    tradeOrderId: core.parts.ids.uuid() as TradeOrderId,
    orderListId,
    contingencyType,
    positionId,
    dealerAccountId,
    hedgeForQuoteIds,
    hedgeForQuoteCount,
    // What was placed together with another order is not any more.
    terms: terms && terms.pairedWith !== null ? { ...terms, pairedWith: null } : terms,
    expireAt,
    replacesTradeOrderId: order.tradeOrderId,
    origin: "GATEWAY",
    createdAt: now,
    updatedAt: now,
    ...change,
  }
}

/** As large as the submitted order until that is executed. `parentId` null: the other leg of a pair, which works from now on. */
const legOf = (
  core: AccountCore,
  own: TradeOrder,
  { leg, trigger, ...plan }: LegPlan,
  parentId: TradeOrderId | null,
  now: number,
): TradeOrder => ({
  ...own,
  ...plan,
  tradeOrderId: core.parts.ids.uuid() as TradeOrderId,
  quoteId: null,
  dealerAccountId: null,
  terms: {
    ...NO_TERMS,
    trigger,
    parentId,
    leg,
    leverage: own.terms?.leverage ?? null,
    ...(own.terms?.reduces === true && { reduces: true }),
  },
  quantity: own.baseQuantity,
  orderQuantityType: "BASE",
  quantityRounding: "",
  clientOrderId: null,
  idempotencyKey: null,
  fingerprint: null,
  ...deadlineOf(core, parentId === null && trigger?.execution !== "EMULATED", now),
})

// On their way to the store

/** The submitted order first. */
export type NewLives = readonly [WorkingOrder, ...ReadonlyArray<WorkingOrder>]

interface StoreOutcome {
  /** They are durable; `json` is the record of the submitted one. Called before the waiting callers are answered. */
  readonly stored: (lives: NewLives, json: string) => void
  /** Nothing of them was stored; before they are gone. */
  readonly undone?: (lives: NewLives) => void
  /** The store refused their unit, or one before it, which ends the incarnation. */
  readonly refused?: (lives: NewLives) => void
  /** After either, when the submit has its answer. */
  readonly over?: () => void
}

/** Handed to the store when it returns. */
export const storeNew = (core: AccountCore, message: SubmitOrder, made: NewOrder, outcome: StoreOutcome): NewLives => {
  const { now, fingerprint } = made
  const { placedBy } = message
  const [order, ...others] = ordersOf(core, made)
  message.named(order.tradeOrderId)
  core.usedNames?.add(message.request)
  const lives: NewLives = [core.add(order), ...others.map((other) => core.add(other))]
  for (const one of lives) one.actor = message.actor ?? null
  const json = tradeOrderJson(order)
  const settled = (exist: boolean): void => {
    for (const one of lives) for (const run of one.whenStored.splice(0)) run(exist)
  }
  const undo = (): void => {
    outcome.undone?.(lives)
    for (const one of lives.toReversed()) core.undo(one)
  }
  core.outlet.commit(
    [order, ...others].map((it) => ({
      _tag: "Order",
      order: it,
      ...(placedBy === undefined ? {} : { actor: placedBy }),
    })),
    [
      core.outlet.news.ofOrder("TRADE_ORDER.CREATED", order, now, json),
      ...others.map((it) => core.outlet.news.ofOrder("TRADE_ORDER.CREATED", it, now)),
    ],
    {
      committed: () => {
        for (const one of lives) one.stored = true
        outcome.stored(lives, json)
        settled(true)
        outcome.over?.()
      },
      keyUsed: (used) => {
        undo()
        whenKnown(core, used.order.tradeOrderId, (older) => {
          settled(false)
          if (older !== null) replay(core, message, older, used.by, fingerprint)
          outcome.over?.()
        })
      },
      refused: () => outcome.refused?.(lives),
      quoteUsed: () => {
        undo()
        settled(false)
        message.reply.fail(new QuoteUsed())
        outcome.over?.()
      },
    },
  )
  return lives
}

/**
 * An order's full history, from the request to its end. The one thing to know: it contains only what is stored, and it says what is no longer
 * stored, so that a gap is never taken for "nothing happened".
 */

import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import { cleaned } from "../clean-text.ts"
import type { PlacedBy } from "../user/act.ts"
import { isTerminal } from "./status.ts"
import { type Execution, heldAssetOf, type TradeOrder } from "./trade-order.ts"
import { TradeOrderRecord, tradeOrderRecord } from "./trade-order-record.ts"

const Stage = Schema.Literal("REQUEST", "CHECKS", "COMMIT", "VENUE", "EVIDENCE", "FILL", "EVENT", "QUARANTINE", "END")
type Stage = typeof Stage.Type

export const OrderStory = Schema.Struct({
  outcome: Schema.String.annotations({ description: "The order's status; REFUSED: no order was created" }),
  reason: Schema.NullOr(Schema.String).annotations({ description: "Why it was refused, rejected or cancelled" }),
  tradingAccountId: Schema.String,
  tradeOrder: Schema.NullOr(TradeOrderRecord),
  steps: Schema.Array(
    Schema.Struct({
      at: Schema.Int,
      atDateTime: Schema.String,
      stage: Stage,
      what: Schema.String,
    }),
  ).annotations({ description: "Sorted by time" }),
  notKept: Schema.Array(Schema.String).annotations({ description: "What is not stored, or no longer stored" }),
}).annotations({ identifier: "OrderStory" })
export type OrderStory = typeof OrderStory.Type

type Step = OrderStory["steps"][number]

/** What the store has of an order. */
export interface OrderFacts {
  readonly order: TradeOrder
  readonly placedBy: PlacedBy | null
  /** All, in order of application. */
  readonly executions: ReadonlyArray<Execution>
  /** Null: they could not be searched in time. */
  readonly events: ReadonlyArray<{ readonly sequence: number; readonly at: number; readonly kind: string }> | null
  /** There are more than a story tells at once: they come after this number of the account's. Null: these are the last. */
  readonly eventsCutAt: number | null
  /** The number after which they were asked for; 0: from the first. */
  readonly eventsAfter: number
  /** Wall ms: older events are gone. */
  readonly eventsSince: number
  readonly quarantined: ReadonlyArray<{ readonly id: string; readonly at: number; readonly reason: string }>
  /** The order in whose place it is, and by whose request that one came. */
  readonly replaces: { readonly tradeOrderId: string; readonly placedBy: PlacedBy | null } | null
  /** The order that took its place. */
  readonly replacedBy: string | null
}

export interface RefusedFacts {
  readonly at: number
  readonly tradingAccountId: string
  readonly placedBy: PlacedBy
  readonly asked: string
  readonly failure: string
  readonly message: string
  readonly figures: Readonly<Record<string, unknown>>
}

/** Of an order, or of a submit that made none. */
export type Stored =
  | { readonly _tag: "Order"; readonly facts: OrderFacts }
  | { readonly _tag: "Refused"; readonly facts: RefusedFacts }

const step = (at: number, stage: Stage, what: string): Step => ({ at, atDateTime: dateTime(at), stage, what })

const words = (named: Readonly<Record<string, unknown>>): string =>
  Object.entries(named)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ")

const askedBy = (by: PlacedBy): string => {
  const { requestId, clientRequestId, userId, sessionId, keyId, ip } = by
  return words({
    "request id": requestId,
    "the client's name for it": clientRequestId,
    user: userId,
    session: sessionId,
    "API key": keyId,
    from: ip,
  })
}

/** The first unit of an order gives it 2 s to leave: its row says until when, and so since when. */
const LEAVES_WITHIN_MILLIS = 2_000

const NEVER_SENT = /^(GATEWAY_LATE|NOT_SENT)/

const sendingOf = (order: TradeOrder): Step => {
  const { createdAt, notAfter, rejectReason, orderType } = order
  if (orderType === "QUOTED")
    return step(createdAt, "VENUE", "executes a quote: it is filled by its dealer and never sent to a venue")
  if (notAfter === null) return step(createdAt, "VENUE", "not sent: it waited for its parent, or for its trigger")
  const since = Math.max(createdAt, notAfter - LEAVES_WITHIN_MILLIS)
  if (rejectReason !== null && NEVER_SENT.test(rejectReason))
    return step(since, "VENUE", `never sent: ${rejectReason}; it had to be sent by ${dateTime(notAfter)}`)
  const until =
    order.submitDeadline === null ? "" : `; the venue accepts it until ${dateTime(order.submitDeadline)} at the latest`
  return step(since, "VENUE", `may be at the venue from here on; it had to be sent by ${dateTime(notAfter)}${until}`)
}

const endOf = (order: TradeOrder): Step => {
  const { orderStatus, rejectReason, cancelReason, updatedAt, doubt, externalOrderId } = order
  const what = isTerminal(orderStatus) ? orderStatus : `${orderStatus} until now`
  const figures = words({
    "reject reason": rejectReason,
    "cancel reason": cancelReason,
    "venue's id": externalOrderId,
    executed: `${order.executedQuantity} of ${order.baseQuantity} ${order.baseAsset}`,
    "still held": order.held.isZero() ? null : `${order.held} ${heldAssetOf(order)}`,
    "in doubt": doubt?.kind,
  })
  return step(order.canceledAt ?? updatedAt, "END", `${what}: ${figures}`)
}

const fillOf = (it: Execution, quoteAsset: string): Step =>
  step(
    it.executedAt,
    "FILL",
    `${it.executedQuantity} at ${it.executedPrice}, ${it.executedCost} ${quoteAsset}${it.inferred ? ", inferred" : ""}: ${words(
      {
        trade: it.externalTradeId,
        execution: it.executionId,
        fees: it.fees.map((fee) => `${fee.quantity} ${fee.asset}`).join(" + ") || null,
      },
    )}`,
  )

/** Of an order in the place of another: of which, whose that was, and by whose request it was changed. */
const changedBy = (replaces: NonNullable<OrderFacts["replaces"]>, placedBy: PlacedBy | null): string => {
  const first = replaces.placedBy === null ? "no stored request" : askedBy(replaces.placedBy)
  const change = placedBy === null ? "no stored request" : askedBy(placedBy)
  return `replaces order ${replaces.tradeOrderId} by ${change}; that one was created by ${first}`
}

const firstSteps = ({ order, placedBy, replaces }: OrderFacts): ReadonlyArray<Step> => {
  if (order.origin === "EXTERNAL")
    return [step(order.createdAt, "COMMIT", "first seen at the venue: it was not placed by this gateway")]
  const names = words({
    "client order id": order.clientOrderId,
    "idempotency key": order.idempotencyKey,
    quote: order.quoteId,
    dealer: order.dealerAccountId,
    list: order.orderListId,
  })
  const own = placedBy === null ? "by no stored request" : askedBy(placedBy)
  const by = replaces === null ? own : changedBy(replaces, placedBy)
  const asked = `${order.orderSide} ${order.quantity} ${order.instrumentId} ${order.orderType}${order.limitPrice === null ? "" : ` at ${order.limitPrice}`} ${order.timeInForce}`
  return [
    step(order.createdAt, "REQUEST", [asked, by, names].filter((text) => text !== "").join("; ")),
    step(
      order.createdAt,
      "CHECKS",
      `passed: trading mode, limits, account, instrument rules, price, funds (${order.baseQuantity} ${order.baseAsset} asked)`,
    ),
    step(order.createdAt, "COMMIT", "stored before it was sent, under version 1"),
    sendingOf(order),
  ]
}

const told = ({ events }: OrderFacts) => events ?? []

const STAGES = Stage.literals

const inTime = (steps: ReadonlyArray<Step>): ReadonlyArray<Step> =>
  steps.toSorted((a, b) => a.at - b.at || STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage))

/** Who reads: operators may see what reports of venues were refused for, which can be a word of the program's inside. */
export type Reader = "OPERATOR" | "ADMIN"

const storyOf = (facts: OrderFacts, reader: Reader): OrderStory => {
  const { order, placedBy, executions, events, eventsAfter, eventsCutAt, eventsSince, quarantined, replacedBy } = facts
  const notKept: Array<string> = []
  if (placedBy === null && order.origin === "GATEWAY")
    notKept.push(
      facts.replaces === null
        ? "by whose request: the gateway placed it, or it predates the column that stores this"
        : "by whose request it replaced the other order: done by the gateway itself, or it predates the column that stores this",
    )
  if (events === null) notKept.push("events: they could not be searched within a second; ask again")
  else if (order.createdAt < eventsSince)
    notKept.push(`events before ${dateTime(eventsSince)}: deleted according to EVENTS_KEPT_DAYS`)
  if (eventsAfter > 0) notKept.push(`events up to number ${eventsAfter} of the account: omitted as requested`)
  if (eventsCutAt !== null)
    notKept.push(
      `events after number ${eventsCutAt} of the account: ${told(facts).length} are shown at a time; the next ones with --events-after ${eventsCutAt} (over HTTP: eventsAfter=${eventsCutAt})`,
    )
  if (order.evidence.length >= 20) notKept.push("evidence beyond the newest 20 entries")
  notKept.push("refused requests, and those that only read or cancelled it: see the access log, by tradeOrderId")
  return {
    outcome: order.orderStatus,
    reason: order.rejectReason ?? order.cancelReason,
    tradingAccountId: order.tradingAccountId,
    tradeOrder: { ...tradeOrderRecord(order), executions: tradeOrderRecord({ ...order, executions }).executions },
    steps: inTime([
      ...firstSteps(facts),
      ...order.evidence.map((it) => step(it.at, "EVIDENCE", it.what)),
      ...executions.map((it) => fillOf(it, order.quoteAsset)),
      ...told(facts).map((it) => step(it.at, "EVENT", `${it.kind}, number ${it.sequence} of the account`)),
      ...quarantined.map(({ id, at, reason }) =>
        step(
          at,
          "QUARANTINE",
          `a report of the venue was not applied${reader === "OPERATOR" ? `: ${reason}` : ""}; it is kept for operators under ${id}`,
        ),
      ),
      ...(replacedBy === null ? [] : [step(order.updatedAt, "END", `replaced by order ${replacedBy}`)]),
      endOf(order),
    ]),
    notKept,
  }
}

/** Of a submit that made no order. */
const refusalStory = (it: RefusedFacts): OrderStory => {
  const figures = words(it.figures)
  return {
    outcome: "REFUSED",
    reason: `${it.failure}: ${it.message}${figures === "" ? "" : ` (${figures})`}`,
    tradingAccountId: it.tradingAccountId,
    tradeOrder: null,
    steps: [
      step(it.at, "REQUEST", `${askedBy(it.placedBy)}; asked for ${it.asked}`),
      step(it.at, "CHECKS", `refused, ${it.failure}: ${it.message}${figures === "" ? "" : `; ${figures}`}`),
      step(it.at, "END", "nothing was stored as an order, and nothing was sent"),
    ],
    notKept: [],
  }
}

export const tellStory = (stored: Stored, reader: Reader): OrderStory =>
  stored._tag === "Order" ? storyOf(stored.facts, reader) : refusalStory(stored.facts)

/** For a terminal. */
export const storyPage = (story: OrderStory): string => {
  const { tradeOrder: order } = story
  const name = order === null ? "A submit that created no order" : `Order ${order.tradeOrderId}`
  const lines = [
    `${name}: ${story.outcome}${story.reason === null ? "" : `, ${story.reason}`}`,
    `account ${story.tradingAccountId}`,
    "",
    ...story.steps.map((it) => `${it.atDateTime}  ${it.stage.padEnd(10)}  ${it.what}`),
  ]
  if (story.notKept.length > 0) lines.push("", ...story.notKept.map((what) => `not stored: ${what}`))
  // Clients' and venues' words are among them: no control character reaches a terminal.
  return `${lines.map(cleaned).join("\n")}\n`
}

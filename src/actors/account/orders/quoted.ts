/**
 * Orders of type QUOTED, from the client's side (order-path 4): the dealer takes the quote and holds the client's funds, then the order is
 * stored, then the dealer settles, and its trade comes back as a report. The one thing to know: no order exists before the dealer has said
 * yes, and once one does it is asked about until the dealer has said what became of it.
 */

import type { FirmQuote } from "../../../domain/dealer/quote.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import type { QuoteId, TradeOrderId } from "../../../domain/ids.ts"
import { eventOf, moved } from "../../../domain/order/evidence/progress.ts"
import { quotedFault, quotedPlan } from "../../../domain/order/rules/quoted.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { QuotedOrder, QuoteTrade } from "../../dealer/messages.ts"
import type { AccountCore } from "../core.ts"
import type { SubmitOrder, TellQuote } from "../messages.ts"
import { askBalances } from "../venue/balances.ts"
import { applyFill } from "../venue/evidence.ts"
import { attempt } from "../venue/quarantine.ts"
import type { WorkingOrder } from "../working-order.ts"
import { circumstancesOf, refusalOf } from "./admission.ts"
import { awaitFurther, waitOf, withLinked } from "./answer.ts"
import { leave } from "./dispatch.ts"
import { storeNew } from "./new-order.ts"

/** A dealer that could not say what became of a quote is asked again. */
const AGAIN_MILLIS = 250

/** Key, limits and state of the account were looked at before. */
export const submitQuoted = (core: AccountCore, message: SubmitOrder, print: string): void => {
  const { parts } = core
  const { request } = message
  const fault = quotedFault(request, core.venue)
  if (fault !== null) {
    message.reply.fail(fault)
    return
  }
  const decided = core.quoting.begin(request)
  const order: QuotedOrder = {
    tradeOrderId: parts.ids.uuid() as TradeOrderId,
    quoteId: request.quoteId!.toLowerCase() as QuoteId,
    tradingAccountId: core.id,
    instrumentId: request.instrumentId ?? null,
    orderSide: request.orderSide as QuotedOrder["orderSide"],
    quantity: request.quantity,
    limitPrice: request.limitPrice ?? null,
    ingressAt: Math.floor(parts.clock.now() - Math.max(0, parts.clock.monotonic() - message.receivedAt)),
  }
  const turn = (run: () => void): void => core.self.turn(run)()
  parts.quotes.post({
    _tag: "AcceptQuote",
    order,
    reply: {
      ok: (quote) => turn(() => accepted(core, message, print, order, quote, decided)),
      fail: (error) =>
        turn(() => {
          message.reply.fail(error)
          decided()
        }),
    },
  })
}

/** The quote is this order's, and the funds are held. */
const accepted = (
  core: AccountCore,
  message: SubmitOrder,
  print: string,
  { tradeOrderId, quoteId, ingressAt }: QuotedOrder,
  quote: FirmQuote,
  decided: () => void,
): void => {
  const { request, reply } = message
  const releaseQuote = (): void => core.parts.quotes.post({ _tag: "LetQuoteGo", quoteId, tradeOrderId })
  const refuse = (error: DomainError): void => {
    releaseQuote()
    reply.fail(error)
    decided()
  }
  const now = core.parts.clock.now()
  const refusal = refusalOf(core)
  if (refusal !== undefined) return refuse(refusal)
  const checked = quotedPlan(request, quote, circumstancesOf(core, now, false))
  if ("error" in checked) return refuse(checked.error)
  // It may not wait for prices: that was said.
  if ("wanted" in checked) throw new Error("a quoted order that waits for prices")
  const quoted = { tradeOrderId, quoteId, dealerAccountId: quote.dealerAccountId }
  const made = { request, plan: checked.plan, held: Decimal.ZERO, fingerprint: print, now, hedge: undefined, quoted }
  storeNew(core, message, made, {
    stored: ([working, ...rest], json) => {
      const { order } = working
      settle(core, working, ingressAt, false)
      const wait = waitOf(request)
      const told = withLinked(core, working, reply)
      if (wait !== null) awaitFurther(core, working, { until: wait, reply: told, replayed: false }, message.receivedAt)
      else if (rest.length === 0) reply.ok({ order, replayed: false, json })
      else told.ok({ order, replayed: false, json })
    },
    undone: releaseQuote,
    over: decided,
  })
}

/** Asks the dealer to settle what is stored, until it says how that ended. */
const settle = (core: AccountCore, working: WorkingOrder, ingressAt: number, isResumed: boolean): void => {
  const { order } = working
  if (isTerminal(order.orderStatus)) return
  leave(core, working)
  const turn = (run: () => void): void => core.self.turn(run)()
  core.parts.quotes.post({
    _tag: "SettleQuote",
    quoteId: order.quoteId as QuoteId,
    tradeOrderId: order.tradeOrderId,
    ingressAt,
    isResumed,
    reply: {
      ok: (trade) => turn(() => executed(core, working, trade)),
      fail: (error) =>
        turn(() => {
          if (isDefinite(error)) ended(core, working, error)
          else core.self.later(AGAIN_MILLIS, () => settle(core, working, ingressAt, true))
        }),
    },
  })
}

/** The dealer's own end, or a busy one, says nothing about the quote. */
const isDefinite = ({ _tag }: DomainError): boolean =>
  _tag !== "Busy" && _tag !== "OutcomeUnknown" && _tag !== "ShuttingDown" && _tag !== "StorageUnavailable"

const executed = (core: AccountCore, working: WorkingOrder, { tradeId, quote, executedAt }: QuoteTrade): void => {
  const fill = {
    tradeOrderId: working.order.tradeOrderId,
    externalOrderId: working.order.tradeOrderId,
    externalTradeId: tradeId,
    instrumentId: quote.instrumentId,
    orderSide: quote.orderSide,
    quantity: quote.quantity.toString(),
    price: quote.price.toString(),
    fees: [],
    executedAt,
  }
  attempt(core, working, fill, () => applyFill(core, working, fill))
  askBalances(core)
}

/** Nothing moved, and nothing will. Only time is called EXPIRED (contract C1). */
const ended = (core: AccountCore, working: WorkingOrder, error: DomainError): void => {
  const { order } = working
  if (isTerminal(order.orderStatus)) return
  const next =
    error._tag === "QuoteExpired"
      ? moved(order, "EXPIRED")
      : moved(order, "REJECTED", { rejectReason: `NOT_SETTLED: ${error.message}` })
  core.change(working, next, eventOf(next))
}

/** Stored by a process, or an incarnation, that did not see the end: the quote is firm, so it is settled now, if its holds are still there. */
export const resumeQuoted = (core: AccountCore, working: WorkingOrder): void =>
  settle(core, working, working.order.createdAt, true)

/** The event and the end of its waiting are one unit. Of an account that is over nothing is told any more. */
export const tellQuote = (core: AccountCore, { news }: TellQuote): void => {
  const { eventId, at, payload } = news
  const event = core.outlet.news.ofQuote(payload, at, eventId)
  const isOver = core.account.status === "DISCONNECTED"
  core.outlet.commit([{ _tag: "NewsTold", eventIds: [eventId] }], isOver ? [] : [event])
}

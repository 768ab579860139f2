/**
 * How an order enters a market: checked against the instrument, then stored in the ledger with its hold in one transaction, which is the moment
 * at which the venue has accepted it. Many holds are in flight at once; their orders keep the queue positions in which they arrived.
 */

import { Decimal } from "../../domain/decimal.ts"
import { type InternalOrder, isPostOnly, restOf } from "../../domain/order/internal-order.ts"
import type { Authority } from "../../domain/user/act.ts"
import type { LedgerFact, LedgerOutcome, Transfer } from "../../ports/ledger-port.ts"
import { stepsRefusalOf, unitsOf } from "../matching/units.ts"
import type { InternalBook } from "./book.ts"
import type { Entry, MarketParts, MarketQueue, Submission, Take } from "./commands.ts"
import { acceptedOf, codeOf, refusedOf, stateOf } from "./reports.ts"
import { holdOf, orderFact, pendingOf, type Settlement } from "./settlement.ts"

/** At market a buy may cost so much more than the book shows when it comes in. */
const MARKET_CLAMP = Decimal.of("1.05")
const SMALLEST = Decimal.fromUnits(1n, 18)

export interface IntakeParts {
  readonly parts: MarketParts
  readonly book: InternalBook
  readonly queue: MarketQueue<Entry>
  readonly post: (
    transfers: ReadonlyArray<Transfer>,
    facts: ReadonlyArray<LedgerFact>,
    settled: (outcome: LedgerOutcome) => void,
    dead?: () => void,
    authority?: Authority,
  ) => void
  readonly nextSequence: () => number
  readonly tell: (settlement: Settlement) => void
  readonly pump: () => void
}

export const makeIntake = ({ parts, book, queue, post, nextSequence, tell, pump }: IntakeParts) => {
  const { instrument, now, uuid, report } = parts

  const refuse = (order: InternalOrder, code: string, text: string): void => {
    report(order.tradingAccountId, refusedOf(order.tradeOrderId, code, text, now()))
    parts.decided(order.tradeOrderId)
  }

  const submit = ({ order: asked, authority, notAfter }: Submission): void => {
    const at = now()
    if (at > notAfter) {
      const { tradingAccountId, tradeOrderId } = asked
      report(tradingAccountId, { _tag: "NotSent", tradeOrderId, reason: "past its notAfter", at })
      parts.decided(tradeOrderId)
      return
    }
    // Whatever let it through: money of one tenant never meets that of another.
    if (asked.tenantId !== instrument.tenantId) return refuse(asked, "INSTRUMENT_NOT_FOUND", "no such instrument")
    if (!parts.isOpen()) return refuse(asked, "INSTRUMENT_NOT_TRADABLE", "the market is retired")
    const off = stepsRefusalOf(instrument, asked)
    if (off !== undefined) return refuse(asked, off.code, off.text)
    // Looked at again when it meets the book.
    if (isPostOnly(asked) && book.wouldTake(asked))
      return refuse(asked, "WOULD_TAKE", "post-only order would trade at once")
    const order: InternalOrder = { ...asked, sequence: nextSequence() }
    const need = needOf(order)
    if (need.isPositive()) hold(order, need, true, authority)
    else endAtOnce(order)
  }

  const needOf = (order: InternalOrder): Decimal => {
    const { orderSide, limitPrice, budget } = order
    if (orderSide === "SELL" || limitPrice !== null) return holdOf(order)
    return budget ?? marketCost(order).multiply(MARKET_CLAMP).roundTo(SMALLEST, "UP")
  }

  const marketCost = (order: InternalOrder): Decimal => {
    const units = unitsOf(restOf(order), instrument.scale) ?? 0n
    return Decimal.fromUnits(book.matcher.cost("BUY", units), instrument.precision + instrument.scale)
  }

  const hold = (
    order: InternalOrder,
    amount: Decimal,
    mayBeLess: boolean,
    authority: Authority | undefined,
    waiting?: Take,
  ): void => {
    const holdId = uuid()
    const held: InternalOrder = { ...order, holdId, held: amount }
    const entry: Take = waiting ?? { _tag: "Take", order: held, arrival: "NEW", isReady: false }
    entry.order = held
    if (waiting === undefined) queue.push(entry)
    const settled = (outcome: LedgerOutcome): void => {
      if (outcome._tag === "Applied") {
        entry.isReady = true
        parts.hit("internal.held")
        report(order.tradingAccountId, acceptedOf(order, now()))
        parts.decided(order.tradeOrderId)
      } else {
        const exact = order.orderType === "MARKET" && order.budget === null ? marketCost(order) : amount
        const isDear = outcome.failure._tag === "InsufficientBalance" && order.orderSide === "BUY"
        if (mayBeLess && isDear && exact.isPositive() && exact.lessThan(amount)) {
          hold(order, exact, false, authority, entry)
          return
        }
        queue.remove(entry)
        refuse(order, codeOf(outcome.failure), outcome.failure.message)
      }
      pump()
    }
    const transfers = [pendingOf(held, instrument, holdId, amount)]
    post(transfers, [orderFact(held)], settled, () => parts.decided(order.tradeOrderId), authority)
  }

  /** A market buy without sellers. */
  const endAtOnce = (order: InternalOrder): void => {
    const ended: InternalOrder = { ...order, status: "CANCELLED", ending: "REMAINDER" }
    const settlement = book.begin()
    settlement.report(order, acceptedOf(order, settlement.at))
    settlement.report(order, { _tag: "OrderSeen", state: stateOf(ended) })
    settlement.change(ended)
    post([], settlement.finish(), (outcome) => {
      if (outcome._tag === "Refused") return refuse(order, codeOf(outcome.failure), outcome.failure.message)
      parts.decided(order.tradeOrderId)
      tell(settlement)
    })
  }

  return submit
}

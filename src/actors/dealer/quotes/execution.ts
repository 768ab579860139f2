/**
 * The end of a quote. Executed (order-path 4): first it is taken and the client's funds are held, then the client's account stores the order,
 * then both legs move in one transaction with the guard, the trade and the hedge intent; or expired, by the server's clock. The one thing to
 * know: before that last commit nothing has changed hands, and before the first nothing was committed.
 */

import type { HedgeIntent } from "../../../domain/dealer/dealer.ts"
import { type FirmQuote, isFirm } from "../../../domain/dealer/quote.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { QuoteExpired, QuoteMismatch, QuoteNotFound, QuoteUsed } from "../../../domain/errors/quote.ts"
import { LedgerConflict } from "../../../domain/errors/wallet.ts"
import { type HedgeIntentId, nameUuid, type TradeOrderId } from "../../../domain/ids.ts"
import { internalTradeRow } from "../../../domain/order/internal-order.ts"
import { quoteEndedFact, quoteExecutedFact } from "../../../ports/dealer-store.ts"
import { hedgeIntentFact } from "../../../ports/hedge-store.ts"
import type { DealerCore } from "../core.ts"
import type { AcceptQuote, LetQuoteGo, QuotedOrder, QuoteTrade, SettleQuote } from "../messages.ts"
import { newsOf } from "./news.ts"
import type { LiveQuote } from "./open-quotes.ts"
import { bothLegs, clientHold, holdIdOf, reservationId, voided } from "./transfers.ts"

/**
 * Holds of clients whose order was never stored, for the process ended in between: they are released when the dealer wakes, so that the
 * client may use the funds, and the quote, again. Should this fail, the ledger ends them a while after the quote.
 */
export const releaseOrphans = (core: DealerCore): void => {
  for (const { transferId, quoteId } of core.foundHolds) {
    const live = core.quotes.get(quoteId)
    if (live === undefined || live.takenBy !== null) continue
    core.post({ transfers: [voided(transferId, quoteId)], facts: [] }, [], () => undefined)
  }
}

// The expiry of unexecuted quotes, by the server's clock. The one thing to know: a quote that an order has taken in time gets a few
// seconds more, in which that order is stored; the guard of the execution knows when its request came.

/** Shorter than what the ledger gives the holds. */
const TAKEN_MILLIS = 5_000

const endOf = ({ quote, takenBy }: LiveQuote): number => quote.expireAt + (takenBy === null ? 0 : TAKEN_MILLIS)

export const keepExpiry = (core: DealerCore): ((live: LiveQuote) => void) => {
  const { quotes } = core
  let plannedFor = Number.POSITIVE_INFINITY
  let callOff: () => void = () => undefined

  const plan = (at: number): void => {
    if (at >= plannedFor) return
    callOff()
    plannedFor = at
    // Timers may fire a moment before the wall clock says so: then the next look is a moment later.
    callOff = core.self.later(Math.max(1, at - core.parts.clock.now()), () => {
      plannedFor = Number.POSITIVE_INFINITY
      look()
    })
  }

  const look = (): void => {
    const now = core.parts.clock.now()
    for (let live = quotes.nextEnd(); live !== undefined && live.lookAt <= now; live = quotes.nextEnd()) {
      quotes.lookNoMore(live)
      // One that is not settled after all is looked at again.
      if (live.isEnding || live.settling !== null) continue
      const at = endOf(live)
      if (at <= now) expire(core, live)
      else quotes.lookAt(live, at)
    }
    const next = quotes.nextEnd()
    if (next !== undefined) plan(next.lookAt)
  }

  return (live) => {
    quotes.lookAt(live, endOf(live))
    plan(live.lookAt)
  }
}

const expire = (core: DealerCore, live: LiveQuote): void => {
  live.isEnding = true
  const { quote, takenBy } = live
  const { quoteId } = quote
  const at = core.parts.clock.now()
  const ended: FirmQuote = { ...quote, version: 2, status: "EXPIRED", updatedAt: at }
  const news = newsOf(core, ended, at)
  const facts = [quoteEndedFact({ quoteId, status: "EXPIRED", at, news })]
  const end = (): void => {
    core.close(quoteId)
    if (takenBy !== null && live.holdId !== null)
      core.post({ transfers: [voided(live.holdId, quoteId)], facts: [] }, [], () => undefined)
  }
  core.post({ transfers: [voided(reservationId(quote), quoteId)], facts }, news, (outcome) => {
    if (outcome._tag === "Applied") return end()
    // The ledger expired the reservation itself while this process was down.
    core.post({ transfers: [], facts }, news, end)
  })
}

/** The same quote, numerically (contract C8); null: it is. Another user's quote does not exist for the caller. */
const mismatchOf = (quote: FirmQuote, order: QuotedOrder): QuoteMismatch | QuoteNotFound | null => {
  const differs = (parameter: string): QuoteMismatch => new QuoteMismatch({ parameter })
  if (order.tradingAccountId !== quote.traderAccountId) return new QuoteNotFound()
  if (order.instrumentId !== null && order.instrumentId !== quote.instrumentId) return differs("instrumentId")
  if (order.orderSide !== quote.orderSide) return differs("orderSide")
  if (!Decimal.of(order.quantity).equals(quote.quantity)) return differs("quantity")
  if (order.limitPrice === null) return null
  const limit = Decimal.of(order.limitPrice)
  const isWorse = quote.orderSide === "BUY" ? quote.price.greaterThan(limit) : quote.price.lessThan(limit)
  return isWorse ? differs("limitPrice") : null
}

export const acceptQuote = (core: DealerCore, { order, reply }: AcceptQuote): void => {
  const live = core.quotes.get(order.quoteId)
  if (live?.stored !== true) {
    ofThePast(core, order, reply.fail)
    return
  }
  const { quote } = live
  const mismatch = mismatchOf(quote, order)
  if (mismatch !== null) return reply.fail(mismatch)
  if (order.ingressAt >= quote.expireAt || live.isEnding) return reply.fail(new QuoteExpired())
  if (live.takenBy !== null) return reply.fail(new QuoteUsed())
  live.takenBy = order.tradeOrderId
  core.parts.failpoint.hit("quote.taken")
  core.post({ transfers: [clientHold(quote, order.tradeOrderId)], facts: [] }, [], (outcome) => {
    if (outcome._tag === "Applied") {
      core.parts.failpoint.hit("quote.held")
      core.quotes.setHold(live, holdIdOf(order.tradeOrderId))
      reply.ok(quote)
      return
    }
    giveBack(core, live)
    reply.fail(outcome.failure)
  })
}

/** A quote that is over, or never was, by what the store says. */
const ofThePast = (core: DealerCore, order: QuotedOrder, fail: (error: DomainError) => void): void => {
  core.self.fork(core.parts.store.findQuote(order.quoteId), (exit) => {
    const quote = exit._tag === "Success" ? exit.value : null
    if (quote === null || !isFirm(quote)) fail(new QuoteNotFound())
    else fail(mismatchOf(quote, order) ?? (quote.status === "EXECUTED" ? new QuoteUsed() : new QuoteExpired()))
  })
}

/** Can be executed again, until its end. */
const giveBack = (core: DealerCore, live: LiveQuote): void => {
  live.takenBy = null
  core.quotes.setHold(live, null)
  core.watchExpiry(live)
}

export const letQuoteGo = (core: DealerCore, { quoteId, tradeOrderId }: LetQuoteGo): void => {
  const live = core.quotes.get(quoteId)
  if (live === undefined || live.takenBy !== tradeOrderId || live.settling !== null) return
  release(core, live, tradeOrderId)
}

/** Releases the client's funds. Even if this fails, the ledger expires the hold a while after the quote. */
const release = (core: DealerCore, live: LiveQuote, order: TradeOrderId): void => {
  giveBack(core, live)
  const transfers = [voided(holdIdOf(order), live.quote.quoteId)]
  core.post({ transfers, facts: [] }, [], () => undefined)
}

const tradeIdOf = (quote: FirmQuote): string => nameUuid(`quote|${quote.quoteId}|trade`)

const intentOf = (quote: FirmQuote, tradeOrderId: TradeOrderId, at: number): HedgeIntent => ({
  hedgeIntentId: nameUuid(`quote|${quote.quoteId}|hedge`) as HedgeIntentId,
  dealerAccountId: quote.dealerAccountId,
  quoteId: quote.quoteId,
  tradeOrderId,
  tradingAccountId: quote.receipt.tradingAccountId,
  venue: quote.receipt.venue,
  instrumentId: quote.receipt.instrumentId,
  baseAsset: quote.baseAsset,
  quoteAsset: quote.quoteAsset,
  orderSide: quote.orderSide,
  quantity: quote.quantity,
  quotePrice: quote.price,
  walkedPrice: quote.receipt.walkedPrice,
  worstPrice: quote.receipt.worstPrice,
  createdAt: at,
})

const tradeRow = (core: DealerCore, quote: FirmQuote, tradeOrderId: TradeOrderId, at: number) =>
  internalTradeRow({
    tradeId: tradeIdOf(quote),
    instrumentId: quote.instrumentId,
    price: quote.price,
    quantity: quote.quantity,
    takerSide: quote.orderSide,
    makerOrderId: null,
    makerAccountId: core.dealer.tradingAccountId,
    makerFee: Decimal.ZERO,
    takerOrderId: tradeOrderId,
    takerAccountId: quote.traderAccountId,
    takerFee: Decimal.ZERO,
    quoteId: quote.quoteId,
    executedAt: at,
  })

/** Why an order has its quote no longer. One that is not over was given back when the dealer woke: it may be taken anew, by another. */
const lostTo = ({ takenBy, isEnding }: LiveQuote): DomainError => {
  if (isEnding) return new QuoteExpired()
  return takenBy === null ? new LedgerConflict({ reason: "no such hold" }) : new QuoteUsed()
}

export const settleQuote = (core: DealerCore, message: SettleQuote): void => {
  const { quoteId, tradeOrderId, reply } = message
  const live = core.quotes.get(quoteId)
  if (live === undefined) {
    settledBefore(core, message)
    return
  }
  const { quote } = live
  if (live.takenBy !== tradeOrderId || live.isEnding) {
    reply.fail(lostTo(live))
    return
  }
  if (live.settling !== null) {
    live.settling.push(reply)
    return
  }
  live.settling = [reply]
  // An order that took the quote took it in time.
  const ingressAt = message.isResumed ? Math.min(message.ingressAt, quote.expireAt - 1) : message.ingressAt
  const at = core.parts.clock.now()
  const executed: FirmQuote = { ...quote, version: 2, status: "EXECUTED", tradeOrderId, updatedAt: at }
  const news = newsOf(core, executed, at)
  const intent = intentOf(quote, tradeOrderId, at)
  const facts = [
    quoteExecutedFact({ quoteId, tradeOrderId, ingressAt, at, news }),
    { tag: "internal_trade" as const, row: tradeRow(core, quote, tradeOrderId, at) },
    hedgeIntentFact(intent),
  ]
  core.parts.failpoint.hit("quote.settling")
  core.post({ transfers: bothLegs(quote, tradeOrderId), facts }, news, (outcome) => {
    const waiting = live.settling ?? []
    live.settling = null
    if (outcome._tag === "Applied") {
      core.parts.failpoint.hit("quote.settled")
      core.close(quoteId)
      core.hedging.executed(intent)
      const trade: QuoteTrade = { tradeId: tradeIdOf(quote), quote: executed, executedAt: at }
      for (const one of waiting) one.ok(trade)
      return
    }
    // Nothing moved. The quote binds until its end, for another order.
    release(core, live, tradeOrderId)
    for (const one of waiting) one.fail(outcome.failure)
  })
}

/** Not in memory: it is over, and the store knows how. */
const settledBefore = (core: DealerCore, { quoteId, tradeOrderId, reply }: SettleQuote): void => {
  core.self.fork(core.parts.store.findQuote(quoteId), (exit) => {
    const quote = exit._tag === "Success" ? exit.value : null
    if (quote !== null && isFirm(quote) && quote.status === "EXECUTED" && quote.tradeOrderId === tradeOrderId)
      reply.ok({ tradeId: tradeIdOf(quote), quote, executedAt: quote.updatedAt })
    else reply.fail(quote?.status === "EXECUTED" ? new QuoteUsed() : new QuoteExpired())
  })
}

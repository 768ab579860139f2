/**
 * Orders of a market that are ended outside of the book's order of events: what a restart must not trade, and what the ledger refuses to
 * settle. They are off the book already; here their holds are let go.
 */
import { Decimal } from "../../domain/decimal.ts"
import type { TradeOrderId } from "../../domain/ids.ts"
import type { InternalOrder } from "../../domain/order/internal-order.ts"
import type { LedgerFact, LedgerOutcome, Transfer } from "../../ports/ledger-port.ts"
import { countOf } from "../matching/units.ts"
import type { InternalBook } from "./book.ts"
import type { MarketParts } from "./commands.ts"
import { stateOf } from "./reports.ts"
import { orderFact, voidOf } from "./settlement.ts"

export interface Endings {
  readonly end: (order: InternalOrder, status: "CANCELLED" | "REJECTED", ending: InternalOrder["ending"]) => void
  /** One that could not even be ended: kept off the book, and ended when somebody asks again. */
  readonly stuck: (tradeOrderId: TradeOrderId) => InternalOrder | undefined
}

export const makeEndings = ({
  parts,
  book,
  post,
}: {
  readonly parts: MarketParts
  readonly book: InternalBook
  readonly post: (
    transfers: ReadonlyArray<Transfer>,
    facts: ReadonlyArray<LedgerFact>,
    settled: (outcome: LedgerOutcome) => void,
  ) => void
}): Endings => {
  const { instrument, now, uuid, report } = parts
  const stuck = new Map<TradeOrderId, InternalOrder>()

  const end = (order: InternalOrder, status: "CANCELLED" | "REJECTED", ending: InternalOrder["ending"]): void => {
    const ended: InternalOrder = { ...order, status, ending, holdId: null, held: Decimal.ZERO, updatedAt: now() }
    const release = order.holdId === null ? [] : [voidOf(order, order.holdId, uuid())]
    stuck.set(order.tradeOrderId, order)
    post(release, [orderFact(ended)], (outcome) => {
      const settlement = book.begin()
      const side = order.orderSide
      if (order.limitPrice !== null) {
        const price = countOf(order.limitPrice, instrument.precision)
        settlement.levels.push({ side, price, quantity: levelAt(side, price) })
      }
      parts.published(settlement)
      if (outcome._tag === "Refused") {
        const { tradeOrderId } = order
        parts.notice("an order could not be ended", { tradeOrderId, failure: outcome.failure._tag })
        return
      }
      stuck.delete(order.tradeOrderId)
      report(order.tradingAccountId, { _tag: "OrderSeen", state: stateOf(ended) })
    })
  }

  const levelAt = (side: "BUY" | "SELL", price: bigint): bigint => {
    for (const level of book.matcher.levels(side)) if (level.price === price) return level.quantity
    return 0n
  }

  return { end, stuck: (tradeOrderId) => stuck.get(tradeOrderId) }
}

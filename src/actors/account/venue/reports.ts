/**
 * What the private session reports, applied to its order. A report that cannot be applied is kept raw, and the order is asked for:
 * the actor never dies of a venue's word (order-path 3).
 */

import type { TradeOrderId } from "../../../domain/ids.ts"
import type { OrderEvidence } from "../../../domain/order/evidence/effects.ts"
import { isTerminal } from "../../../domain/order/status.ts"
import type { TradeOrder } from "../../../domain/order/trade-order.ts"
import type { SessionReport } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { Live } from "../live.ts"
import { cancelAnswered } from "../orders/cancel.ts"
import { applyBalances } from "./balances.ts"
import { applyFill, seen, take } from "./evidence.ts"
import { seeStray, strayFill, withStray } from "./foreign.ts"
import { attempt } from "./quarantine.ts"
import { mayBeShown } from "./unnamed.ts"
import { venueId } from "./venue-text.ts"

/** Reports of orders and balances; what concerns the session itself is its keeper's affair. */
export type OrderReport = Exclude<
  SessionReport,
  { readonly _tag: "StreamDown" } | { readonly _tag: "StreamUp" } | { readonly _tag: "SessionRefused" }
>

export const applyReport = (core: AccountCore, report: OrderReport): void => {
  switch (report._tag) {
    case "BalancesSeen":
      applyBalances(core, report.balances)
      return
    case "OrderSeen": {
      const { state } = report
      const live = core.orders.findAtVenue(state)
      if (live !== undefined) {
        attempt(core, live, report, () => seen(core, live, state, false))
        return
      }
      seeStray(core, state, report)
      return
    }
    case "Filled": {
      const { fill } = report
      const live = core.orders.findAtVenue(fill)
      // Memory may have forgotten whose the trade is.
      const isUnsure = live === undefined || isTerminal(live.order.orderStatus) || core.orders.mayBeForgotten(fill)
      if (isUnsure) strayFill(core, fill, false)
      else attempt(core, live, fill, () => applyFill(core, live, fill, false))
      return
    }
    default: {
      const live = core.orders.get(report.tradeOrderId)
      if (live !== undefined) {
        attempt(core, live, report, () => applyOutcome(core, live, report))
        return
      }
      withStray(core, stranger(report.tradeOrderId), (found) =>
        attempt(core, found, report, () => applyOutcome(core, found, report)),
      )
      return
    }
  }
}

const stranger = (tradeOrderId: TradeOrderId) => ({
  tradeOrderId,
  externalOrderId: "",
  state: null,
  instrumentId: null,
})

/** The venue takes no orders for an instrument at all: what its book shows is no price for anybody, dealers least of all. */
const MARKET_CLOSED = "MARKET_CLOSED"

type Outcome = Exclude<OrderReport, { readonly _tag: "BalancesSeen" | "OrderSeen" | "Filled" }>

const applyOutcome = (core: AccountCore, live: Live, report: Outcome): void => {
  if (report._tag === "CancelAccepted" || report._tag === "CancelRefused" || report._tag === "CancelInDoubt")
    cancelAnswered(live)
  if ("externalOrderId" in report) venueId(report.externalOrderId)
  tellMarket(core, live.order, report)
  const isUnproven = report._tag === "Refused" && mayBeShown(core, live)
  take(core, live, isUnproven ? unproven(report) : report)
}

const tellMarket = ({ parts: { markets } }: AccountCore, order: TradeOrder, report: Outcome): void => {
  if (report._tag === "Refused" && report.code === MARKET_CLOSED) markets.marketClosed(order.instrumentId)
  else if (report._tag === "Accepted" && mayTake(order)) markets.marketOpen(order.instrumentId, order.createdAt)
}

/** Trades at once or ends. A venue that only collects orders takes those that may rest: they say nothing of a market that is open. */
const mayTake = ({ orderType, timeInForce }: TradeOrder): boolean =>
  orderType === "MARKET" || (orderType === "LIMIT" && (timeInForce === "IOC" || timeInForce === "FOK"))

/** The refusal of an order that may be shown without our id. */
const unproven = ({ code, at }: Extract<Outcome, { readonly _tag: "Refused" }>): OrderEvidence => ({
  _tag: "InDoubt",
  reason: `refused, and an order that may be it is shown: ${code}`,
  at,
})

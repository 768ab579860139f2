/**
 * A market whose actor was parked: it takes no orders and changes until it is reopened, but a client that wants to cancel can. Without a matcher
 * an order is what its row says.
 */
import { Effect } from "effect"
import { Decimal } from "../../domain/decimal.ts"
import type { StorageUnavailable } from "../../domain/errors/service.ts"
import type { TradeOrderId, TradingAccountId } from "../../domain/ids.ts"
import type { InternalOrder } from "../../domain/order/internal-order.ts"
import type { LedgerOutcome, LedgerPort } from "../../ports/ledger-port.ts"
import type { SessionReport } from "../../ports/venue-session.ts"
import type { MarketMessage } from "./commands.ts"
import { refusedOf } from "./reports.ts"
import { orderFact, voidOf } from "./settlement.ts"

export interface HaltedParts {
  readonly post: LedgerPort["Type"]["post"]
  readonly order: (tradeOrderId: TradeOrderId) => Effect.Effect<InternalOrder | null, StorageUnavailable>
  readonly now: () => number
  readonly uuid: () => string
  readonly report: (account: TradingAccountId, report: SessionReport) => void
  readonly decided: (tradeOrderId: TradeOrderId) => void
  readonly run: (work: Effect.Effect<void>) => void
}

const TEXT = "the market is halted"

/** Answers a message in the market's place. */
export const atHalted = (parts: HaltedParts, message: MarketMessage): void => {
  const { now, report } = parts
  if (message._tag === "Submit") {
    const { tradingAccountId, tradeOrderId } = message.order
    report(tradingAccountId, refusedOf(tradeOrderId, "TRADING_HALTED", TEXT, now()))
    parts.decided(tradeOrderId)
    return
  }
  const { account, tradeOrderId } = message
  if (message._tag === "Amend") {
    const { askedAt } = message.to
    report(account, { _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: false, text: TEXT, at: now() })
    return
  }
  parts.run(
    Effect.match(parts.order(tradeOrderId), {
      onSuccess: (order) => cancel(parts, account, tradeOrderId, order),
      onFailure: () => report(account, { _tag: "CancelInDoubt", tradeOrderId, reason: TEXT, at: now() }),
    }),
  )
}

const cancel = (
  { post, now, uuid, report }: HaltedParts,
  account: TradingAccountId,
  tradeOrderId: TradeOrderId,
  order: InternalOrder | null,
): void => {
  if (order === null || order.tradingAccountId !== account || order.status !== "OPEN" || order.holdId === null) {
    const text = order === null ? "unknown order" : `order is ${order.status}`
    report(account, { _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text, at: now() })
    return
  }
  const ended: InternalOrder = { ...order, status: "CANCELLED", holdId: null, held: Decimal.ZERO, updatedAt: now() }
  post({
    requestId: uuid(),
    transfers: [voidOf(order, order.holdId, uuid())],
    facts: [orderFact(ended)],
    settled: (outcome: LedgerOutcome) => {
      const at = now()
      if (outcome._tag === "Applied") report(account, { _tag: "CancelAccepted", tradeOrderId, at })
      else report(account, { _tag: "CancelInDoubt", tradeOrderId, reason: outcome.failure.message, at })
    },
  })
}

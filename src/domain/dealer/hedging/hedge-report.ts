/** What dealer/get says of one pair: what is open, what was earned and what it cost (contract C8). Money is in the pair's quote asset. */
import { Schema } from "effect"
import type { Decimal } from "../../decimal.ts"
import type { TradeOrderId, TradingAccountId } from "../../ids.ts"
import type { OrderSide } from "../../order/trade-order.ts"
import { exposureOf, HedgeState, type HedgeTotals, resultOf, type Span } from "./hedging.ts"
import type { OpenIntents } from "./intent-queue.ts"

const amount = (description: string) => Schema.String.annotations({ description })
const amountOrNull = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

const HedgeInDoubtRecord = Schema.Struct({
  tradeOrderId: Schema.String,
  tradingAccountId: Schema.String,
  orderSide: Schema.Literal("BUY", "SELL"),
  quantity: amount("In base: what it may have executed beyond what is known"),
  isCarried: Schema.Boolean.annotations({
    description:
      "Its account can be asked no longer: nothing is sent for this part until dealer/hedge/resolve says more",
  }),
  ageMs: Schema.Int.annotations({ description: "Since it was submitted" }),
}).annotations({ identifier: "HedgeInDoubt" })

export const HedgeReportRecord = Schema.Struct({
  symbol: Schema.String.annotations({ description: "<BASE>/<QUOTE>" }),
  state: HedgeState.annotations({
    description:
      "FLAT: nothing is open. ACCUMULATING: less than the venue takes, it waits for more. HEDGING: an order is at work, or the next is about to leave. IN_DOUBT: the outcome of an order is not known, its account is being asked. OPEN: attempts failed, the next ones come later. CARRIED: all that may be open is in doubt at accounts that can be asked no longer",
  }),
  ageMs: Schema.NullOr(Schema.Int).annotations({
    description: "How long the oldest of what is open, or in doubt, has been so; null where nothing is",
  }),
  position: amount(
    "In base, executed with clients and not hedged, or taken by a venue as its fee: above zero long, below zero short",
  ),
  carried: amount(
    "In base: what hedges left in doubt at accounts that can be asked no longer may have bought (above zero) or sold. It is not in position, and is not hedged a second time",
  ),
  inDoubt: Schema.Array(HedgeInDoubtRecord).annotations({
    description: "Hedges whose outcome is not known, oldest first: dealer/hedge/resolve ends such a doubt",
  }),
  exposure: amountOrNull("Its size at the middle of the book, in the quote asset; null without a book"),
  spreadCaptured: amount("What clients paid beyond the walked prices"),
  hedgeSlippage: amount("What hedges cost beyond the walked prices, fees in base included; below zero, less"),
  unrealised: amountOrNull("Of the position, at the middle of the book; null without one"),
  profit: amountOrNull("spreadCaptured − hedgeSlippage + unrealised, before fees in other assets than base"),
  fees: Schema.Array(Schema.Struct({ asset: Schema.String, quantity: Schema.String })).annotations({
    description:
      "What venues took for hedges. What they took in base is in position and profit already: it is hedged again",
  }),
  openQuoteIds: Schema.Array(Schema.String).annotations({
    description: "Executed quotes that make up the position, oldest first; at most 100",
  }),
  openHedgeIds: Schema.Array(Schema.String).annotations({
    description: "Hedges at work, as tradeOrderId; none that is carried, or that an admin has spoken of",
  }),
  trouble: Schema.NullOr(Schema.String).annotations({ description: "Why the newest attempt closed nothing" }),
}).annotations({ identifier: "HedgeReport" })
export type HedgeReportRecord = typeof HedgeReportRecord.Type

/** A hedge whose outcome is not known. */
export interface HedgeInDoubt {
  readonly tradeOrderId: TradeOrderId
  readonly tradingAccountId: TradingAccountId
  readonly orderSide: OrderSide
  /** What it may have executed beyond what is known. */
  readonly quantity: Decimal
  /** Its account can be asked no longer. */
  readonly isCarried: boolean
  /** Wall ms. */
  readonly createdAt: number
}

export interface HedgeReport {
  readonly symbol: string
  readonly state: HedgeState
  readonly totals: HedgeTotals
  readonly open: OpenIntents
  readonly openHedges: ReadonlyArray<TradeOrderId>
  readonly inDoubt: ReadonlyArray<HedgeInDoubt>
  readonly span: Span
  /** Of the oldest of what is open or in doubt; null: nothing is. */
  readonly ageMillis: number | null
  /** When it is made, wall ms. */
  readonly at: number
  /** Null where no book is known. */
  readonly mid: Decimal | null
  readonly trouble: string | null
}

const QUOTES_SHOWN = 100

export const hedgeReportRecord = (report: HedgeReport): HedgeReportRecord => {
  const { totals, open, mid, span } = report
  const owed = exposureOf(totals)
  const value = mid === null ? null : owed.multiply(mid)
  const { spread, slippage, unrealised, total } = resultOf(totals, open, mid)
  return {
    symbol: report.symbol,
    state: report.state,
    ageMs: report.ageMillis,
    carried: owed.subtract(span.low).subtract(span.high.subtract(owed)).toString(),
    inDoubt: report.inDoubt.map(({ tradeOrderId, tradingAccountId, orderSide, quantity, isCarried, createdAt }) => ({
      tradeOrderId,
      tradingAccountId,
      orderSide,
      quantity: quantity.toString(),
      isCarried,
      ageMs: Math.max(0, report.at - createdAt),
    })),
    position: owed.negate().toString(),
    exposure: owed.isZero() ? "0" : value === null ? null : value.abs().toString(),
    spreadCaptured: spread.toString(),
    hedgeSlippage: slippage.toString(),
    unrealised: unrealised?.toString() ?? null,
    profit: total?.toString() ?? null,
    fees: [...totals.fees].map(([asset, quantity]) => ({ asset, quantity: quantity.toString() })),
    openQuoteIds: open.oldest(QUOTES_SHOWN),
    openHedgeIds: report.openHedges,
    trouble: report.trouble,
  }
}

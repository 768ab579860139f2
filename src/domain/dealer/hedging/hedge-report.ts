/** What dealer/get returns for one pair: the exposure, its earnings and its costs (contract C8). Money is in the pair's quote asset. */
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
  quantity: amount("In base: the quantity it may have executed beyond what is known"),
  isCarried: Schema.Boolean.annotations({
    description:
      "Its account can no longer be queried: this part is not hedged again until dealer/hedge/resolve settles it",
  }),
  ageMs: Schema.Int.annotations({ description: "Time since it was submitted" }),
}).annotations({ identifier: "HedgeInDoubt" })

export const HedgeReportRecord = Schema.Struct({
  symbol: Schema.String.annotations({ description: "<BASE>/<QUOTE>" }),
  state: HedgeState.annotations({
    description:
      "FLAT: no exposure. ACCUMULATING: the exposure is below the venue's minimum order. HEDGING: an order is working, or the next is about to be sent. IN_DOUBT: the outcome of an order is not known and its account is being queried. OPEN: attempts failed, the next ones follow later. CARRIED: all possible exposure is in doubt at accounts that can no longer be queried",
  }),
  ageMs: Schema.NullOr(Schema.Int).annotations({
    description: "Age of the oldest open or doubtful exposure; null if there is none",
  }),
  position: amount(
    "In base, executed with clients and not hedged, or charged by a venue as its fee: above zero long, below zero short",
  ),
  carried: amount(
    "In base: what hedges in doubt at accounts that can no longer be queried may have bought (above zero) or sold. It is not part of position and is not hedged a second time",
  ),
  inDoubt: Schema.Array(HedgeInDoubtRecord).annotations({
    description: "Hedges whose outcome is not known, oldest first: dealer/hedge/resolve settles them",
  }),
  exposure: amountOrNull("Size of the position at the book's mid price, in the quote asset; null without a book"),
  spreadCaptured: amount("What clients paid above the walked book prices"),
  hedgeSlippage: amount(
    "What hedges cost above the walked book prices, including fees in base; below zero: they cost less",
  ),
  unrealised: amountOrNull("Of the position, at the book's mid price; null without a book"),
  profit: amountOrNull("spreadCaptured − hedgeSlippage + unrealised, before fees in assets other than base"),
  fees: Schema.Array(Schema.Struct({ asset: Schema.String, quantity: Schema.String })).annotations({
    description:
      "Fees charged for hedges. Fees in base are already part of position and profit: they are hedged as well",
  }),
  openQuoteIds: Schema.Array(Schema.String).annotations({
    description: "Executed quotes that make up the position, oldest first; at most 100",
  }),
  openHedgeIds: Schema.Array(Schema.String).annotations({
    description: "Working hedges, as tradeOrderId; without those carried or resolved by an admin",
  }),
  trouble: Schema.NullOr(Schema.String).annotations({ description: "Why the newest attempt hedged nothing" }),
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

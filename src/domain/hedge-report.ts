/** What dealer/get says of one pair: what is open, what was earned and what it cost (contract C8). Money is in the pair's quote asset. */
import { Schema } from "effect"
import type { Decimal } from "./decimal.ts"
import { exposureOf, type HedgeTotals, type OpenIntent, resultOf } from "./hedging.ts"
import type { TradeOrderId } from "./ids.ts"

/**
 * FLAT: nothing is open. ACCUMULATING: less than the venue takes, it waits for more. HEDGING: an order is at work, or the next is about
 * to leave. OPEN: attempts failed, the next ones come later; an alert was raised.
 */
export const HedgeState = Schema.Literal("FLAT", "ACCUMULATING", "HEDGING", "OPEN")
export type HedgeState = typeof HedgeState.Type

const amount = (description: string) => Schema.String.annotations({ description })
const amountOrNull = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

export const HedgeReportRecord = Schema.Struct({
  symbol: Schema.String.annotations({ description: "<BASE>/<QUOTE>" }),
  state: HedgeState,
  position: amount(
    "In base, executed with clients and not hedged, or taken by a venue as its fee: above zero long, below zero short",
  ),
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
  openHedgeIds: Schema.Array(Schema.String).annotations({ description: "Hedges at work, as tradeOrderId" }),
  trouble: Schema.NullOr(Schema.String).annotations({ description: "Why the newest attempt closed nothing" }),
}).annotations({ identifier: "HedgeReport" })
export type HedgeReportRecord = typeof HedgeReportRecord.Type

export interface HedgeReport {
  readonly symbol: string
  readonly state: HedgeState
  readonly totals: HedgeTotals
  readonly open: ReadonlyArray<OpenIntent>
  readonly openHedges: ReadonlyArray<TradeOrderId>
  /** Null where no book is known. */
  readonly mid: Decimal | null
  readonly trouble: string | null
}

const QUOTES_SHOWN = 100

export const hedgeReportRecord = (report: HedgeReport): HedgeReportRecord => {
  const { totals, open, mid } = report
  const owed = exposureOf(totals)
  const value = mid === null ? null : owed.multiply(mid)
  const { spread, slippage, unrealised, total } = resultOf(totals, open, mid)
  return {
    symbol: report.symbol,
    state: report.state,
    position: owed.negate().toString(),
    exposure: owed.isZero() ? "0" : value === null ? null : (value.isNegative() ? value.negate() : value).toString(),
    spreadCaptured: spread.toString(),
    hedgeSlippage: slippage.toString(),
    unrealised: unrealised?.toString() ?? null,
    profit: total?.toString() ?? null,
    fees: [...totals.fees].map(([asset, quantity]) => ({ asset, quantity: quantity.toString() })),
    openQuoteIds: open.slice(0, QUOTES_SHOWN).map(({ intent }) => intent.quoteId),
    openHedgeIds: report.openHedges,
    trouble: report.trouble,
  }
}

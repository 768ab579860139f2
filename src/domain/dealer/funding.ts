/**
 * A deposit or withdrawal at the venue of a linked account, announced by an admin: for a day it explains changes that the mirror sees (decision
 * 60).
 */
import { Schema } from "effect"
import { dateTime } from "../../foundation/time.ts"
import type { Decimal } from "../decimal.ts"
import { DealerAccountId, TradingAccountId } from "../ids.ts"

export const FundingDirection = Schema.Literal("DEPOSIT", "WITHDRAWAL")
type FundingDirection = typeof FundingDirection.Type

export const FUNDING_MILLIS = 86_400_000
/** Of one account, not all seen, at once: each is looked at with every look. */
export const FUNDINGS_MAX = 50

export interface Funding {
  readonly fundingId: string
  readonly dealerAccountId: DealerAccountId
  readonly tradingAccountId: TradingAccountId
  readonly asset: string
  readonly direction: FundingDirection
  readonly amount: Decimal
  /** What was seen of it, and posted. */
  readonly settled: Decimal
  readonly createdAt: number
  readonly expireAt: number
}

export const FundingRecord = Schema.Struct({
  fundingId: Schema.UUID,
  dealerAccountId: DealerAccountId,
  tradingAccountId: TradingAccountId,
  asset: Schema.String,
  direction: FundingDirection,
  amount: Schema.String,
  settledAmount: Schema.String.annotations({ description: "Amount seen at the venue and posted" }),
  createdAt: Schema.Int,
  createdAtDateTime: Schema.String,
  expireAt: Schema.Int.annotations({
    description: "What has not appeared by then is reported, and later changes count as unexplained",
  }),
  expireAtDateTime: Schema.String,
}).annotations({ identifier: "Funding" })

export const fundingRecord = ({ amount, settled, ...funding }: Funding): typeof FundingRecord.Type => ({
  ...funding,
  amount: amount.toString(),
  settledAmount: settled.toString(),
  createdAtDateTime: dateTime(funding.createdAt),
  expireAtDateTime: dateTime(funding.expireAt),
})

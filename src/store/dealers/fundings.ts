/**
 * What is told of a deposit or withdrawal at a venue, and stored. The one thing to know: it is refused where it would explain what happened
 * before it was told of, or what cannot be; the mirror is locked meanwhile, so that two of them see each other.
 */
import type { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { FUNDINGS_MAX, type Funding } from "../../domain/dealer/funding.ts"
import { InvalidParameter } from "../../domain/errors/request.ts"
import { decimal } from "../orders/rows.ts"
import { type FundingRow, fundingOf } from "./dealer-rows.ts"

interface Standing {
  readonly has_begun: boolean
  readonly open: number
  /** Null: nothing. */
  readonly balance: string | null
  readonly status: string
}

const refusalOf = (
  { asset, direction, amount, tradingAccountId }: Funding,
  mirror: Standing | undefined,
): InvalidParameter | null => {
  const invalid = (parameter: string, reason: string) => new InvalidParameter({ parameter, reason })
  if (!mirror?.has_begun)
    return invalid(
      "tradingAccountId",
      `account ${tradingAccountId} was linked just now and has not been compared with its venue yet: try again in 20 s, and move nothing before`,
    )
  if (mirror.open >= FUNDINGS_MAX)
    return invalid(
      "tradingAccountId",
      `account ${tradingAccountId} has ${mirror.open} deposits and withdrawals that are not seen yet, at most ${FUNDINGS_MAX}: try again when one of them was seen, or its day is over`,
    )
  const balance = decimal(mirror.balance ?? "0")
  // In a frozen one nothing is booked: what the account has by now is not in it.
  if (direction === "WITHDRAWAL" && mirror.status === "ACTIVE" && amount.greaterThan(balance))
    return invalid("amount", `${amount} ${asset} is more than the account has, which is ${balance} ${asset}`)
  return null
}

/** Within a transaction. The one that is stored: a repeat finds the first. */
export const insertFunding = (sql: SqlClient.SqlClient, funding: Funding) =>
  Effect.gen(function* () {
    const { fundingId, tradingAccountId, asset } = funding
    const [mirror] = yield* sql<Standing>`
      SELECT m.opened AND m.dealer_account_id IS NOT NULL AS has_begun, w.status,
        (SELECT (credits_posted - debits_posted)::text FROM wallet_balance b
          WHERE b.wallet_id = m.wallet_id AND b.asset = ${asset}) AS balance,
        (SELECT count(*)::int FROM exchange_funding f WHERE f.trading_account_id = m.trading_account_id AND f.open) AS open
      FROM exchange_mirror m JOIN wallet w USING (wallet_id) WHERE m.trading_account_id = ${tradingAccountId} FOR UPDATE OF m`
    const found = sql<FundingRow>`SELECT * FROM exchange_funding WHERE funding_id = ${fundingId}`
    const [before] = yield* found
    if (before !== undefined) return fundingOf(before)
    const refusal = refusalOf(funding, mirror)
    if (refusal !== null) return yield* Effect.fail(refusal)
    yield* sql`INSERT INTO exchange_funding ${sql.insert({
      funding_id: fundingId,
      trading_account_id: tradingAccountId,
      dealer_account_id: funding.dealerAccountId,
      asset,
      direction: funding.direction,
      amount: funding.amount.toString(),
      created_at: funding.createdAt,
      expire_at: funding.expireAt,
    })}`
    const [stored] = yield* found
    return fundingOf(stored!)
  })

/**
 * Whether a client has the funds for a quote at the time it is made, and the limits on one without. The one thing to know: a firm quote reserves
 * what the dealer would deliver to other clients, so an uncovered quote must be short, and such quotes may use only a small part of the total.
 */
import { Effect } from "effect"
import { QUOTE_SECONDS } from "../../../domain/dealer/config.ts"
import { deliverableOf, type FirmQuote, payableOf, type QuoteRejectReason } from "../../../domain/dealer/quote.ts"
import type { AskedQuote } from "../../../domain/dealer/quote-request.ts"
import { Decimal } from "../../../domain/decimal.ts"
import type { DomainError } from "../../../domain/errors/domain-error.ts"
import { QuoteRateLimited } from "../../../domain/errors/limits.ts"
import { InsufficientBalance } from "../../../domain/errors/risk.ts"
import type { WalletBalance } from "../../../domain/wallet/wallet.ts"
import type { DealerCore } from "../core.ts"
import { isTooRiskyUncovered } from "../valuation.ts"

/** Of one user at one dealer. */
const UNCOVERED_PER_USER = 5
const ALL = Decimal.of("100")

/** Balances by asset, as they are committed. */
export interface Funds {
  readonly client: ReadonlyArray<WalletBalance>
  readonly dealer: ReadonlyArray<WalletBalance>
}

export const readFunds = ({ parts, dealer }: DealerCore, { traderWalletId }: AskedQuote) =>
  Effect.all(
    { client: parts.ledger.balances(traderWalletId), dealer: parts.ledger.balances(dealer.walletId) },
    { concurrency: "unbounded" },
  )

const of = (balances: ReadonlyArray<WalletBalance>, asset: string): Pick<WalletBalance, "balance" | "available"> =>
  balances.find((it) => it.asset === asset) ?? { balance: Decimal.ZERO, available: Decimal.ZERO }

/** What the client has left for it beside its other quotes. */
const leftFor = (core: DealerCore, quote: FirmQuote, { client }: Funds, asset: string): Decimal =>
  of(client, asset).available.subtract(core.quotes.promisedBy(quote, asset))

export const isCovered = (core: DealerCore, quote: FirmQuote, funds: Funds): boolean => {
  const { asset, amount } = payableOf(quote)
  return leftFor(core, quote, funds, asset).atLeast(amount)
}

/** Why a quote is not made that its client could not pay for now, if so: a failure, or a rule of the dealer. */
export const uncoveredFault = (
  core: DealerCore,
  quote: FirmQuote,
  funds: Funds,
  openQuotesMax: number,
): DomainError | QuoteRejectReason | undefined => {
  const { uncovered } = core.quotes
  const { uncoveredPercent } = core.dealer.config
  const isLong = quote.expireAt - quote.createdAt > QUOTE_SECONDS * 1_000
  if (isLong || uncoveredPercent === 0) {
    const { asset, amount } = payableOf(quote)
    const left = leftFor(core, quote, funds, asset)
    const available = left.isNegative() ? Decimal.ZERO : left
    const reason = isLong
      ? `a quote that binds the dealer for more than ${QUOTE_SECONDS} s needs the funds`
      : "this dealer quotes to clients who have the funds"
    return new InsufficientBalance({ asset, required: amount.toString(), available: available.toString(), reason })
  }
  const share = Decimal.fromUnits(BigInt(uncoveredPercent), 0)
  // A dealer of few quotes has room for one.
  const countMax = Math.max(1, Math.floor((openQuotesMax * uncoveredPercent) / 100))
  const isMany = uncovered.countOf(quote.traderUserId) >= UNCOVERED_PER_USER
  if (isMany || uncovered.size >= countMax) {
    const limit = isMany ? UNCOVERED_PER_USER : countMax
    return new QuoteRateLimited({
      bucket: "uncoveredQuotes",
      limit,
      remaining: 0,
      resetMs: 1_000,
      retryAfterSeconds: 1,
    })
  }
  const { asset, amount } = deliverableOf(quote)
  const taken = uncovered.deliverableOf(asset).add(amount)
  if (taken.multiply(ALL).greaterThan(of(funds.dealer, asset).balance.multiply(share))) return "INSUFFICIENT_INVENTORY"
  return isTooRiskyUncovered(core, quote, share.divide(ALL, 2, "DOWN")) ? "RISK_LIMIT" : undefined
}

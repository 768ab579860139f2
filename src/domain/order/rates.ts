/**
 * How many orders an account and its user may send, cancel and have working, and how many quotes they may request (contract C15): the numbers,
 * and the buckets. The actors take from these, the edge reports them in its headers. The one thing to know: they outlive the actor, so that a
 * restart or sleep does not refill a bucket.
 */
import { Context, Effect } from "effect"
import { type Rate, TokenBucket, TokenBuckets } from "../../foundation/token-bucket.ts"
import type { DealerAccountId, TradingAccountId, UserId } from "../ids.ts"

export interface OrderLimits {
  /** Submits and changes. */
  readonly orderSubmit: Rate
  /** The same of one user, over all accounts: more of them are no greater share of the machine. */
  readonly orderSubmitUser: Rate
  /** Cancels have a bucket of their own, which submits never empty. */
  readonly orderCancel: Rate
  /** Orders of an account that are not over. */
  readonly openOrders: number
  /** Requests of one user to one dealer. */
  readonly quoteRequest: Rate
  /** Of one user, to all dealers. */
  readonly quoteRequestUser: Rate
  /** Firm quotes of a dealer that are not over. */
  readonly openQuotes: number
  /** Those of one user among them, over all accounts. */
  readonly openQuotesPerUser: number
  /** Those of one trading account among them. */
  readonly openQuotesPerClient: number
}

export const ORDER_LIMITS: OrderLimits = {
  orderSubmit: { perSecond: 50, burst: 100 },
  orderSubmitUser: { perSecond: 100, burst: 200 },
  orderCancel: { perSecond: 100, burst: 200 },
  openOrders: 500,
  quoteRequest: { perSecond: 10, burst: 20 },
  quoteRequestUser: { perSecond: 20, burst: 40 },
  openQuotes: 1_000,
  openQuotesPerUser: 100,
  openQuotesPerClient: 100,
}

/** The limits of this process; `null`: none. Without a word of the composition root those of the contract. */
export class OrderLimitsInForce extends Context.Reference<OrderLimitsInForce>()("domain/OrderLimitsInForce", {
  defaultValue: (): OrderLimits | null => ORDER_LIMITS,
}) {}

const SWEEP_MIN = 1_000

export class AccountRates {
  readonly submits: TokenBucket
  readonly cancels: TokenBucket
  private second = 0
  private submitted = 0

  constructor(
    limits: OrderLimits,
    /** The owner of the account, the only user who is told. Null: a dealer's own. */
    readonly owner: UserId | null,
  ) {
    this.submits = new TokenBucket(limits.orderSubmit)
    this.cancels = new TokenBucket(limits.orderCancel)
  }

  isIdle(now: number): boolean {
    return this.submits.isFull(now) && this.cancels.isFull(now) && this.submitsOfSecond(now) === 0
  }

  /** One more was taken in: which of its second it is. */
  count(now: number): number {
    const second = Math.floor(now / 1_000)
    if (second !== this.second) {
      this.second = second
      this.submitted = 0
    }
    return ++this.submitted
  }

  /** Submits of the running second. */
  submitsOfSecond(now: number): number {
    return Math.floor(now / 1_000) === this.second ? this.submitted : 0
  }
}

export class OrderRates {
  private readonly accounts = new Map<TradingAccountId, AccountRates>()
  private readonly submits: TokenBuckets
  private readonly quotes: TokenBuckets
  private readonly allQuotes: TokenBuckets
  private sweepAt = SWEEP_MIN

  constructor(readonly limits: OrderLimits) {
    this.submits = new TokenBuckets(limits.orderSubmitUser)
    this.quotes = new TokenBuckets(limits.quoteRequest)
    this.allQuotes = new TokenBuckets(limits.quoteRequestUser)
  }

  /** Made where there are none. */
  ofAccount(account: TradingAccountId, owner: UserId | null, now: number): AccountRates {
    const known = this.accounts.get(account)
    if (known !== undefined) return known
    if (this.accounts.size >= this.sweepAt) this.sweep(now)
    const made = new AccountRates(this.limits, owner)
    this.accounts.set(account, made)
    return made
  }

  find(account: string): AccountRates | undefined {
    return this.accounts.get(account as TradingAccountId)
  }

  /** Of all accounts of a user. */
  submitsOf(user: UserId, now: number): TokenBucket {
    return this.submits.of(user, now)
  }

  /** Undefined: full. */
  findSubmits(user: UserId): TokenBucket | undefined {
    return this.submits.find(user)
  }

  /** Of a user, to all dealers. */
  allQuotesOf(user: UserId, now: number): TokenBucket {
    return this.allQuotes.of(user, now)
  }

  quotesOf(user: UserId, dealer: DealerAccountId, now: number): TokenBucket {
    return this.quotes.of(`${user}|${dealer}`, now)
  }

  /** Undefined: full. */
  findQuotes(user: UserId, dealer: string): TokenBucket | undefined {
    return this.quotes.find(`${user}|${dealer}`)
  }

  private sweep(now: number): void {
    for (const [account, rates] of this.accounts) if (rates.isIdle(now)) this.accounts.delete(account)
    this.sweepAt = Math.max(SWEEP_MIN, 2 * this.accounts.size)
  }
}

/**
 * Those of this process, which the edge sees too; null: no limits. Without a word of the composition root (undefined) there are some by
 * the limits in force.
 */
export class OrderRatesInForce extends Context.Reference<OrderRatesInForce>()("domain/OrderRatesInForce", {
  defaultValue: (): OrderRates | null | undefined => undefined,
}) {}

export const orderRates: Effect.Effect<OrderRates | null> = Effect.gen(function* () {
  const shared = yield* OrderRatesInForce
  if (shared !== undefined) return shared
  const limits = yield* OrderLimitsInForce
  return limits === null ? null : new OrderRates(limits)
})

/** An account's limits (contract C15): so many submits and changes, so many cancels, so many working orders. */
import { type DomainError, OrderRateLimited, TooManyOpenOrders } from "../domain/errors.ts"
import type { OrderLimits } from "../domain/order-limits.ts"
import { TokenBucket } from "../domain/token-bucket.ts"

const secondsOf = (millis: number): number => Math.ceil(millis / 1_000)

export class AccountLimits {
  private readonly submits: TokenBucket | null
  private readonly cancels: TokenBucket | null

  constructor(
    private readonly limits: OrderLimits | null,
    private readonly now: () => number,
  ) {
    this.submits = limits && new TokenBucket(limits.orderSubmit)
    this.cancels = limits && new TokenBucket(limits.orderCancel)
  }

  /** `openOrders`: those of the account that are not over. */
  submitError(openOrders: number): DomainError | null {
    const { limits } = this
    if (limits === null) return null
    const error = this.changeError()
    if (error !== null) return error
    return openOrders >= limits.openOrders ? new TooManyOpenOrders({ limit: limits.openOrders }) : null
  }

  /** Of one submit, or one change of an order. */
  changeError(): DomainError | null {
    const wait = this.submits?.take(this.now()) ?? 0
    return wait === 0 ? null : new OrderRateLimited({ bucket: "orderSubmit", retryAfterSeconds: secondsOf(wait) })
  }

  cancelError(): DomainError | null {
    const wait = this.cancels?.take(this.now()) ?? 0
    return wait === 0 ? null : new OrderRateLimited({ bucket: "orderCancel", retryAfterSeconds: secondsOf(wait) })
  }
}

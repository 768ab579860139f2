/**
 * Rate limits of calls, and the response headers that report them (contract C15). Users are counted per user, other callers per address. The one
 * thing to know: submits, cancels and requests for quotes take from buckets that the actors keep; here those are only reported, and a flood of
 * calls is kept away from the actors.
 */

import type { DomainError } from "../../domain/errors/domain-error.ts"
import { RateLimited } from "../../domain/errors/limits.ts"
import type { TradingAccountId } from "../../domain/ids.ts"
import type { OrderRates } from "../../domain/order/rates.ts"
import { addressKey, type RateLimits } from "../../domain/user/rate-limits.ts"
import type { Principal } from "../../domain/user/user.ts"
import { type Rate, sustained, type TokenBucket, TokenBuckets } from "../../foundation/token-bucket.ts"
import type { Operation } from "../edge/envelope.ts"

// What each operation takes from which bucket (contract C15). A new one takes 1 from its user's, a list 2.

export interface RouteCost {
  /** http: of the user, without a token of the address. The others are taken from by the actors, and are all that their operations take. */
  readonly bucket: "http" | "orderSubmit" | "orderCancel" | "quoteRequest"
  /** 0: nothing is taken, but how the bucket stands is told all the same. */
  readonly weight: number
  /** What is due beyond it once the query is known; null: nothing. */
  readonly more: ((query: unknown) => number) | null
}

export const PLAIN_COST: RouteCost = { bucket: "http", weight: 1, more: null }

const LIST = 2
const DEEP_BOOK = 5
/** Levels of a side that cost no more. */
const DEPTH = 100

interface BookQuery {
  readonly depth?: number
  readonly instrumentIds?: ReadonlyArray<string>
}

const isDeep = ({ depth }: BookQuery): boolean => depth !== undefined && depth > DEPTH

const OWN: Readonly<Record<string, Exclude<RouteCost["bucket"], "http">>> = {
  "tradeOrder.submit": "orderSubmit",
  "tradeOrder.replace": "orderSubmit",
  "tradeOrder.cancel": "orderCancel",
  "tradeOrder.cancelAll": "orderCancel",
  "tradeOrder.cancelAllAfter": "orderCancel",
  "quote.request": "quoteRequest",
}

const WEIGHTS: Readonly<Record<string, number>> = {
  "root.health": 0,
  "root.healthBare": 0,
  "root.live": 0,
  // An actor, rows and a session for as long as it is connected.
  "tradingAccount.connect": 10,
  // It may hash two passwords, and try one.
  "auth.update": 20,
}

const MORE: Readonly<Record<string, (query: BookQuery) => number>> = {
  "market.orderBookGet": (query) => (isDeep(query) ? DEEP_BOOK - 1 : 0),
  "market.orderBookList": (query) =>
    isDeep(query) ? Math.max(0, DEEP_BOOK * (query.instrumentIds?.length ?? 0) - LIST) : 0,
}

export const costOf = ({ resource, action }: Operation, template: string): RouteCost => {
  const name = `${resource}.${action}`
  const more = (MORE[name] as RouteCost["more"] | undefined) ?? null
  const weight = WEIGHTS[name] ?? (template.endsWith("/list") ? LIST : 1)
  return { bucket: OWN[name] ?? "http", weight, more }
}

/** What is read and written of a call. */
export interface LimitedCall {
  readonly route: { readonly cost: RouteCost }
  readonly ip: string
  readonly principal: Principal | undefined
  readonly tradingAccountId: unknown
  readonly dealerAccountId: unknown
  /** Monotonic ms; of an answer that is being written. */
  readonly endedAt: number
  /** Submits of the second in which this one was counted, itself among them; 0: it was not counted. */
  readonly submitsCounted: number
  /** The bucket that its answer tells of. */
  limit: TokenBucket | undefined
  limitName: string
}

/** How much of its budget a venue's connector has used, in the venue's own units. */
export interface VenueWeight {
  readonly used: number
  readonly limit: number
}

interface LimiterParts {
  readonly limits: RateLimits
  readonly orders: OrderRates
  readonly now: () => number
  readonly monotonic: () => number
  /** Of the venue that this account's orders go to; null: none that counts. */
  readonly venueWeight: (account: TradingAccountId) => VenueWeight | null
}

const MILLIS = 1_000

/** What is counted by user. */
interface Share {
  readonly http: TokenBuckets
  readonly orderCalls: TokenBuckets
  readonly cancelCalls: TokenBuckets
}

const shareOf = ({ http, orderCalls, cancelCalls }: RateLimits): Share => ({
  http: new TokenBuckets(http),
  orderCalls: new TokenBuckets(orderCalls),
  cancelCalls: new TokenBuckets(cancelCalls),
})

export class RequestLimiter {
  private readonly sessions: Share
  /** As much again for a user's API keys together: one that was stolen keeps its owner neither from revoking it nor from cancelling. */
  private readonly keys: Share
  private readonly addresses: TokenBuckets
  /** What the headers of one bucket nearly always say again: the second in which it is full changes once a second. */
  private readonly words = new Map<string, { readonly head: string; resetAt: number; tail: string }>()

  constructor(private readonly parts: LimiterParts) {
    this.sessions = shareOf(parts.limits)
    this.keys = shareOf(parts.limits)
    this.addresses = new TokenBuckets(parts.limits.httpAddress)
  }

  /** Takes what the call of a known user costs; why it may not go on, if so. */
  charge(call: LimitedCall, weight: number): DomainError | undefined {
    const { principal } = call
    if (principal === undefined) return this.chargeAddress(call, weight)
    const share = this.shareOf(principal)
    const now = this.parts.monotonic()
    if (call.route.cost.bucket === "orderCancel") return flooded(call, "cancelCalls", share.cancelCalls, principal, now)
    if (call.route.cost.bucket !== "http") return flooded(call, "orderCalls", share.orderCalls, principal, now)
    return this.chargeHttp(call, principal, weight)
  }

  /** Takes what a call costs that its user, or its key, may not make: whatever it asks for, the plain weight. */
  chargeForbidden(call: LimitedCall, principal: Principal): DomainError | undefined {
    return this.chargeHttp(call, principal, PLAIN_COST.weight)
  }

  private chargeHttp(call: LimitedCall, principal: Principal, weight: number): DomainError | undefined {
    const now = this.parts.monotonic()
    const bucket = this.shareOf(principal).http.of(principal.userId, now)
    call.limit = bucket
    call.limitName = "http"
    return refusal(bucket, "http", weight, now)
  }

  private shareOf({ key }: Principal): Share {
    return key === null ? this.sessions : this.keys
  }

  /** What is due beyond that, now that the query is known. */
  chargeMore(call: LimitedCall, query: unknown): DomainError | undefined {
    const weight = call.route.cost.more?.(query) ?? 0
    return weight === 0 ? undefined : this.charge(call, weight)
  }

  /** Of one without a good token. */
  chargeAddress(call: LimitedCall, weight: number): DomainError | undefined {
    const now = this.parts.monotonic()
    const bucket = this.addresses.of(addressKey(call.ip), now)
    call.limit = bucket
    call.limitName = "httpAddress"
    return refusal(bucket, "httpAddress", weight, now)
  }

  /** Of an address that asks for something else than a call, as a socket. */
  takeAddress(ip: string): DomainError | undefined {
    const now = this.parts.monotonic()
    return refusal(this.addresses.of(addressKey(ip), now), "httpAddress", 1, now)
  }

  /** Header lines, each begun by CR LF. */
  lines(call: LimitedCall, succeeded: boolean): string {
    const { principal, route } = call
    const { limit } = call
    if (limit === undefined && principal !== undefined && route.cost.bucket !== "http")
      return this.ownLines(call, principal, succeeded)
    return limit === undefined ? "" : this.text(call.limitName, limit.rate, limit, call.endedAt)
  }

  private ownLines(call: LimitedCall, principal: Principal, succeeded: boolean): string {
    const { orders, limits, venueWeight } = this.parts
    const { endedAt } = call
    const { bucket } = call.route.cost
    if (bucket === "quoteRequest") {
      const dealer = typeof call.dealerAccountId === "string" ? call.dealerAccountId.toLowerCase() : ""
      return this.text(bucket, limits.quoteRequest, orders.findQuotes(principal.userId, dealer), endedAt)
    }
    const account = typeof call.tradingAccountId === "string" ? call.tradingAccountId.toLowerCase() : ""
    const found = orders.find(account)
    // The order rate of another user's account must not be revealed.
    const rates = found?.owner === principal.userId ? found : undefined
    const venue = succeeded && rates !== undefined ? venueWeight(account as TradingAccountId) : null
    const venueLines =
      venue === null ? "" : `\r\nX-Venue-Weight-Used: ${venue.used}\r\nX-Venue-Weight-Limit: ${venue.limit}`
    if (bucket === "orderCancel") return this.text(bucket, limits.orderCancel, rates?.cancels, endedAt) + venueLines
    const count = `\r\nX-Order-Count-1S: ${call.submitsCounted || (rates?.submitsOfSecond(endedAt) ?? 0)}`
    const all = orders.findSubmits(principal.userId)
    const isAllShort =
      all !== undefined && all.remaining(endedAt) < (rates?.submits.remaining(endedAt) ?? limits.orderSubmit.burst)
    const told = isAllShort
      ? this.text("orderSubmitUser", limits.orderSubmitUser, all, endedAt)
      : this.text("orderSubmit", limits.orderSubmit, rates?.submits, endedAt)
    return told + count + venueLines
  }

  /** A bucket that is not there is full. */
  private text(name: string, rate: Rate, bucket: TokenBucket | undefined, now: number): string {
    const remaining = bucket === undefined ? rate.burst : bucket.remaining(now)
    const resetAt = Math.ceil((this.parts.now() + (bucket?.resetMillis(now) ?? 0)) / MILLIS)
    let words = this.words.get(name)
    if (words === undefined) {
      const { limit, windowSeconds } = sustained(rate)
      const head = `\r\nX-RateLimit-Limit: ${limit}\r\nX-RateLimit-Window: ${windowSeconds}\r\nX-RateLimit-Burst: ${rate.burst}\r\nX-RateLimit-Remaining: `
      words = { head, resetAt: 0, tail: "" }
      this.words.set(name, words)
    }
    if (words.resetAt !== resetAt) {
      words.resetAt = resetAt
      words.tail = `\r\nX-RateLimit-Reset: ${resetAt}\r\nX-RateLimit-Bucket: ${name}`
    }
    return words.head + remaining + words.tail
  }
}

/** Counts a call whose own bucket is kept elsewhere; an answer tells of that one, unless this is why it is refused. */
const flooded = (
  call: LimitedCall,
  name: string,
  buckets: TokenBuckets,
  { userId }: Principal,
  now: number,
): DomainError | undefined => {
  const bucket = buckets.of(userId, now)
  const refused = refusal(bucket, name, 1, now)
  if (refused === undefined) return undefined
  call.limit = bucket
  call.limitName = name
  return refused
}

/** Takes from the bucket, or says why not. */
export const refusal = (bucket: TokenBucket, name: string, tokens: number, now: number): RateLimited | undefined => {
  if (tokens === 0) return undefined
  const wait = bucket.take(now, tokens)
  if (wait === 0) return undefined
  return new RateLimited({ bucket: name, ...bucket.state(now), retryAfterSeconds: Math.ceil(wait / MILLIS) })
}

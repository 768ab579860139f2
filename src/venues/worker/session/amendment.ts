/**
 * Amends a working order in place, exactly once. A venue whose answer only acknowledges the request (OKX) is polled until the order has changed;
 * if that is not seen the change is in doubt, and it is not sent a second time.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { Decimal } from "../../../domain/decimal.ts"
import { isEnd } from "../../../domain/order/view.ts"
import type { SessionReport, VenueAmend, VenueOrderRef, VenueOrderState } from "../../../ports/venue-session.ts"
import type { CcxtExchange, Raw } from "../exchange/ccxt.ts"
import { classify, type Failure } from "../exchange/errors.ts"
import { doingFor } from "../work.ts"

/** Before each look; venues amend within milliseconds. */
const PAUSES_MILLIS = [0, 50, 200, 800]
/** Of a look that the budget holds back. */
const LOOK_WITHIN_MILLIS = 15_000

export interface Amendment {
  readonly ref: VenueOrderRef
  readonly to: VenueAmend
  /** The answer says nothing of what became of it. */
  readonly isRequest: boolean
  /** Rejects where nothing can be asked: then nothing has changed. */
  readonly ready: () => Promise<void>
  readonly ask: () => Promise<unknown>
  /** Null: the venue does not know the order. */
  readonly look: () => Promise<VenueOrderState | null>
  readonly failed: (failure: Failure) => void
  readonly venueNow: () => number
}

/** ccxt's editOrder; type and side only decorate its answer. */
export const editAt = (
  exchange: CcxtExchange,
  id: string | undefined,
  symbol: string,
  { quantity, limitPrice, stopPrice, postOnly }: VenueAmend,
  params: Raw,
): Promise<unknown> =>
  exchange.editOrder(
    id,
    symbol,
    limitPrice === null ? "market" : "limit",
    undefined,
    quantity,
    limitPrice ?? undefined,
    {
      ...params,
      ...(stopPrice !== null && { stopLossPrice: stopPrice }),
      ...(postOnly === true && { postOnly }),
    },
  )

/** Never rejects. */
export const amendReports = async (amendment: Amendment): Promise<ReadonlyArray<SessionReport>> => {
  const { ref, to, isRequest, ready, ask, failed, venueNow } = amendment
  const { tradeOrderId, externalOrderId } = ref
  const { askedAt } = to
  try {
    await ready()
  } catch (error) {
    const { text } = classify(error)
    return [{ _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: false, text, at: venueNow() }]
  }
  try {
    await ask()
  } catch (error) {
    const failure = classify(error)
    failed(failure)
    const { verdict, category, code, text } = failure
    const at = venueNow()
    if (verdict === "IN_DOUBT") {
      const reason = code === null ? category : `${category}: ${text}`
      return [{ _tag: "AmendInDoubt", tradeOrderId, askedAt, reason, at }]
    }
    return [{ _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: category === "ORDER_NOT_FOUND", text, at }]
  }
  if (!isRequest && externalOrderId !== null)
    return [{ _tag: "AmendAccepted", tradeOrderId, askedAt, externalOrderId, at: venueNow() }]
  return doingFor("doubt", Date.now() + LOOK_WITHIN_MILLIS, () => seenAmended(amendment))
}

const seenAmended = async ({ ref, to, look, venueNow }: Amendment): Promise<ReadonlyArray<SessionReport>> => {
  const { tradeOrderId } = ref
  const { askedAt } = to
  let reason = "the venue has not carried it out yet"
  for (const pause of PAUSES_MILLIS) {
    if (pause > 0) await sleep(pause)
    try {
      const state = await look()
      if (state === null) {
        reason = "the venue no longer knows the order"
        continue
      }
      const { externalOrderId, status } = state
      const seen: SessionReport = { _tag: "OrderSeen", state }
      if (isAsAsked(state, to))
        return [seen, { _tag: "AmendAccepted", tradeOrderId, askedAt, externalOrderId, at: venueNow() }]
      if (!isEnd(state)) continue
      const text = `the order had already ended: ${status}`
      return [seen, { _tag: "AmendRefused", tradeOrderId, askedAt, unknownOrder: true, text, at: venueNow() }]
    } catch (error) {
      reason = classify(error).category
    }
  }
  return [{ _tag: "AmendInDoubt", tradeOrderId, askedAt, reason, at: venueNow() }]
}

const isSame = (a: string | null, b: string | null): boolean => {
  const [left, right] = [a, b].map((text) => (text === null ? undefined : Decimal.fromVenue(text)))
  return left === undefined || right === undefined ? left === right : left.equals(right)
}

const isAsAsked = (state: VenueOrderState, to: VenueAmend): boolean =>
  isSame(state.quantity, to.quantity) && isSame(state.limitPrice, to.limitPrice)

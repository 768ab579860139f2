/**
 * A cancel whose answer says only that it was asked for (OKX): the order may still fill. It is looked at until it has ended, a few
 * times; what is not seen then is in doubt.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { TradeOrderId } from "../../domain/ids.ts"
import type { SessionReport, VenueOrderState } from "../../ports/venue-session.ts"
import { classify } from "./errors.ts"

/** Before each look; the venue cancels within milliseconds. */
const PAUSES_MILLIS = [0, 50, 200, 800]

/** `look` answers null where the venue does not know the order. Never rejects: the cancel itself was taken. */
export const requestedCancel = async (
  tradeOrderId: TradeOrderId,
  look: () => Promise<VenueOrderState | null>,
  venueNow: () => number,
): Promise<ReadonlyArray<SessionReport>> => {
  let reason = "the venue has not carried it out yet"
  for (const pause of PAUSES_MILLIS) {
    if (pause > 0) await sleep(pause)
    try {
      const state = await look()
      if (state?.status === "OPEN" || state?.status === "UNKNOWN") continue
      if (state !== null) return [{ _tag: "OrderSeen", state }, outcome(tradeOrderId, state, venueNow())]
      reason = "the venue does not know the order any more"
    } catch (error) {
      reason = classify(error).category
    }
  }
  return [{ _tag: "CancelInDoubt", tradeOrderId, reason, at: venueNow() }]
}

const outcome = (tradeOrderId: TradeOrderId, { status }: VenueOrderState, at: number): SessionReport =>
  status === "CANCELLED"
    ? { _tag: "CancelAccepted", tradeOrderId, at }
    : { _tag: "CancelRefused", tradeOrderId, unknownOrder: true, text: `the order ended before: ${status}`, at }

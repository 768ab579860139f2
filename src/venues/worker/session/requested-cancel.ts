/**
 * A cancel whose response only acknowledges the request: the order may still fill. It is polled a few times until it has ended, or until the
 * stream has reported its end; if neither happens the cancel is in doubt.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { isEnd } from "../../../domain/order/view.ts"
import type { SessionReport, VenueOrderRef, VenueOrderState } from "../../../ports/venue-session.ts"
import { classify } from "../exchange/errors.ts"
import { doingFor } from "../work.ts"

/** Of a look that the budget holds back. */
const LOOK_WITHIN_MILLIS = 15_000

export class RequestedCancel {
  readonly #ref: VenueOrderRef
  readonly #look: () => Promise<VenueOrderState | null>
  readonly #venueNow: () => number
  readonly #looksMillis: ReadonlyArray<number>
  #ended: VenueOrderState | null = null

  /** `look` answers null where the venue does not know the order; `looksMillis` are the pauses before each. */
  constructor(
    ref: VenueOrderRef,
    look: () => Promise<VenueOrderState | null>,
    venueNow: () => number,
    looksMillis: ReadonlyArray<number>,
  ) {
    this.#ref = ref
    this.#look = look
    this.#venueNow = venueNow
    this.#looksMillis = looksMillis
  }

  /** Told by another way than its own looks. */
  saw(state: VenueOrderState): void {
    const { tradeOrderId, externalOrderId, instrumentId } = this.#ref
    // Some venues count their orders anew in each market.
    const isNamed = state.externalOrderId === externalOrderId && state.instrumentId === instrumentId
    const isIt = state.tradeOrderId === tradeOrderId || isNamed
    if (isIt && isEnd(state)) this.#ended = state
  }

  /** Never rejects: the cancel itself was taken. */
  reports(): Promise<ReadonlyArray<SessionReport>> {
    // Behind the cancels that have not left yet.
    return doingFor("doubt", Date.now() + LOOK_WITHIN_MILLIS, () => this.#seen())
  }

  async #seen(): Promise<ReadonlyArray<SessionReport>> {
    let reason = "the venue has not carried it out yet"
    for (const pause of this.#looksMillis) {
      await sleep(pause)
      if (this.#ended !== null) return [this.#outcome(this.#ended)]
      try {
        const state = await this.#look()
        if (state !== null && !isEnd(state)) continue
        if (state !== null) return [{ _tag: "OrderSeen", state }, this.#outcome(state)]
        reason = "the venue no longer knows the order"
      } catch (error) {
        reason = classify(error).category
      }
    }
    return [{ _tag: "CancelInDoubt", tradeOrderId: this.#ref.tradeOrderId, reason, at: this.#venueNow() }]
  }

  #outcome({ status }: VenueOrderState): SessionReport {
    const { tradeOrderId } = this.#ref
    return status === "CANCELLED"
      ? { _tag: "CancelAccepted", tradeOrderId, at: this.#venueNow() }
      : {
          _tag: "CancelRefused",
          tradeOrderId,
          unknownOrder: true,
          text: `the order had already ended: ${status}`,
          at: this.#venueNow(),
        }
  }
}

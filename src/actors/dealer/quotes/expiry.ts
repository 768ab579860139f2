/**
 * The end of quotes that nobody executed, on the server's clock. The one thing to know: a quote that an order has taken in time gets a few
 * seconds more, in which that order is stored; the guard of the execution knows when its request came.
 */
import type { FirmQuote } from "../../../domain/dealer/quote.ts"
import { quoteEndedFact } from "../../../ports/dealer-store.ts"
import type { DealerCore } from "../core.ts"
import { newsOf } from "./news.ts"
import type { LiveQuote } from "./open-quotes.ts"
import { reservationId, voided } from "./transfers.ts"

/** Shorter than what the ledger gives the holds. */
const TAKEN_MILLIS = 5_000

const endOf = ({ quote, takenBy }: LiveQuote): number => quote.expireAt + (takenBy === null ? 0 : TAKEN_MILLIS)

export const keepExpiry = (core: DealerCore): ((live: LiveQuote) => void) => {
  const { quotes } = core
  let plannedFor = Number.POSITIVE_INFINITY
  let callOff: () => void = () => undefined

  const plan = (at: number): void => {
    if (at >= plannedFor) return
    callOff()
    plannedFor = at
    // Timers may fire a moment before the wall clock says so: then the next look is a moment later.
    callOff = core.self.later(Math.max(1, at - core.parts.clock.now()), () => {
      plannedFor = Number.POSITIVE_INFINITY
      look()
    })
  }

  const look = (): void => {
    const now = core.parts.clock.now()
    for (let live = quotes.nextEnd(); live !== undefined && live.lookAt <= now; live = quotes.nextEnd()) {
      quotes.lookNoMore(live)
      // One that is not settled after all is looked at again.
      if (live.isEnding || live.settling !== null) continue
      const at = endOf(live)
      if (at <= now) expire(core, live)
      else quotes.lookAt(live, at)
    }
    const next = quotes.nextEnd()
    if (next !== undefined) plan(next.lookAt)
  }

  return (live) => {
    quotes.lookAt(live, endOf(live))
    plan(live.lookAt)
  }
}

const expire = (core: DealerCore, live: LiveQuote): void => {
  live.isEnding = true
  const { quote, takenBy } = live
  const { quoteId } = quote
  const at = core.parts.clock.now()
  const ended: FirmQuote = { ...quote, version: 2, status: "EXPIRED", updatedAt: at }
  const news = newsOf(core, ended, at)
  const facts = [quoteEndedFact({ quoteId, status: "EXPIRED", at, news })]
  const end = (): void => {
    core.close(quoteId)
    if (takenBy !== null && live.holdId !== null)
      core.post({ transfers: [voided(live.holdId, quoteId)], facts: [] }, [], () => undefined)
  }
  core.post({ transfers: [voided(reservationId(quote), quoteId)], facts }, news, (outcome) => {
    if (outcome._tag === "Applied") return end()
    // The ledger ended the reservation itself, while nobody was here to do it.
    core.post({ transfers: [], facts }, news, end)
  })
}

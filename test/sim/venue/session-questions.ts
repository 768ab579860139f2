/**
 * What a session asks of its own accord where the stream only says that something has happened, as the connectors do. A question that is not
 * answered is left to the account's audits.
 */
import type { SimOrder } from "./exchange.ts"
import type { VenueHistory } from "./venue-history.ts"
import type { OpenSession, VenueSessions } from "./venue-sessions.ts"
import type { VenueState } from "./venue-state.ts"

type SimVenue = VenueState & { readonly history: VenueHistory; readonly sessions: VenueSessions }

/** Balances that move are asked for after a moment, and so often at most. */
const BALANCES_SOON_MILLIS = 1_000
const BALANCES_PERIOD_MILLIS = 5_000

/** `answer` is asked for at the venue, and tells the session. */
const asks = (venue: SimVenue, session: OpenSession, answer: () => void): void => {
  venue.questions++
  const number = venue.leaves()
  venue.time.schedule(() => {
    if (!venue.isUp || session.isRefused || session.closed || !venue.fates.query()) return
    venue.takes(session.account, number)
    answer()
  }, venue.fates.latencyMillis())
}

export const asksOrder = (venue: SimVenue, session: OpenSession, sim: SimOrder): void =>
  asks(venue, session, () => {
    if (!venue.history.isAnswered(sim)) return
    venue.sessions.answer(session, { _tag: "OrderSeen", state: venue.history.viewOf(sim, session) })
  })

export const asksTrades = (venue: SimVenue, session: OpenSession, sim: SimOrder): void =>
  asks(venue, session, () => {
    for (const fill of sim.fills) {
      if (session.toldTrades.has(fill) || venue.history.listedAt(fill) > venue.time.now) continue
      session.toldTrades.add(fill)
      venue.sessions.answer(session, { _tag: "Filled", fill: venue.history.fillOf(sim, fill, session) })
    }
  })

export const asksBalances = (venue: SimVenue, session: OpenSession): void => {
  const { time, traits } = venue
  const at = Math.max(time.now + BALANCES_SOON_MILLIS, session.balancesAskedAt + BALANCES_PERIOD_MILLIS)
  // One is on its way that will know of it.
  if (session.balancesAskedAt > time.now) return
  session.balancesAskedAt = at
  time.schedule(() => {
    const askedAt = time.now
    asks(venue, session, () => {
      const balances = venue.balances(session.account, askedAt)
      const { balancesLagMillis } = traits
      const report = { _tag: "BalancesSeen", balances: { ...balances, at: balances.at + balancesLagMillis } } as const
      venue.sessions.deliver(session, report, balancesLagMillis + venue.fates.latencyMillis())
    })
  }, at - time.now)
}

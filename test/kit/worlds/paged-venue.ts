/** The simulated venue with lists in pages: ended orders many at once, trades page by page within a budget of requests. */
import { Effect } from "effect"
import { VenueUnavailable } from "../../../src/domain/errors/venue.ts"
import type { VenueSession } from "../../../src/ports/venue-session.ts"
import type { World } from "../../sim/world.ts"

export interface PagedVenue {
  /** Pages of ended orders and of trades that were asked for. */
  endedPages: number
  fillPages: number
  /** Questions about one order. */
  singles: number
  /** The next pages of trades fail. */
  failFills: number
  /** Cursors of the pages of trades that were answered. */
  readonly cursors: Array<string | null>
}

export interface PagedVenueOptions {
  readonly endedPage: number | null
  /** Newest first, as KRAKEN's. */
  readonly fillsPage: number
  /** Between two pages of trades: what the venue's request budget allows. */
  readonly fillsEveryMillis: number
}

/** Changes the world's venue before its start. */
export const pagedVenue = (world: World, options: PagedVenueOptions): PagedVenue => {
  const stats: PagedVenue = { endedPages: 0, fillPages: 0, singles: 0, failFills: 0, cursors: [] }
  const { venue } = world
  const { openSession } = venue.port
  const ended = options.endedPage
  const paged = (session: VenueSession): VenueSession => ({
    ...session,
    fetchOrder: (ref) => {
      stats.singles++
      return session.fetchOrder(ref)
    },
    fetchFillsPage: (since, instruments, cursor) =>
      Effect.delay(
        Effect.suspend(() => {
          stats.fillPages++
          if (stats.failFills > 0) {
            stats.failFills--
            return Effect.fail(new VenueUnavailable({ reason: "simulated" }))
          }
          stats.cursors.push(cursor)
          const from = Number(cursor ?? 0)
          return Effect.map(session.fetchFills(since, instruments), (all) => {
            const newest = [...all].reverse()
            const end = from + options.fillsPage
            return { fills: newest.slice(from, end).reverse(), next: end < newest.length ? String(end) : null }
          })
        }),
        stats.fillPages === 0 ? 0 : options.fillsEveryMillis,
      ),
    ...(ended !== null && {
      fetchEnded: (_, cursor) =>
        Effect.sync(() => {
          stats.endedPages++
          const from = Number(cursor ?? 0)
          const over = [...venue.orders.values()].filter(({ status }) => status !== "OPEN").reverse()
          const orders = over.slice(from, from + ended).map((sim) => venue.stateOf(sim))
          return { orders, next: from + ended < over.length ? String(from + ended) : null }
        }).pipe(Effect.delay(5)),
    }),
  })
  Object.assign(venue.port, {
    openSession: (it: Parameters<typeof openSession>[0]) => Effect.map(openSession(it), paged),
  } satisfies Partial<typeof venue.port>)
  return stats
}

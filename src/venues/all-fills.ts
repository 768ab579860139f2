/**
 * All pages of a list of fills as one answer. What a question that failed had read is kept, and the same question goes on from there:
 * asked from the beginning each time, a list that is longer than the venue's budget allows at once would never be read to its end.
 */
import { Effect } from "effect"
import type { VenueUnavailable } from "../domain/errors/venue.ts"
import type { InstrumentId } from "../domain/ids.ts"
import type { VenueFill, VenueSession } from "../ports/venue-session.ts"

/** Of questions that failed; the oldest is forgotten. */
const KEPT = 8
/** The venue's clock and ours, and trades that it lists late. */
const MARGIN_MILLIS = 60_000

type FetchPage = NonNullable<VenueSession["fetchFillsPage"]>

/** From `since` up to when its first page was asked for. */
interface Stretch {
  readonly since: number
  /** Wall ms, ours. */
  readonly startedAt: number
  /** In the venue's order. */
  fills: ReadonlyArray<VenueFill>
  cursor: string | null
  isBegun: boolean
}

const isWhole = ({ isBegun, cursor }: Stretch): boolean => isBegun && cursor === null

const stretch = (since: number): Stretch => ({
  since,
  startedAt: Date.now(),
  fills: [],
  cursor: null,
  isBegun: false,
})

/** `page`: see VenueSession. `isNewestFirst`: each page is older than the one before. */
export const allFills = (page: FetchPage, isNewestFirst: boolean): VenueSession["fetchFills"] => {
  const unfinished = new Map<string, Array<Stretch>>()

  const readOn = (read: Stretch, instruments: ReadonlyArray<InstrumentId>): Effect.Effect<void, VenueUnavailable> =>
    isWhole(read)
      ? Effect.void
      : Effect.suspend(() => page(read.since, instruments, read.cursor)).pipe(
          Effect.tap(({ fills, next }) =>
            Effect.sync(() => {
              read.fills = isNewestFirst ? [...fills, ...read.fills] : [...read.fills, ...fills]
              read.cursor = next
              read.isBegun = true
            }),
          ),
          // tidy: ends with the last page
          Effect.repeat({ until: () => isWhole(read) }),
          Effect.asVoid,
        )

  const keep = (key: string, read: Array<Stretch>): void => {
    unfinished.set(key, read)
    for (const oldest of unfinished.keys()) {
      if (unfinished.size <= KEPT) return
      unfinished.delete(oldest)
    }
  }

  return (since, instruments) =>
    Effect.suspend(() => {
      const key = `${since} ${[...instruments].sort().join(" ")}`
      const read = unfinished.get(key) ?? [stretch(since)]
      unfinished.delete(key)
      const newest = read.at(-1)
      // Lists that begin with the newest trade have the ones of the meantime before the first page.
      if (newest?.isBegun === true) read.push(stretch(Math.max(since, newest.startedAt - MARGIN_MILLIS)))
      return Effect.forEach(read, (it) => readOn(it, instruments), { discard: true }).pipe(
        Effect.tapError(() => Effect.sync(() => read.some(({ isBegun }) => isBegun) && keep(key, read))),
        Effect.map(() => distinct(read.flatMap(({ fills }) => fills))),
      )
    })
}

/** Pages may overlap; both sides of a self trade carry one id. */
const distinct = (fills: ReadonlyArray<VenueFill>): ReadonlyArray<VenueFill> => {
  const all = new Map<string, VenueFill>()
  for (const fill of fills) all.set(`${fill.instrumentId} ${fill.externalTradeId} ${fill.orderSide}`, fill)
  return [...all.values()].sort((a, b) => a.executedAt - b.executedAt)
}

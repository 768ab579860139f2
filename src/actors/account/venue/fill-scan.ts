/**
 * Reads the trades of an absence, page by page. What was read is kept when a query fails or the session is lost, and the scan continues from
 * there; an account with thousands of them opens before the last one is read (contract C3).
 */
import { Effect, Exit } from "effect"
import type { VenueUnavailable } from "../../../domain/errors/venue.ts"
import type { InstrumentId } from "../../../domain/ids.ts"
import type { FillsPage, VenueFill, VenueLists, VenueSession } from "../../../ports/venue-session.ts"
import type { AccountCore } from "../core.ts"
import type { FillScan, Stretch } from "../working-order.ts"
import { recallTrades } from "./names.ts"
import { FILLS_MARGIN_MILLIS, newestOf } from "./trades.ts"

/** From a page that failed to the next attempt; it doubles with each failure. */
const AGAIN_MILLIS = 2_000
const AGAIN_MAX_MILLIS = 60_000

export const isWhole = ({ stretches }: FillScan): boolean => stretches.length === 0

/** The scan that was interrupted, or a new one from `since` on. */
export const scanOf = (core: AccountCore, since: number, instruments: ReadonlyArray<InstrumentId>): FillScan => {
  const now = core.parts.clock.now()
  const kept = core.trades.scan
  const from = Math.min(since, kept?.since ?? since)
  const scan: FillScan =
    kept !== null && instruments.every((it) => kept.instruments.includes(it))
      ? kept
      : {
          since: from,
          instruments,
          askedAt: now,
          newestAt: from + FILLS_MARGIN_MILLIS,
          stretches: instruments.length === 0 ? [] : [{ since: from, cursor: null }],
          read: kept?.read ?? [],
          asking: null,
          failures: 0,
          waiting: [],
          arrived: null,
        }
  // Lists may begin with the newest trade: those of the meantime would lie before the pages that were read.
  if (scan === kept && scan.stretches.at(-1)?.cursor !== null)
    scan.stretches.push({ since: Math.max(scan.since, scan.askedAt - FILLS_MARGIN_MILLIS), cursor: null })
  scan.askedAt = now
  scan.asking = null
  scan.arrived = null
  core.trades.reads(scan)
  return scan
}

/** Resolves when the scan is whole; fails with the page that fails. The reading itself goes on without the caller. */
export const wholeScan = (
  core: AccountCore,
  session: VenueSession,
  scan: FillScan,
): Effect.Effect<unknown, VenueUnavailable> =>
  Effect.async((resume) => {
    if (isWhole(scan)) return resume(Effect.void)
    scan.waiting.push((exit) => resume(exit))
    core.self.turn(() => readOn(core, session, scan))()
  })

const pageOf = (session: VenueLists, { instruments }: FillScan, { since, cursor }: Stretch) =>
  session.fetchFillsPage === undefined
    ? Effect.map(session.fetchFills(since, instruments), (fills): FillsPage => ({ fills, next: null }))
    : session.fetchFillsPage(since, instruments, cursor)

/** Page after page, as long as the session is there. */
export const readOn = (core: AccountCore, session: VenueSession, scan: FillScan): void => {
  const stretch = scan.stretches.at(-1)
  if (stretch === undefined || core.connection.session !== session || core.trades.scan !== scan || scan.asking !== null)
    return
  const asking = {}
  scan.asking = asking
  const isOpening = scan.arrived === null
  const lists = (isOpening ? session.forOpening?.() : undefined) ?? session
  const question = Effect.tap(pageOf(lists, scan, stretch), ({ fills }) => recallTrades(core, fills))
  // One list at a time; before the account is open nothing else is asked.
  core.self.fork(isOpening ? question : core.connection.listing(question), (exit) => {
    if (core.trades.scan !== scan || scan.asking !== asking) return
    scan.asking = null
    if (Exit.isFailure(exit)) {
      const pause = Math.min(AGAIN_MAX_MILLIS, AGAIN_MILLIS * 2 ** scan.failures)
      scan.failures++
      if (scan.arrived !== null) core.self.later(pause, () => readOn(core, session, scan))
      return told(scan, exit)
    }
    scan.failures = 0
    scan.read = [...scan.read, ...exit.value.fills]
    scan.newestAt = newestOf(exit.value.fills, scan.newestAt)
    stretch.cursor = exit.value.next
    if (stretch.cursor === null) scan.stretches.pop()
    if (isWhole(scan)) told(scan, Exit.void)
    scan.arrived?.()
    readOn(core, session, scan)
  })
}

const told = (scan: FillScan, exit: Exit.Exit<unknown, VenueUnavailable>): void => {
  for (const run of scan.waiting.splice(0)) run(exit)
}

/** What was read and is not applied yet: from now on it is. */
export const taken = (scan: FillScan): ReadonlyArray<VenueFill> => {
  const { read } = scan
  scan.read = []
  return read
}

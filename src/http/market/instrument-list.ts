/** GET market/instrument/list: what is known of the venues, by securityId; a venue that is named for the first time is synced first. */
import { Effect } from "effect"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { TenantId, VenueId } from "../../domain/ids.ts"
import {
  type Instrument,
  invalidInstrumentId,
  parseInstrumentId,
  securityRecord,
} from "../../domain/instrument/instrument.ts"
import { isFailure } from "../edge/answers.ts"
import type { Handlers } from "../edge/route.ts"
import { type Cursors, type PagePlan, pageOf, sortedBy } from "../pagination.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { MarketApi } from "./endpoints.ts"
import type { InstrumentSync } from "./instrument-sync.ts"

interface Parts {
  readonly gate: VenueGate
  readonly directory: InstrumentDirectory
  readonly sync: Pick<InstrumentSync, "ensure">
  readonly cursors: Cursors
}

const PAGE = 50
const keyOf = (instrument: Instrument): string => instrument.instrumentId

/** Venues whose instruments, one venue after the other, are in order of instrumentId: `GATE:…` comes behind `GATE2:…`. */
const inOrderOfIds = (venues: ReadonlyArray<VenueId>): ReadonlyArray<VenueId> =>
  sortedBy(venues, (venue) => `${venue}:`)

export const makeInstrumentList = ({
  gate,
  directory,
  sync,
  cursors,
}: Parts): Handlers<typeof MarketApi>["instrumentList"] => {
  /** What the filters leave, in order of instrumentId. */
  const listed = (
    venues: ReadonlyArray<VenueId>,
    filters: PagePlan["filters"],
    viewer: TenantId,
  ): ReadonlyArray<Instrument> => {
    const { symbol, instrumentId, securityType } = filters
    const isMeant = (it: Instrument): boolean =>
      (symbol === undefined || it.symbol === symbol) && (securityType === undefined || it.securityType === securityType)
    if (instrumentId === undefined)
      return inOrderOfIds(venues).flatMap((venue) => directory.ofVenue(venue, viewer).filter(isMeant))
    const found = directory.find(`${instrumentId}`, viewer)
    return found !== undefined && venues.includes(found.venue) && isMeant(found) ? [found] : []
  }

  return ({ query, principal }, reply) => {
    const named = gate.filter(query.venue, principal)
    if (named !== undefined && isFailure(named)) return reply.fail(named)
    const ids = query.instrumentId === undefined ? [] : [query.instrumentId]
    const bad = ids.find((id) => parseInstrumentId(id) === undefined)
    if (bad !== undefined) return reply.fail(invalidInstrumentId(bad))
    const plan = cursors.plan({
      scope: `instrument/list:${principal.userId}`,
      filters: {
        venue: named?.venue.venue,
        symbol: query.symbol,
        instrumentId: ids.map(gate.canonicalInstrumentId)[0],
        securityType: query.securityType,
      },
      limit: query.limit ?? PAGE,
      offset: query.offset ?? 0,
      cursor: query.cursor,
    })
    if (isFailure(plan)) return reply.fail(plan)
    const answer = (): void => {
      const wanted = plan.filters["venue"]
      const venues = gate.openTo(principal).map(({ venue }) => venue)
      const meant = wanted === undefined ? venues : venues.filter((venue) => venue === wanted)
      const items = listed(meant, plan.filters, principal.tenantId)
      const page = pageOf(cursors, plan, items, keyOf)
      return reply.ok(page.items.map(securityRecord), {
        pagination: page.pagination,
        headers: { ...gate.headersFor(ids), ...named?.headers },
      })
    }
    // Of a venue that nobody has used yet nothing is known, which is another answer than "it has no instruments".
    if (named === undefined || named.venue.status === "INACTIVE" || directory.knows(named.venue.venue)) return answer()
    return Effect.map(sync.ensure(named.venue.venue), answer)
  }
}

/** Venues, instruments and market data: lists come from memory, books and tickers from their feeds. */
import { Effect } from "effect"
import type { InstrumentDirectory } from "../../actors/market/instrument-directory.ts"
import type { Markets } from "../../actors/market/messages.ts"
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { InvalidInterval } from "../../domain/errors/market.ts"
import { InvalidParameter, InvalidTimeRange } from "../../domain/errors/request.ts"
import type { InstrumentId, TenantId, VenueId } from "../../domain/ids.ts"
import {
  type Instrument,
  invalidInstrumentId,
  parseInstrumentId,
  securityRecord,
} from "../../domain/instrument/instrument.ts"
import { venueCapabilityRecord, venueRecord } from "../../domain/instrument/venue.ts"
import { isKlineInterval } from "../../domain/market/kline.ts"
import type { TickerRecord } from "../../domain/market/market.ts"
import { INTERNAL } from "../../domain/order/internal-order.ts"
import type { Act, Action, Actor } from "../../domain/user/act.ts"
import type { Principal } from "../../domain/user/user.ts"
import type { Acts, Audited, Learnt } from "../../store/audit/acts.ts"
import type { SyncCounts } from "../../store/market/instruments.ts"
import { Patience } from "../../store/postgres/storage-failure.ts"
import { actorOf } from "../account-access.ts"
import { JsonText } from "../edge/envelope.ts"
import { ask, type Handlers, isFailure, relayed } from "../edge/route.ts"
import { type Cursors, type PagePlan, pageOf, sortedBy } from "../pagination.ts"
import { instantFault } from "../query.ts"
import type { VenueGate } from "../venue-gate.ts"
import type { MarketApi } from "./endpoints.ts"
import { marketOf, type OwnMarkets } from "./instrument-create.ts"
import type { FindInstrument, FoundInstrument } from "./instrument-lookup.ts"
import type { InstrumentSync } from "./instrument-sync.ts"

// GET market/instrument/list: what is known of the venues, by securityId; a venue that is named for the first time is synced first.

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

const makeInstrumentList = ({
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
    // Nothing is known of a venue that was never used, which differs from "it has no instruments".
    if (named === undefined || named.venue.status === "INACTIVE" || directory.knows(named.venue.venue)) return answer()
    return Effect.map(sync.ensure(named.venue.venue), answer)
  }
}

interface MarketParts {
  readonly gate: VenueGate
  readonly directory: InstrumentDirectory
  readonly markets: Markets["Type"]
  readonly sync: InstrumentSync
  readonly find: FindInstrument
  readonly cursors: Cursors
  readonly own: OwnMarkets
  readonly acts: Acts["Type"]
  readonly uuid: () => string
}

const DEPTH = 10
const BARS = 50

/** Joins what several instruments answered, in the order in which they were asked for. */
const ofAll = <A>(
  ids: ReadonlyArray<string>,
  read: (id: string) => Effect.Effect<A, DomainError>,
): Effect.Effect<ReadonlyArray<A>, DomainError> => Effect.forEach(ids, read, { concurrency: "unbounded" })

export const marketHandlers = (parts: MarketParts): Handlers<typeof MarketApi> => {
  const { gate, markets, sync, find, cursors, own, acts, uuid } = parts

  /** Thousands of rows may take their time. */
  const auditedAs =
    <A>(act: Omit<Act, "actId">, learnt: (stored: A) => Learnt): Audited<A> =>
    (storing) =>
      acts
        .commit({ ...act, actId: uuid() }, (learn) =>
          Effect.tap(storing, (stored) => Effect.sync(() => learn(learnt(stored)))),
        )
        .pipe(Effect.provideService(Patience, null))

  const ofMarket =
    (action: Action, actor: Actor, learnt: Learnt) =>
    ({ instrumentId, tenantId }: Instrument): Audited<void> =>
      auditedAs({ action, actor, object: { type: "INSTRUMENT", id: instrumentId, tenantId } }, () => learnt)

  /** Runs `read` in this turn when the instrument is known. */
  const withInstrument = (
    id: string,
    principal: Principal,
    reply: { readonly relay: (error: DomainError) => void },
    read: (found: FoundInstrument) => void,
  ): void | Effect.Effect<void> => {
    const found = find(id, principal)
    if ("instrument" in found) return read(found)
    return relayed(Effect.map(found, read), reply)
  }

  const found = (id: string, principal: Principal): Effect.Effect<Instrument, DomainError> => {
    const result = find(id, principal)
    return "instrument" in result ? Effect.succeed(result.instrument) : Effect.map(result, (it) => it.instrument)
  }

  const tickerOf = (id: string, principal: Principal): Effect.Effect<TickerRecord, DomainError> =>
    Effect.flatMap(found(id, principal), (instrument) =>
      ask<TickerRecord, DomainError>((reply) => markets.readTicker(instrument.instrumentId, reply)),
    )

  const bookOf = (id: string, principal: Principal, depth: number): Effect.Effect<string, DomainError> =>
    Effect.flatMap(found(id, principal), (instrument) =>
      ask<string, DomainError>((reply) => markets.readBook(instrument.instrumentId, depth, reply)),
    )

  return {
    instrumentSync: ({ body, principal, request }, reply) => {
      const named = gate.resolve(body.venue, principal)
      if (isFailure(named)) return reply.fail(named)
      const { venue, headers } = named
      const symbols = body.symbols ?? null
      const audited = auditedAs<SyncCounts>(
        {
          action: "instrument.sync",
          actor: actorOf(request, principal),
          object: { type: "VENUE", id: venue.venue, tenantId: null },
        },
        ({ added, updated }) => ({ what: `added ${added}, updated ${updated} of ${symbols?.join(" ") ?? "all"}` }),
      )
      const { tenantId, permissions } = principal
      const asked = { tenantId, audited, isBelieved: permissions.includes("admin") }
      return Effect.map(sync.sync(venue.venue, symbols, asked), (counts) =>
        reply.ok(
          { venue: venue.venue, synced: counts.synced, added: counts.added, updated: counts.updated },
          { headers },
        ),
      )
    },

    instrumentCreate: ({ body, principal, request }, reply) => {
      const market = marketOf(body)
      if (isFailure(market)) return reply.fail(market)
      const audited = ofMarket("instrument.create", actorOf(request, principal), {
        what: `tick ${body.tickSize}, lot ${body.lotSize}`,
      })
      return relayed(
        Effect.map(own.list(market, principal.tenantId, audited), (listed) => reply.ok(securityRecord(listed))),
        reply,
      )
    },

    instrumentRetire: ({ body, principal, request }, reply) => {
      const name = parseInstrumentId(body.instrumentId)
      if (name === undefined) return reply.fail(invalidInstrumentId(body.instrumentId))
      if (name.venue !== INTERNAL)
        return reply.fail(new InvalidParameter({ parameter: "instrumentId", reason: "must be a market of INTERNAL" }))
      const audited = ofMarket("instrument.retire", actorOf(request, principal), {})
      const retired = own.retire(body.instrumentId as InstrumentId, principal.tenantId, audited)
      return relayed(
        Effect.map(retired, (it) => reply.ok(securityRecord(it))),
        reply,
      )
    },

    instrumentList: makeInstrumentList(parts),

    venueList: ({ principal }, reply) => reply.ok(gate.openTo(principal).map(venueRecord)),

    venueCapabilityList: ({ query, principal }, reply) => {
      const named = gate.filter(query.venue, principal)
      if (named !== undefined && isFailure(named)) return reply.fail(named)
      const venues = named === undefined ? gate.openTo(principal) : [named.venue]
      const isOffered = (name: string): boolean => gate.find(name) !== undefined
      return reply.ok(
        venues.map((venue) => venueCapabilityRecord(venue, isOffered)),
        { headers: named?.headers ?? {} },
      )
    },

    orderBookGet: ({ query, principal }, reply) =>
      withInstrument(query.instrumentId, principal, reply, ({ instrument, headers }) =>
        markets.readBook(instrument.instrumentId, query.depth ?? DEPTH, {
          ok: (text) => reply.ok(new JsonText(text), { headers }),
          fail: reply.relay,
        }),
      ),

    orderBookList: ({ query, principal }, reply) =>
      relayed(
        Effect.map(
          ofAll(query.instrumentIds, (id) => bookOf(id, principal, query.depth ?? DEPTH)),
          (books) => reply.ok(new JsonText(`[${books.join(",")}]`), { headers: gate.headersFor(query.instrumentIds) }),
        ),
        reply,
      ),

    tickerGet: ({ query, principal }, reply) =>
      withInstrument(query.instrumentId, principal, reply, ({ instrument, headers }) =>
        markets.readTicker(instrument.instrumentId, {
          ok: (ticker) => reply.ok(ticker, { headers }),
          fail: reply.relay,
        }),
      ),

    klineGet: ({ query, principal }, reply) => {
      const { interval, from = null, to = null, limit = BARS } = query
      if (!isKlineInterval(interval)) return reply.fail(new InvalidInterval({ interval }))
      const fault = instantFault({ from: query.from, to: query.to })
      if (fault !== undefined) return reply.fail(fault)
      if (from !== null && to !== null && from > to) return reply.fail(new InvalidTimeRange())
      return withInstrument(query.instrumentId, principal, reply, ({ instrument, headers }) =>
        markets.readKlines(
          instrument.instrumentId,
          { interval, from, to, limit },
          { ok: (record) => reply.ok(record, { headers }), fail: reply.relay },
        ),
      )
    },

    tickerList: ({ query, principal }, reply) => {
      const plan = cursors.plan({
        scope: `ticker/list:${principal.userId}`,
        filters: { instrumentIds: query.instrumentIds?.map(gate.canonicalInstrumentId).join(",") },
        limit: query.limit ?? PAGE,
        offset: query.offset ?? 0,
        cursor: query.cursor,
      })
      if (isFailure(plan)) return reply.fail(plan)
      const ids = plan.filters["instrumentIds"]
      const keyOf = (ticker: TickerRecord): string => ticker.instrumentId
      const answer = (tickers: ReadonlyArray<TickerRecord>): void => {
        const page = pageOf(cursors, plan, sortedBy(tickers, keyOf), keyOf)
        reply.ok(page.items, {
          pagination: page.pagination,
          headers: gate.headersFor(query.instrumentIds ?? []),
        })
      }
      if (typeof ids === "string") {
        const wanted = [...new Set(ids.split(","))]
        return relayed(
          Effect.map(
            ofAll(wanted, (id) => tickerOf(id, principal)),
            answer,
          ),
          reply,
        )
      }
      const open = new Set<string>(gate.openTo(principal).map(({ venue }) => venue))
      return answer(markets.tickers(principal.tenantId).filter((it) => open.has(it.venue)))
    },
  }
}

/** Venues, instruments and market data: sync, lists, order books, tickers, klines (contract C14, C14a). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { InsufficientPermissions } from "../../domain/errors/authorisation.ts"
import {
  InstrumentDelisted,
  InstrumentNotFound,
  InvalidInstrumentId,
  InvalidInterval,
  OrderBookUnavailable,
  SyncRunning,
  TickerUnavailable,
} from "../../domain/errors/market.ts"
import {
  ConflictingParameters,
  InvalidCursor,
  InvalidParameter,
  InvalidTimeRange,
} from "../../domain/errors/request.ts"
import { InvalidVenue, NotSupportedByVenue, VenueInactive, VenueUnavailable } from "../../domain/errors/venue.ts"
import { SecurityRecord } from "../../domain/instrument/instrument.ts"
import { VenueCapabilityRecord, VenueRecord } from "../../domain/instrument/venue.ts"
import { KLINE_INTERVALS, KlineRecord } from "../../domain/market/kline.ts"
import { OrderBookRecord, TickerRecord } from "../../domain/market/market.ts"
import { Fail, Ok, Page } from "../edge/envelope.ts"
import { Access, always, Deadline, Fresh, Query, within } from "../edge/route.ts"
import { Ask, InstrumentText, optional, text, VenueText } from "../edge/wire-text.ts"
import { NewInstrument } from "./instrument-create.ts"

const SyncRecord = Schema.Struct({
  venue: Schema.String,
  synced: Schema.Int,
  added: Schema.Int,
  updated: Schema.Int,
}).annotations({ identifier: "InstrumentSync" })

const InstrumentIds = Schema.Array(InstrumentText).pipe(Schema.minItems(1), Schema.maxItems(100))

const instrumentSync = HttpApiEndpoint.post("instrumentSync", "/api/v3/market/instrument/sync")
  .setPayload(
    Schema.Struct({
      venue: VenueText,
      symbols: optional(
        Schema.Array(Schema.String.pipe(Schema.pattern(/^[A-Z0-9.]{1,30}\/[A-Z0-9.]{1,30}$/))).pipe(
          Schema.maxItems(5_000),
        ),
      ).annotations({ description: "<BASE>/<QUOTE> each; omitted: all" }),
    }).annotations({ identifier: "SyncInstruments", examples: [{ venue: "MOCK", symbols: ["BTC/USDT"] }] }),
  )
  .addSuccess(Ok(SyncRecord))
  .addError(Fail(InvalidVenue, VenueInactive, VenueUnavailable, InsufficientPermissions, SyncRunning))
  .annotate(Access, "write")
  .annotate(Deadline, within(120_000))
  .annotate(OpenApi.Summary, "Synchronise instruments")
  .annotate(
    OpenApi.Description,
    "Fetches precision, limits and rules from the venue and updates what is stored. One at a time per venue; large venues take a while. Instruments no longer listed become DELISTED; a list with less than half of the known instruments delists none, unless an admin requested it or the venue has returned such lists for six hours.",
  )

const instrumentCreate = HttpApiEndpoint.post("instrumentCreate", "/api/v3/market/instrument/create")
  .setPayload(NewInstrument)
  .addSuccess(Ok(SecurityRecord))
  .addError(Fail(InvalidParameter, ConflictingParameters))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "List an instrument at INTERNAL")
  .annotate(
    OpenApi.Description,
    "Extension. Opens a market of the internal venue for a pair of assets, for the admin's own tenant: users of others neither see nor trade it. Its id is INTERNAL:<BASE>/<QUOTE> for the installation's own tenant, otherwise INTERNAL:<BASE>/<QUOTE>@<TENANT>. A repeat returns the instrument, or lists it again if it was retired; with different terms it is refused unless the instrument is retired and has no open orders.",
  )

const instrumentRetire = HttpApiEndpoint.post("instrumentRetire", "/api/v3/market/instrument/retire")
  .setPayload(
    Schema.Struct({ instrumentId: InstrumentText }).annotations({
      identifier: "RetireInstrument",
      examples: [{ instrumentId: "INTERNAL:BTC/USDT" }],
    }),
  )
  .addSuccess(Ok(SecurityRecord))
  .addError(Fail(InvalidInstrumentId, InstrumentNotFound, InvalidParameter))
  .annotate(Access, "admin")
  .annotate(Fresh, always)
  .annotate(OpenApi.Summary, "Retire an instrument at INTERNAL")
  .annotate(
    OpenApi.Description,
    "Extension. The market of the admin's tenant accepts no orders from then on (-131003), and open orders there are cancelled (cancelReason ADMIN); it can still be read, with status DELISTED. A repeat cancels any remaining orders. market/instrument/create makes it ACTIVE again.",
  )

const instrumentList = HttpApiEndpoint.get("instrumentList", "/api/v3/market/instrument/list")
  .setUrlParams(
    Query({
      venue: Schema.optional(VenueText),
      symbol: Schema.optional(text(64)),
      instrumentId: Schema.optional(InstrumentText),
      securityType: Schema.optional(text(32)),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(SecurityRecord))
  .addError(
    Fail(
      InvalidVenue,
      InvalidInstrumentId,
      InsufficientPermissions,
      InvalidCursor,
      ConflictingParameters,
      VenueUnavailable,
    ),
  )
  .annotate(Access, "read")
  .annotate(Deadline, within(40_000))
  .annotate(OpenApi.Summary, "List instruments")
  .annotate(
    OpenApi.Description,
    "Known instruments by securityId: price and quantity steps, limits, and whether the venue still lists them (ACTIVE) or not (DELISTED). Venues in use are synchronised every hour; a venue requested for the first time is synchronised first, which may take seconds.",
  )

const venueList = HttpApiEndpoint.get("venueList", "/api/v3/market/venue/list")
  .addSuccess(Ok(Schema.Array(VenueRecord)))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List venues")
  .annotate(OpenApi.Description, "Only ACTIVE venues are available for trading.")

const venueCapabilityList = HttpApiEndpoint.get("venueCapabilityList", "/api/v3/market/venue/capability/list")
  .setUrlParams(Query({ venue: Schema.optional(VenueText) }))
  .addSuccess(Ok(Schema.Array(VenueCapabilityRecord)))
  .addError(Fail(InvalidVenue, InsufficientPermissions))
  .annotate(Access, "read")
  .annotate(OpenApi.Summary, "List what venues can do")
  .annotate(
    OpenApi.Description,
    "Extension. The accepted order types and times in force, which functions the venue or the gateway carries out, and what the venue streams.",
  )

/** Of every reading of an instrument's live market; what is not there is named beside them. */
const OF_LIVE_MARKET = [
  InvalidInstrumentId,
  InstrumentNotFound,
  InstrumentDelisted,
  VenueInactive,
  InsufficientPermissions,
  VenueUnavailable,
] as const

const orderBookGet = HttpApiEndpoint.get("orderBookGet", "/api/v3/market/orderbook/get")
  .setUrlParams(Query({ instrumentId: InstrumentText, depth: Ask.depth }))
  .addSuccess(Ok(OrderBookRecord))
  .addError(Fail(...OF_LIVE_MARKET, OrderBookUnavailable))
  .annotate(Access, "read")
  .annotate(Deadline, within(30_000))
  .annotate(OpenApi.Summary, "Get an order book")
  .annotate(
    OpenApi.Description,
    "The book as the venue shows it, in the venue's own digits, best rows first. The first read of a book opens its feed and may take seconds; the feed stays open for up to an hour. An instrument no longer listed by its venue is answered with 400 -131009, a venue known to be down with 503 -130001, both without delay.",
  )

const orderBookList = HttpApiEndpoint.get("orderBookList", "/api/v3/market/orderbook/list")
  .setUrlParams(Query({ instrumentIds: InstrumentIds, depth: Ask.depth }))
  .addSuccess(Ok(Schema.Array(OrderBookRecord)))
  .addError(Fail(...OF_LIVE_MARKET, OrderBookUnavailable))
  .annotate(Access, "read")
  .annotate(Deadline, within(30_000))
  .annotate(OpenApi.Summary, "Get several order books")
  .annotate(
    OpenApi.Description,
    "At most 100; repeat instrumentIds, or give a comma-separated list. An unknown instrument fails the request.",
  )

const tickerGet = HttpApiEndpoint.get("tickerGet", "/api/v3/market/ticker/get")
  .setUrlParams(Query({ instrumentId: InstrumentText }))
  .addSuccess(Ok(TickerRecord))
  .addError(Fail(...OF_LIVE_MARKET, TickerUnavailable))
  .annotate(Access, "read")
  .annotate(Deadline, within(30_000))
  .annotate(OpenApi.Summary, "Get a ticker")
  .annotate(OpenApi.Description, "Last price and best prices of one instrument.")

const tickerList = HttpApiEndpoint.get("tickerList", "/api/v3/market/ticker/list")
  .setUrlParams(
    Query({
      instrumentIds: Schema.optional(InstrumentIds),
      limit: Ask.limit(1_000, 50),
      offset: Ask.offset,
      cursor: Ask.cursor,
    }),
  )
  .addSuccess(Page(TickerRecord))
  .addError(Fail(...OF_LIVE_MARKET, TickerUnavailable, InvalidCursor, InvalidParameter, ConflictingParameters))
  .annotate(Access, "read")
  .annotate(Deadline, within(30_000))
  .annotate(OpenApi.Summary, "List tickers")
  .annotate(
    OpenApi.Description,
    "For at most 100 instruments, or without instrumentIds all currently known tickers, by instrumentId.",
  )

const klineGet = HttpApiEndpoint.get("klineGet", "/api/v3/market/kline/get")
  .setUrlParams(
    Query({
      instrumentId: InstrumentText,
      interval: text(8).annotations({ description: `One of ${KLINE_INTERVALS.join(", ")}`, examples: ["1m"] }),
      from: Ask.instant("First open time, in ms; omitted: the most recent bars"),
      to: Ask.instant("Last open time, in ms; omitted: now"),
      limit: Ask.limit(1_000, 50),
    }),
  )
  .addSuccess(Ok(KlineRecord))
  .addError(
    Fail(
      InvalidInstrumentId,
      InstrumentNotFound,
      InstrumentDelisted,
      InvalidInterval,
      InvalidParameter,
      InvalidTimeRange,
      VenueInactive,
      InsufficientPermissions,
      NotSupportedByVenue,
      VenueUnavailable,
    ),
  )
  .annotate(Access, "read")
  .annotate(Deadline, within(45_000))
  .annotate(OpenApi.Summary, "Get klines")
  .annotate(
    OpenApi.Description,
    "Bars by open time, oldest first, without gaps: with `from` the first `limit` that open at or after it, otherwise the last `limit`. Periods are in UTC, weeks start on Monday, months are calendar months. `isClosed` is false only if the last row is the current bar.",
  )

export class MarketApi extends HttpApiGroup.make("market")
  .add(instrumentSync)
  .add(instrumentCreate)
  .add(instrumentRetire)
  .add(instrumentList)
  .add(venueList)
  .add(venueCapabilityList)
  .add(orderBookGet)
  .add(orderBookList)
  .add(tickerGet)
  .add(tickerList)
  .add(klineGet)
  .annotate(OpenApi.Title, "Market data")
  .annotate(
    OpenApi.Description,
    "Venues, instruments, order books, tickers and klines. Live updates come over the WebSocket.",
  ) {}

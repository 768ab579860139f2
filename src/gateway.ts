/**
 * The composition root: every part of the gateway, in the order in which it comes to life; the scope ends them in reverse. Reads as a
 * parts list: nothing is decided here.
 */
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Runtime, Schedule, type Scope } from "effect"
import { AccountDirectory } from "./actors/account-directory.ts"
import { TradingAccounts } from "./actors/account-messages.ts"
import { Dealers } from "./actors/dealer-messages.ts"
import { InstrumentDirectory } from "./actors/instrument-directory.ts"
import { Markets } from "./actors/market-messages.ts"
import { MarketsLive } from "./actors/markets.ts"
import { TradingAccountsLive } from "./actors/trading-accounts.ts"
import { credentialLayers, missingKids } from "./auth/credential-vault.ts"
import { type Keys, loadKeys } from "./auth/keys.ts"
import { Sessions, sessionsLayer } from "./auth/sessions.ts"
import { InvalidSetting, type Settings } from "./config.ts"
import { OrderLimitsInForce } from "./domain/order-limits.ts"
import { Api, SERVICE } from "./http/api.ts"
import { keepAnswers } from "./http/idempotency.ts"
import { makeHandlers } from "./http/make-handlers.ts"
import { refreshInstruments } from "./http/market/instrument-refresh.ts"
import { type InstrumentSync, makeInstrumentSync } from "./http/market/instrument-sync.ts"
import { mount } from "./http/mount.ts"
import { type RealtimeDocuments, referencePages } from "./http/reference.ts"
import { openRequestLog, type RequestLog } from "./http/request-log.ts"
import { rpcMethods } from "./http/rpc-methods.ts"
import { type HttpServer, type ListeningServer, makeServer } from "./http/server.ts"
import type { TransportRefused } from "./http/transport.ts"
import { makeUpgradeScreen } from "./http/upgrade.ts"
import { makeVenueGate } from "./http/venue-gate.ts"
import { clockLive, failpointLive, idsLive, placementLive, requestIds, writtenPlaces } from "./live.ts"
import { dealerMetrics } from "./metrics/dealer-metrics.ts"
import { ledgerMetrics } from "./metrics/ledger-metrics.ts"
import { serveMetrics } from "./metrics/metrics-server.ts"
import { makeServiceMetrics } from "./metrics/service-metrics.ts"
import { venueMetrics } from "./metrics/venue-metrics.ts"
import {
  createInstrument,
  dealersLayer,
  fillDealers,
  internalVenueLayer,
  keepMirrors,
  moneyDesks,
  moneyRepositories,
  moneyStores,
} from "./money.ts"
import { ChannelPort } from "./ports/channel-port.ts"
import { Clock } from "./ports/clock.ts"
import { Failpoint } from "./ports/failpoint.ts"
import { LedgerWatch } from "./ports/ledger-watch.ts"
import type { Rpc } from "./ports/rpc.ts"
import { VenuePort } from "./ports/venue-port.ts"
import { accountStoreLayer, Writer } from "./store/account-store-sql.ts"
import { Accounts } from "./store/accounts.ts"
import { Credentials } from "./store/credentials.ts"
import { embeddedPostgres } from "./store/embedded.ts"
import { IdempotentAnswers } from "./store/idempotent-answers.ts"
import { Instruments } from "./store/instruments.ts"
import { ownDatabase } from "./store/node.ts"
import { maintainPartitions } from "./store/partitions.ts"
import { SessionRows } from "./store/sessions.ts"
import { checkDurability, migrate, SqlUnavailable, sqlLayer } from "./store/sql.ts"
import { Subscriptions } from "./store/subscriptions.ts"
import { TradeOrders } from "./store/trade-orders.ts"
import { Users } from "./store/users.ts"
import { ccxtVenues } from "./venues/ccxt-venue.ts"
import { InternalVenue } from "./venues/internal-venue.ts"
import { MOCK } from "./venues/mock-instruments.ts"
import { mockVenue } from "./venues/mock-venue.ts"
import { PAPER, paperVenue } from "./venues/paper-venue.ts"
import type { VenueAdapter } from "./venues/venue-adapter.ts"
import { venuesLayer } from "./venues/venues.ts"
import { makeAuthority } from "./ws/access.ts"
import { asyncApiDocument } from "./ws/asyncapi.ts"
import type { Authority } from "./ws/authority.ts"
import { type ChannelKinds, channelKinds } from "./ws/channel-kinds.ts"
import { Hub } from "./ws/hub.ts"
import { CHANNELS_MAX } from "./ws/limits.ts"
import { Maps } from "./ws/maps.ts"
import { realtimePage } from "./ws/realtime-page.ts"
import { type SocketServer, serveSockets } from "./ws/server.ts"
import { makeTestProfile } from "./ws/test-profile.ts"

export interface Gateway {
  readonly listening: ListeningServer
  /** Takes nothing new, tells the sockets, lets what runs finish (at most 5 s), stores what waits. */
  readonly drain: Effect.Effect<void>
}

export interface GatewayOptions {
  readonly settings: Settings
  /** A word for the operator, on stderr. */
  readonly notice: (what: string, fields?: Readonly<Record<string, unknown>>) => void
  /** The process owns nothing any more, or lost its database for good: it must end at once. */
  readonly fatal: (reason: string) => void
}

const sqlPromise = <A>(run: () => Promise<A>): Effect.Effect<A, SqlUnavailable> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => (error instanceof SqlUnavailable ? error : new SqlUnavailable({ message: String(error) })),
  })

/** A migrated database of our own, durable, that no other process owns. */
const database = ({ settings, fatal }: GatewayOptions) =>
  Effect.gen(function* () {
    let url = settings.databaseUrl
    if (url === null) {
      const embedded = yield* embeddedPostgres({ dataDir: settings.dataDir })
      let isClosing = false
      yield* Effect.addFinalizer(() => Effect.sync(() => (isClosing = true)))
      void embedded.exited.then(() => {
        if (!isClosing) fatal("the embedded PostgreSQL ended")
      })
      url = embedded.url()
    }
    const opened = url
    const clock = yield* Clock
    yield* sqlPromise(() => checkDurability(opened))
    const prepare = Effect.asVoid(sqlPromise(() => migrate(opened)))
    const owner = yield* ownDatabase(opened, { now: clock.now, prepare })
    void owner.lost.then(fatal)
    return { url: opened, owner }
  })

const ports = (options: GatewayOptions) =>
  Layer.mergeAll(clockLive, idsLive, placementLive, failpointLive(options.settings.failpoint))

const repositories = Layer.mergeAll(
  Users.Default,
  SessionRows.Default,
  Credentials.Default,
  Accounts.Default,
  Instruments.Default,
  Subscriptions.Default,
  IdempotentAnswers.Default,
  TradeOrders.Default,
  moneyRepositories,
)

const directories = Layer.mergeAll(AccountDirectory.Default, InstrumentDirectory.Default)

/** For operators, where a port was given. */
const metrics = (
  { settings, notice }: GatewayOptions,
  parts: { readonly inFlight: () => number; readonly socket: SocketServer; readonly writer: Writer["Type"] },
) =>
  Effect.gen(function* () {
    if (settings.metricsPort === null) return
    const venues = yield* VenuePort
    const markets = yield* Markets
    const accounts = yield* TradingAccounts
    const ledger = yield* LedgerWatch
    const dealers = yield* Dealers
    const service = makeServiceMetrics()
    const port = yield* serveMetrics(settings.metricsPort, () => [
      ...service({
        version: SERVICE.version,
        inFlight: parts.inFlight(),
        sockets: parts.socket.stats(),
        accounts: accounts.stats(),
        writer: parts.writer.stats(),
      }),
      ...venueMetrics({ health: venues.health(), stats: venues.stats(), books: markets.stats() }),
      ...dealerMetrics(dealers.stats()),
      ...ledgerMetrics({ stats: ledger.stats(), health: ledger.health() }),
    ])
    notice("metrics", { url: `http://127.0.0.1:${port}/metrics` })
  })

/** MOCK in the process, the others as ccxt connectors in workers. */
const venues = ({ settings, notice }: GatewayOptions) =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const { adapter } = yield* mockVenue(settings)
      const internal = (yield* InternalVenue).adapter
      const connectors = yield* ccxtVenues({
        venueRoutes: settings.venueRoutes,
        venuesInactive: settings.venuesInactive,
        proxies: settings.venueProxies,
        shards: settings.venueShards,
        heapMegabytes: settings.venueHeapMegabytes,
        notice: (venue, what) => notice(what, { venue }),
      })
      const listed = yield* withPaper(settings.paperSource, [adapter, internal, ...connectors.venues])
      const known = new Set<string>(listed.map(({ venue }) => venue.venue))
      const named = {
        VENUES_INACTIVE: settings.venuesInactive,
        VENUE_PROXIES: Object.keys(settings.venueProxies),
        VENUE_SHARDS: typeof settings.venueShards === "string" ? [] : Object.keys(settings.venueShards),
      }
      for (const [variable, venues] of Object.entries(named)) {
        const unknown = venues.filter((venue) => venue !== "*" && !known.has(venue))
        if (unknown.length > 0)
          return yield* Effect.fail(new InvalidSetting(`${variable} names no venue of ours: ${unknown.join(", ")}`))
      }
      return venuesLayer(
        listed.map((each) => (settings.venuesInactive.includes(each.venue.venue) ? switchedOff(each) : each)),
        connectors.stats,
      )
    }),
  )

const switchedOff = (adapter: VenueAdapter): VenueAdapter => ({
  ...adapter,
  venue: { ...adapter.venue, status: "INACTIVE" },
})

/** PAPER beside the venue on whose market it trades. */
const withPaper = (name: string | null, adapters: ReadonlyArray<VenueAdapter>) =>
  Effect.gen(function* () {
    if (name === null) return adapters
    const original = adapters.find(({ venue }) => venue.venue === name)
    if (original === undefined)
      return yield* Effect.fail(new InvalidSetting(`PAPER_SOURCE names no venue of ours: ${name}`))
    const { adapter, source } = yield* paperVenue(original)
    return [adapter, ...adapters.map((each) => (each === original ? source : each))]
  })

const channelPort = (hub: Hub) =>
  Layer.succeed(ChannelPort, {
    publish: (publication) => hub.publish(publication.channel, publication),
    isHeard: (channel) => hub.isHeard(channel),
    invalidate: (channel) => hub.invalidate(channel),
    terminate: (channel) => hub.terminate(channel),
    attach: (kind, source) => hub.attach(kind, source),
  })

/** What the actors must know before the first of them wakes. */
const fillDirectories = (keys: Keys) =>
  Effect.gen(function* () {
    const missing = missingKids(keys, yield* (yield* Credentials).kidsInUse)
    if (missing.length > 0)
      return yield* Effect.fail(
        new InvalidSetting(`ENCRYPTION_KEYS lacks the keys that stored credentials need: ${missing.join(", ")}`),
      )
    const accounts = yield* AccountDirectory
    for (const account of yield* (yield* Accounts).loadAccounts) accounts.put(account)
    const instruments = yield* InstrumentDirectory
    instruments.put(yield* (yield* Instruments).all)
  })

const instrumentSync = Effect.gen(function* () {
  const port = yield* VenuePort
  const clock = yield* Clock
  const failpoint = yield* Failpoint
  const { upsert } = yield* Instruments
  const sync = makeInstrumentSync({
    venues: port,
    directory: yield* InstrumentDirectory,
    // Stored, and in nobody's memory yet.
    upsert: (...args) => Effect.tap(upsert(...args), () => failpoint.hit("sync.halfway")),
    now: clock.now,
    monotonic: clock.monotonic,
  })
  // In-process venues are known from the first moment on; the others when they are first asked for.
  for (const venue of port.venues)
    if (venue.inProcess && venue.source === undefined) yield* sync.sync(venue.venue, null)
  return sync
})

/** Lists of instruments are fetched anew while the gateway runs. */
const keepInstruments = ({ settings, notice }: GatewayOptions, sync: InstrumentSync) =>
  Effect.gen(function* () {
    const port = yield* VenuePort
    const { monotonic } = yield* Clock
    const venues = makeVenueGate(port, settings.environment).offered
    const directory = yield* InstrumentDirectory
    yield* Effect.forkScoped(refreshInstruments({ venues, health: port.health, directory, sync, monotonic, notice }))
  })

/** Registrations of order book interest outlive a restart: their feeds open again. */
const holdSubscriptions = Effect.gen(function* () {
  const markets = yield* Markets
  for (const { instrumentId, subscriptionId } of yield* (yield* Subscriptions).active)
    markets.hold(instrumentId, subscriptionId)
})

const handlers = ({ settings }: GatewayOptions, keys: Keys, sync: InstrumentSync, isReady: () => boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.flatMap(createInstrument, (create) =>
      makeHandlers({
        createInstrument: create,
        internalAccountsMax: settings.internalAccountsMax,
        walletsMax: settings.walletsMax,
        environment: settings.environment,
        cursorKey: keys.cursor,
        initialBalances: { [MOCK]: settings.mockBalances, [PAPER]: settings.paperBalances },
        venueSessionsMax: settings.venueSessionsMax,
        sync,
        assetDigits: settings.assetDigits,
        database: sql`SELECT 1`.pipe(
          Effect.timeout("1 second"),
          Effect.as(true),
          Effect.orElseSucceed(() => false),
        ),
        isReady,
      }),
    ),
  )

const accessLog = ({ settings, notice }: GatewayOptions): Effect.Effect<RequestLog | null, never, Scope.Scope> =>
  settings.accessLog
    ? Effect.acquireRelease(
        Effect.sync(() =>
          openRequestLog({
            directory: join(settings.dataDir, "logs"),
            onTrouble: (error) => notice("the access log cannot be written", { error: error.message }),
          }),
        ),
        (log) => Effect.promise(() => log.close()),
      )
    : Effect.succeed(null)

const inChannels = <A>(read: () => A): Effect.Effect<A, InvalidSetting> =>
  Effect.try({
    try: read,
    catch: (error) => new InvalidSetting(`CHANNELS: ${error instanceof Error ? error.message : error}`),
  })

/** Null unless it is on: open channels instead of the gateway's own. */
const testProfile = ({ settings, notice }: GatewayOptions, hub: Hub, node: string) =>
  Effect.gen(function* () {
    const { wsTest, channels: changes } = settings
    if (wsTest === null) return null
    notice("test profile: everybody may connect, subscribe and publish on the socket; for suites of client libraries")
    const { now, monotonic } = yield* Clock
    const { version } = SERVICE
    const onDefect = (error: unknown) => notice("a call of the server API failed", { error: describe(error) })
    const common = { hub, changes, now, monotonic, version, node, onDefect }
    return yield* inChannels(() => makeTestProfile({ ...wsTest, ...common }))
  })

const gatewayAuthority = ({ settings }: GatewayOptions, hub: Hub, kinds: ChannelKinds, sync: InstrumentSync) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const fork = Runtime.runFork(yield* Effect.runtime<never>())
    const gate = makeVenueGate(yield* VenuePort, settings.environment)
    const maps = new Maps(hub, kinds)
    return makeAuthority({
      accounts: yield* AccountDirectory,
      instruments: yield* InstrumentDirectory,
      findVenue: gate.find,
      verify: sessions.verify,
      learnInstruments: (venue, done) => {
        fork(sync.ensure(venue)).addObserver((exit) => done(exit._tag === "Success"))
      },
      kinds,
      source: (kind) => hub.source(kind),
      mapOf: (channel) => maps.of(channel),
    })
  })

const sockets = (
  { settings, notice }: GatewayOptions,
  server: HttpServer,
  hub: Hub,
  authority: Authority,
  log: RequestLog | null,
  requestId: () => string,
  rpc: Rpc,
) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const sessions = yield* Sessions
    return serveSockets({
      app: server.app,
      hub,
      authority,
      rpc,
      version: SERVICE.version,
      now: clock.now,
      monotonic: clock.monotonic,
      channelsMax: CHANNELS_MAX,
      onDefect: (error) => notice("a command on a socket failed", { error: describe(error) }),
      slow: { conflateBytes: settings.wsConflateBytes, ageMillis: settings.wsSlowMillis },
      allowedOrigins: settings.allowedOrigins,
      deflate: settings.wsDeflate,
      screen: makeUpgradeScreen({
        route: "/connection/websocket",
        transport: server.transport,
        requestId,
        now: clock.now,
        log: log === null ? null : log.write,
      }),
      onSessionEnded: sessions.onEnded,
    })
  })

/** How to use the sockets, as they run here. */
const realtimeDocuments = (kinds: ChannelKinds): RealtimeDocuments => {
  const facts = { version: SERVICE.version, kinds, rpcMethods: rpcMethods() }
  return { asyncApi: asyncApiDocument(facts), page: realtimePage(facts) }
}

const drain = (
  server: ListeningServer,
  socket: SocketServer,
  inFlight: () => number,
  writers: ReadonlyArray<{ readonly drain: () => Promise<void> }>,
) =>
  Effect.gen(function* () {
    server.stopAccepting()
    yield* Effect.promise(() => socket.shutdown())
    yield* Effect.suspend(() => (inFlight() === 0 ? Effect.void : Effect.fail("busy"))).pipe(
      Effect.retry(Schedule.spaced("20 millis")),
      Effect.timeout("5 seconds"),
      Effect.ignore,
    )
    yield* Effect.tryPromise(() => Promise.all(writers.map((writer) => writer.drain()))).pipe(
      Effect.timeout("2 seconds"),
      Effect.ignore,
    )
  })

/** Starts everything; ready when it returns. */
export const startGateway = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const { settings, notice, fatal } = options
    const keys = yield* Effect.try({ try: () => loadKeys(settings), catch: (error) => error as InvalidSetting })
    const server = yield* Effect.acquireRelease(
      Effect.try({ try: () => makeServer(settings), catch: (error) => error as TransportRefused }),
      (it) => Effect.sync(it.close),
    )
    if (server.transport.mode === "plain") notice("insecure: plain HTTP, development only")

    const base = yield* Layer.build(ports(options))
    const { url, owner } = yield* database(options).pipe(Effect.provide(base))
    const store = yield* Layer.build(
      accountStoreLayer({
        url,
        nodeId: owner.nodeId,
        epoch: owner.epoch,
        lost: fatal,
        defect: (error) => notice("a callback of the order writer threw", { error: String(error) }),
        warn: notice,
        sent: settings.failpoint === null ? undefined : writtenPlaces(Context.get(base, Failpoint).hit),
      }).pipe(Layer.provideMerge(repositories), Layer.provideMerge(sqlLayer(url)), Layer.provideMerge(directories)),
    ).pipe(Effect.provide(base))
    yield* maintainPartitions(Context.get(base, Clock).now()).pipe(Effect.provide(store))
    yield* Effect.suspend(() => {
      const now = Context.get(base, Clock).now()
      return Effect.zipRight(maintainPartitions(now), Context.get(store, IdempotentAnswers).forgetOld(now))
    }).pipe(
      Effect.catchAll((error) => Effect.logWarning("what is kept for a time only", error)),
      Effect.repeat(Schedule.spaced("1 hour")),
      Effect.delay("1 hour"),
      Effect.provide(store),
      Effect.forkScoped,
    )

    const { hit } = Context.get(base, Failpoint)
    const stored = Context.merge(base, store)
    const money = yield* Layer.build(moneyStores({ ...options, url, owner, hit })).pipe(Effect.provide(stored))
    const filled = Context.merge(stored, money)
    yield* fillDirectories(keys).pipe(Effect.provide(filled))
    const known = Context.merge(filled, yield* Layer.build(internalVenueLayer(options)).pipe(Effect.provide(filled)))
    const auth = yield* Layer.build(Layer.merge(sessionsLayer(settings, keys), credentialLayers(keys))).pipe(
      Effect.provide(known),
    )
    // Under the test profile CHANNELS is about its namespaces.
    const changes = settings.wsTest === null ? settings.channels : null
    const kinds = yield* inChannels(() => channelKinds(settings.wsFlushMillis, changes))
    const hub = new Hub(server.app, Context.get(base, Clock).monotonic)
    const test = yield* testProfile(options, hub, owner.nodeId).pipe(Effect.provide(base))
    const outside = yield* Layer.build(Layer.merge(venues(options), channelPort(hub))).pipe(Effect.provide(known))
    const edges = Context.mergeAll(known, auth, outside, moneyDesks())
    const sync = yield* instrumentSync.pipe(Effect.provide(edges))
    yield* keepInstruments(options, sync).pipe(Effect.provide(edges))
    const actors = yield* Layer.build(TradingAccountsLive.pipe(Layer.provideMerge(MarketsLive))).pipe(
      Effect.provideService(OrderLimitsInForce, settings.rateLimits),
      Effect.provide(edges),
    )
    yield* fillDealers.pipe(Effect.provide(known))
    const traders = Context.merge(edges, actors)
    const dealers = yield* Layer.build(dealersLayer).pipe(
      Effect.provideService(OrderLimitsInForce, settings.rateLimits),
      Effect.provide(traders),
    )
    const all = Context.merge(traders, dealers)
    yield* keepMirrors(options).pipe(Effect.provide(all))
    yield* holdSubscriptions.pipe(Effect.provide(all))

    let isDraining = false
    let isReady = false
    const log = yield* accessLog(options)
    const requestId = requestIds()
    const apiHandlers = yield* handlers(options, keys, sync, () => isReady && !isDraining).pipe(Effect.provide(all))
    const mounted = yield* mount(server.app, Api, apiHandlers, {
      transport: server.transport,
      requestId,
      now: Context.get(base, Clock).now,
      monotonic: Context.get(base, Clock).monotonic,
      log: log === null ? null : log.write,
      onDefect: ({ requestId, route, error }) =>
        notice("a request failed", { requestId, route, error: describe(error) }),
      authenticate: Context.get(auth, Sessions).authenticate,
      isDraining: () => isDraining,
      pages: referencePages(realtimeDocuments(kinds)),
      refine: keepAnswers(Context.get(store, IdempotentAnswers), keys.cursor, Context.get(base, Clock).now),
    })
    yield* Effect.addFinalizer(() => Effect.sync(mounted.close))
    const authority = test?.authority ?? (yield* gatewayAuthority(options, hub, kinds, sync).pipe(Effect.provide(all)))
    const socket = yield* sockets(options, server, hub, authority, log, requestId, mounted.rpc).pipe(
      Effect.provide(all),
    )
    test?.serve(server.app, socket)
    const listening: ListeningServer = yield* server.listen
    isReady = true
    const writer = Context.get(store, Writer)
    yield* metrics(options, { inFlight: mounted.inFlight, socket, writer }).pipe(Effect.provide(all))
    const gateway: Gateway = {
      listening,
      drain: Effect.suspend(() => {
        isDraining = true
        return drain(listening, socket, mounted.inFlight, [writer, Context.get(money, LedgerWatch)])
      }),
    }
    return gateway
  })

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

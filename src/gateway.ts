/**
 * The composition root: every part of the gateway, in the order in which it comes to life; the scope ends them in reverse. Reads as a
 * parts list: nothing is decided here.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schedule } from "effect"
import { AccountDirectory } from "./actors/account-directory.ts"
import { InstrumentDirectory } from "./actors/instrument-directory.ts"
import { MarketsLive } from "./actors/markets.ts"
import { TradingAccountsLive } from "./actors/trading-accounts.ts"
import { credentialLayers, missingKids } from "./auth/credential-vault.ts"
import { type Keys, loadKeys } from "./auth/keys.ts"
import { Sessions } from "./auth/sessions.ts"
import { userActsLayer } from "./auth/user-acts.ts"
import { database } from "./composition/database.ts"
import { metrics } from "./composition/metrics.ts"
import {
  createInstrument,
  dealersLayer,
  fillDealers,
  internalVenueLayer,
  keepMirrors,
  moneyDesks,
  moneyRepositories,
  moneyStores,
} from "./composition/money.ts"
import { describe, type GatewayOptions } from "./composition/options.ts"
import { accessLog, auditLog } from "./composition/request-logs.ts"
import { securityLog } from "./composition/security-log.ts"
import {
  channelPort,
  gatewayAuthority,
  inChannels,
  realtimeDocuments,
  sockets,
  testProfile,
} from "./composition/sockets.ts"
import { telemetry } from "./composition/telemetry.ts"
import { mails } from "./composition/users.ts"
import { holdSubscriptions, instrumentSync, keepInstruments, venues } from "./composition/venues.ts"
import { OrderLimitsInForce } from "./domain/order-limits.ts"
import { Api } from "./http/api.ts"
import { keepAnswers } from "./http/idempotency.ts"
import { makeHandlers } from "./http/make-handlers.ts"
import type { InstrumentSync } from "./http/market/instrument-sync.ts"
import { mount } from "./http/mount.ts"
import { referencePages } from "./http/reference.ts"
import { watchRequests } from "./http/request-watch.ts"
import { type ListeningServer, makeServer } from "./http/server.ts"
import type { TransportRefused } from "./http/transport.ts"
import { clockLive, failpointLive, idsLive, metersLive, placementLive, requestIds, writtenPlaces } from "./live.ts"
import { Clock } from "./ports/clock.ts"
import { Failpoint } from "./ports/failpoint.ts"
import { LedgerWatch } from "./ports/ledger-watch.ts"
import { Meters } from "./ports/meters.ts"
import { SecurityLog } from "./ports/security-log.ts"
import { Telemetry } from "./ports/telemetry.ts"
import { InvalidSetting } from "./settings/environment.ts"
import { accountStoreLayer, Writer } from "./store/account-store-sql.ts"
import { Accounts } from "./store/accounts.ts"
import { Credentials } from "./store/credentials.ts"
import { IdempotentAnswers } from "./store/idempotent-answers.ts"
import { Instruments } from "./store/instruments.ts"
import { maintainPartitions } from "./store/partitions.ts"
import { SessionRows } from "./store/sessions.ts"
import { sqlLayer } from "./store/sql.ts"
import { Subscriptions } from "./store/subscriptions.ts"
import { TradeOrders } from "./store/trade-orders.ts"
import { Users } from "./store/users.ts"
import { MOCK } from "./venues/mock-instruments.ts"
import { PAPER } from "./venues/paper-venue.ts"
import { channelKinds } from "./ws/channel-kinds.ts"
import { Hub } from "./ws/hub.ts"
import type { SocketServer } from "./ws/server.ts"
import { SocketMeters } from "./ws/socket-meters.ts"

export interface Gateway {
  readonly listening: ListeningServer
  /** Takes nothing new, tells the sockets, lets what runs finish (at most 5 s), stores what waits. */
  readonly drain: Effect.Effect<void>
}

const ports = (options: GatewayOptions) =>
  Layer.mergeAll(clockLive, idsLive, placementLive, failpointLive(options.settings.failpoint), metersLive)

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

    const base = yield* Layer.build(telemetry(options).pipe(Layer.provideMerge(ports(options))))
    const meters = Context.get(base, Meters)
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
    const audited = yield* Layer.build(securityLog(options)).pipe(Effect.provide(base))
    const internal = yield* Layer.build(internalVenueLayer(options)).pipe(Effect.provide(filled))
    const known = Context.mergeAll(filled, audited, internal)
    const audit = yield* auditLog(options).pipe(Effect.provide(base))
    const auth = yield* Layer.build(Layer.merge(userActsLayer({ settings, keys, audit }), credentialLayers(keys))).pipe(
      Effect.provide(known),
    )
    yield* mails(options).pipe(Effect.provide(Context.merge(known, auth)))
    // Under the test profile CHANNELS is about its namespaces.
    const changes = settings.wsTest === null ? settings.channels : null
    const kinds = yield* inChannels(() => channelKinds(settings.wsFlushMillis, changes))
    const hub = new Hub(server.app, Context.get(base, Clock).monotonic, new SocketMeters(meters))
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
    const log = yield* accessLog(options).pipe(Effect.provide(base))
    const watch = watchRequests(
      meters,
      Context.get(audited, SecurityLog),
      Context.get(base, Telemetry),
      options.log.debug,
    )
    const requestId = requestIds()
    const apiHandlers = yield* handlers(options, keys, sync, () => isReady && !isDraining).pipe(Effect.provide(all))
    const mounted = yield* mount(server.app, Api, apiHandlers, {
      transport: server.transport,
      requestId,
      now: Context.get(base, Clock).now,
      monotonic: Context.get(base, Clock).monotonic,
      log,
      watch,
      onDefect: ({ requestId, route, error }) =>
        notice("a request failed", { requestId, route, error: describe(error) }),
      authenticate: Context.get(auth, Sessions).authenticate,
      isDraining: () => isDraining,
      pages: referencePages(realtimeDocuments(kinds)),
      refine: keepAnswers(Context.get(store, IdempotentAnswers), keys.cursor, Context.get(base, Clock).now),
    })
    yield* Effect.addFinalizer(() => Effect.sync(mounted.close))
    const authority = test?.authority ?? (yield* gatewayAuthority(options, hub, kinds, sync).pipe(Effect.provide(all)))
    const socket = yield* sockets(options, server, hub, authority, log, watch, requestId, mounted.rpc).pipe(
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

/**
 * The composition root: every part of the gateway, in the order in which it starts; the scope ends them in reverse. Reads as a parts list:
 * nothing is decided here.
 */
import { Context, Effect, Layer } from "effect"
import { TradingAccountsLive } from "./actors/account/accounts.ts"
import { AccountDirectory } from "./actors/account/directory.ts"
import { InstrumentDirectory } from "./actors/market/instrument-directory.ts"
import { marketsLayer } from "./actors/market/markets.ts"
import { keeperLayer, vaultLayer } from "./auth/keys/credential-vault.ts"
import { type Keys, loadKeys } from "./auth/keys/keys.ts"
import { Sessions } from "./auth/session/sessions.ts"
import { Speakers } from "./auth/session/speakers.ts"
import { tradingModeLayer } from "./auth/session/trading-mode-switch.ts"
import { UserActs, userActsLayer } from "./auth/user/user-acts.ts"
import { makeCrowd } from "./composition/crowd.ts"
import { database, keepJournal } from "./composition/database.ts"
import { keepKeys, registerKeys } from "./composition/keys.ts"
import { orderRatesOf, requestLimiter, signInLimits, socketLimits } from "./composition/limits.ts"
import { auditedActs, auditTrail, watching } from "./composition/logs.ts"
import {
  dealersLayer,
  fillDealers,
  internalVenueLayer,
  keepBooks,
  keepMirrors,
  moneyDesks,
  moneyRepositories,
  moneyStores,
} from "./composition/money.ts"
import { type Core, type CorePlace, type Gateway, startNode } from "./composition/node.ts"
import { healthProbes, metrics, metricsPort, telemetry, watchLoop } from "./composition/observability.ts"
import { describe, type GatewayOptions } from "./composition/options.ts"
import { makeShutdown } from "./composition/shutdown.ts"
import {
  channelPort,
  edgesOf,
  gatewayAuthority,
  inChannels,
  realtimeDocuments,
  SOCKET_PATH,
  sockets,
  testProfile,
} from "./composition/sockets.ts"
import { type Beginning, looseModes, startChecks } from "./composition/start-checks.ts"
import { keepCertificate, plainPort } from "./composition/tls.ts"
import { mails } from "./composition/users.ts"
import {
  holdSubscriptions,
  instrumentSync,
  keepInstruments,
  ownMarkets,
  tellWithoutOptIn,
  tryVenues,
  venues,
} from "./composition/venues.ts"
import type { TenantId } from "./domain/ids.ts"
import { OrderRatesInForce } from "./domain/order/rates.ts"
import { BUILD } from "./foundation/build.ts"
import { watchLoopDelay } from "./foundation/loop-delay.ts"
import { Api, SERVICE } from "./http/api.ts"
import { CONSOLE_PATH, consolePages } from "./http/console/pages.ts"
import { referencePages } from "./http/docs/reference.ts"
import { mount } from "./http/edge/mount.ts"
import { type ListeningServer, makeServer } from "./http/edge/server.ts"
import type { TransportRefused } from "./http/edge/transport.ts"
import { keepAnswers } from "./http/limits/idempotency.ts"
import { type HandlerOptions, makeHandlers } from "./http/make-handlers.ts"
import type { InstrumentSync } from "./http/market/instrument-sync.ts"
import { jwksPage } from "./http/session/handlers.ts"
import { keepLoop, LoopBoard, Loops } from "./kernel/loop.ts"
import { clockLive, failpointLive, idsLive, metersLive, placementLive, writtenPlaces } from "./live.ts"
import { Clock } from "./ports/clock.ts"
import { Failpoint } from "./ports/failpoint.ts"
import { LedgerWatch } from "./ports/ledger-port.ts"
import { Meters } from "./ports/meters.ts"
import { InvalidSetting } from "./settings/environment.ts"
import { AuditRows } from "./store/audit/list.ts"
import { forgetQuotes } from "./store/dealers/dealers.ts"
import { IdempotentAnswers } from "./store/idempotent-answers.ts"
import { Instruments } from "./store/market/instruments.ts"
import { TradingModes } from "./store/market/trading-modes.ts"
import { accountStoreLayer, Writer } from "./store/orders/account-store-sql.ts"
import { Accounts } from "./store/orders/accounts.ts"
import { archiveRound } from "./store/orders/archive.ts"
import { OrderStories } from "./store/orders/order-story.ts"
import type { OrderWriter } from "./store/orders/order-writer.ts"
import { RefusedSubmits } from "./store/orders/refused-submits.ts"
import { Subscriptions } from "./store/orders/subscriptions.ts"
import { TradeOrders } from "./store/orders/trade-orders.ts"
import { NewsBell } from "./store/postgres/news-bell.ts"
import { NodeKeys } from "./store/postgres/node-keys.ts"
import { sqlLayer } from "./store/postgres/sql.ts"
import { Patience, REQUEST_PATIENCE_MILLIS } from "./store/postgres/storage-failure.ts"
import { Credentials } from "./store/users/credentials.ts"
import { SealedRows } from "./store/users/sealed-rows.ts"
import { SessionRows } from "./store/users/sessions.ts"
import { Users } from "./store/users/users.ts"
import { MOCK } from "./venues/mock/instruments.ts"
import { PAPER } from "./venues/paper/venue.ts"
import { channelKinds } from "./ws/channels/kinds.ts"
import { Hub, SocketMeters } from "./ws/fanout/hub.ts"

const ports = (options: GatewayOptions) =>
  Layer.mergeAll(clockLive, idsLive, placementLive, failpointLive(options.settings.failpoint), metersLive)

const repositories = Layer.mergeAll(
  Users.Default,
  SessionRows.Default,
  Credentials.Default,
  SealedRows.Default,
  NodeKeys.Default,
  Accounts.Default,
  Instruments.Default,
  Subscriptions.Default,
  AuditRows.Default,
  OrderStories.Default,
  RefusedSubmits.Default,
  IdempotentAnswers.Default,
  TradeOrders.Default,
  TradingModes.Default,
  moneyRepositories,
)

const directories = Layer.mergeAll(AccountDirectory.Default, InstrumentDirectory.Default)

/** What the actors must know before the first of them wakes. */
const fillDirectories = ({ settings }: GatewayOptions) =>
  Effect.gen(function* () {
    const accounts = yield* AccountDirectory
    for (const account of yield* (yield* Accounts).loadAccounts) accounts.put(account)
    const instruments = yield* InstrumentDirectory
    const stored = yield* Instruments
    const claimed = yield* stored.claim(settings.defaultTenantId as TenantId)
    if (claimed === null)
      return yield* Effect.fail(
        new InvalidSetting(
          `DEFAULT_TENANT_ID must be an existing tenant, not "${settings.defaultTenantId}": the INTERNAL markets are assigned to it`,
        ),
      )
    if (claimed > 0)
      yield* Effect.logInfo("markets of INTERNAL belong to a tenant", { claimed, tenantId: settings.defaultTenantId })
    instruments.put(yield* stored.all)
  })

/** What the owner makes and reads when it begins, as far as that changes nothing. */
const tryParts = (options: GatewayOptions, url: string) =>
  Effect.gen(function* () {
    yield* tryVenues(options)
    const stored = yield* Layer.build(repositories.pipe(Layer.provideMerge(sqlLayer(url))))
    yield* Context.get(stored, Accounts).loadAccounts
    yield* Context.get(stored, Instruments).all
    yield* Context.get(stored, Subscriptions).active
  })

const handlers = ({ settings }: GatewayOptions, keys: Keys, sync: InstrumentSync, health: HandlerOptions["health"]) =>
  Effect.flatMap(ownMarkets(settings), (markets) =>
    makeHandlers({
      ownMarkets: markets,
      accountsMax: settings.accountsMax,
      internalAccountsMax: settings.internalAccountsMax,
      walletsMax: settings.walletsMax,
      environment: settings.environment,
      defaultTenantId: settings.defaultTenantId,
      cursorKeys: () => keys.cursors,
      initialBalances: { [MOCK]: settings.mockBalances, [PAPER]: settings.paperBalances },
      venueSessionsMax: settings.venueSessionsMax,
      sync,
      assetDigits: settings.assetDigits,
      allowedOrigins: settings.allowedOrigins,
      console: {
        mode: settings.sessions.console,
        idleMillis: settings.sessions.idleMillis,
        admins: settings.sessions.admins,
      },
      health,
    }),
  )

/** Transport, keys and the ports of this process. */
const begin = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const { settings, notice } = options
    const server = yield* Effect.acquireRelease(
      Effect.try({ try: () => makeServer(settings), catch: (error) => error as TransportRefused }),
      (it) => Effect.sync(it.close),
    )
    yield* startChecks(options)
    const keys = yield* Effect.try({ try: () => loadKeys(settings), catch: (error) => error as InvalidSetting })
    for (const words of [...settings.retired, ...looseModes(settings.dataDir)]) notice(words)
    notice(
      "the gateway starts",
      {
        ...BUILD,
        interface: SERVICE.version,
        node: process.version,
        environment: settings.environment,
        production: settings.production,
        transport: server.transport.mode,
        signup: settings.signup,
        database: settings.databaseUrl === null ? `embedded, in ${settings.dataDir}` : "DATABASE_URL",
      },
      "info",
    )
    if (server.transport.mode === "plain") notice("insecure: plain HTTP, development only")

    const base = yield* Layer.build(telemetry(options).pipe(Layer.provideMerge(ports(options))))
    yield* watchLoop(options, Context.get(base, Clock).monotonic)
    const beginning: Beginning = { server, keys, base }
    return beginning
  })

/** All that does the API's operations, of a process that owns the database. */
const startCore = (options: GatewayOptions, { server, keys, base, url, owner, ...place }: CorePlace) =>
  Effect.gen(function* () {
    const { settings, notice, fatal } = options
    const { log, watch, requestId, security } = place.watching
    const meters = Context.get(base, Meters)
    const { monotonic } = Context.get(base, Clock)
    const shutdown = makeShutdown(options, monotonic)
    let writing: Pick<OrderWriter, "pressure" | "behindMillis"> = { pressure: () => "calm", behindMillis: () => 0 }
    const crowd = makeCrowd(
      () => writing.pressure() === "full",
      () => writing.behindMillis(),
      monotonic,
    )
    const store = yield* Layer.build(
      accountStoreLayer({
        url,
        nodeId: owner.nodeId,
        epoch: owner.epoch,
        areCallsHeld: () => place.cluster !== undefined && crowd.areCallsHeld(),
        lost: fatal,
        defect: (error) => notice("a callback of the order writer threw", { error: String(error) }, "error"),
        warn: notice,
        sent: settings.failpoint === null ? undefined : writtenPlaces(Context.get(base, Failpoint).hit),
      }).pipe(
        Layer.provideMerge(repositories),
        Layer.provideMerge(sqlLayer(url, { enter: owner.enter })),
        Layer.provideMerge(directories),
      ),
    ).pipe(Effect.provide(base))
    yield* keepJournal(Context.get(base, Clock).now, settings.retention.eventDays).pipe(Effect.provide(store))
    const forget = Effect.suspend(() => {
      const now = Context.get(base, Clock).now()
      const answers = Context.get(store, IdempotentAnswers).forgetOld(now, settings.retention.answerDays)
      return Effect.zipRight(answers, forgetQuotes(now, settings.retention.quoteDays)).pipe(Effect.provide(store))
    })
    yield* keepLoop({ name: "old answers and quotes", pause: "1 hour", round: forget })
    const { orderDays } = settings.retention
    if (orderDays !== null) {
      const round = archiveRound(Context.get(base, Clock).now, orderDays).pipe(Effect.provide(store))
      yield* keepLoop({ name: "archive of ended orders", pause: "1 hour", round })
    }
    const refused = Context.get(store, RefusedSubmits)
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(refused.write, "1 second")))
    const keepRefused = Effect.suspend(() => refused.keep(Context.get(base, Clock).now()))
    yield* keepLoop({ name: "refused submits", awaits: refused.awaitDue, round: keepRefused })

    const { hit } = Context.get(base, Failpoint)
    const stored = Context.merge(base, store).pipe(Context.add(NewsBell, owner.bell))
    const money = yield* Layer.build(moneyStores({ ...options, url, owner, hit })).pipe(Effect.provide(stored))
    const filled = Context.merge(stored, money)
    const watched = Context.merge(filled, security)
    const audit = yield* auditTrail(options, keys).pipe(Effect.provide(watched))
    const audited = Context.merge(watched, yield* Layer.build(auditedActs(audit)).pipe(Effect.provide(watched)))
    yield* registerKeys(keys, options.settings, owner).pipe(Effect.provide(audited))
    yield* fillDirectories(options).pipe(Effect.provide(audited))
    const internal = yield* Layer.build(internalVenueLayer(options)).pipe(Effect.provide(audited))
    const known = Context.merge(audited, internal)
    const parts = { settings, keys, audit, notice }
    const auth = yield* Layer.build(
      Layer.mergeAll(userActsLayer(parts), tradingModeLayer(parts), keeperLayer(keys)),
    ).pipe(Effect.provide(known))
    yield* mails(options).pipe(Effect.provide(Context.merge(known, auth)))
    const certificate = yield* keepCertificate(options, server, audit).pipe(Effect.provide(base))
    const sealing = yield* keepKeys(options, keys, audit, owner).pipe(Effect.provide(Context.merge(known, auth)))
    // Under the test profile CHANNELS is about its namespaces.
    const changes = settings.wsTest === null ? settings.channels : null
    const kinds = yield* inChannels(() => channelKinds(settings.wsFlushMillis, changes))
    const hub = new Hub(server.app, Context.get(base, Clock).monotonic, new SocketMeters(meters))
    const test = yield* testProfile(options, hub, owner.nodeId).pipe(Effect.provide(base))
    const outside = yield* Layer.build(Layer.merge(venues(options, owner.shared), channelPort(hub))).pipe(
      Effect.provide(known),
    )
    const vault = yield* Layer.build(vaultLayer(keys)).pipe(Effect.provide(Context.merge(known, outside)))
    const edges = Context.mergeAll(known, auth, outside, vault, moneyDesks())
    const markets = Context.merge(edges, yield* Layer.build(marketsLayer(settings)).pipe(Effect.provide(edges)))
    const sync = yield* instrumentSync(options).pipe(Effect.provide(markets))
    yield* keepInstruments(options, sync).pipe(Effect.provide(edges))
    yield* tellWithoutOptIn(options).pipe(Effect.provide(edges))
    const orders = orderRatesOf(options)
    const actors = yield* Layer.build(TradingAccountsLive).pipe(
      Effect.provideService(OrderRatesInForce, orders),
      Effect.provide(markets),
    )
    yield* fillDealers.pipe(Effect.provide(known))
    const traders = Context.merge(markets, actors)
    const dealers = yield* Layer.build(dealersLayer).pipe(
      Effect.provideService(OrderRatesInForce, orders),
      Effect.provide(traders),
    )
    const all = Context.merge(traders, dealers)
    yield* keepMirrors(options).pipe(Effect.provide(all))
    yield* keepBooks(options).pipe(Effect.provide(all))
    yield* holdSubscriptions.pipe(Effect.provide(all))

    const isOwner = owner.mayAct
    writing = Context.get(store, Writer)
    const isCrowded = (leftMillis: number) => place.cluster !== undefined && crowd.isCrowded(leftMillis)
    const holdsBack = (leftMillis: number) =>
      shutdown.isDraining() ? "leaving" : isCrowded(leftMillis) ? "crowded" : undefined
    const { probes, record } = yield* healthProbes(options, url, isOwner, shutdown.isReady, place.cluster).pipe(
      Effect.provide(base),
    )
    const apiHandlers = yield* handlers(options, keys, sync, probes).pipe(Effect.provide(all))
    const limiter = yield* requestLimiter(options, orders).pipe(Effect.provide(all))
    const limitSignIns = yield* signInLimits(options, audit, limiter).pipe(Effect.provide(all))
    const keep = keepAnswers(
      Context.get(store, IdempotentAnswers),
      () => keys.fingerprints,
      Context.get(base, Clock).now,
    )
    const console = consolePages(settings.sessions.console)
    const mounted = yield* mount(server.app, Api, apiHandlers, {
      transport: server.transport,
      requestId,
      now: Context.get(base, Clock).now,
      monotonic: Context.get(base, Clock).monotonic,
      log,
      watch,
      onDefect: ({ what = "a request failed", requestId, route, error }) =>
        notice(what, { requestId, route, error: describe(error) }, "error"),
      authenticate: Context.get(auth, Speakers).authenticate,
      isDraining: shutdown.isDraining,
      isCrowded,
      mayAct: isOwner,
      freshMillis: settings.sessions.freshMillis,
      limiter,
      pages: [...console, ...referencePages(realtimeDocuments(kinds)), jwksPage(Context.get(auth, Sessions).jwks)],
      front: console.length === 0 ? null : CONSOLE_PATH,
      socketPath: SOCKET_PATH,
      refine: (route) => keep(limitSignIns(route)),
    }).pipe(Effect.provideService(Patience, REQUEST_PATIENCE_MILLIS))
    yield* Effect.addFinalizer(() => Effect.sync(mounted.close))
    const authority = test?.authority ?? (yield* gatewayAuthority(options, hub, kinds, sync).pipe(Effect.provide(all)))
    const perSocket = socketLimits(options, limiter)
    place.takeSockets()
    const socket = yield* sockets(
      options,
      server,
      hub,
      authority,
      log,
      watch,
      requestId,
      mounted.rpc,
      perSocket,
      shutdown.isLeaving,
    ).pipe(Effect.provide(all))
    test?.serve(server.app, socket)
    const listening: ListeningServer = yield* place.listen
    shutdown.serves()
    const writer = Context.get(store, Writer)
    const { inFlight, takePeerCall } = mounted
    const figures = { inFlight, socket, writer, keys, sealing, certificate: certificate.figures }
    yield* metrics(figures).pipe(Effect.provide(all))
    const writers = [writer, Context.get(money, LedgerWatch)]
    const drain = shutdown.drain({ server: listening, socket, inFlight, writers, handOver: place.handOver })
    const setupToken = Context.get(auth, UserActs).setupToken.show()
    watchLoopDelay().restart()
    const hasConsole = console.length > 0
    const renewCertificate = certificate.renew
    const serveEdges = yield* edgesOf(hub, kinds, authority, mounted.rpc, holdsBack).pipe(Effect.provide(all))
    const doors = { takePeerCall, serveEdges }
    const core: Core = { listening, hasConsole, setupToken, renewCertificate, drain, ...doors, health: record }
    return core
  })

/** Starts everything; it serves when it returns. */
export const startGateway = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const { cluster, databaseUrl } = options.settings
    const beginning = yield* begin(options)
    const { base, server } = beginning
    const brokerUrl = cluster?.brokerUrl ?? null
    if (cluster !== null && brokerUrl !== null && databaseUrl !== null) {
      const node: Gateway = yield* startNode(
        options,
        beginning,
        { url: databaseUrl, cluster, brokerUrl },
        (place) => startCore(options, place),
        tryParts(options, databaseUrl),
      )
      return node
    }
    const { url, owner } = yield* database(options).pipe(Effect.provide(base))
    const heard = yield* watching(options).pipe(Effect.provide(base))
    const { log, watch, requestId } = heard
    const listen = Effect.zipLeft(server.listen, plainPort(options, log, watch, requestId)).pipe(Effect.provide(base))
    const core = yield* startCore(options, {
      ...beginning,
      url,
      owner,
      watching: heard,
      cluster: undefined,
      takeSockets: () => {},
      handOver: undefined,
      listen,
    })
    yield* metricsPort(options, core.health).pipe(Effect.provide(base))
    const gateway: Gateway = core
    return gateway
  }).pipe(
    // Nothing reads Effect's own spans; spans for a collector are made by hand (ports/telemetry). Each SQL statement would make one.
    Effect.withTracerEnabled(false),
    Effect.provideServiceEffect(
      Loops,
      Effect.sync(() => new LoopBoard()),
    ),
  )

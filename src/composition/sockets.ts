/** The WebSocket side of the composition root: channels, who may subscribe, and the server of the sockets. */
import { Effect, Layer, Runtime } from "effect"
import { AccountDirectory } from "../actors/account/directory.ts"
import { DealerDirectory } from "../actors/dealer/directory.ts"
import { InstrumentDirectory } from "../actors/market/instrument-directory.ts"
import { Speakers } from "../auth/session/speakers.ts"
import { ShuttingDown } from "../domain/errors/service.ts"
import { SERVICE } from "../http/api.ts"
import { NAVIGATION_STYLE, navigation, PAGE_STYLE } from "../http/docs/pages.ts"
import type { RealtimeDocuments } from "../http/docs/reference.ts"
import type { HttpServer } from "../http/edge/server.ts"
import { makeUpgradeScreen } from "../http/edge/upgrade.ts"
import type { InstrumentSync } from "../http/market/instrument-sync.ts"
import { rpcMethods, waitsAsCall } from "../http/rpc/rpc.ts"
import { makeVenueGate } from "../http/venue-gate.ts"
import type { AccessLog } from "../http/watch/request-log.ts"
import type { RequestWatch } from "../http/watch/request-watch.ts"
import type { CableService, NotTakenReason } from "../ports/cable.ts"
import { ChannelPort } from "../ports/channel-port.ts"
import { Clock } from "../ports/clock.ts"
import type { Rpc } from "../ports/rpc.ts"
import { SecurityLog } from "../ports/security-log.ts"
import { VenuePort } from "../ports/venue-port.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { makeAuthority } from "../ws/channels/access.ts"
import type { Authority } from "../ws/channels/authority.ts"
import type { ChannelKinds } from "../ws/channels/kinds.ts"
import { CHANNELS_MAX, type SocketLimits } from "../ws/connection/client.ts"
import { asyncApiDocument } from "../ws/docs/asyncapi.ts"
import { realtimePage } from "../ws/docs/realtime-page.ts"
import type { Hub } from "../ws/fanout/hub.ts"
import { Maps } from "../ws/maps/maps.ts"
import { openOwnerSockets } from "../ws/mirrors/open.ts"
import { serveSockets } from "../ws/server.ts"
import { makeTestProfile } from "../ws/test-profile/profile.ts"
import { describe, type GatewayOptions } from "./options.ts"

export const SOCKET_PATH = "/connection/websocket"

export const channelPort = (hub: Hub) =>
  Layer.succeed(ChannelPort, {
    publish: (publication) => hub.publish(publication.channel, publication),
    isHeard: (channel) => hub.isHeard(channel),
    invalidate: (channel) => hub.invalidate(channel),
    terminate: (channel, how) => hub.terminate(channel, how),
    attach: (kind, source) => hub.attach(kind, source),
  })

export const inChannels = <A>(read: () => A): Effect.Effect<A, InvalidSetting> =>
  Effect.try({
    try: read,
    catch: (error) => new InvalidSetting(`CHANNELS: ${error instanceof Error ? error.message : error}`),
  })

/** Null unless it is on: open channels instead of the gateway's own. */
export const testProfile = ({ settings, notice }: GatewayOptions, hub: Hub, node: string) =>
  Effect.gen(function* () {
    const { wsTest, channels: changes } = settings
    if (wsTest === null) return null
    notice("test profile: any client may connect, subscribe and publish; for the test suites of client libraries")
    const { now, monotonic } = yield* Clock
    const { version } = SERVICE
    const onDefect = (error: unknown) => notice("a call of the server API failed", { error: describe(error) }, "error")
    const common = { hub, changes, now, monotonic, version, node, onDefect }
    return yield* inChannels(() => makeTestProfile({ ...wsTest, ...common }))
  })

export const gatewayAuthority = ({ settings }: GatewayOptions, hub: Hub, kinds: ChannelKinds, sync: InstrumentSync) =>
  Effect.gen(function* () {
    const speakers = yield* Speakers
    const fork = Runtime.runFork(yield* Effect.runtime<never>())
    const gate = makeVenueGate(yield* VenuePort, settings.environment)
    const maps = new Maps(hub, kinds)
    return makeAuthority({
      accounts: yield* AccountDirectory,
      dealers: yield* DealerDirectory,
      instruments: yield* InstrumentDirectory,
      findVenue: gate.find,
      verify: speakers.verify,
      isOpenTo: (venue, principal) => gate.closedTo(venue, principal) === undefined,
      allows: speakers.allows,
      learnInstruments: (venue, done) => {
        fork(sync.ensure(venue)).addObserver((exit) => done(exit._tag === "Success"))
      },
      kinds,
      source: (kind) => hub.source(kind),
      mapOf: (channel) => maps.of(channel),
    })
  })

export const sockets = (
  { settings, notice }: GatewayOptions,
  server: HttpServer,
  hub: Hub,
  authority: Authority,
  log: AccessLog | null,
  watch: RequestWatch,
  requestId: () => string,
  rpc: Rpc,
  limits: SocketLimits | null,
  isLeaving: () => boolean,
) =>
  Effect.gen(function* () {
    const clock = yield* Clock
    const screen = makeUpgradeScreen({
      route: SOCKET_PATH,
      transport: server.transport,
      requestId,
      now: clock.now,
      log,
      watch,
    })
    const speakers = yield* Speakers
    const dealers = yield* DealerDirectory
    const security = yield* SecurityLog
    return serveSockets({
      app: server.app,
      hub,
      authority,
      rpc,
      version: SERVICE.version,
      now: clock.now,
      monotonic: clock.monotonic,
      channelsMax: settings.rateLimits?.socketChannels ?? CHANNELS_MAX,
      limits: settings.wsTest === null ? limits : null,
      onDefect: (error) => notice("a command on a socket failed", { error: describe(error) }, "error"),
      slow: { conflateBytes: settings.wsConflateBytes, ageMillis: settings.wsSlowMillis },
      allowedOrigins: settings.allowedOrigins,
      deflate: settings.wsDeflate,
      screen: (res, req, isOriginAllowed, admit) =>
        screen(res, req, isOriginAllowed, (ip) => (isLeaving() ? new ShuttingDown() : admit(ip))),
      security: (event, facts) => security.tell(event, "warn", { route: SOCKET_PATH, ...facts }),
      onSpeakerEnded: speakers.onEnded,
      onSpeakerRenewed: speakers.onRenewed,
      onOperatorGone: dealers.onOperatorGone,
    })
  })

/** What the sockets of other nodes ask of the owner. */
export const edgesOf = (
  hub: Hub,
  kinds: ChannelKinds,
  authority: Authority,
  rpc: Rpc,
  holdsBack: (leftMillis: number) => NotTakenReason | undefined,
) =>
  Effect.gen(function* () {
    const { monotonic } = yield* Clock
    const speakers = yield* Speakers
    const dealers = yield* DealerDirectory
    return (cable: CableService, term: number, mayAct: () => boolean): (() => void) =>
      openOwnerSockets({
        hub,
        kinds,
        authority,
        rpc,
        cable,
        mayAct,
        holdsBack,
        waitsForOrders: waitsAsCall,
        onSpeakerEnded: speakers.onEnded,
        onSpeakerRenewed: speakers.onRenewed,
        onOperatorGone: dealers.onOperatorGone,
        soon: setImmediate,
        after: (millis, work) => void setTimeout(work, millis).unref(),
        monotonic,
      }).begin(term)
  })

/** How to use the sockets, as they run here. */
export const realtimeDocuments = (kinds: ChannelKinds): RealtimeDocuments => {
  const facts = {
    version: SERVICE.version,
    kinds,
    get rpcMethods() {
      return rpcMethods()
    },
  }
  const site = { html: navigation("/docs/realtime"), style: PAGE_STYLE + NAVIGATION_STYLE }
  return {
    get asyncApi() {
      return asyncApiDocument(facts)
    },
    page: realtimePage(facts, site),
  }
}

/** A real uWebSockets server with the real socket room, over a scripted source of publications and two known users. */

import * as uws from "uWebSockets.js"
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { AccountDirectory } from "../../../src/actors/account/directory.ts"
import { InstrumentDirectory } from "../../../src/actors/market/instrument-directory.ts"
import type { Unseen } from "../../../src/auth/session/unseen.ts"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { ChannelKind } from "../../../src/domain/channel.ts"
import { AccessTokenExpired, InvalidAccessToken } from "../../../src/domain/errors/authentication.ts"
import type { SessionId, TenantId, TradingAccountId, UserId, VenueId } from "../../../src/domain/ids.ts"
import { PLAIN_CAPABILITIES, PROVEN_ORDERS } from "../../../src/domain/instrument/venue-capabilities.ts"
import type { Principal, SpeakerId } from "../../../src/domain/user/user.ts"
import type { ChannelSource, Publication, StreamPosition } from "../../../src/ports/channel-port.ts"
import type { Rpc } from "../../../src/ports/rpc.ts"
import { makeAuthority } from "../../../src/ws/channels/access.ts"
import type { Authority } from "../../../src/ws/channels/authority.ts"
import { type ChannelKinds, channelKinds } from "../../../src/ws/channels/kinds.ts"
import { CHANNELS_MAX, type SocketLimits } from "../../../src/ws/connection/client.ts"
import { Hub } from "../../../src/ws/fanout/hub.ts"
import { Maps } from "../../../src/ws/maps/maps.ts"
import type { Speaking } from "../../../src/ws/mirrors/edge-gate.ts"
import type { EdgeSockets } from "../../../src/ws/mirrors/open.ts"
import { type SocketServer, serveSockets } from "../../../src/ws/server.ts"
import { instrumentOf } from "../records/instruments.ts"

export const VENUE = "MOCK" as VenueId
export const BOOK = "market:orderbook:MOCK:BTC/USDT"

const LIMITS: SocketLimits = {
  commands: { perSecond: 100, burst: 500 },
  perUser: 20,
  perAddress: 50,
  takeAddress: () => undefined,
}

export interface ScriptedStream {
  readonly channel: string
  readonly position: StreamPosition & { epoch: string; offset: number; snapshot: string | null }
  /** With the next offset; answers it. */
  readonly publish: (json: string, more?: Pick<Publication, "tags" | "subject" | "isFinal">) => number
}

export interface TestSockets {
  readonly url: string
  readonly hub: Hub
  readonly server: SocketServer
  readonly accountId: TradingAccountId
  /** What the book's source answers to a newcomer. */
  readonly position: StreamPosition & { offset: number; snapshot: string | null }
  readonly calls: Array<string>
  /** A channel with a stream of its own, apart from `position`; made at the first call. */
  readonly stream: (channel: string) => ScriptedStream
  /** Lets seconds pass for pings, pongs, expiries and histories; only of a server that is `handTurned`. */
  readonly turn: (seconds: number) => void
  /** As `turn`, by less than anything of the server waits for. */
  readonly advance: (millis: number) => void
  /** Publishes on the book with the next offset. */
  readonly publish: (json: string, more?: Pick<Publication, "tags" | "subject" | "isFinal">) => void
  /** Publishes on any channel that is heard. */
  readonly publishOn: (
    channel: string,
    offset: number,
    json: string,
    more?: Pick<Publication, "tags" | "subject" | "isFinal">,
  ) => void
  readonly endSession: (id: string) => void
  /** What a session may do is something else now: the name's permissions, told or not. */
  readonly changeRights: (name: string, permissions: Principal["permissions"], isTold?: boolean) => void
  /** What the owner of channels has, for edges. */
  readonly parts: {
    readonly kinds: ChannelKinds
    readonly authority: Authority
    readonly rpc: Rpc
    readonly onSpeakerEnded: (listener: (id: SessionId) => void) => void
    readonly onSpeakerRenewed: (listener: (id: SessionId) => void) => void
  }
  /** Names of people whose keys are over; nobody is told. */
  readonly over: Set<string>
  /** Alice's account is disconnected from now on; nobody is told. */
  readonly disconnectAccount: () => void
  /** Answers instrument look-ups that wait. */
  readonly learn: Array<(known: boolean) => void>
  readonly instruments: InstrumentDirectory
  readonly stop: () => Promise<void>
}

const principal = (name: string, permissions: Principal["permissions"]): Principal => ({
  userId: name as UserId,
  sessionId: `session-${name}` as SessionId,
  tenantId: "default" as TenantId,
  permissions,
  environments: ["PROD"],
  provenAt: 0,
  secondFactor: "none",
  isAdminWithheld: false,
  key: null,
})

export interface TestSocketOptions {
  readonly windowMillis?: number
  /** Of tokens, in seconds. */
  readonly ttl?: number
  /** Changes of the channel table: kind → cells. */
  readonly channels?: Readonly<Record<string, unknown>>
  readonly conflateBytes?: number
  readonly slowMillis?: number
  readonly channelsMax?: number
  /** Default: none. */
  readonly limits?: Partial<SocketLimits>
  readonly allowedOrigins?: ReadonlyArray<string>
  readonly deflate?: boolean
  /** Default: true. */
  readonly pings?: boolean
  /** Time stands still for pings, expiries and histories, but for `turn`. */
  readonly handTurned?: boolean
  /** Each look at the monotonic clock moves it on by so many ms: commands take time on a machine of any speed. */
  readonly lookMillis?: number
  readonly rpc?: Rpc
  /** Of which tokens another process has the sessions, as far as is known when it is asked. */
  readonly unseen?: (token: string) => Unseen | undefined
  readonly onDefect?: (error: unknown) => void
  /** An edge: whose channels, sessions and calls are another server's. */
  readonly edge?: (hub: Hub, kinds: ChannelKinds, speakers: () => Iterable<Speaking>) => EdgeSockets
  /** Instead of the scripted one, by kind. */
  readonly sources?: Partial<Readonly<Record<ChannelKind, ChannelSource>>>
}

/** Tokens: `alice`, `bob` (read and write), `alice-unread` (alice, without a right), `root` (admin), `old` (expired); all others are invalid. `ttl` in seconds. */
export const startSockets = async (options: TestSocketOptions = {}): Promise<TestSockets> => {
  const app = uws.App()
  // A whole second, so that times to live come out even.
  const startedAt = { wall: Math.floor(Date.now() / 1000) * 1000, monotonic: performance.now() }
  let turned = 0
  let looked = 0
  const now = () => (options.handTurned ? startedAt.wall + turned : Date.now())
  const monotonic = () => {
    looked += options.lookMillis ?? 0
    return looked + (options.handTurned ? startedAt.monotonic + turned : performance.now())
  }
  const hub = new Hub(app, monotonic)
  const kinds = channelKinds(options.windowMillis ?? 0, options.channels)
  const accounts = Effect.runSync(AccountDirectory.pipe(Effect.provide(AccountDirectory.Default)))
  const instruments = Effect.runSync(InstrumentDirectory.pipe(Effect.provide(InstrumentDirectory.Default)))
  const accountId = randomUUID() as TradingAccountId
  const account = {
    tradingAccountId: accountId,
    tenantId: "default",
    userId: "alice",
    version: 1,
    venue: VENUE,
    status: "ACTIVE",
  } as TradingAccount
  accounts.put(account)
  instruments.put([instrumentOf("MOCK:BTC/USDT")])
  const position = { epoch: "e1", offset: 0, snapshot: null as string | null }
  const calls: Array<string> = []
  const streams = new Map<string, ScriptedStream>()
  const stream = (channel: string): ScriptedStream => {
    const known = streams.get(channel)
    if (known !== undefined) return known
    // Of a channel that somebody has subscribed to already it goes on where that subscriber stands.
    const { epoch, offset } = hub.find(channel)?.at ?? { epoch: randomUUID().slice(0, 8), offset: 0 }
    const own = { epoch, offset, snapshot: null }
    const made: ScriptedStream = {
      channel,
      position: own,
      publish: (json, more) => {
        own.offset++
        hub.publish(channel, { epoch: own.epoch, offset: own.offset, json, ...more })
        return own.offset
      },
    }
    streams.set(channel, made)
    return made
  }
  const source = {
    opened: (channel: string) => void calls.push(`opened ${channel}`),
    closed: (channel: string) => void calls.push(`closed ${channel}`),
    position: (channel: string) => ({ ...(streams.get(channel)?.position ?? position) }),
  }
  for (const kind of Object.keys(kinds) as ReadonlyArray<ChannelKind>)
    hub.attach(kind, options.sources?.[kind] ?? source)
  const enders: Array<(id: SpeakerId) => void> = []
  const renewers: Array<(id: SpeakerId) => void> = []
  const learn: Array<(known: boolean) => void> = []
  const over = new Set<string>()
  const people = new Map([
    ["alice", principal("alice", ["read", "write"])],
    ["alice-unread", principal("alice", [])],
    ["bob", principal("bob", ["read", "write"])],
    ["root", principal("root", ["read", "write", "admin"])],
  ])
  const maps = new Maps(hub, kinds)
  const rpc: Rpc = options.rpc ?? ((_request, done) => done("unknown method"))
  const speakers = (): Iterable<Speaking> =>
    [...server.connections].flatMap(({ speaker, ip }) => (speaker === undefined ? [] : [{ speaker, ip }]))
  const edge = options.edge?.(hub, kinds, speakers)
  const authority = makeAuthority({
    accounts,
    dealers: { ofOwnAccount: () => undefined },
    instruments,
    kinds,
    source: (kind) => hub.source(kind),
    mapOf: (channel) => maps.of(channel),
    findVenue: (venue) =>
      ["MOCK", "SLOW"].includes(venue)
        ? {
            venue: venue as VenueId,
            name: venue,
            status: "ACTIVE",
            features: [],
            needsCredentials: false,
            needsPassphrase: false,
            timesInForce: ["GTC"],
            orderExpiryMillis: null,
            orderIds: "VENUE",
            orders: PROVEN_ORDERS,
            takesOrders: true,
            feeInQuote: false,
            inProcess: true,
            environment: "SIMULATED",
            capabilities: PLAIN_CAPABILITIES,
          }
        : undefined,
    verify: (token) => {
      const unseen = options.unseen?.(token)
      if (unseen !== undefined) return unseen
      if (token === "old") return new AccessTokenExpired()
      const found = people.get(token)
      return found === undefined
        ? new InvalidAccessToken()
        : {
            get principal() {
              return people.get(token) ?? found
            },
            expiresAt: Math.floor(now() / 1000) + (options.ttl ?? 3600),
            isOver: () => over.has(token),
          }
    },
    isOpenTo: () => true,
    allows: () => true,
    learnInstruments: (_venue, done) => void learn.push(done),
  })
  const server: SocketServer = serveSockets({
    app,
    hub,
    authority: edge?.authority ?? authority,
    rpc: edge?.rpc ?? rpc,
    version: "3.0.1",
    now,
    monotonic,
    channelsMax: options.channelsMax ?? CHANNELS_MAX,
    limits: options.limits === undefined ? null : { ...LIMITS, ...options.limits },
    onDefect: options.onDefect ?? ((error) => console.error(error)),
    slow: { conflateBytes: options.conflateBytes ?? 131_072, ageMillis: options.slowMillis ?? 15_000 },
    allowedOrigins: options.allowedOrigins ?? ["https://app.example.com"],
    deflate: options.deflate ?? false,
    screen: (_res, _req, isOriginAllowed, admit) => {
      const ip = "127.0.0.1"
      const failure = isOriginAllowed ? admit(ip) : undefined
      const status = failure === undefined ? "403 Forbidden" : "429 Too Many Requests"
      const refusal = isOriginAllowed && failure === undefined ? null : { status, body: "{}" }
      return { requestId: "test", ip, refusal }
    },
    onSpeakerEnded: edge?.onSpeakerEnded ?? ((listener) => void enders.push(listener)),
    onSpeakerRenewed: edge?.onSpeakerRenewed ?? ((listener) => void renewers.push(listener)),
    onOperatorGone: () => undefined,
  })
  if (options.handTurned || options.pings === false) server.heartbeat.stop()
  let listening: uws.us_listen_socket | undefined
  const port = await new Promise<number>((resolve, reject) => {
    app.listen("127.0.0.1", 0, (socket) => {
      if (socket === false) return reject(new Error("cannot listen"))
      listening = socket
      resolve(uws.us_socket_local_port(socket as uws.us_socket))
    })
  })
  return {
    url: `ws://127.0.0.1:${port}/connection/websocket`,
    hub,
    server,
    accountId,
    position,
    calls,
    learn,
    over,
    stream,
    turn: (seconds) => {
      for (let second = 0; second < seconds; second++) {
        turned += 1000
        server.heartbeat.tick()
      }
    },
    advance: (millis) => {
      turned += millis
    },
    instruments,
    publish: (json, more) => {
      position.offset++
      hub.publish(BOOK, { epoch: position.epoch, offset: position.offset, json, ...more })
    },
    publishOn: (channel, offset, json, more) => hub.publish(channel, { epoch: position.epoch, offset, json, ...more }),
    disconnectAccount: () => accounts.put({ ...account, version: 2, status: "DISCONNECTED" }),
    changeRights: (name, permissions, isTold = true) => {
      people.set(name, principal(name, permissions))
      if (isTold) for (const renew of renewers) renew(`session-${name}` as SessionId)
    },
    parts: {
      kinds,
      authority,
      rpc,
      onSpeakerEnded: (listener) => void enders.push(listener as (id: SpeakerId) => void),
      onSpeakerRenewed: (listener) => void renewers.push(listener as (id: SpeakerId) => void),
    },
    endSession: (id) => {
      for (const end of enders) end(id as SessionId)
    },
    stop: async () => {
      await server.shutdown()
      if (listening !== undefined) uws.us_listen_socket_close(listening)
      app.close()
    },
  }
}

/** `/connection/websocket`: the Centrifuge client protocol v2 on the gateway's own port (realtime A). The only file that owns its sockets. */

import type { HttpRequest, HttpResponse, us_socket_context_t, WebSocketBehavior } from "uWebSockets.js"
import * as uws from "uWebSockets.js"
import type { DomainError } from "../domain/errors/domain-error.ts"
import { TooManyConnections } from "../domain/errors/limits.ts"
import type { UserId } from "../domain/ids.ts"
import { addressKey } from "../domain/user/rate-limits.ts"
import { type SpeakerId, speakerOf } from "../domain/user/user.ts"
import { isOriginAllowed } from "../domain/user/web-origin.ts"
import type { Credentials } from "./channels/authority.ts"
import {
  type Client,
  CommandRate,
  type ConnectionContext,
  MESSAGE_BYTES_MAX,
  type SocketLimits,
} from "./connection/client.ts"
import { Connection, type SocketState } from "./connection/connection.ts"
import { Heartbeat } from "./connection/heartbeat.ts"
import { Pace } from "./connection/pace.ts"
import type { HubStats } from "./fanout/hub.ts"
import { type SlowLimits, SlowReaders, type SlowStats } from "./fanout/slow-readers.ts"
import type { Ending } from "./fanout/stream.ts"
import { jsonCodec } from "./protocol/codec-json.ts"
import { protobufCodec } from "./protocol/codec-protobuf.ts"
import { CLOSES, UNSUBSCRIBES, type Unsubscribe } from "./protocol/error-codes.ts"
import type { Codec } from "./protocol/protocol.ts"

/** How many sockets each user and each address has open. */
class OpenSockets {
  private readonly counts = new Map<string, number>()

  constructor(
    /** Of one name; null: any number. */
    readonly max: number | null,
  ) {}

  isFull(name: string): boolean {
    return this.max !== null && (this.counts.get(name) ?? 0) >= this.max
  }

  enter(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }

  leave(name: string): void {
    const count = (this.counts.get(name) ?? 0) - 1
    if (count > 0) this.counts.set(name, count)
    else this.counts.delete(name)
  }
}

// The package's types declare the compressors as types only; at run time they are numbers.
const { DISABLED, SHARED_COMPRESSOR } = uws as unknown as Readonly<Record<"DISABLED" | "SHARED_COMPRESSOR", number>>

const ENDINGS: Readonly<Record<Ending, Unsubscribe>> = {
  terminated: UNSUBSCRIBES.server,
  delisted: UNSUBSCRIBES.delisted,
  invalidated: UNSUBSCRIBES.insufficientState,
}

const PATH = "/connection/websocket"
/** Above MESSAGE_BYTES_MAX, so that we close with 1009 ourselves; uWebSockets would cut with 1006. */
const PAYLOAD_BYTES_MAX = 1_048_576
const BACKPRESSURE_BYTES_MAX = 1_048_576
const LOOK_MILLIS = 100
const SWEEP_MILLIS = 1000

type MadeHere = "heartbeat" | "pace" | "connected" | "commandRate" | "admits"

interface SocketServerOptions extends Omit<ConnectionContext, MadeHere> {
  readonly app: { ws<State>(pattern: string, behavior: WebSocketBehavior<State>): unknown }
  /** Browser origins allowed besides the host's own; `*` allows all. */
  readonly allowedOrigins: ReadonlyArray<string>
  readonly deflate: boolean
  readonly slow: SlowLimits
  readonly monotonic: () => number
  /** Null: no limit on connections and commands. */
  readonly limits: SocketLimits | null
  /** What holds for every request: HTTPS, a request id, the access log; and the answer when the socket may not open. */
  readonly screen: (
    res: HttpResponse,
    req: HttpRequest,
    isOriginAllowed: boolean,
    /** Asked last: it counts. */
    admit: (ip: string) => DomainError | undefined,
  ) => {
    readonly requestId: string
    readonly ip: string
    readonly refusal: {
      readonly status: string
      readonly body: string
      readonly retryAfterSeconds?: number | undefined
    } | null
  }
  readonly onSpeakerEnded: (listener: (speaker: SpeakerId) => void) => void
  /** What it may do has changed, or from where. */
  readonly onSpeakerRenewed: (listener: (speaker: SpeakerId) => void) => void
  /** The user may see less of a dealer. */
  readonly onOperatorGone: (listener: (user: UserId) => void) => void
}

export interface SocketStats extends SlowStats {
  readonly connections: number
  readonly opened: number
  /** By close code. */
  readonly closes: Readonly<Record<string, number>>
  /** Frames that were skipped for sockets whose unread bytes passed the limit; each such socket is closed. */
  readonly dropped: number
  /** Sockets whose connect or subscribe waits for a later turn of the loop, and how often that has come about. */
  readonly newcomers: { readonly waiting: number; readonly deferrals: number }
  readonly hub: HubStats
}

export interface SocketServer {
  readonly connections: ReadonlySet<Connection>
  /** Pings, pongs and expiries; it turns by itself until it is stopped. */
  readonly heartbeat: Heartbeat
  /** Tells every client that the server goes away (3001: they reconnect elsewhere), in slices so that they do not come back at once. */
  readonly shutdown: () => Promise<void>
  readonly stats: () => SocketStats
}

/** How the client speaks, and the subprotocol to answer: exactly one that it offered, or none (realtime A.1). */
const negotiate = (req: HttpRequest): { readonly codec: Codec; readonly subprotocol: string } => {
  const offered = req
    .getHeader("sec-websocket-protocol")
    .split(",")
    .map((name) => name.trim())
  const asked = req.getQuery("format") === "protobuf" || req.getQuery("cf_protocol") === "protobuf"
  const subprotocol = offered.find((name) => name === "centrifuge-json" || name === "centrifuge-protobuf") ?? ""
  const isProtobuf = subprotocol === "centrifuge-protobuf" || (subprotocol === "" && asked)
  return { codec: isProtobuf ? protobufCodec : jsonCodec, subprotocol }
}

export const serveSockets = (options: SocketServerOptions): SocketServer => {
  const { hub, limits } = options
  hub.deflate = options.deflate
  const connections = new Set<Connection>()
  const bySpeaker = new Map<SpeakerId, Set<Client>>()
  const closes: Record<string, number> = {}
  let opened = 0
  let dropped = 0
  /** A defect met by a timer is the operator's to know; the others it serves go on. */
  const safely = (run: () => void) => (): void => {
    try {
      run()
    } catch (defect) {
      options.onDefect(defect)
    }
  }
  const heartbeat = new Heartbeat()
  heartbeat.start(safely)
  const pace = new Pace(options.monotonic)
  const slow = new SlowReaders(connections, options.slow, options.monotonic)
  /** While there are connections. */
  let looks: NodeJS.Timeout | undefined
  const look = safely(() => {
    slow.look()
    if (connections.size > 0) return
    clearInterval(looks)
    looks = undefined
  })
  const sweeps = setInterval(
    safely(() => hub.sweep()),
    SWEEP_MILLIS,
  ).unref()

  const ofUser = new OpenSockets(limits?.perUser ?? null)
  const ofAddress = new OpenSockets(limits?.perAddress ?? null)

  const forget = (connection: Client, speaker: SpeakerId | undefined): void => {
    if (speaker === undefined) return
    const set = bySpeaker.get(speaker)
    if (set?.delete(connection) && set.size === 0) bySpeaker.delete(speaker)
  }

  const speakerIn = ({ principal }: Credentials): SpeakerId | undefined =>
    principal === null ? undefined : speakerOf(principal)

  const connected = (connection: Client, now: Credentials, before: Credentials | undefined): void => {
    const speaker = speakerIn(now)
    const last = before === undefined ? undefined : speakerIn(before)
    if (before === undefined && now.principal !== null) ofUser.enter(now.user)
    if (last !== speaker) forget(connection, last)
    if (speaker === undefined) return
    const set = bySpeaker.get(speaker)
    if (set === undefined) bySpeaker.set(speaker, new Set([connection]))
    else set.add(connection)
  }
  const context: ConnectionContext = {
    ...options,
    heartbeat,
    pace,
    connected,
    commandRate: () => (limits === null ? null : new CommandRate(limits.commands, options.monotonic)),
    admits: ({ principal, user }) => principal === null || !ofUser.isFull(user),
  }

  /** Why this address may not open one more, if so. */
  const admit = (ip: string): DomainError | undefined => {
    if (limits === null) return undefined
    return ofAddress.isFull(addressKey(ip))
      ? new TooManyConnections({ limit: limits.perAddress })
      : limits.takeAddress(ip)
  }

  options.onSpeakerEnded((speaker) => {
    for (const connection of bySpeaker.get(speaker) ?? []) connection.close(CLOSES.invalidToken)
    bySpeaker.delete(speaker)
  })
  options.onSpeakerRenewed((speaker) => {
    for (const connection of bySpeaker.get(speaker) ?? []) connection.renewed()
  })
  options.onOperatorGone((user) => {
    for (const connection of connections) if (connection.user === user) connection.renewed()
  })
  hub.onEnd((channel, names, how) => {
    for (const connection of connections) connection.endSubscriptions(channel, names, ENDINGS[how])
  })

  const upgrade = (res: HttpResponse, req: HttpRequest, socketContext: us_socket_context_t): void => {
    const isAllowed = isOriginAllowed(req.getHeader("origin"), req.getHeader("host"), options.allowedOrigins)
    const { requestId, refusal, ip } = options.screen(res, req, isAllowed, admit)
    if (refusal !== null) {
      res
        .writeStatus(refusal.status)
        .writeHeader("Content-Type", "application/json; charset=utf-8")
        .writeHeader("Cache-Control", "no-store")
        .writeHeader("X-Request-ID", requestId)
      if (refusal.retryAfterSeconds !== undefined) res.writeHeader("Retry-After", `${refusal.retryAfterSeconds}`)
      res.end(refusal.body)
      return
    }
    res.writeStatus("101 Switching Protocols").writeHeader("X-Request-ID", requestId)
    const { codec, subprotocol } = negotiate(req)
    const nativePings = req.getQuery("cf_ws_frame_ping_pong") === "true"
    const state: SocketState = { codec, nativePings, peer: { ip, requestId }, connection: undefined }
    res.upgrade(
      state,
      req.getHeader("sec-websocket-key"),
      subprotocol,
      req.getHeader("sec-websocket-extensions"),
      socketContext,
    )
  }

  options.app.ws<SocketState>(PATH, {
    maxPayloadLength: PAYLOAD_BYTES_MAX,
    maxBackpressure: BACKPRESSURE_BYTES_MAX,
    closeOnBackpressureLimit: false,
    idleTimeout: 120,
    sendPingsAutomatically: false,
    compression: options.deflate ? SHARED_COMPRESSOR : DISABLED,
    upgrade,
    open: (ws) => {
      opened++
      const state = ws.getUserData()
      state.connection = new Connection(ws, state, context)
      connections.add(state.connection)
      looks ??= setInterval(look, LOOK_MILLIS).unref()
      ofAddress.enter(addressKey(state.peer.ip))
    },
    message: (ws, message, isBinary) => {
      const { connection, codec } = ws.getUserData()
      if (connection === undefined) return
      if (message.byteLength > MESSAGE_BYTES_MAX) return connection.close(CLOSES.messageTooLarge)
      if (isBinary !== (codec.format === "protobuf")) return connection.close(CLOSES.inappropriateProtocol)
      connection.message(message)
    },
    drain: (ws) => {
      const { connection } = ws.getUserData()
      if (connection?.isOpen !== true) return
      slow.drained(connection)
      connection.drained()
    },
    pong: (ws) => ws.getUserData().connection?.ponged(),
    dropped: (ws) => {
      dropped++
      ws.getUserData().connection?.tooSlow()
    },
    close: (ws, code) => {
      closes[code] = (closes[code] ?? 0) + 1
      const { connection, peer } = ws.getUserData()
      if (connection === undefined) return
      connection.gone()
      ofAddress.leave(addressKey(peer.ip))
      if (connection.speaker !== undefined && connection.user !== undefined) ofUser.leave(connection.user)
      connections.delete(connection)
      slow.gone(connection)
      forget(connection, connection.speaker)
    },
  })

  return {
    connections,
    heartbeat,
    shutdown: async () => {
      heartbeat.stop()
      pace.stop()
      clearInterval(looks)
      clearInterval(sweeps)
      const open = [...connections]
      for (let i = 0; i < open.length; i += 500) {
        for (const connection of open.slice(i, i + 500)) connection.close(CLOSES.shutdown)
        // Those who come back at once do not all come back at once.
        await new Promise((next) => setTimeout(next, 20 + Math.random() * 30))
      }
    },
    stats: () => ({
      connections: connections.size,
      opened,
      closes,
      dropped,
      ...slow.stats(),
      newcomers: pace.stats(),
      hub: hub.stats(),
    }),
  }
}

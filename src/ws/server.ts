/** `/connection/websocket`: the Centrifuge client protocol v2 on the gateway's own port (realtime A). The only file that owns its sockets. */

import type { HttpRequest, HttpResponse, TemplatedApp, us_socket_context_t } from "uWebSockets.js"
import * as uws from "uWebSockets.js"
import type { SessionId } from "../domain/ids.ts"
import { Connection, type ConnectionContext, type SocketState } from "./connection.ts"
import { CLOSES } from "./error-codes.ts"
import { Heartbeat } from "./heartbeat.ts"
import type { Hub } from "./hub.ts"

// The package's types declare the compressors as types only; at run time they are numbers.
const { DISABLED, SHARED_COMPRESSOR } = uws as unknown as Readonly<Record<"DISABLED" | "SHARED_COMPRESSOR", number>>

const PATH = "/connection/websocket"
const MESSAGE_BYTES_MAX = 65_536
/** Above MESSAGE_BYTES_MAX, so that we close with 1009 ourselves; uWebSockets would cut with 1006. */
const PAYLOAD_BYTES_MAX = 1_048_576
const BACKPRESSURE_BYTES_MAX = 1_048_576

export interface SocketServerOptions extends Omit<ConnectionContext, "heartbeat" | "connected"> {
  readonly app: TemplatedApp
  readonly hub: Hub
  /** Browser origins allowed besides the host's own; `*` allows all. */
  readonly allowedOrigins: ReadonlyArray<string>
  readonly deflate: boolean
  /** What holds for every request: HTTPS, a request id, the access log; and the answer when the socket may not open. */
  readonly screen: (
    res: HttpResponse,
    req: HttpRequest,
    isOriginAllowed: boolean,
  ) => { readonly requestId: string; readonly refusal: { readonly status: string; readonly body: string } | null }
  readonly onSessionEnded: (listener: (sessionId: SessionId) => void) => void
}

export interface SocketServer {
  /** Tells every client that the server goes away (3001: they reconnect elsewhere), in slices so that they do not come back at once. */
  readonly shutdown: () => Promise<void>
  readonly stats: () => {
    readonly connections: number
    readonly opened: number
    readonly closes: Readonly<Record<string, number>>
    readonly slow: number
  }
}

const sameHost = (origin: string, host: string): boolean => {
  try {
    return new URL(origin).host === host
  } catch {
    return false
  }
}

export const serveSockets = (options: SocketServerOptions): SocketServer => {
  const connections = new Set<Connection>()
  const bySession = new Map<SessionId, Set<Connection>>()
  const closes: Record<string, number> = {}
  let opened = 0
  let slow = 0
  const heartbeat = new Heartbeat<Connection>((connection) => connection.isOpen)
  heartbeat.start()

  const forget = (connection: Connection, sessionId: SessionId): void => {
    const set = bySession.get(sessionId)
    if (set?.delete(connection) && set.size === 0) bySession.delete(sessionId)
  }

  const context: ConnectionContext = {
    ...options,
    heartbeat,
    connected: (connection, sessionId, before) => {
      if (before !== undefined && before !== sessionId) forget(connection, before)
      const set = bySession.get(sessionId)
      if (set === undefined) bySession.set(sessionId, new Set([connection]))
      else set.add(connection)
    },
  }

  options.onSessionEnded((sessionId) => {
    for (const connection of bySession.get(sessionId) ?? []) connection.close(CLOSES.invalidToken)
    bySession.delete(sessionId)
  })
  options.hub.onEnd((channel, how) => {
    for (const connection of connections) connection.endSubscription(channel, how)
  })

  const originAllowed = (origin: string, host: string): boolean =>
    origin === "" ||
    sameHost(origin, host) ||
    options.allowedOrigins.includes("*") ||
    options.allowedOrigins.includes(origin)

  const upgrade = (res: HttpResponse, req: HttpRequest, socketContext: us_socket_context_t): void => {
    const isOriginAllowed = originAllowed(req.getHeader("origin"), req.getHeader("host"))
    const { requestId, refusal } = options.screen(res, req, isOriginAllowed)
    if (refusal !== null) {
      res
        .writeStatus(refusal.status)
        .writeHeader("Content-Type", "application/json; charset=utf-8")
        .writeHeader("Cache-Control", "no-store")
        .writeHeader("X-Request-ID", requestId)
        .end(refusal.body)
      return
    }
    res.writeStatus("101 Switching Protocols").writeHeader("X-Request-ID", requestId)
    const offered = req.getHeader("sec-websocket-protocol").split(",")
    const protocol = offered.some((name) => name.trim() === "centrifuge-json") ? "centrifuge-json" : ""
    const state: SocketState = { connection: undefined }
    res.upgrade(
      state,
      req.getHeader("sec-websocket-key"),
      protocol,
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
      const connection = new Connection(ws, context)
      ws.getUserData().connection = connection
      connections.add(connection)
    },
    message: (ws, message, isBinary) => {
      const { connection } = ws.getUserData()
      if (connection === undefined) return
      if (message.byteLength > MESSAGE_BYTES_MAX) return connection.close(CLOSES.messageTooLarge)
      if (isBinary) return connection.close(CLOSES.inappropriateProtocol)
      connection.frame(Buffer.from(message).toString("utf8"))
    },
    dropped: (ws) => {
      slow++
      ws.getUserData().connection?.tooSlow()
    },
    close: (ws, code) => {
      closes[code] = (closes[code] ?? 0) + 1
      const { connection } = ws.getUserData()
      if (connection === undefined) return
      connection.gone()
      connections.delete(connection)
      if (connection.sessionId !== undefined) forget(connection, connection.sessionId)
    },
  })

  return {
    shutdown: async () => {
      heartbeat.stop()
      const open = [...connections]
      for (let i = 0; i < open.length; i += 500) {
        for (const connection of open.slice(i, i + 500)) connection.close(CLOSES.shutdown)
        await new Promise((next) => setTimeout(next, 20))
      }
    },
    stats: () => ({ connections: connections.size, opened, closes, slow }),
  }
}

/**
 * The WebSocket door: accepts or refuses connections, pings them, and can cut them all.
 * Binance pings every 20 s, drops a connection whose pong is 60 s late, and every connection after 24 h.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"

const PING_MILLIS = 20_000
const PONG_LATE_MILLIS = 60_000
const LIFETIME_MILLIS = 24 * 3_600_000

export type SocketKind = "market" | "user"

interface Connection {
  readonly kind: SocketKind
  readonly openedAt: number
  heardAt: number
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Map<WebSocket, Connection>()
  readonly #pings: NodeJS.Timeout

  constructor(
    readonly isRefused: () => boolean,
    readonly attach: (kind: SocketKind, socket: WebSocket, url: URL) => void,
    /** Undefined: nothing is served there. */
    readonly kindOf: (path: string) => SocketKind | undefined = spotKindOf,
  ) {
    this.#pings = setInterval(() => this.#ping(), PING_MILLIS)
  }

  count(kind: SocketKind): number {
    return [...this.#connections.values()].filter((connection) => connection.kind === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", "http://exchange")
    const kind = this.kindOf(url.pathname)
    if (kind === undefined || this.isRefused()) {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const now = Date.now()
      const connection = { kind, openedAt: now, heardAt: now }
      this.#connections.set(socket, connection)
      socket.on("close", () => this.#connections.delete(socket))
      socket.on("pong", () => {
        connection.heardAt = Date.now()
      })
      // A peer that vanishes is an ordinary event here; `close` follows.
      socket.on("error", () => socket.terminate())
      this.attach(kind, socket, url)
    })
  }

  /** Without a code the connection is cut without a word. */
  close(kind?: SocketKind, code?: number): void {
    for (const [socket, connection] of this.#connections) {
      if (kind !== undefined && connection.kind !== kind) continue
      if (code === undefined) socket.terminate()
      else socket.close(code)
    }
  }

  stop(): void {
    clearInterval(this.#pings)
    this.close()
    this.#server.close()
  }

  #ping(): void {
    const now = Date.now()
    for (const [socket, { openedAt, heardAt }] of this.#connections) {
      if (now - heardAt > PONG_LATE_MILLIS || now - openedAt > LIFETIME_MILLIS) socket.terminate()
      else socket.ping(String(now))
    }
  }
}

const spotKindOf = (path: string): SocketKind | undefined => {
  if (path.startsWith("/ws-api/")) return "user"
  return /^\/(stream|ws)(\/|$)/.test(path) ? "market" : undefined
}

/**
 * The WebSocket door: `/v2` of the public and of the private host, told apart by the host that is asked for. A new connection hears
 * the system's status; requests are read one by one.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { WebSocketServer } from "ws"
import type { Core } from "../core.ts"
import { type Connection, type Connections, type SocketKind, send } from "./connections.ts"
import { pong, readRequest } from "./socket-answers.ts"
import { isTrading, trade } from "./socket-trading.ts"
import { beat, type Streams, subscribe, unsubscribe } from "./subscriptions.ts"

const BEAT_MILLIS = 1000

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #beats: NodeJS.Timeout
  #lastConnectionId = 6_447_481_662_169_813_000n

  constructor(
    readonly core: Core,
    readonly streams: Streams,
    readonly connections: Connections,
  ) {
    this.#beats = setInterval(() => beat(this.connections.all), BEAT_MILLIS)
  }

  count(kind: SocketKind): number {
    return [...this.connections.all].filter((connection) => connection.kind === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? "/", "http://exchange")
    if (url.pathname !== "/v2" || this.core.faults.webSocketsRefused) {
      stream.destroy()
      return
    }
    const kind: SocketKind = request.headers.host?.startsWith("ws-auth.") === true ? "user" : "market"
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const connection: Connection = { socket, kind, subscriptions: new Map() }
      this.connections.all.add(connection)
      this.core.count(`WS connect ${kind}`)
      socket.on("close", () => this.connections.all.delete(connection))
      // A peer that vanishes is an ordinary event here; `close` follows.
      socket.on("error", () => socket.terminate())
      socket.on("message", (bytes) => this.#receive(connection, String(bytes)))
      this.#greet(connection)
    })
  }

  /** Without a code the connection is cut without a word. */
  close(kind?: SocketKind, code?: number): void {
    for (const connection of this.connections.all) {
      if (kind !== undefined && connection.kind !== kind) continue
      if (code === undefined) connection.socket.terminate()
      else connection.socket.close(code)
    }
  }

  stop(): void {
    clearInterval(this.#beats)
    this.close()
    this.#server.close()
  }

  /** The id is a bare number beyond what a double can hold, as the venue's is. */
  #greet(connection: Connection): void {
    this.#lastConnectionId += 1n
    const row = `{"version":"2.0.10","system":"online","api_version":"v2","connection_id":${this.#lastConnectionId}}`
    send(connection, `{"channel":"status","type":"update","data":[${row}]}`)
  }

  #receive(connection: Connection, text: string): void {
    const request = readRequest(text, this.core.now())
    if (request === undefined) {
      send(connection, '{"error":"Malformed request","success":false}')
      return
    }
    const { method } = request
    this.core.count(`WS ${method}`)
    if (method === "ping") pong(this.core, connection, request)
    else if (method === "subscribe") subscribe(this.core, this.streams, connection, request)
    else if (method === "unsubscribe") unsubscribe(this.core, connection, request)
    else if (isTrading(method)) trade(this.core, connection, request)
    else send(connection, JSON.stringify({ error: `Unsupported method: ${method}`, method, success: false }))
  }
}

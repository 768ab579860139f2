/**
 * The WebSocket door of KuCoin: whose it is, its token says, which came by REST; a welcome, acknowledgements and pongs by the `id` of a frame. Source:
 * www.kucoin.com/docs-new/websocket-api/base-info.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Core } from "./core.ts"
import type { KucoinAccount } from "./model.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { written } from "./rest.ts"

export type SocketKind = "public" | "private"

export const ORDERS_V2 = "/spotMarket/tradeOrdersV2"
export const ORDERS_V1 = "/spotMarket/tradeOrders"
export const BALANCES = "/account/balance"

const PRIVATE_TOPICS: ReadonlyArray<string> = [ORDERS_V1, ORDERS_V2, BALANCES]
const PUBLIC_TOPIC = /^\/market\/(level2|match|snapshot):([A-Z0-9,-]+)$/

interface Connection {
  readonly socket: WebSocket
  readonly account: KucoinAccount | undefined
  readonly topics: Set<string>
}

const kindOf = ({ account }: Connection): SocketKind => (account === undefined ? "public" : "private")

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()

  constructor(readonly core: Core) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter((connection) => kindOf(connection) === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const { searchParams } = new URL(request.url ?? "/", "http://exchange")
    if (this.core.faults.webSocketsRefused) {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const token = searchParams.get("token") ?? ""
      if (!this.core.tokens.has(token)) {
        send(socket, { id: searchParams.get("connectId"), type: "error", code: 401, data: "token is invalid" })
        socket.close()
        return
      }
      const account = this.core.tokens.get(token)
      this.core.count(`WS connect ${account === undefined ? "public" : "private"}`)
      this.#attach({ socket, account, topics: new Set() })
      send(socket, { id: searchParams.get("connectId"), type: "welcome" })
    })
  }

  /** Symbols that a public topic has a listener of. */
  listened(channel: string): ReadonlySet<string> {
    const topics = [...this.#connections].flatMap((connection) => [...connection.topics])
    return new Set(
      topics.flatMap((topic) => (topic.startsWith(`${channel}:`) ? [topic.slice(channel.length + 1)] : [])),
    )
  }

  publish(topic: string, subject: string, data: object): void {
    for (const { topics, socket } of this.#connections)
      if (topics.has(topic)) send(socket, { topic, type: "message", subject, data })
  }

  /** To the account's connections that have the topic. */
  push(apiKey: string, topic: string, subject: string, data: object): void {
    const message = { topic, type: "message", subject, id: randomUUID(), channelType: "private", data }
    for (const { account, topics, socket } of this.#connections)
      if (account?.apiKey === apiKey && topics.has(topic))
        send(socket, { ...message, userId: String(account.accountNumber) })
  }

  /** Whatever a test wants said. */
  pushRaw(apiKey: string, event: Readonly<Record<string, unknown>>): void {
    for (const { account, socket } of this.#connections) if (account?.apiKey === apiKey) send(socket, event)
  }

  /** Without a code connections are cut without a word. */
  close(which?: "market" | "user", code?: number): void {
    for (const connection of this.#connections) {
      if (which !== undefined && (which === "user") !== (kindOf(connection) === "private")) continue
      if (code === undefined) connection.socket.terminate()
      else connection.socket.close(code)
    }
  }

  stop(): void {
    this.close()
    this.#server.close()
  }

  #attach(connection: Connection): void {
    const { socket } = connection
    this.#connections.add(connection)
    socket.on("close", () => this.#connections.delete(connection))
    // A peer that vanishes is an ordinary event here; `close` follows.
    socket.on("error", () => socket.terminate())
    socket.on("message", (bytes) => this.#receive(connection, String(bytes)))
  }

  #receive(connection: Connection, text: string): void {
    const frame = readFrame(text)
    const { id, type } = frame
    const topic = String(frame["topic"] ?? "")
    this.core.count(`WS ${String(type)} ${topic}`.trim())
    switch (type) {
      case "ping":
        send(connection.socket, { id, type: "pong" })
        return
      case "unsubscribe":
        connection.topics.delete(topic)
        send(connection.socket, { id, type: "ack" })
        return
      case "subscribe":
        this.#subscribe(connection, id, topic)
        return
      default:
        refuse(connection, id, 415, "type is not supported")
    }
  }

  #subscribe(connection: Connection, id: unknown, topic: string): void {
    const fault = this.core.faults.subscribes.take(topic)
    if (fault?.kind === "lose") return
    if (fault?.kind === "refuse") return refuse(connection, id, 500, fault.data)
    const isPrivate = PRIVATE_TOPICS.includes(topic)
    if (isPrivate && connection.account === undefined) return refuse(connection, id, 403, "login is required")
    if (!isPrivate && !this.#isPublic(topic)) return refuse(connection, id, 404, `topic ${topic} is not found`)
    connection.topics.add(topic)
    send(connection.socket, { id, type: "ack" })
  }

  #isPublic(topic: string): boolean {
    const symbol = PUBLIC_TOPIC.exec(topic)?.[2]
    return symbol !== undefined && this.core.matching.markets.has(symbol)
  }
}

const refuse = ({ socket }: Connection, id: unknown, code: number, data: string): void =>
  send(socket, { id, type: "error", code, data })

const readFrame = (text: string): Fields => {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const send = (socket: WebSocket, message: object): void => {
  if (socket.readyState === socket.OPEN) socket.send(written(message))
}

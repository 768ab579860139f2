/**
 * The WebSocket door of Gate, `/ws/v4/`: a connection is anybody's, and each subscription to a private channel is signed for itself. An acknowledgement
 * repeats channel and `id`. Source: www.gate.com/docs/developers/apiv4/ws.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Core } from "./core.ts"
import type { GateAccount } from "./model.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { GateRefusal } from "./refusal.ts"
import { verifySubscription } from "./signature.ts"

export type SocketKind = "public" | "private"

export const ORDERS = "spot.orders"
export const TRADES = "spot.usertrades"
export const BALANCES = "spot.balances"

const PRIVATE_CHANNELS: ReadonlyArray<string> = [ORDERS, TRADES, BALANCES]
const BOOK = /^ob\.([A-Z0-9]+_[A-Z0-9]+)\.50$/

interface Connection {
  readonly socket: WebSocket
  account: GateAccount | undefined
  /** `channel` of private ones, `channel:PAIR` of public ones. */
  readonly topics: Set<string>
}

const kindOf = ({ account }: Connection): SocketKind => (account === undefined ? "public" : "private")

/** As the venue words it: an error of REST in a text. */
const AUTHENTICATION = 4

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()

  constructor(
    readonly core: Core,
    /** The first message of a new public subscription, if there is anything to say. */
    readonly first: (topic: string) => object | undefined,
  ) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter((connection) => kindOf(connection) === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.core.faults.webSocketsRefused || !request.url?.startsWith("/ws/v4/")) {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.core.count("WS connect")
      this.#attach({ socket, account: undefined, topics: new Set() })
    })
  }

  /** Pairs that a public channel has a listener of. */
  listened(channel: string): ReadonlySet<string> {
    const topics = [...this.#connections].flatMap((connection) => [...connection.topics])
    return new Set(
      topics.flatMap((topic) => (topic.startsWith(`${channel}:`) ? [topic.slice(channel.length + 1)] : [])),
    )
  }

  publish(channel: string, pair: string, result: unknown): void {
    for (const { topics, socket } of this.#connections)
      if (topics.has(`${channel}:${pair}`)) send(socket, this.#update(channel, result))
  }

  /** To the account's connections that have the channel. */
  push(apiKey: string, channel: string, result: ReadonlyArray<object>): void {
    for (const { account, topics, socket } of this.#connections)
      if (account?.apiKey === apiKey && topics.has(channel)) send(socket, this.#update(channel, result))
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

  #update(channel: string, result: unknown): object {
    const now = this.core.now()
    return { time: Math.floor(now / 1000), time_ms: now, channel, event: "update", result }
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
    const channel = String(frame["channel"] ?? "")
    const event = String(frame["event"] ?? "")
    this.core.count(`WS ${event} ${channel}`)
    if (channel === "spot.ping") {
      const now = this.core.now()
      send(connection.socket, {
        time: Math.floor(now / 1000),
        time_ms: now,
        channel: "spot.pong",
        event: "",
        result: null,
      })
    } else if (event === "subscribe") this.#subscribe(connection, channel, frame)
    else if (event === "unsubscribe") {
      for (const topic of topicsOf(channel, frame)) connection.topics.delete(topic)
      this.#answer(connection, frame)
    } else this.#answer(connection, frame, { code: 1, message: "Invalid request body format" })
  }

  #subscribe(connection: Connection, channel: string, frame: Fields): void {
    const { core } = this
    const fault = core.faults.subscribes.take(channel)
    if (fault?.kind === "lose") return
    if (fault?.kind === "refuse") return this.#answer(connection, frame, { code: fault.code, message: fault.message })
    if (PRIVATE_CHANNELS.includes(channel)) {
      try {
        connection.account = verifySubscription(core.accounts, frame, core.now())
      } catch (cause) {
        if (!(cause instanceof GateRefusal)) throw cause
        const message = `${JSON.stringify({ label: cause.label, message: cause.message })}\n`
        return this.#answer(connection, frame, { code: AUTHENTICATION, message })
      }
      connection.topics.add(channel)
      return this.#answer(connection, frame)
    }
    const topics = topicsOf(channel, frame)
    const unknown = topics.find((topic) => !core.matching.markets.has(topic.split(":")[1] ?? ""))
    if (topics.length === 0 || unknown !== undefined)
      return this.#answer(connection, frame, { code: 2, message: `unknown currency pair: ${unknown ?? ""}` })
    for (const topic of topics) connection.topics.add(topic)
    this.#answer(connection, frame)
    for (const topic of topics) {
      const result = this.first(topic)
      if (result !== undefined) send(connection.socket, this.#update(channel, result))
    }
  }

  #answer({ socket }: Connection, { id, channel, event, payload }: Fields, error: object | null = null): void {
    const now = this.core.now()
    const result = { status: error === null ? "success" : "fail" }
    send(socket, { time: Math.floor(now / 1000), time_ms: now, id, channel, event, payload, error, result })
  }
}

/** Of a public channel; none where the payload is not understood. */
const topicsOf = (channel: string, { payload }: Fields): ReadonlyArray<string> => {
  if (PRIVATE_CHANNELS.includes(channel)) return [channel]
  const named = Array.isArray(payload) ? payload.map(String) : []
  if (channel === "spot.obu")
    return named.flatMap((name) => BOOK.exec(name)?.[1] ?? []).map((pair) => `${channel}:${pair}`)
  return channel === "spot.trades" || channel === "spot.tickers" ? named.map((pair) => `${channel}:${pair}`) : []
}

const readFrame = (text: string): Fields => {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const send = (socket: WebSocket, message: object): void => {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
}

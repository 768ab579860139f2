/**
 * The WebSocket door of Bybit: `/v5/public/spot`, `/v5/private` and `/v5/trade`, logins, subscriptions and pings in frames of their own `op`. An
 * acknowledgement carries the `req_id` of its request, and no topic. Source: docs/v5/ws/connect.
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Core } from "./core.ts"
import type { BybitAccount } from "./model.ts"
import { verifyLogin } from "./signature.ts"
import { type TradeFrame, takeTrade } from "./trade-requests.ts"

export type SocketKind = "public" | "private" | "trade"

const PATHS: Readonly<Record<string, SocketKind>> = {
  "/v5/public/spot": "public",
  "/v5/private": "private",
  "/v5/trade": "trade",
}
const PRIVATE_TOPICS: ReadonlyArray<string> = ["order", "execution", "wallet"]
const PUBLIC_TOPIC = /^(orderbook\.(?:1|50|200)|publicTrade|tickers)\.([A-Z0-9]+)$/

interface Connection {
  readonly socket: WebSocket
  readonly kind: SocketKind
  readonly connId: string
  readonly topics: Set<string>
  /** Of a trade socket. */
  readonly requests: Set<string>
  account: BybitAccount | undefined
}

interface Frame {
  readonly op: string
  readonly reqId: string
  readonly args: ReadonlyArray<unknown>
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()

  constructor(
    readonly core: Core,
    /** The first message of a new public subscription, if there is anything to say. */
    readonly first: (topic: string) => string | undefined,
  ) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter((connection) => connection.kind === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const kind = PATHS[new URL(request.url ?? "/", "http://exchange").pathname]
    const { webSocketsRefused, tradeSocketsRefused } = this.core.faults
    if (kind === undefined || webSocketsRefused || (kind === "trade" && tradeSocketsRefused)) {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.core.count(`WS connect ${kind}`)
      this.#attach(kind, socket)
    })
  }

  /** Topics of public sockets that have a listener. */
  listened(): ReadonlySet<string> {
    return new Set([...this.#connections].flatMap(({ kind, topics }) => (kind === "public" ? [...topics] : [])))
  }

  publish(topic: string, text: string): void {
    for (const { kind, topics, socket } of this.#connections)
      if (kind === "public" && topics.has(topic)) send(socket, text)
  }

  closeTrade(): void {
    for (const { kind, socket } of this.#connections) if (kind === "trade") socket.terminate()
  }

  /** To the account's connections that have the private topic. */
  push(apiKey: string, topic: string, data: ReadonlyArray<object>): void {
    const at = this.core.now()
    this.pushRaw(apiKey, { id: randomUUID(), topic, creationTime: at, data }, topic)
  }

  /** `topic` absent: whatever the connection has subscribed to. What has a `reqId` goes to the trade sockets. */
  pushRaw(apiKey: string, event: Readonly<Record<string, unknown>>, topic?: string): void {
    for (const { account, topics, socket, kind } of this.#connections) {
      const isListening = topic === undefined ? (kind === "trade") === "reqId" in event : topics.has(topic)
      if (account?.apiKey === apiKey && isListening) send(socket, JSON.stringify(event))
    }
  }

  /** Without a code connections are cut without a word. */
  close(which?: "market" | "user", code?: number): void {
    for (const { kind, socket } of this.#connections) {
      if (which !== undefined && which !== (kind === "public" ? "market" : kind === "private" ? "user" : null)) continue
      if (code === undefined) socket.terminate()
      else socket.close(code)
    }
  }

  stop(): void {
    this.close()
    this.#server.close()
  }

  #attach(kind: SocketKind, socket: WebSocket): void {
    const has = { topics: new Set<string>(), requests: new Set<string>(), account: undefined }
    const connection: Connection = { socket, kind, connId: randomUUID(), ...has }
    this.#connections.add(connection)
    socket.on("close", () => this.#connections.delete(connection))
    // A peer that vanishes is an ordinary event here; `close` follows.
    socket.on("error", () => socket.terminate())
    socket.on("message", (bytes) => this.#receive(connection, String(bytes)))
  }

  #receive(connection: Connection, text: string): void {
    const frame = readFrame(text)
    if (frame === undefined) {
      this.#answer(connection, { op: "", reqId: "", args: [] }, "error:invalid op")
      return
    }
    if (connection.kind === "trade") {
      const { op } = frame.trade
      this.core.count(op === "auth" ? "WS trade auth" : `WS ${op}`)
      takeTrade(this.core, connection, frame.trade)
      return
    }
    this.core.count(`WS ${frame.op}`)
    switch (frame.op) {
      case "ping":
        this.#pong(connection, frame)
        return
      case "auth":
        this.#login(connection, frame)
        return
      case "subscribe":
        this.#subscribe(connection, frame)
        return
      case "unsubscribe":
        for (const topic of frame.args) connection.topics.delete(String(topic))
        this.#answer(connection, frame)
        return
      default:
        this.#answer(connection, frame, "error:invalid op")
    }
  }

  #pong({ kind, socket, connId }: Connection, { reqId }: Frame): void {
    const said =
      kind === "private"
        ? { req_id: reqId, op: "pong", args: [String(this.core.now())], conn_id: connId }
        : { success: true, ret_msg: "pong", conn_id: connId, req_id: reqId, op: "ping" }
    send(socket, JSON.stringify(said))
  }

  #login(connection: Connection, frame: Frame): void {
    const { core } = this
    const fault = core.faults.takeAnswer("WS auth")
    if (fault?.kind === "hang") return
    if (fault?.kind === "destroy") {
      connection.socket.terminate()
      return
    }
    const result =
      fault?.kind === "status" ? (fault.body ?? "error") : verifyLogin(core.accounts, frame.args, core.now())
    if (typeof result === "string") {
      this.#answer(connection, frame, result)
      return
    }
    connection.account = result
    this.#answer(connection, frame)
  }

  #subscribe(connection: Connection, frame: Frame): void {
    const { core } = this
    const topics = frame.args.map(String)
    for (const topic of topics) core.count(`WS subscribe ${topic}`)
    const faults = topics.map((topic) => core.faults.subscribes.take(topic))
    if (faults.some((fault) => fault?.kind === "lose")) return
    for (const fault of faults)
      if (fault?.kind === "refuse") {
        this.#answer(connection, frame, fault.retMsg)
        return
      }
    if (connection.kind === "private" && connection.account === undefined) {
      this.#answer(connection, frame, "Request not authorized")
      return
    }
    const unknown = topics.find((topic) => !this.#isKnown(connection.kind, topic))
    if (unknown !== undefined) {
      this.#answer(connection, frame, `error:handler not found,topic:${unknown}`)
      return
    }
    for (const topic of topics) connection.topics.add(topic)
    this.#answer(connection, frame)
    for (const topic of topics) {
      const text = connection.kind === "public" ? this.first(topic) : undefined
      if (text !== undefined) send(connection.socket, text)
    }
  }

  #isKnown(kind: SocketKind, topic: string): boolean {
    if (kind === "private") return PRIVATE_TOPICS.includes(topic)
    const symbol = PUBLIC_TOPIC.exec(topic)?.[2]
    return symbol !== undefined && this.core.matching.markets.has(symbol)
  }

  /** A login is answered without the number of its request. */
  #answer({ socket, connId }: Connection, { op, reqId }: Frame, refusal?: string): void {
    const said = { success: refusal === undefined, ret_msg: refusal ?? "", conn_id: connId, op }
    send(socket, JSON.stringify(op === "auth" || reqId === "" ? said : { ...said, req_id: reqId }))
  }
}

const readFrame = (text: string): (Frame & { readonly trade: TradeFrame }) | undefined => {
  try {
    const { op: said, req_id, reqId, header = {}, args: given } = JSON.parse(text)
    const [op, args] = [String(said), Array.isArray(given) ? given : []]
    const trade = { op, reqId: reqId === undefined ? undefined : String(reqId), header, args }
    return { op, reqId: req_id === undefined ? "" : String(req_id), args, trade }
  } catch {
    return undefined
  }
}

const send = (socket: WebSocket, text: string): void => {
  if (socket.readyState === socket.OPEN) socket.send(text)
}

/**
 * The WebSocket door of OKX: `/ws/v5/public`, `/private` and `/business`, text `ping` and `pong`, login, subscriptions, and orders on the private
 * one. A connection on which nothing was said for 30 s is closed with 4004; after 480 requests an hour, orders aside, the next one is refused.
 */
import { randomBytes } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { type Arg, type Channels, type Connection, kindOf, type SocketKind, send } from "./channels.ts"
import type { Core } from "./core.ts"
import { verifyLogin } from "./signature.ts"
import { isTrade, takeTrade } from "./trade-requests.ts"

const HOUR_MILLIS = 3_600_000
const KINDS: ReadonlyArray<SocketKind> = ["public", "private", "business"]
const KINDS_OF: Readonly<Record<"market" | "user", ReadonlyArray<SocketKind>>> = {
  market: ["public", "business"],
  user: ["private"],
}

export interface SocketsOptions {
  readonly core: Core
  readonly channels: Channels
  /** What a new subscription is greeted with, beside its acknowledgement. */
  readonly first: (connection: Connection, arg: Arg) => string | undefined
  readonly idleMillis: number
  readonly requestsPerHour: number
}

interface Request {
  readonly id: unknown
  readonly op: string
  readonly expTime: unknown
  readonly args: ReadonlyArray<Readonly<Record<string, unknown>>>
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #options: SocketsOptions

  constructor(options: SocketsOptions) {
    this.#options = options
  }

  count(kind: SocketKind): number {
    return [...this.#options.channels.connections].filter((connection) => connection.kind === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const path = new URL(request.url ?? "/", "http://exchange").pathname
    const kind = KINDS.find((known) => path === `/ws/v5/${known}`)
    const { core } = this.#options
    if (kind === undefined || core.faults.webSocketsRefused) {
      stream.destroy()
      return
    }
    const isSimulated = String(request.headers.host).startsWith("wspap.")
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      core.count(`WS connect ${kind}`)
      this.#attach(kind, socket, isSimulated)
    })
  }

  /** Without a code connections are cut without a word. */
  close(which?: "market" | "user", code?: number): void {
    for (const { kind, socket } of this.#options.channels.connections) {
      if (which !== undefined && !KINDS_OF[which].includes(kind)) continue
      if (code === undefined) socket.terminate()
      else socket.close(code)
    }
  }

  announceUpgrade(): void {
    const msg = "The connection will soon be closed for a service upgrade. Please reconnect."
    for (const connection of this.#options.channels.connections) {
      send(connection, JSON.stringify({ event: "notice", code: "64008", msg, connId: connection.connId }))
    }
  }

  stop(): void {
    this.close()
    this.#server.close()
  }

  #attach(kind: SocketKind, socket: WebSocket, isSimulated: boolean): void {
    const { channels, idleMillis } = this.#options
    const idle = setInterval(() => socket.close(4004, "No data received in 30s"), idleMillis)
    const connection: Connection = {
      socket,
      idle,
      kind,
      connId: randomBytes(4).toString("hex"),
      isSimulated,
      subscriptions: new Map(),
      account: undefined,
      requests: [],
    }
    channels.connections.add(connection)
    socket.on("close", () => {
      clearInterval(idle)
      channels.connections.delete(connection)
    })
    // A peer that vanishes is an ordinary event here; `close` follows.
    socket.on("error", () => socket.terminate())
    socket.on("message", (bytes) => {
      idle.refresh()
      this.#receive(connection, String(bytes))
    })
  }

  #receive(connection: Connection, text: string): void {
    const { core, requestsPerHour } = this.#options
    if (text === "ping") {
      core.count("WS ping")
      send(connection, "pong")
      return
    }
    const request = readRequest(text)
    if (request === undefined) {
      this.#error(connection, undefined, "60012", `Invalid request: ${text}`)
      return
    }
    core.count(`WS ${request.op}`)
    if (isTrade(request.op) && connection.kind === "private") {
      takeTrade(core, connection, request)
      return
    }
    const now = Date.now()
    connection.requests = [...connection.requests.filter((at) => at > now - HOUR_MILLIS), now]
    if (connection.requests.length > requestsPerHour) {
      this.#error(connection, request.id, "60014", "Requests too frequent")
      return
    }
    if (request.op === "login") this.#login(connection, request)
    else if (request.op === "subscribe")
      for (const arg of request.args) this.#subscribe(connection, request.id, argOf(arg))
    else if (request.op === "unsubscribe") {
      for (const raw of request.args) {
        const arg = argOf(raw)
        this.#options.channels.unsubscribe(connection, arg)
        this.#event(connection, request.id, "unsubscribe", { arg })
      }
    } else this.#error(connection, request.id, "60012", `Invalid request: ${text}`)
  }

  #login(connection: Connection, { id, args }: Request): void {
    const { core } = this.#options
    const fault = core.faults.takeAnswer("WS login")
    if (fault?.kind === "hang") return
    if (fault?.kind === "destroy") {
      connection.socket.terminate()
      return
    }
    if (fault?.kind === "status") {
      const { code, msg } = JSON.parse(fault.body ?? "{}")
      this.#error(connection, id, String(code), String(msg))
      return
    }
    const { apiKey, passphrase, timestamp, sign } = args[0] ?? {}
    const login = {
      apiKey: String(apiKey ?? ""),
      passphrase: String(passphrase ?? ""),
      timestamp: String(timestamp ?? ""),
      sign: String(sign ?? ""),
    }
    const result = verifyLogin(core.accounts, login, connection.isSimulated, core.now())
    if ("msg" in result) {
      this.#error(connection, id, result.code, result.msg)
      return
    }
    connection.account = result
    this.#event(connection, id, "login", { msg: "", code: "0" })
  }

  #subscribe(connection: Connection, id: unknown, arg: Arg): void {
    const { core, channels } = this.#options
    core.count(`WS subscribe ${arg.channel}`)
    const fault = core.faults.subscribes.take(arg.channel)
    if (fault?.kind === "lose") return
    if (fault?.kind === "refuse") {
      this.#error(connection, id, fault.code, fault.msg)
      return
    }
    const needsInstrument = connection.kind !== "private"
    if (kindOf(arg.channel) !== connection.kind || (needsInstrument && !core.matching.markets.has(arg.instId ?? ""))) {
      const named = Object.entries(arg).map(([name, value]) => `${name}:${value}`)
      const what = `Wrong URL or ${named.join(",")} doesn't exist.`
      this.#error(
        connection,
        id,
        "60018",
        `${what} Please use the correct URL, channel and parameters referring to API document.`,
      )
      return
    }
    if (connection.kind === "private" && connection.account === undefined) {
      this.#error(connection, id, "60011", "Please log in")
      return
    }
    const isNew = channels.subscribe(connection, arg)
    this.#event(connection, id, "subscribe", { arg })
    if (connection.kind === "private") {
      const isLimited = fault?.kind === "limit"
      const event = isLimited ? "channel-conn-count-error" : "channel-conn-count"
      this.#event(connection, undefined, event, { channel: arg.channel, connCount: isLimited ? "30" : "1" })
      if (isLimited) {
        channels.unsubscribe(connection, arg)
        return
      }
    }
    const first = isNew ? this.#options.first(connection, arg) : undefined
    if (first !== undefined) send(connection, first)
  }

  #event(connection: Connection, id: unknown, event: string, rest: object): void {
    const named = id === undefined ? {} : { id }
    send(connection, JSON.stringify({ ...named, event, ...rest, connId: connection.connId }))
  }

  #error(connection: Connection, id: unknown, code: string, msg: string): void {
    this.#event(connection, id, "error", { msg, code })
  }
}

/** The fields that name a subscription; it is acknowledged by them. */
const argOf = (raw: Readonly<Record<string, unknown>>): Arg => {
  const { channel, instId, instType } = raw
  return {
    channel: String(channel ?? ""),
    ...(typeof instId === "string" ? { instId } : {}),
    ...(typeof instType === "string" ? { instType } : {}),
  }
}

const readRequest = (text: string): Request | undefined => {
  try {
    const { id, op, expTime, args } = JSON.parse(text)
    return Array.isArray(args) ? { id, op: String(op), expTime, args } : undefined
  } catch {
    return undefined
  }
}

/**
 * The WebSocket door, `/ws/api/v2`: JSON-RPC 2.0 in both directions. A connection logs in once, for as long as its token is good; an answer to a
 * subscription lists the channels that were taken. Who asks more than is allowed is told so, and cut off. Source: docs.deribit.com, "JSON-RPC".
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Core, Params } from "./core.ts"
import type { DeribitAccount } from "./model.ts"
import { publicMethods } from "./public-methods.ts"
import { methodNotFound, RpcRefusal, unauthorized } from "./refusal.ts"
import type { Signatures } from "./signature.ts"

export type SocketKind = "public" | "private"

export const ORDERS = "user.orders.any.any.raw"
export const TRADES = "user.trades.any.any.raw"
/** Of one currency, or of all. */
export const portfolioOf = (currency: string): string => `user.portfolio.${currency}`

const PRIVATE_CHANNEL = /^user\.(?:orders\.any\.any\.raw|trades\.any\.any\.raw|portfolio\.(?:any|[A-Z]+))$/
const PUBLIC_CHANNEL = /^(book|trades|ticker)\.([A-Z0-9_-]+)\.100ms$/
const TOO_MANY = 10_028

interface Connection {
  readonly socket: WebSocket
  account: DeribitAccount | undefined
  /** Venue ms. */
  validUntil: number
  readonly channels: Set<string>
  isAsked: boolean
}

export interface SocketOptions {
  /** How long a login is good. */
  readonly tokenSeconds: number
  /** The first message of a new public subscription, if there is anything to say. */
  readonly first: (channel: string, symbol: string) => object | undefined
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 32 * 1024 })
  readonly #connections = new Set<Connection>()

  constructor(
    readonly core: Core,
    readonly signatures: Signatures,
    readonly options: SocketOptions,
  ) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter(({ account }) => (account === undefined ? "public" : "private") === kind)
      .length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.core.faults.webSocketsRefused || request.url !== "/ws/api/v2") {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.core.count("WS connect")
      this.#attach({ socket, account: undefined, validUntil: 0, channels: new Set(), isAsked: false })
    })
  }

  has(channel: string): boolean {
    return [...this.#connections].some(({ channels }) => channels.has(channel))
  }

  publish(channel: string, data: unknown): void {
    for (const { channels, socket } of this.#connections) if (channels.has(channel)) send(socket, told(channel, data))
  }

  /** To the account's connections that have the channel, and whose login is still good. */
  push(apiKey: string, channel: string, data: unknown): void {
    for (const { account, channels, socket, validUntil } of this.#connections)
      if (account?.apiKey === apiKey && channels.has(channel) && this.core.now() < validUntil)
        send(socket, told(channel, data))
  }

  /** Whatever a test wants said. */
  pushRaw(apiKey: string, event: Params): void {
    for (const { account, socket } of this.#connections) if (account?.apiKey === apiKey) send(socket, event)
  }

  testRequest(): void {
    for (const connection of this.#connections) {
      if (connection.isAsked) connection.socket.close()
      connection.isAsked = true
      send(connection.socket, { jsonrpc: "2.0", method: "heartbeat", params: { type: "test_request" } })
    }
  }

  /** Without a code connections are cut without a word. */
  close(which?: "market" | "user", code?: number): void {
    for (const { account, socket } of this.#connections) {
      if (which !== undefined && (which === "user") !== (account !== undefined)) continue
      if (code === undefined) socket.terminate()
      else socket.close(code)
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
    const { id, method, params } = readFrame(text)
    const name = String(method)
    const given = typeof params === "object" && params !== null ? (params as Params) : {}
    this.core.count(`WS ${name}`)
    const usIn = this.core.now() * 1000
    const times = { usIn, usOut: usIn, usDiff: 0, testnet: false }
    try {
      const result = this.#result(connection, name, given)
      if (result !== undefined) send(connection.socket, { jsonrpc: "2.0", id, result, ...times })
    } catch (cause) {
      if (!(cause instanceof RpcRefusal)) throw cause
      const { code, message, data } = cause
      send(connection.socket, { jsonrpc: "2.0", id, error: { code, message, data }, ...times })
      if (code === TOO_MANY) connection.socket.close()
    }
  }

  /** Undefined: it is never answered. */
  #result(connection: Connection, method: string, params: Params): unknown {
    const { core } = this
    switch (method) {
      case "public/auth": {
        const { account, refreshToken } = this.signatures.login(params)
        core.limits.take(account.apiKey, method)
        const { tokenSeconds } = this.options
        connection.account = account
        connection.validUntil = core.now() + tokenSeconds * 1000
        const said = { token_type: "bearer", scope: "connection mainaccount trade:read_write" }
        return { ...said, expires_in: tokenSeconds, access_token: refreshToken, refresh_token: refreshToken }
      }
      case "public/test":
        connection.isAsked = false
        return publicMethods.get(method)?.(core, params)
      case "public/subscribe":
      case "private/subscribe":
        return this.#subscribe(connection, method, channelsOf(params))
      case "public/unsubscribe":
      case "private/unsubscribe":
        for (const channel of channelsOf(params)) connection.channels.delete(channel)
        return channelsOf(params)
      case "public/set_heartbeat":
        return "ok"
      default: {
        const run = publicMethods.get(method)
        if (run === undefined) throw methodNotFound()
        return run(core, params)
      }
    }
  }

  #subscribe(connection: Connection, method: string, channels: ReadonlyArray<string>): unknown {
    const { core } = this
    const { account } = connection
    if (method === "private/subscribe") {
      if (account === undefined || core.now() >= connection.validUntil) throw unauthorized()
      core.limits.take(account.apiKey, method)
    }
    const taken: Array<string> = []
    for (const channel of channels) {
      const kind = channel.split(".").slice(0, 2).join(".")
      core.count(`WS subscribe ${kind}`)
      const fault = core.faults.subscribes.take(kind)
      if (fault === "lose") return undefined
      const symbol = PUBLIC_CHANNEL.exec(channel)?.[2]
      const isKnown =
        method === "private/subscribe"
          ? PRIVATE_CHANNEL.test(channel)
          : symbol !== undefined && core.matching.markets.has(symbol)
      if (fault === "refuse" || !isKnown) continue
      connection.channels.add(channel)
      taken.push(channel)
      const first = symbol === undefined ? undefined : this.options.first(channel.split(".")[0] ?? "", symbol)
      // Behind the answer.
      if (first !== undefined) setImmediate(() => send(connection.socket, told(channel, first)))
    }
    return taken
  }
}

const told = (channel: string, data: unknown) => ({
  jsonrpc: "2.0",
  method: "subscription",
  params: { channel, data },
})

const channelsOf = ({ channels }: Params): ReadonlyArray<string> =>
  Array.isArray(channels) ? channels.map(String) : []

const readFrame = (text: string): Params => {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === "object" && frame !== null ? (frame as Params) : {}
  } catch {
    return {}
  }
}

const send = (socket: WebSocket, message: object): void => {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
}

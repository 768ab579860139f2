/**
 * The WebSocket door, `/ws/v1`: a connection asks for a challenge once, and each subscription to a private feed carries it signed. An acknowledgement
 * repeats the feed, and a snapshot follows. Source: docs.kraken.com, "Futures WebSocket".
 */
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Core } from "./core.ts"
import type { FuturesAccount } from "./model.ts"
import { verifyChallenge } from "./signature.ts"

export type SocketKind = "public" | "private"

export const ORDERS = "open_orders_verbose"
/** The same without what never was an order. */
export const PLAIN_ORDERS = "open_orders"
export const FILLS = "fills"
export const BALANCES = "balances"
export const POSITIONS = "open_positions"

const PRIVATE_FEEDS: ReadonlyArray<string> = [ORDERS, PLAIN_ORDERS, FILLS, BALANCES, POSITIONS]
const PUBLIC_FEEDS: ReadonlyArray<string> = ["book", "trade", "ticker"]

type Fields = Readonly<Record<string, unknown>>

interface Connection {
  readonly socket: WebSocket
  challenge: string | undefined
  account: FuturesAccount | undefined
  /** Private feeds by name, public ones as `feed:PRODUCT`. */
  readonly feeds: Set<string>
}

const kindOf = ({ account }: Connection): SocketKind => (account === undefined ? "public" : "private")

export interface Snapshots {
  readonly ofProduct: (feed: string, product: string) => object | undefined
  readonly ofAccount: (feed: string, account: FuturesAccount) => object | undefined
}

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()

  constructor(
    readonly core: Core,
    readonly snapshots: Snapshots,
  ) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter((connection) => kindOf(connection) === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.core.faults.webSocketsRefused || !request.url?.startsWith("/ws/v1")) {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.core.count("WS connect")
      this.#attach({ socket, challenge: undefined, account: undefined, feeds: new Set() })
    })
  }

  has(feed: string, product: string): boolean {
    return [...this.#connections].some(({ feeds }) => feeds.has(`${feed}:${product}`))
  }

  publish(feed: string, product: string, text: string): void {
    for (const { feeds, socket } of this.#connections)
      if (feeds.has(`${feed}:${product}`) && socket.readyState === socket.OPEN) socket.send(text)
  }

  /** To the account's connections that have the feed. */
  push(apiKey: string, feed: string, message: object): void {
    for (const { account, feeds, socket } of this.#connections)
      if (account?.apiKey === apiKey && feeds.has(feed)) send(socket, { feed, ...message })
  }

  /** Whatever a test wants said. */
  pushRaw(apiKey: string, event: Fields): void {
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
    send(socket, { event: "info", version: 1 })
  }

  #receive(connection: Connection, text: string): void {
    const frame = readFrame(text)
    const { event, feed } = frame
    this.core.count(feed === undefined ? `WS ${event}` : `WS ${event} ${feed}`)
    if (event === "challenge") {
      connection.challenge = randomUUID()
      send(connection.socket, { event: "challenge", message: connection.challenge })
    } else if (event === "subscribe") this.#subscribe(connection, String(feed), frame)
    else if (event === "unsubscribe") {
      for (const name of namesOf(String(feed), frame)) connection.feeds.delete(name)
      send(connection.socket, { event: "unsubscribed", feed, product_ids: frame["product_ids"] })
    } else send(connection.socket, { event: "error", message: "Json Error" })
  }

  #subscribe(connection: Connection, feed: string, frame: Fields): void {
    const { core } = this
    const { socket } = connection
    const fault = core.faults.subscribes.take(feed)
    if (fault === "lose") return
    if (fault === "refuse") return send(socket, { event: "subscribed_failed", feed })
    if (PRIVATE_FEEDS.includes(feed)) {
      const account = verifyChallenge(core.accounts, connection.challenge, frame)
      if (account === undefined)
        return send(socket, { event: "alert", message: "Failed to subscribe to authenticated feed" })
      connection.account = account
      connection.feeds.add(feed)
      const { api_key, original_challenge, signed_challenge } = frame
      send(socket, { event: "subscribed", feed, api_key, original_challenge, signed_challenge })
      const first = this.snapshots.ofAccount(feed, account)
      if (first !== undefined) send(socket, first)
      return
    }
    const names = namesOf(feed, frame)
    const isKnown = PUBLIC_FEEDS.includes(feed) && names.length > 0
    if (!isKnown || names.some((name) => !core.matching.markets.has(name.split(":")[1] ?? "")))
      return send(socket, { event: "error", message: isKnown ? "Invalid product id" : "Invalid feed" })
    send(socket, { event: "subscribed", feed, product_ids: frame["product_ids"] })
    for (const name of names) {
      connection.feeds.add(name)
      const first = this.snapshots.ofProduct(feed, name.split(":")[1] ?? "")
      if (first !== undefined) send(socket, first)
    }
  }
}

const namesOf = (feed: string, { product_ids: ids }: Fields): ReadonlyArray<string> =>
  PRIVATE_FEEDS.includes(feed) ? [feed] : Array.isArray(ids) ? ids.map((id) => `${feed}:${id}`) : []

const readFrame = (text: string): Fields => {
  try {
    const frame: unknown = JSON.parse(text)
    return typeof frame === "object" && frame !== null ? (frame as Fields) : {}
  } catch {
    return {}
  }
}

const send = (socket: WebSocket, message: object): void => {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
}

/**
 * The WebSocket door of Bitstamp: a connection is anybody's, and each subscription to a private channel, which is of one market, shows a token. Source:
 * www.bitstamp.net/websocket/v2.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { type Core, marketOf } from "./core.ts"
import { pathOf } from "./markets.ts"
import type { BitstampAccount } from "./model.ts"

export type SocketKind = "public" | "private"

export const ORDERS = "private-my_orders"
export const TRADES = "private-my_trades"

const PRIVATE = /^(private-my_orders|private-my_trades)_([a-z0-9]+)-(\d+)$/
const PUBLIC = /^(?:diff_order_book|live_trades)_([a-z0-9]+)$/

interface Connection {
  readonly socket: WebSocket
  account: BitstampAccount | undefined
  /** It asks whether anybody is there, as sessions of accounts do. */
  isBeating: boolean
  readonly channels: Set<string>
}

const kindOf = ({ account, isBeating }: Connection): SocketKind =>
  account === undefined && !isBeating ? "public" : "private"

type Fields = Readonly<Record<string, unknown>>

const recordOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

const UNAUTHORIZED = { code: 4009, message: "Connection is unauthorized." }

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()
  #events = 0

  constructor(readonly core: Core) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter((connection) => kindOf(connection) === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.core.faults.webSocketsRefused) {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.core.count("WS connect")
      this.#attach({ socket, account: undefined, isBeating: false, channels: new Set() })
    })
  }

  publish(channel: string, event: string, data: object): void {
    for (const { channels, socket } of this.#connections)
      if (channels.has(channel)) send(socket, { data, channel, event })
  }

  /** To those who listen to the account's channel of the market. */
  push(account: BitstampAccount, kind: string, symbol: string, event: string, data: object): void {
    const channel = `${kind}_${pathOf(symbol)}-${account.accountNumber}`
    const [event_id, pre_event_id] = [eventId(this.#events + 1), eventId(this.#events)]
    this.#events += 1
    const more = { trade_account_id: 0, ...(kind === ORDERS && { event_id, pre_event_id, order_source: "orderbook" }) }
    for (const { channels, socket } of this.#connections)
      if (channels.has(channel)) send(socket, { data, channel, event, ...more })
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
  }

  #receive(connection: Connection, text: string): void {
    const { event, data } = readFrame(text)
    const channel = String(recordOf(data)["channel"] ?? "")
    const { socket } = connection
    this.core.count(event === "bts:heartbeat" ? "WS bts:heartbeat" : `WS ${event} ${channel}`)
    if (event === "bts:heartbeat") {
      connection.isBeating = true
      if (this.core.faults.subscribes.take("bts:heartbeat") === undefined)
        send(socket, { event, channel: "", data: { status: "success" } })
    } else if (event === "bts:subscribe") this.#subscribe(connection, channel, recordOf(data))
    else if (event === "bts:unsubscribe") {
      connection.channels.delete(channel)
      send(socket, { event: "bts:unsubscription_succeeded", channel, data: {} })
    } else send(socket, { event: "bts:error", channel: "", data: { code: null, message: "Bad message." } })
  }

  #subscribe(connection: Connection, channel: string, { auth }: Fields): void {
    const { core } = this
    const { socket } = connection
    const [, kind, path, userId] = PRIVATE.exec(channel) ?? []
    const fault = core.faults.subscribes.take(kind ?? channel)
    if (fault?.kind === "lose") return
    const failed = (data: object) => send(socket, { event: "bts:error", channel: "", data })
    if (fault?.kind === "refuse") return failed({ code: fault.code, message: fault.message })
    const market = marketOf(core, path ?? PUBLIC.exec(channel)?.[1] ?? "")
    if (market === undefined) return failed({ code: null, message: "Bad subscription string." })
    if (kind !== undefined) {
      const account = core.ownerOf(String(auth))
      if (account === undefined || String(account.accountNumber) !== userId) return failed(UNAUTHORIZED)
      connection.account = account
    }
    connection.channels.add(channel)
    send(socket, { event: "bts:subscription_succeeded", channel, data: {} })
  }
}

/** As the venue numbers events: microseconds and places, in hex. */
const eventId = (number: number): string => `00065b81-0d69-fe98-0000-${number.toString(16).padStart(12, "0")}`

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

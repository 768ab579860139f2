/**
 * The WebSocket doors of Gemini: market data, which is anybody's, and the order events of a key, whose connection is signed as it is opened. Each connection
 * numbers what it is sent. Sources: docs.gemini.com/websocket-api, "Market data version 2" and "Order events".
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { isOpen } from "../binance/model.ts"
import { type Core, marketOf } from "./core.ts"
import { nameOf } from "./markets.ts"
import type { GeminiAccount } from "./model.ts"
import { tradeTold } from "./public-api.ts"
import { type GeminiRefusal, refusalOf } from "./refusal.ts"
import type { Signatures } from "./signature.ts"
import { eventRow, written } from "./wire-private.ts"

export type SocketKind = "public" | "private"

const EVENTS = "/v1/order/events"
/** "You will receive a heartbeat every 5 seconds." */
const BEAT_MILLIS = 5000

interface Connection {
  readonly socket: WebSocket
  /** Null: of market data. */
  readonly account: GeminiAccount | null
  readonly beats: boolean
  /** Markets whose book and trades it hears. */
  readonly markets: Set<string>
  sequence: number
  /** Its acknowledgement was lost. */
  readonly isDeaf: boolean
}

type Fields = Readonly<Record<string, unknown>>

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()
  readonly #beat: NodeJS.Timeout
  #beats = 0

  constructor(
    readonly core: Core,
    readonly signatures: Signatures,
    beatMillis = BEAT_MILLIS,
  ) {
    this.#beat = setInterval(() => this.#beatAll(), beatMillis)
  }

  count(kind: SocketKind): number {
    return [...this.#connections].filter(({ account }) => (account === null) === (kind === "public")).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.core.faults.webSocketsRefused) {
      stream.destroy()
      return
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://exchange")
    const isPrivate = pathname === EVENTS
    let account: GeminiAccount | null = null
    if (isPrivate) {
      this.core.count(`WS ${EVENTS}`)
      try {
        const signed = { headers: request.headers, path: pathname }
        account = this.signatures.verify(this.core.accounts, signed, this.core.now(), () => undefined).account
      } catch (cause) {
        const refusal = refusalOf(cause)
        if (refusal === undefined) throw cause
        refuse(stream, refusal)
        return
      }
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      const { faults } = this.core
      const isDeaf = account !== null && faults.subscribesLost > 0
      if (isDeaf) faults.subscribesLost -= 1
      const beats = searchParams.get("heartbeat") === "true"
      this.#attach({ socket, account, beats, markets: new Set(), sequence: 0, isDeaf })
    })
  }

  /** To those who listen to the market. */
  publish(symbol: string, text: string): void {
    for (const { markets, socket } of this.#connections) if (markets.has(symbol)) sendText(socket, text)
  }

  /** Events of one message, to the connections of the account. */
  push(account: GeminiAccount, events: ReadonlyArray<Fields>): void {
    for (const connection of this.#connections) if (connection.account === account) this.#say(connection, events)
  }

  /** Whatever a test wants said; numbered as everything else, unless it says its number. */
  pushRaw(apiKey: string, event: Fields): void {
    for (const connection of this.#connections)
      if (connection.account?.apiKey === apiKey) this.#say(connection, [event])
  }

  /** Without a code connections are cut without a word. */
  close(which?: "market" | "user", code?: number): void {
    for (const { socket, account } of this.#connections) {
      if (which !== undefined && (which === "user") !== (account !== null)) continue
      if (code === undefined) socket.terminate()
      else socket.close(code)
    }
  }

  stop(): void {
    clearInterval(this.#beat)
    this.close()
    this.#server.close()
  }

  #attach(connection: Connection): void {
    const { socket, account } = connection
    const { faults } = this.core
    this.#connections.add(connection)
    socket.on("close", () => this.#connections.delete(connection))
    // A peer that vanishes is an ordinary event here; `close` follows.
    socket.on("error", () => socket.terminate())
    socket.on("message", (bytes) => this.#receive(connection, String(bytes)))
    if (account === null || connection.isDeaf) return
    if (faults.subscribesRefused > 0) {
      faults.subscribesRefused -= 1
      return sendText(socket, JSON.stringify({ result: "error", reason: faults.refusal }))
    }
    const filters = { symbolFilter: [], apiSessionFilter: [], eventTypeFilter: [] }
    const subscriptionId = `ws-order-events-${account.accountNumber}`
    sendText(
      socket,
      JSON.stringify({ type: "subscription_ack", accountId: account.accountNumber, subscriptionId, ...filters }),
    )
    const open = [...account.orders.values()].filter(isOpen)
    this.#say(
      connection,
      open.map((order) => eventRow(order, "initial", String(order.orderId), undefined)),
    )
  }

  /** Events of one message share its number. */
  #say(connection: Connection, events: ReadonlyArray<Fields>): void {
    if (connection.isDeaf) return
    const socket_sequence = connection.sequence
    connection.sequence += 1
    const { faults } = this.core
    if (faults.eventsLost > 0) {
      faults.eventsLost -= 1
      return
    }
    sendText(connection.socket, written(events.map((event) => ({ socket_sequence, ...event }))))
  }

  #beatAll(): void {
    this.#beats += 1
    const said = { type: "heartbeat", timestampms: this.core.now(), sequence: this.#beats, trace_id: "0" }
    for (const connection of this.#connections) {
      if (!connection.beats || connection.isDeaf) continue
      sendText(connection.socket, JSON.stringify({ ...said, socket_sequence: connection.sequence }))
      connection.sequence += 1
    }
  }

  #receive({ markets, socket }: Connection, text: string): void {
    const { type, subscriptions } = readFrame(text)
    for (const each of Array.isArray(subscriptions) ? subscriptions : []) {
      for (const id of (each as { readonly symbols?: ReadonlyArray<string> }).symbols ?? []) {
        this.core.count(`WS ${type} ${id}`)
        const symbol = marketOf(this.core, id)?.rules.symbol
        if (symbol === undefined) sendText(socket, JSON.stringify({ result: "error", reason: "NoValidTradingPairs" }))
        else if (type === "subscribe") this.#subscribe(markets, socket, symbol)
        else markets.delete(symbol)
      }
    }
  }

  #subscribe(markets: Set<string>, socket: WebSocket, symbol: string): void {
    markets.add(symbol)
    const { bids, asks } = this.core.shownBook(symbol)
    const trades = (this.core.views.get(symbol)?.tape.trades ?? []).slice(-50).reverse()
    const changes = [...bids.map((row) => ["buy", ...row]), ...asks.map((row) => ["sell", ...row])]
    const said = { type: "l2_updates", symbol: nameOf(symbol), changes, auction_events: [] }
    sendText(socket, written({ ...said, trades: trades.map((trade) => tradeTold(symbol, trade)) }))
  }
}

const readFrame = (text: string): Fields => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Fields) : {}
  } catch {
    return {}
  }
}

const refuse = (stream: Duplex, { status, body }: GeminiRefusal): void => {
  const text = JSON.stringify(body)
  const head = `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\nconnection: close`
  stream.end(`${head}\r\n\r\n${text}`)
}

const sendText = (socket: WebSocket, text: string): void => {
  if (socket.readyState === socket.OPEN) socket.send(text)
}

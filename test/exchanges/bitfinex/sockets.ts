/**
 * The WebSocket door of Bitfinex, `/ws/2`: public channels have numbers, and what concerns the account comes on channel 0 once a login was taken. Source:
 * docs.bitfinex.com, "General", "Authenticated Channels" and the page of each channel.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { isOpen } from "../binance/model.ts"
import type { Core } from "./core.ts"
import type { BitfinexAccount } from "./model.ts"
import { written } from "./numbers.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { BitfinexRefusal } from "./refusal.ts"
import { verifyLogin } from "./signature.ts"
import { orderRow, walletRow } from "./wire-private.ts"

export type SocketKind = "public" | "private"

interface Connection {
  readonly socket: WebSocket
  account: BitfinexAccount | undefined
  /** Number by `channel:symbol`. */
  readonly channels: Map<string, number>
}

const kindOf = ({ account }: Connection): SocketKind => (account === undefined ? "public" : "private")

const CHANNELS: ReadonlyArray<unknown> = ["book", "trades", "ticker"]
/** Of funding: offers, credits and loans. */
const OTHER_SNAPSHOTS = ["fos", "fcs", "fls"]
const FIRST_CHANNEL = 188_000
const BEAT_MILLIS = 15_000

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()
  readonly #beats = setInterval(() => this.#beat(), BEAT_MILLIS)
  #channel = FIRST_CHANNEL

  constructor(
    readonly core: Core,
    /** What a new subscription is told first, if there is anything to say. */
    readonly first: (topic: string) => unknown,
  ) {}

  count(kind: SocketKind): number {
    return [...this.#connections].filter((connection) => kindOf(connection) === kind).length
  }

  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    if (this.core.faults.webSocketsRefused || request.url !== "/ws/2") {
      stream.destroy()
      return
    }
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.core.count("WS connect")
      this.#attach({ socket, account: undefined, channels: new Map() })
    })
  }

  isListened(topic: string): boolean {
    return [...this.#connections].some(({ channels }) => channels.has(topic))
  }

  /** Behind the channel's number. */
  publish(topic: string, ...said: ReadonlyArray<unknown>): void {
    for (const { channels, socket } of this.#connections) {
      const channel = channels.get(topic)
      if (channel !== undefined) send(socket, [channel, ...said])
    }
  }

  /** To the account's connections. */
  push(apiKey: string, type: string, data: unknown): void {
    for (const { account, socket } of this.#connections) if (account?.apiKey === apiKey) send(socket, [0, type, data])
  }

  /** Whatever a test wants said. */
  pushRaw(apiKey: string, event: Readonly<Record<string, unknown>>): void {
    const { frame = event } = event
    for (const { account, socket } of this.#connections) if (account?.apiKey === apiKey) send(socket, frame)
  }

  inform(code: number, msg: string): void {
    for (const { socket } of this.#connections) send(socket, { event: "info", code, msg })
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
    clearInterval(this.#beats)
    this.close()
    this.#server.close()
  }

  #beat(): void {
    for (const { account, channels, socket } of this.#connections)
      for (const channel of [...(account === undefined ? [] : [0]), ...channels.values()]) send(socket, [channel, "hb"])
  }

  #attach(connection: Connection): void {
    const { socket } = connection
    this.#connections.add(connection)
    socket.on("close", () => this.#connections.delete(connection))
    // A peer that vanishes is an ordinary event here; `close` follows.
    socket.on("error", () => socket.terminate())
    socket.on("message", (bytes) => this.#receive(connection, String(bytes)))
    const status = this.core.faults.isInMaintenance ? 0 : 1
    send(socket, { event: "info", version: 2, serverId: "e293377e-7bb7-427e-b28c-5db045b2c1d1", platform: { status } })
  }

  #receive(connection: Connection, text: string): void {
    const frame = readFrame(text)
    const { socket, channels } = connection
    const event = String(frame["event"] ?? "")
    this.core.count(`WS ${event}`)
    if (event === "ping") send(socket, { event: "pong", ts: this.core.now(), cid: frame["cid"] })
    else if (event === "conf") send(socket, { event: "conf", status: "OK", flags: frame["flags"] })
    else if (event === "auth") this.#login(connection, frame)
    else if (event === "subscribe") this.#subscribe(connection, frame)
    else if (event === "unsubscribe") {
      const found = [...channels].find(([, channel]) => channel === frame["chanId"])
      if (found !== undefined) channels.delete(found[0])
      send(socket, { event: "unsubscribed", status: "OK", chanId: frame["chanId"] })
    } else send(socket, { event: "error", msg: "event: unknown", code: 10000 })
  }

  #login(connection: Connection, frame: Fields): void {
    const { core } = this
    const { socket } = connection
    const fault = core.faults.takeLogin()
    if (fault?.kind === "lose") return
    const refuse = (code: number, msg: string): void =>
      send(socket, { event: "auth", status: "FAILED", chanId: 0, code, msg })
    if (fault?.kind === "refuse") return refuse(fault.code, fault.message)
    try {
      const account = verifyLogin(core.accounts, frame)
      connection.account = account
      const caps = { orders: { read: 1, write: 1 }, wallets: { read: 1, write: 1 } }
      send(socket, { event: "auth", status: "OK", chanId: 0, userId: account.accountNumber, caps })
      const open = [...account.orders.values()].filter(isOpen)
      send(socket, [0, "ps", []])
      send(socket, [0, "ws", [...account.balances.keys()].map((asset) => walletRow(account, asset, false))])
      send(socket, [0, "os", open.map((order) => orderRow(order))])
      for (const of of OTHER_SNAPSHOTS) send(socket, [0, of, []])
      send(socket, [0, "bu", [0, 0]])
    } catch (cause) {
      if (!(cause instanceof BitfinexRefusal)) throw cause
      refuse(cause.code, cause.message)
    }
  }

  #subscribe({ socket, channels }: Connection, { channel, symbol }: Fields): void {
    const topic = `${channel}:${symbol}`
    const refuse = (code: number, msg: string): void => send(socket, { event: "error", msg, code, channel, symbol })
    if (!CHANNELS.includes(channel)) return refuse(10302, "channel: unknown")
    if (!this.core.matching.markets.has(String(symbol))) return refuse(10300, "symbol: invalid")
    if (channels.has(topic)) return refuse(10301, "subscribe: dup")
    const chanId = this.#channel++
    channels.set(topic, chanId)
    const pair = String(symbol).slice(1)
    const book = channel === "book" ? { prec: "P0", freq: "F0", len: "25" } : {}
    send(socket, { event: "subscribed", channel, chanId, symbol, pair, ...book })
    const said = this.first(topic)
    if (said !== undefined) send(socket, [chanId, said])
  }
}

const readFrame = (text: string): Fields => {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}

const send = (socket: WebSocket, message: unknown): void => {
  if (socket.readyState === socket.OPEN) socket.send(written(message))
}

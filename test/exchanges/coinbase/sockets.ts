/**
 * The WebSocket door of Coinbase: one host for all channels; every subscription is answered with the list of what the connection has, every
 * message of a connection is numbered, and a connection that subscribes to nothing ends. Source: docs.cdp.coinbase.com, websocket-overview and
 * websocket-channels.
 */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import type { Core } from "./core.ts"
import { type CoinbaseAccount, timeText } from "./model.ts"
import { type Fields, recordOf } from "./order-request.ts"
import { verifyChannel } from "./signature.ts"

export type SocketKind = "public" | "private"

/** "You are disconnected if no subscribe has been received within 5 seconds." */
const SUBSCRIBE_MILLIS = 5000
const PUBLIC_CHANNELS: ReadonlyArray<string> = ["level2", "market_trades", "ticker"]

interface Connection {
  readonly socket: WebSocket
  /** Ids by channel. */
  readonly channels: Map<string, Set<string>>
  account: CoinbaseAccount | undefined
  sequence: number
  readonly deadline: NodeJS.Timeout
}

const kindOf = ({ account }: Connection): SocketKind => (account === undefined ? "public" : "private")

export class Sockets {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 64 * 1024 })
  readonly #connections = new Set<Connection>()
  #beats = 0

  constructor(
    readonly core: Core,
    /** What a new subscription is told first. */
    readonly first: (channel: string, id: string, account: CoinbaseAccount | undefined) => ReadonlyArray<object>,
  ) {}

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
      this.#attach(socket)
    })
  }

  /** Products that a channel has a listener of. */
  listened(channel: string): ReadonlySet<string> {
    return new Set([...this.#connections].flatMap(({ channels }) => [...(channels.get(channel) ?? [])]))
  }

  publish(channel: string, id: string, events: ReadonlyArray<object>): void {
    for (const connection of this.#connections)
      if (connection.channels.get(channel)?.has(id) === true) this.#say(connection, said(channel), events)
  }

  /** To the account's connections that have the channel. */
  push(apiKey: string, events: ReadonlyArray<object>): void {
    for (const connection of this.#connections)
      if (connection.account?.apiKey === apiKey) this.#say(connection, "user", events)
  }

  /** Whatever a test wants said. */
  pushRaw(apiKey: string, event: Fields): void {
    for (const connection of this.#connections)
      if (connection.account?.apiKey === apiKey)
        this.#send(connection, { client_id: "", timestamp: timeText(this.core.now()), ...event })
  }

  beat(): void {
    const current_time = new Date(this.core.now()).toISOString()
    this.#beats += 1
    for (const connection of this.#connections)
      if (connection.channels.has("heartbeats"))
        this.#say(connection, "heartbeats", [{ current_time, heartbeat_counter: String(this.#beats) }])
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

  #attach(socket: WebSocket): void {
    const deadline = setTimeout(() => socket.close(), SUBSCRIBE_MILLIS)
    const connection: Connection = { socket, channels: new Map(), account: undefined, sequence: 0, deadline }
    this.#connections.add(connection)
    socket.on("close", () => {
      clearTimeout(deadline)
      this.#connections.delete(connection)
    })
    // A peer that vanishes is an ordinary event here; `close` follows.
    socket.on("error", () => socket.terminate())
    socket.on("message", (bytes) => this.#receive(connection, String(bytes)))
  }

  #receive(connection: Connection, text: string): void {
    const frame = readFrame(text)
    const channel = String(frame["channel"])
    const ids = Array.isArray(frame["product_ids"]) ? frame["product_ids"].map(String) : []
    this.core.count(`WS ${frame["type"]} ${channel}`)
    switch (frame["type"]) {
      case "subscribe":
        this.#subscribe(connection, frame, channel, ids)
        return
      case "unsubscribe": {
        const known = connection.channels.get(channel)
        for (const id of ids) known?.delete(id)
        if (known?.size === 0 || ids.length === 0) connection.channels.delete(channel)
        this.#list(connection)
        return
      }
      default:
        refuse(connection, "unrecognized type")
    }
  }

  #subscribe(connection: Connection, frame: Fields, channel: string, ids: ReadonlyArray<string>): void {
    const { core } = this
    const fault = core.faults.subscribes.take(channel)
    if (fault?.kind === "lose") return
    if (fault?.kind === "refuse") {
      refuse(connection, fault.message)
      return
    }
    if (channel === "user") {
      const account = verifyChannel(core.accounts, frame, core.now())
      if (account === undefined) {
        refuse(connection, "authentication failure")
        return
      }
      connection.account = account
    } else if (channel !== "heartbeats" && !PUBLIC_CHANNELS.includes(channel)) {
      refuse(connection, `${channel} is not a valid channel`)
      return
    }
    clearTimeout(connection.deadline)
    const known = connection.channels.get(channel) ?? new Set<string>()
    connection.channels.set(channel, known)
    const named =
      channel === "user" ? [connection.account?.portfolioId ?? ""] : channel === "heartbeats" ? [channel] : ids
    for (const id of named) known.add(id)
    for (const id of named)
      for (const event of this.first(channel, id, connection.account)) this.#say(connection, said(channel), [event])
    this.#list(connection)
  }

  #list(connection: Connection): void {
    const subscriptions = Object.fromEntries([...connection.channels].map(([name, ids]) => [name, [...ids]]))
    this.#say(connection, "subscriptions", [{ subscriptions }])
  }

  #say(connection: Connection, channel: string, events: ReadonlyArray<object>): void {
    const { faults, now } = this.core
    const sequence_num = connection.sequence++
    if (channel === "user" && faults.userMessagesToDrop > 0) {
      faults.userMessagesToDrop -= 1
      return
    }
    this.#send(connection, { channel, client_id: "", timestamp: timeText(now()), sequence_num, events })
  }

  #send({ socket }: Connection, message: object): void {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
}

/** Books are subscribed under one name and come under another. */
const said = (channel: string): string => (channel === "level2" ? "l2_data" : channel)

const refuse = ({ socket }: Connection, message: string): void => {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: "error", message }))
}

const readFrame = (text: string): Fields => {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}

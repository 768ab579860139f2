/** One client's connection: who it is, its commands, its end. Replies need not be in command order (realtime A.1). */

import { randomUUID } from "node:crypto"
import type { SessionId } from "../domain/ids.ts"
import type { Rpc } from "../ports/rpc.ts"
import type { Authority, Credentials } from "./authority.ts"
import { answerHistory, answerPresence, answerPresenceStats, answerPublish } from "./channel-queries.ts"
import { CLOSES, type Close, ERRORS, type ProtocolError, type Unsubscribe } from "./error-codes.ts"
import { type Beating, EXPIRY_GRACE_SECONDS, type Heartbeat, PING_SECONDS, STALE_SECONDS } from "./heartbeat.ts"
import type { Hub } from "./hub.ts"
import type {
  Codec,
  Command,
  CommandOf,
  ConnectResult,
  Frame,
  JsonText,
  Method,
  Results,
  SubscribeResult,
} from "./protocol.ts"
import { Subscriptions } from "./subscriptions.ts"

export interface ConnectionContext {
  readonly authority: Authority
  readonly hub: Hub
  readonly heartbeat: Heartbeat<Connection>
  readonly rpc: Rpc
  readonly version: string
  readonly now: () => number
  readonly channelsMax: number
  /** The connection now speaks for these credentials; `before` when it spoke for others. */
  readonly connected: (connection: Connection, credentials: Credentials, before: Credentials | undefined) => void
}

/** What is used of a uWebSockets socket. Only `server` and `hub` import the package itself. */
export interface ClientSocket {
  send(frame: Frame, isBinary: boolean): unknown
  end(code: number, reason: string): void
  subscribe(topic: string): unknown
  unsubscribe(topic: string): unknown
  cork(write: () => void): unknown
  /** Bytes that the peer has not taken yet. */
  getBufferedAmount(): number
}

/** Where the socket came from. */
export interface Peer {
  readonly ip: string
  readonly loopback: boolean
}

export interface SocketState {
  readonly codec: Codec
  /** The client asked for the WebSocket's own pings instead of the protocol's. */
  readonly nativePings: boolean
  readonly peer: Peer
  connection: Connection | undefined
}

export class Connection implements Beating {
  readonly client = randomUUID()
  readonly subscriptions: Subscriptions
  private credentials: Credentials | undefined
  private over = false
  private awaitingPong = false
  /** After an error reply to connect nothing more is read. */
  private deaf = false
  /** Monotonic ms since when bytes have been waiting for the peer; undefined while none are. */
  behindSince: number | undefined

  constructor(
    readonly socket: ClientSocket,
    private readonly state: SocketState,
    private readonly context: ConnectionContext,
  ) {
    this.subscriptions = new Subscriptions(this, context, state.codec, this.client)
    context.heartbeat.in(STALE_SECONDS, this, "staleDue")
  }

  get isOpen(): boolean {
    return !this.over
  }

  /** Undefined before connect. */
  get sessionId(): SessionId | undefined {
    return this.credentials?.principal?.sessionId
  }

  get user(): string | undefined {
    return this.credentials?.user
  }

  message(message: ArrayBuffer): void {
    if (this.over || this.deaf) return
    const commands = this.state.codec.decode(message)
    if (commands === undefined) return this.close(CLOSES.badRequest)
    for (const command of commands) this.take(command)
  }

  take(command: Command): void {
    if (this.over || this.deaf || this.subscriptions.defers(command)) return
    const { credentials } = this
    if (credentials === undefined)
      return command.method === "connect" ? this.connect(command) : this.close(CLOSES.badRequest)
    this.play(command, credentials)
  }

  /** The socket is gone: leaves every channel. The topics went with the socket. */
  gone(): void {
    this.over = true
    this.subscriptions.gone()
  }

  close([code, reason]: Close): void {
    if (this.over) return
    this.over = true
    this.socket.end(code, reason)
  }

  /** Back-pressure passed its limit and a publication was dropped. Called from inside uWebSockets' delivery: see `Hub.doom`. */
  tooSlow(): void {
    if (this.over || this.deaf) return
    this.deaf = true
    this.context.hub.doom(() => this.close(CLOSES.slow))
  }

  /** Subscribes the client to a channel without its asking, told by a push. */
  subscribeServerSide(channel: string): void {
    if (this.credentials === undefined || this.over) return
    const joined = this.subscriptions.subscribeServerSide(channel, this.credentials, NO_POSITION)
    if (joined === undefined) return
    this.send(this.state.codec.push(channel, { kind: "subscribe", body: joined.result }))
    joined.enter()
  }

  /** Ends the subscriptions to one canonical channel, under whichever of `names` this client knows it. */
  endSubscriptions(canonical: string, names: ReadonlyArray<string>, how: Unsubscribe): void {
    if (!this.over) for (const name of names) this.subscriptions.end(name, canonical, how)
  }

  send(frame: Frame): void {
    if (!this.over) this.socket.send(frame, typeof frame !== "string")
  }

  reply<M extends Method>(command: CommandOf<M>, result: Results[M]): void {
    this.send(this.state.codec.reply(command, result))
  }

  refuse(command: Command, error: ProtocolError, data?: JsonText): void {
    this.send(this.state.codec.refusal(command, error, data))
  }

  ping(): void {
    if (this.state.nativePings) return
    this.awaitingPong = true
    this.send(this.state.codec.ping)
  }
  pongDue(): void {
    if (this.awaitingPong) this.close(CLOSES.noPong)
  }
  staleDue(): void {
    if (this.credentials === undefined) this.close(CLOSES.stale)
  }
  expiryDue(): void {
    const expiresAt = this.credentials?.expiresAt ?? null
    if (expiresAt === null) return
    const left = expiresAt + EXPIRY_GRACE_SECONDS - this.context.now() / 1000
    if (left <= 0) this.close(CLOSES.expired)
    else this.context.heartbeat.in(left, this, "expiryDue")
  }
  subscriptionsDue(): void {
    this.subscriptions.expiryDue(this.context.now() / 1000)
  }

  private play(command: Command, credentials: Credentials): void {
    const { context } = this
    switch (command.method) {
      case "connect":
        return this.close(CLOSES.badRequest)
      case "subscribe":
        return this.subscriptions.subscribe(command, credentials)
      case "unsubscribe":
        return this.subscriptions.unsubscribe(command)
      case "sub_refresh":
        return this.subscriptions.refresh(command, credentials)
      case "refresh":
        return this.refresh(command, credentials)
      case "publish":
        return answerPublish(this, command, credentials, context)
      case "history":
        return answerHistory(this, command, credentials, context)
      case "presence":
        return answerPresence(this, command, credentials, context)
      case "presence_stats":
        return answerPresenceStats(this, command, credentials, context)
      case "rpc":
        return this.call(command, credentials)
      case "ping":
        return this.reply(command, {})
      case "pong":
        if (!this.awaitingPong) return this.close(CLOSES.badRequest)
        this.awaitingPong = false
        return
      case "send":
        return
    }
  }

  private connect(command: CommandOf<"connect">): void {
    const { token, subs } = command.parameters
    const found = this.context.authority.identify(typeof token === "string" ? token : "")
    if (found === "closed") return this.close(CLOSES.badRequest)
    if (found === "invalid") return this.close(CLOSES.invalidToken)
    if (found === "expired") {
      this.refuse(command, ERRORS.tokenExpired)
      this.deaf = true
      return
    }
    this.credentials = found
    const joined = this.joinServerSide(found, subs)
    const result: ConnectResult = {
      client: this.client,
      version: this.context.version,
      ...this.expiry(found),
      ...(this.state.nativePings ? undefined : { ping: PING_SECONDS, pong: true }),
      time: this.context.now(),
      ...(joined.size === 0 ? undefined : { subs: Object.fromEntries([...joined].map(([k, v]) => [k, v.result])) }),
    }
    this.reply(command, result)
    for (const { enter } of joined.values()) enter()
    this.context.connected(this, found, undefined)
    // The first ping at a random time in the second half of the interval spreads the load of a mass reconnect.
    this.context.heartbeat.in(PING_SECONDS * (0.5 + Math.random() / 2), this, "ping")
    this.expireConnection(found)
  }

  private joinServerSide(credentials: Credentials, positions: unknown): Joined {
    const joined: Joined = new Map()
    for (const channel of credentials.channels) {
      const at: unknown = isRecord(positions) && Object.hasOwn(positions, channel) ? positions[channel] : undefined
      const { recover, epoch, offset } = isRecord(at) ? at : {}
      const request = {
        recover: recover === true,
        epoch: typeof epoch === "string" ? epoch : "",
        offset: typeof offset === "number" ? offset : 0,
      }
      const entered = this.subscriptions.subscribeServerSide(channel, credentials, request)
      if (entered !== undefined) joined.set(channel, entered)
    }
    return joined
  }

  private refresh(command: CommandOf<"refresh">, credentials: Credentials): void {
    // Nobody refreshes what never ends.
    if (credentials.expiresAt === null) return this.close(CLOSES.badRequest)
    const { token } = command.parameters
    const found = this.context.authority.identify(typeof token === "string" ? token : "")
    if (found === "closed") return this.close(CLOSES.badRequest)
    if (found === "expired") return this.close(CLOSES.expired)
    if (found === "invalid" || found.user !== credentials.user) return this.close(CLOSES.invalidToken)
    this.credentials = found
    this.context.connected(this, found, credentials)
    this.expireConnection(found)
    this.reply(command, this.expiry(found))
  }

  private call(command: CommandOf<"rpc">, { principal }: Credentials): void {
    const { method, data } = command.parameters
    if (principal === null) return this.refuse(command, ERRORS.notAvailable)
    const request = { method: typeof method === "string" ? method : "", data, principal, ...this.state.peer }
    this.context.rpc(request, (answer) => {
      if (this.over) return
      if (answer === "unknown method") return this.refuse(command, ERRORS.methodNotFound)
      if (answer.failure !== null) return this.refuse(command, answer.failure, answer.envelope)
      this.reply(command, { data: answer.envelope })
    })
  }

  private expireConnection({ expiresAt }: Credentials): void {
    if (expiresAt === null) return
    const left = expiresAt + EXPIRY_GRACE_SECONDS - this.context.now() / 1000
    this.context.heartbeat.in(left, this, "expiryDue")
  }

  private expiry({ expiresAt }: Credentials): { readonly expires?: boolean; readonly ttl?: number } {
    if (expiresAt === null) return {}
    return { expires: true, ttl: Math.max(1, Math.floor(expiresAt - this.context.now() / 1000)) }
  }
}

const NO_POSITION = { recover: false, epoch: "", offset: 0 }

type Joined = Map<string, { readonly result: SubscribeResult; readonly enter: () => void }>

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value)

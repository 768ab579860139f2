/**
 * One client's connection: its identity, its commands, the subscriptions that its token brings, its end. Replies need not be in command order
 * (realtime A.1).
 */

import { randomUUID } from "node:crypto"
import { performance } from "node:perf_hooks"
import { type SpeakerId, speakerOf } from "../../domain/user/user.ts"
import type { Credentials, Identification, ServerSubscription } from "../channels/authority.ts"
import { answerQuery } from "../channels/queries.ts"
import type { RecoveryRequest } from "../fanout/recovery.ts"
import {
  CLOSES,
  type Close,
  ERRORS,
  type ProtocolError,
  UNSUBSCRIBES,
  type Unsubscribe,
} from "../protocol/error-codes.ts"
import {
  type Codec,
  type Command,
  type CommandOf,
  type ConnectResult,
  type Frame,
  type JsonText,
  type Method,
  NoJson,
  type Results,
} from "../protocol/protocol.ts"
import type { ParametersOf } from "../protocol/requests.ts"
import type { Client, ClientSocket, ConnectionContext, Peer } from "./client.ts"
import { CommandIntake, type Taker } from "./command-intake.ts"
import { type Beating, ExpiryWatch, PING_SECONDS, STALE_SECONDS } from "./heartbeat.ts"
import type { Entered } from "./stream-subscribe.ts"
import { Subscriptions } from "./subscriptions.ts"

// Subscriptions that a connection is given with its token: at connect, and when a later token names others.

const NO_POSITION: RecoveryRequest = { recover: false, epoch: "", offset: 0 }

type Positions = ParametersOf<"connect">["subs"]

/** The place that the client of an earlier connection had in a channel, out of its connect. */
const positionIn = (positions: Positions, channel: string): RecoveryRequest => {
  const at = positions !== undefined && Object.hasOwn(positions, channel) ? positions[channel] : undefined
  if (at === undefined) return NO_POSITION
  const { recover = false, epoch = "", offset = 0 } = at
  return { recover, epoch, offset }
}

/** Part of the reply to connect, by channel. */
const joinWithConnect = (
  subscriptions: Subscriptions,
  credentials: Credentials,
  positions: Positions,
): ReadonlyMap<string, Entered> => {
  const joined = new Map<string, Entered>()
  for (const subscription of credentials.channels) {
    const { channel } = subscription
    const entered = subscriptions.subscribeServerSide(subscription, credentials, positionIn(positions, channel))
    if (entered !== undefined) joined.set(channel, entered)
  }
  return joined
}

/** Ends what the new token does not name any more, and begins what the old one did not. */
const followToken = (
  client: {
    readonly subscriptions: Subscriptions
    readonly subscribeServerSide: (subscription: ServerSubscription) => void
  },
  before: Credentials,
  now: Credentials,
): void => {
  const named = new Set(now.channels.map(({ channel }) => channel))
  for (const { channel } of before.channels)
    if (!named.has(channel)) client.subscriptions.endChannel(channel, UNSUBSCRIBES.server)
  for (const subscription of now.channels) client.subscribeServerSide(subscription)
}

const NOT_AVAILABLE: Close = [3508, "not available"]

export interface SocketState {
  readonly codec: Codec
  /** The client asked for the WebSocket's own pings instead of the protocol's. */
  readonly nativePings: boolean
  readonly peer: Peer
  connection: Connection | undefined
}

export class Connection implements Client, Beating, Taker {
  readonly client = randomUUID()
  readonly subscriptions: Subscriptions
  private credentials: Credentials | undefined
  private over = false
  private awaitingPong = false
  /** After an error reply to connect nothing more is read. */
  private deaf = false
  private readonly expiryWatch: ExpiryWatch
  private readonly intake: CommandIntake
  /** Monotonic ms since when bytes have been waiting for the peer; undefined while none are. */
  behindSince: number | undefined

  constructor(
    readonly socket: ClientSocket,
    private readonly state: SocketState,
    private readonly context: ConnectionContext,
  ) {
    this.intake = new CommandIntake(this, context)
    this.subscriptions = new Subscriptions(this, context, state.codec, this.client)
    this.expiryWatch = new ExpiryWatch(
      (seconds) => context.heartbeat.in(seconds, this, "expiryDue"),
      () => context.now() / 1000,
    )
    context.heartbeat.in(STALE_SECONDS, this, "staleDue")
  }

  get isOpen(): boolean {
    return !this.over
  }

  get isListening(): boolean {
    return !this.over && !this.deaf
  }

  get isConnected(): boolean {
    return this.credentials !== undefined
  }

  get deferred(): number {
    return this.subscriptions.backlog
  }

  get ip(): string {
    return this.state.peer.ip
  }

  /** Undefined before connect. */
  get speaker(): SpeakerId | undefined {
    const principal = this.credentials?.principal ?? null
    return principal === null ? undefined : speakerOf(principal)
  }

  judged(): Credentials | undefined {
    const { credentials } = this
    if (credentials?.isOver?.() !== true) return credentials
    this.close(CLOSES.invalidToken)
    return undefined
  }

  get format(): Codec["format"] {
    return this.state.codec.format
  }

  get user(): string | undefined {
    return this.credentials?.user
  }

  message(message: ArrayBuffer): void {
    if (!this.isListening) return
    const commands = this.state.codec.decode(message)
    if (commands === undefined) return this.close(CLOSES.badRequest)
    this.intake.receive(commands, message.byteLength)
  }

  /** The peer took bytes. */
  drained(): void {
    this.intake.drained()
  }

  /** Begins what is answered later; false when too much of it is going on. `ended` follows each that began. */
  begins(): boolean {
    return this.intake.others.begins()
  }

  ended(): void {
    this.intake.others.ended()
  }

  take(command: Command): void {
    if (!this.isListening || this.subscriptions.defers(command)) return
    const since = performance.now()
    this.attempt(() => this.play(command))
    if (command.method !== "rpc") this.context.hub.meters.command(command.method, since)
  }

  attempt(act: () => void): void {
    try {
      act()
    } catch (defect) {
      // Nothing above would catch it, and the process would end.
      this.context.onDefect(defect)
      this.close(CLOSES.internal)
    }
  }

  /** The socket is gone: leaves every channel. The topics went with the socket. */
  gone(): void {
    this.over = true
    this.intake.gone()
    this.subscriptions.gone()
  }

  /** What its session or key may do has changed, or from where: what it may not any more ends. */
  renewed(): void {
    const { credentials } = this
    if (this.over || credentials === undefined) return
    const { isWelcome } = this.context.authority
    if (isWelcome?.(credentials, this.state.peer) === false) return this.close(CLOSES.forbiddenAddress)
    this.attempt(() => this.subscriptions.review(credentials))
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

  /** Subscribes the client to a channel without its asking, told by a push; what it missed `since` follows as publications. */
  subscribeServerSide(subscription: ServerSubscription, since = NO_POSITION): void {
    if (this.credentials === undefined || this.over) return
    const joined = this.subscriptions.subscribeServerSide(subscription, this.credentials, since)
    if (joined === undefined) return
    // The push has no fields for what it recovered.
    const { publications = [], recovered, was_recovering, delta, ...body } = joined.result
    const push = this.state.codec.push
    this.send(push(subscription.channel, { kind: "subscribe", body }))
    for (const each of publications) this.send(push(subscription.channel, { kind: "pub", body: each }))
    joined.enter()
  }

  /** The connection goes on until `expiresAt`, by the server's word; null: for ever. */
  prolong(expiresAt: number | null): void {
    if (this.credentials === undefined || this.over) return
    this.credentials = { ...this.credentials, expiresAt }
    this.expireConnection(this.credentials)
    this.send(this.state.codec.push("", { kind: "refresh", body: this.expiry(this.credentials) }))
  }

  /** Ends the subscriptions to one canonical channel, under whichever of `names` this client knows it. */
  endSubscriptions(canonical: string, names: ReadonlyArray<string>, how: Unsubscribe): void {
    if (!this.over) for (const name of names) this.subscriptions.end(name, canonical, how)
  }

  send(frame: Frame): void {
    if (this.over) return
    this.context.hub.meters.sent(1, frame)
    this.socket.send(frame, typeof frame !== "string", this.context.hub.deflates(frame))
  }

  reply<M extends Method>(command: CommandOf<M>, result: Results[M]): void {
    try {
      this.send(this.state.codec.reply(command, result))
    } catch (error) {
      if (!(error instanceof NoJson)) throw error
      this.close(CLOSES.inappropriateProtocol)
    }
  }

  refuse(command: Command, error: ProtocolError, data?: JsonText): void {
    if (error.code === ERRORS.permissionDenied.code) this.tellSecurity("channel_refused")
    this.send(this.state.codec.refusal(command, error, data))
  }

  ping(): void {
    this.awaitingPong = true
    if (this.state.nativePings) this.socket.ping()
    else this.send(this.state.codec.ping)
  }
  /** A pong of the WebSocket's own arrived, asked for or not (RFC 6455, 5.5.3). */
  ponged(): void {
    if (this.state.nativePings) this.awaitingPong = false
  }
  pongDue(): void {
    if (this.awaitingPong) this.close(CLOSES.noPong)
  }
  staleDue(): void {
    if (this.credentials !== undefined) return
    if (!this.intake.isWaiting) return this.close(CLOSES.stale)
    // Who has to wait for its turn has said who it is; what comes of that is looked at again.
    this.context.heartbeat.in(STALE_SECONDS, this, "staleDue")
  }
  expiryDue(): void {
    const expiresAt = this.credentials?.expiresAt ?? null
    if (!this.expiryWatch.begins() || expiresAt === null) return
    if (this.expiryWatch.isOver(expiresAt)) this.close(CLOSES.expired)
    else this.expiryWatch.watch(expiresAt)
  }
  subscriptionsDue(): void {
    this.subscriptions.expiryDue()
  }

  private tellSecurity(event: string): void {
    const { ip, requestId } = this.state.peer
    const principal = this.credentials?.principal
    const { userId, sessionId, key } = principal ?? {}
    this.context.security?.(event, { ip, requestId, userId, sessionId, keyId: key?.keyId })
  }

  private play(command: Command): void {
    const { context } = this
    if (this.credentials === undefined)
      return command.method === "connect" ? this.connect(command) : this.close(CLOSES.badRequest)
    const credentials = this.judged()
    if (credentials === undefined) return
    switch (command.method) {
      case "connect":
        return this.close(CLOSES.badRequest)
      case "subscribe":
        return this.subscriptions.subscribe(command)
      case "unsubscribe":
        return this.subscriptions.unsubscribe(command)
      case "sub_refresh":
        return this.subscriptions.refresh(command, credentials)
      case "refresh":
        return this.refresh(command, credentials)
      case "publish":
      case "history":
      case "presence":
      case "presence_stats":
        return answerQuery(this, command, credentials, context)
      case "rpc":
        return this.call(command, credentials)
      case "ping":
        return this.reply(command, {})
      case "pong":
        if (!this.awaitingPong || this.state.nativePings) return this.close(CLOSES.badRequest)
        this.awaitingPong = false
        return
      case "send":
        // The gateway takes it and does nothing; who speaks for no session is told so, as an rpc is.
        return credentials.principal === null ? this.close(NOT_AVAILABLE) : undefined
    }
  }

  /** Says who the token is for; where that is to be learnt first, the client's next commands wait. */
  private identified(token: string, then: (found: Identification) => void): void {
    const { authority } = this.context
    const found = authority.identify(token, this.state.peer)
    if (typeof found === "string" || !("unseen" in found)) return then(found)
    this.intake.hold()
    found.learn((isLearnt) => {
      if (this.over) return
      if (!isLearnt) return this.close(CLOSES.internal)
      const go = () => {
        const again = authority.identify(token, this.state.peer)
        then(typeof again !== "string" && "unseen" in again ? again.unseen : again)
      }
      this.attempt(() => this.socket.cork(go))
      this.intake.release()
    })
  }

  private connect(command: CommandOf<"connect">): void {
    this.identified(command.parameters.token ?? "", (found) => this.connectAs(command, found))
  }

  private connectAs(command: CommandOf<"connect">, found: Identification): void {
    const { subs } = command.parameters
    if (found === "closed") return this.close(CLOSES.badRequest)
    if (found === "forbidden") {
      this.tellSecurity("socket_address_refused")
      return this.close(CLOSES.forbiddenAddress)
    }
    if (found === "invalid") {
      this.tellSecurity("socket_token_refused")
      return this.close(CLOSES.invalidToken)
    }
    if (found === "expired") {
      this.refuse(command, ERRORS.tokenExpired)
      this.deaf = true
      return
    }
    if (!this.context.admits(found)) return this.close(CLOSES.connectionLimit)
    this.credentials = found
    const joined = joinWithConnect(this.subscriptions, found, subs)
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

  private refresh(command: CommandOf<"refresh">, credentials: Credentials): void {
    // Without an expiry there is nothing to refresh.
    if (credentials.expiresAt === null) return this.close(CLOSES.badRequest)
    this.identified(command.parameters.token ?? "", (found) => this.refreshAs(command, credentials, found))
  }

  private refreshAs(command: CommandOf<"refresh">, credentials: Credentials, found: Identification): void {
    if (found === "closed") return this.close(CLOSES.badRequest)
    if (found === "forbidden") return this.close(CLOSES.forbiddenAddress)
    if (found === "expired") return this.close(CLOSES.expired)
    if (found === "invalid" || found.user !== credentials.user) return this.close(CLOSES.invalidToken)
    const before = this.speaker
    this.credentials = found
    this.context.connected(this, found, credentials)
    this.expireConnection(found)
    this.reply(command, this.expiry(found))
    followToken(this, credentials, found)
    // Another session or key of the user may reach less.
    if (found.principal !== null && this.speaker !== before) this.renewed()
  }

  private call(command: CommandOf<"rpc">, { principal }: Credentials): void {
    const { method = "", data } = command.parameters
    if (principal === null) return this.refuse(command, ERRORS.notAvailable)
    const lane = this.intake.laneOf(command)
    if (!lane.begins()) return this.refuse(command, ERRORS.tooManyRequests)
    const since = performance.now()
    const isMalformed = command.content !== undefined
    const isOver = (): boolean => this.over
    const request = { method, data, isMalformed, principal, isOver, ...this.state.peer }
    this.context.rpc(request, (answer) => {
      lane.ended()
      this.context.hub.meters.command("rpc", since)
      if (this.over) return
      if (answer === "unknown method") return this.refuse(command, ERRORS.methodNotFound)
      if (answer.failure !== null) return this.refuse(command, answer.failure, answer.envelope)
      this.reply(command, { data: answer.envelope })
    })
  }

  private expireConnection({ expiresAt }: Credentials): void {
    if (expiresAt !== null) this.expiryWatch.watch(expiresAt)
  }

  private expiry({ expiresAt }: Credentials): { readonly expires?: boolean; readonly ttl?: number } {
    if (expiresAt === null) return {}
    return { expires: true, ttl: Math.max(1, Math.floor(expiresAt - this.context.now() / 1000)) }
  }
}

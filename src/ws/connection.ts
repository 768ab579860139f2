/**
 * One client's connection: its commands, its subscriptions, its end. A subscribe that must wait (a venue's instruments are being
 * learnt) holds back what concerns the same channel and nothing else: replies need not be in command order (realtime A.1).
 */

import { randomUUID } from "node:crypto"
import type { AuthFailure } from "../auth/sessions.ts"
import { AccessTokenExpired } from "../domain/errors.ts"
import type { SessionId, VenueId } from "../domain/ids.ts"
import type { Principal } from "../domain/user.ts"
import { type AccessRules, access } from "./access.ts"
import { type Command, errorText, PING, parseFrame, replyText } from "./codec.ts"
import { CLOSES, type Close, ERRORS, type ProtocolError, UNSUBSCRIBES } from "./error-codes.ts"
import { type Beating, EXPIRY_GRACE_SECONDS, type Heartbeat, PING_SECONDS, STALE_SECONDS } from "./heartbeat.ts"
import type { Hub } from "./hub.ts"
import { unsubscribeFrame } from "./push-frame.ts"

export const CHANNELS_MAX = 1000
/** Commands for one channel that wait behind its subscribe. */
const WAITING_MAX = 100

export interface ConnectionContext extends AccessRules {
  readonly hub: Hub
  readonly heartbeat: Heartbeat<Connection>
  readonly version: string
  readonly now: () => number
  readonly verify: (token: string) => { readonly principal: Principal; readonly expiresAt: number } | AuthFailure
  /** Learns a venue's instruments; answers whether they are known now. */
  readonly learnInstruments: (venue: VenueId, done: (known: boolean) => void) => void
  /** The connection now speaks for this session; `before` when it spoke for another one. */
  readonly connected: (connection: Connection, sessionId: SessionId, before: SessionId | undefined) => void
}

/** What is used of a uWebSockets socket. Only `server` and `hub` import the package itself. */
export interface ClientSocket {
  send(text: string, isBinary: boolean): unknown
  end(code: number, reason: string): void
  subscribe(topic: string): unknown
  unsubscribe(topic: string): unknown
  cork(write: () => void): unknown
}

export interface SocketState {
  connection: Connection | undefined
}

interface Session {
  principal: Principal
  /** Seconds since the Unix epoch. */
  expiresAt: number
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")

export class Connection implements Beating {
  private session: Session | undefined
  /** Client's channel name → canonical name. */
  private readonly channels = new Map<string, string>()
  /** Channels whose subscribe waits, with the commands for them that came since. */
  private readonly waiting = new Map<string, Array<Command>>()
  private over = false
  private awaitingPong = false
  /** After an error reply to connect nothing more is read. */
  private deaf = false

  constructor(
    private readonly socket: ClientSocket,
    private readonly context: ConnectionContext,
  ) {
    context.heartbeat.in(STALE_SECONDS, this, "staleDue")
  }

  get isOpen(): boolean {
    return !this.over
  }

  /** Undefined before connect. */
  get sessionId(): SessionId | undefined {
    return this.session?.principal.sessionId
  }

  frame(message: string): void {
    if (this.over || this.deaf) return
    const commands = parseFrame(message)
    if (commands === undefined) return this.close(CLOSES.badRequest)
    for (const command of commands) {
      this.take(command)
      if (this.over || this.deaf) return
    }
  }

  /** The socket is gone: leaves every channel. The topics went with the socket. */
  gone(): void {
    this.over = true
    for (const [name, canonical] of this.channels) this.context.hub.leave(name, canonical)
    this.channels.clear()
    this.waiting.clear()
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

  /** Ends the subscriptions to one canonical channel, told by a push. */
  endSubscription(canonical: string, how: "terminated" | "invalidated"): void {
    for (const [name, channel] of this.channels) {
      if (channel !== canonical) continue
      this.forget(name, canonical)
      const reason = how === "terminated" ? UNSUBSCRIBES.server : UNSUBSCRIBES.insufficientState
      this.socket.send(unsubscribeFrame(name, reason), false)
    }
  }

  ping(): void {
    this.awaitingPong = true
    this.socket.send(PING, false)
  }
  pongDue(): void {
    if (this.awaitingPong) this.close(CLOSES.noPong)
  }
  staleDue(): void {
    if (this.session === undefined) this.close(CLOSES.stale)
  }
  expiryDue(): void {
    if (this.session === undefined) return
    const left = this.session.expiresAt + EXPIRY_GRACE_SECONDS - this.context.now() / 1000
    if (left <= 0) this.close(CLOSES.expired)
    else this.context.heartbeat.in(left, this, "expiryDue")
  }

  private take(command: Command): void {
    const behind = this.waiting.get(text(command.parameters["channel"]))
    if (behind === undefined) this.play(command)
    else if (behind.push(command) > WAITING_MAX) this.close(CLOSES.tooManyRequests)
  }

  private play(command: Command): void {
    if (this.session === undefined && command.method !== "connect") return this.close(CLOSES.badRequest)
    switch (command.method) {
      case "connect":
        return this.connect(command)
      case "subscribe":
        return this.subscribe(command)
      case "unsubscribe":
        return this.unsubscribe(command)
      case "refresh":
        return this.refresh(command)
      case "ping":
        return this.reply(command, "{}")
      case "pong":
        if (!this.awaitingPong) return this.close(CLOSES.badRequest)
        this.awaitingPong = false
        return
      case "send":
        return
      case "publish":
      case "sub_refresh":
        return this.refuse(command, ERRORS.permissionDenied)
      case "history":
      case "presence":
      case "presence_stats":
      case "rpc":
        return this.refuse(command, ERRORS.notAvailable)
    }
  }

  private connect(command: Command): void {
    if (this.session !== undefined) return this.close(CLOSES.badRequest)
    const token = text(command.parameters["token"])
    if (token === "") return this.close(CLOSES.badRequest)
    const verified = this.context.verify(token)
    if (!("principal" in verified)) {
      if (!(verified instanceof AccessTokenExpired)) return this.close(CLOSES.invalidToken)
      this.deaf = true
      return this.refuse(command, ERRORS.tokenExpired)
    }
    this.session = { principal: verified.principal, expiresAt: verified.expiresAt }
    const client = randomUUID()
    const result =
      `{"client":"${client}","version":"${this.context.version}","expires":true,"ttl":${this.ttl()},` +
      `"ping":${PING_SECONDS},"pong":true,"time":${this.context.now()}}`
    this.reply(command, result)
    this.context.connected(this, verified.principal.sessionId, undefined)
    // The first ping at a random time in the second half of the interval spreads the load of a mass reconnect.
    this.context.heartbeat.in(PING_SECONDS * (0.5 + Math.random() / 2), this, "ping")
    this.context.heartbeat.in(this.ttl() + EXPIRY_GRACE_SECONDS, this, "expiryDue")
  }

  private refresh(command: Command): void {
    const session = this.session
    if (session === undefined) return this.close(CLOSES.badRequest)
    const verified = this.context.verify(text(command.parameters["token"]))
    if (!("principal" in verified))
      return this.close(verified instanceof AccessTokenExpired ? CLOSES.expired : CLOSES.invalidToken)
    if (verified.principal.userId !== session.principal.userId) return this.close(CLOSES.invalidToken)
    const before = session.principal.sessionId
    session.principal = verified.principal
    session.expiresAt = verified.expiresAt
    this.context.connected(this, verified.principal.sessionId, before)
    this.reply(command, `{"expires":true,"ttl":${this.ttl()}}`)
  }

  private subscribe(command: Command, learnt = false): void {
    const session = this.session
    if (session === undefined) return this.close(CLOSES.badRequest)
    const name = text(command.parameters["channel"])
    if (name === "") return this.close(CLOSES.badRequest)
    const delta = command.parameters["delta"]
    if (delta !== undefined && delta !== "" && delta !== "fossil") return this.close(CLOSES.badRequest)
    if (this.channels.has(name)) return this.refuse(command, ERRORS.alreadySubscribed)
    if (this.channels.size + this.waiting.size >= CHANNELS_MAX) return this.refuse(command, ERRORS.limitExceeded)
    const decision = access(this.context, session.principal, name)
    if (decision._tag === "Denied") return this.refuse(command, decision.error)
    if (decision._tag === "InstrumentsMissing") {
      if (learnt) return this.refuse(command, ERRORS.unknownChannel)
      const behind: Array<Command> = []
      this.waiting.set(name, behind)
      return this.context.learnInstruments(decision.venue, (known) => {
        if (this.over) return
        this.socket.cork(() => {
          this.waiting.delete(name)
          // The venue could not be asked: worth another try by the client.
          if (known) this.subscribe(command, true)
          else this.refuse(command, ERRORS.internal)
          for (const next of behind) if (!this.over && !this.deaf) this.take(next)
        })
      })
    }
    const { hub } = this.context
    this.channels.set(name, decision.canonical)
    // Position, reply and topic in one turn: no publication can come between them.
    const position = hub.join(name, decision.canonical, decision.channel.kind)
    const recovering = command.parameters["recover"] === true ? '"was_recovering":true,' : ""
    const snapshot = position.snapshot === null ? "" : `"publications":[{"data":${position.snapshot}}],`
    const offset = position.offset > 0 ? `"offset":${position.offset},` : ""
    this.reply(command, `{${recovering}${snapshot}${offset}"epoch":${JSON.stringify(position.epoch)}}`)
    if (!this.over) this.socket.subscribe(name)
  }

  /** Always answered with success: the client drops the whole connection otherwise. */
  private unsubscribe(command: Command): void {
    const name = text(command.parameters["channel"])
    if (name === "") return this.close(CLOSES.badRequest)
    const canonical = this.channels.get(name)
    if (canonical !== undefined) this.forget(name, canonical)
    this.reply(command, "{}")
  }

  private forget(name: string, canonical: string): void {
    this.channels.delete(name)
    this.socket.unsubscribe(name)
    this.context.hub.leave(name, canonical)
  }

  private ttl(): number {
    const session = this.session
    return session === undefined ? 0 : Math.max(1, Math.floor(session.expiresAt - this.context.now() / 1000))
  }

  private reply(command: Command, result: string): void {
    if (!this.over) this.socket.send(replyText(command, result), false)
  }

  private refuse(command: Command, error: ProtocolError): void {
    if (!this.over) this.socket.send(errorText(command, error), false)
  }
}

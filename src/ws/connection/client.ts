/**
 * A connected client as the parts that serve it see it, and what all connections share; the limits of one client. Every limit is in asyncapi.json
 * and on /docs/realtime.
 */
import type { DomainError } from "../../domain/errors/domain-error.ts"
import { RATE_LIMITS } from "../../domain/user/rate-limits.ts"
import type { SpeakerId } from "../../domain/user/user.ts"
import { type Rate, TokenBucket } from "../../foundation/token-bucket.ts"
import type { Rpc } from "../../ports/rpc.ts"
import type { SecurityFacts } from "../../ports/security-log.ts"
import type { Authority, Credentials } from "../channels/authority.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Close, ProtocolError } from "../protocol/error-codes.ts"
import type { Command, CommandOf, Frame, JsonText, Method, Results } from "../protocol/protocol.ts"
import type { Beating, Heartbeat } from "./heartbeat.ts"
import type { Pace } from "./pace.ts"

/** Of one WebSocket message from a client; a longer one ends the connection with 1009. */
export const MESSAGE_BYTES_MAX = 65_536

/** Channels of one connection, where the operator set no other number; one more is error 106. */
export const CHANNELS_MAX = RATE_LIMITS.socketChannels

/** Of a channel's name; a longer one is error 107. */
export const CHANNEL_BYTES_MAX = 255

/** Numbers that an operator may change (RATE_LIMITS). */
export interface SocketLimits {
  /** Of one connection. */
  readonly commands: Rate
  /** Connections of one user; one more is closed with 3504. */
  readonly perUser: number
  /** Connections of one address; one more is answered 429. */
  readonly perAddress: number
  /** Whether this address may ask now for one more. */
  readonly takeAddress: (ip: string) => DomainError | undefined
}

/** Rate limit of one client's commands: past its bucket they are refused (111), and a client that continues is disconnected. */
export class CommandRate {
  private readonly commands: TokenBucket
  /** As many refusals: a client that never backs off costs as much as one that is served. */
  private readonly refusals: TokenBucket

  constructor(
    rate: Rate,
    /** Monotonic ms. */
    private readonly now: () => number,
  ) {
    this.commands = new TokenBucket(rate)
    this.refusals = new TokenBucket(rate)
  }

  /** Of one more command. */
  judge(): "within" | "refused" | "too many" {
    const now = this.now()
    if (this.commands.take(now) === 0) return "within"
    return this.refusals.take(now) === 0 ? "refused" : "too many"
  }
}

export interface ConnectionContext {
  readonly authority: Authority
  readonly hub: Hub
  readonly heartbeat: Heartbeat
  /** Of connects and subscribes. */
  readonly pace: Pace
  readonly rpc: Rpc
  readonly version: string
  readonly now: () => number
  readonly channelsMax: number
  /** Null: a client may send as many commands as it likes. */
  readonly commandRate: () => CommandRate | null
  /** Whether one more connection may speak for these. */
  readonly admits: (credentials: Credentials) => boolean
  /** A command met a defect of ours: its connection ends, and the operator is told. */
  readonly onDefect: (error: unknown) => void
  /** A client was refused access to another user's data: for the security stream. */
  readonly security?: ((event: string, facts: SecurityFacts) => void) | undefined
  /** The connection now speaks for these credentials; `before` when it spoke for others. */
  readonly connected: (connection: Client, credentials: Credentials, before: Credentials | undefined) => void
}

/** What is used of a uWebSockets socket. Only `server` imports the package itself. */
export interface ClientSocket {
  send(frame: Frame, isBinary: boolean, compress: boolean): unknown
  end(code: number, reason: string): void
  subscribe(topic: string): unknown
  unsubscribe(topic: string): unknown
  cork(write: () => void): unknown
  /** The WebSocket's own ping. */
  ping(): unknown
  /** Bytes that the peer has not taken yet. */
  getBufferedAmount(): number
}

/** Where the socket came from. */
export interface Peer {
  readonly ip: string
  /** Of the upgrade. */
  readonly requestId?: string
}

export interface Client extends Beating {
  /** The connection's own id, told to the client. */
  readonly client: string
  readonly socket: ClientSocket
  readonly isOpen: boolean
  /** The session or API key that it speaks by. Undefined before connect. */
  readonly speaker: SpeakerId | undefined
  /** The identity whose rights apply now: read again after every wait. Undefined: none any more, and the connection is closed. */
  readonly judged: () => Credentials | undefined
  readonly send: (frame: Frame) => void
  readonly reply: <M extends Method>(command: CommandOf<M>, result: Results[M]) => void
  readonly refuse: (command: Command, error: ProtocolError, data?: JsonText) => void
  readonly close: (close: Close) => void
  /** What its session or key may do has changed, or from where. */
  readonly renewed: () => void
  /** A defect that is met meanwhile ends the connection, not the process. */
  readonly attempt: (act: () => void) => void
  /** Plays a command now, or keeps it behind what its channel waits for. Never throws. */
  readonly take: (command: Command) => void
  /** Begins what is answered later; false when too much of it is going on. `ended` follows each that began. */
  readonly begins: () => boolean
  readonly ended: () => void
}

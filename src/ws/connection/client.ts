/** A connected client as the parts that serve it see it, and what all connections share. */
import type { SpeakerId } from "../../domain/user/user.ts"
import type { Rpc } from "../../ports/rpc.ts"
import type { SecurityFacts } from "../../ports/security-log.ts"
import type { Authority, Credentials } from "../channels/authority.ts"
import type { Hub } from "../fanout/hub.ts"
import type { Close, ProtocolError } from "../protocol/error-codes.ts"
import type { Command, CommandOf, Frame, JsonText, Method, Results } from "../protocol/protocol.ts"
import type { CommandRate } from "./command-rate.ts"
import type { Beating, Heartbeat } from "./heartbeat.ts"
import type { Pace } from "./pace.ts"

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
  /** Somebody was refused what is not theirs: for the security stream. */
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
  /** Whose rights count at this moment: asked anew after every wait. Undefined: nobody's any more, and the connection is closed. */
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

/**
 * Decides when a client's commands run: at once, after the client has read earlier responses, or in its turn among newly connected clients. The
 * one thing to know: a client that requests more than it reads must wait, because a thousand deep books in one frame must not exceed the limit at
 * which a slow reader is closed.
 */

import { CLOSES, type Close, ERRORS, type ProtocolError } from "../protocol/error-codes.ts"
import type { Command } from "../protocol/protocol.ts"
import type { ClientSocket, CommandRate, ConnectionContext } from "./client.ts"
import type { Newcomer } from "./pace.ts"

// Bounds the commands one connection may send and have in flight. Each has two: cancels go in a lane of their own, so that no other
// command of the client's ever holds one up.

/** Calls and reads of storage in one lane at a time. */
const IN_FLIGHT_MAX = 128

const CANCELS: ReadonlySet<unknown> = new Set([
  "tradeOrder.cancel",
  "tradeOrder.cancelAll",
  "tradeOrder.cancelAllAfter",
])

const isCancel = (command: Command): boolean => command.method === "rpc" && CANCELS.has(command.parameters.method)

class CommandLane {
  /** Whose answers are still to come. */
  private inFlight = 0

  constructor(
    /** Null: as often as the client likes. */
    private readonly rate: CommandRate | null,
  ) {}

  judge(): ReturnType<CommandRate["judge"]> {
    return this.rate === null ? "within" : this.rate.judge()
  }

  /** Begins what is answered later; false when too much of it is going on. `ended` follows each that began. */
  begins(): boolean {
    if (this.inFlight >= IN_FLIGHT_MAX) return false
    this.inFlight++
    return true
  }

  ended(): void {
    this.inFlight--
  }
}

/** More bytes than this waiting for the peer, and its next commands wait too. */
const HOLD_BYTES = 262_144
const HELD_MAX = 10_000
/** Of messages with commands that wait: parsed, they take many times as much. */
const BACKLOG_BYTES_MAX = 1_048_576

/** The connection. */
export interface Taker {
  readonly socket: ClientSocket
  /** False: its socket is gone, or being closed. */
  readonly isOpen: boolean
  /** False: whatever it is given is dropped. */
  readonly isListening: boolean
  /** It has said who it is. */
  readonly isConnected: boolean
  /** Commands that were taken and wait behind a subscribe. */
  readonly deferred: number
  readonly take: (command: Command) => void
  readonly refuse: (command: Command, error: ProtocolError) => void
  readonly close: (how: Close) => void
  /** Runs it; what it throws ends this connection and no other. */
  readonly attempt: (act: () => void) => void
}

export class CommandIntake implements Newcomer {
  readonly others: CommandLane
  private readonly cancels: CommandLane
  private held: Array<Command> = []
  /** Of the messages that commands came with that wait, here or behind a subscribe; counted until none waits. */
  private backlogBytes = 0
  /** Who sends them is being learnt. */
  private isOnHold = false

  constructor(
    private readonly taker: Taker,
    private readonly context: Pick<ConnectionContext, "commandRate" | "pace">,
  ) {
    this.cancels = new CommandLane(context.commandRate())
    this.others = new CommandLane(context.commandRate())
  }

  get isWaiting(): boolean {
    return this.held.length > 0 || this.isOnHold
  }

  /** What comes from now on waits until `release`. */
  hold(): void {
    this.isOnHold = true
  }

  release(): void {
    this.isOnHold = false
    this.goOn()
  }

  laneOf(command: Command): CommandLane {
    return isCancel(command) ? this.cancels : this.others
  }

  /** Of one message. */
  receive(commands: ReadonlyArray<Command>, bytes: number): void {
    const before = this.backlog
    if (before === 0) this.backlogBytes = 0
    for (const command of commands) this.receiveOne(command)
    if (this.backlog > before) this.backlogBytes += bytes
    if (this.backlogBytes > BACKLOG_BYTES_MAX) this.taker.close(CLOSES.tooManyRequests)
  }

  /** The peer took bytes: what it asked for since goes on, until as much waits again. */
  drained(): void {
    for (let next = this.held[0]; next !== undefined && this.mayTake(next); next = this.held[0]) {
      this.held.shift()
      this.taker.take(next)
    }
  }

  /** Its turn has come: what is answered now leaves in one write. */
  goOn(): void {
    const { taker } = this
    if (taker.isOpen) taker.attempt(() => taker.socket.cork(() => this.drained()))
  }

  gone(): void {
    this.context.pace.leave(this)
  }

  /** Commands that wait. */
  private get backlog(): number {
    return this.held.length + this.taker.deferred
  }

  private get isBackedUp(): boolean {
    return this.taker.isOpen && this.taker.socket.getBufferedAmount() > HOLD_BYTES
  }

  /** Pongs do not wait, and cancels only for the reader. */
  private receiveOne(command: Command): void {
    if (command.method !== "pong" && !this.isWithinRate(command)) return
    if ((this.overtakes(command) || this.held.length === 0) && this.mayTake(command)) return this.taker.take(command)
    if (this.held.push(command) > HELD_MAX) this.taker.close(CLOSES.tooManyRequests)
  }

  private overtakes(command: Command): boolean {
    return command.method === "pong" || (this.taker.isConnected && isCancel(command))
  }

  private mayTake(command: Command): boolean {
    const { method } = command
    // To be dropped.
    if (!this.taker.isListening || method === "pong") return true
    if (this.isBackedUp || (this.isOnHold && !this.overtakes(command))) return false
    return (method !== "connect" && method !== "subscribe") || this.context.pace.admits(this)
  }

  private isWithinRate(command: Command): boolean {
    if (!this.taker.isOpen) return true
    const word = this.laneOf(command).judge()
    if (word === "within") return true
    // A send has no reply.
    if (word === "too many") this.taker.close(CLOSES.tooManyRequests)
    else if (command.method !== "send") this.taker.refuse(command, ERRORS.tooManyRequests)
    return false
  }
}

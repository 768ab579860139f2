/**
 * Slow consumers, step by step: unread data accumulates, then conflatable data is held back and resent later, then the socket is closed
 * with 3008, by bytes or by age. Never a silent gap. The hard limit in bytes is uWebSockets' own back-pressure limit: see
 * `Connection.tooSlow`.
 */
import type { Connection } from "../connection/connection.ts"
import { CLOSES } from "../protocol/error-codes.ts"

export interface SlowLimits {
  /** Bytes that wait for a socket before it is spared what can be conflated. */
  readonly conflateBytes: number
  /** A socket for which bytes have been waiting without a pause for so long is closed, in ms. */
  readonly ageMillis: number
}

export interface SlowStats {
  /** Sockets with bytes waiting, at the last look. */
  readonly behind: number
  /** Sockets that are spared some channels now. */
  readonly parked: number
  readonly conflations: number
  readonly closedByAge: number
}

/** Below this a spared socket gets everything again. */
const RESUME_BYTES = 4096

export class SlowReaders {
  private readonly parked = new Set<Connection>()
  /** A resent state does not count as falling behind until it is read, or a client that got a deep book would be held back again at once. */
  private readonly given = new Map<Connection, number>()
  private behind = 0
  private conflations = 0
  private closedByAge = 0

  constructor(
    private readonly connections: ReadonlySet<Connection>,
    private readonly limits: SlowLimits,
    private readonly monotonic: () => number,
  ) {}

  /** Looks at every socket; called some times a second, outside of any delivery. */
  look(): void {
    const now = this.monotonic()
    this.behind = 0
    for (const connection of this.connections) {
      if (!connection.isOpen) continue
      const waiting = connection.socket.getBufferedAmount()
      if (waiting === 0) {
        connection.behindSince = undefined
        continue
      }
      this.behind++
      connection.behindSince ??= now
      if (now - connection.behindSince > this.limits.ageMillis) {
        this.closedByAge++
        connection.close(CLOSES.slow)
      } else if (
        waiting > this.limits.conflateBytes + (this.given.get(connection) ?? 0) &&
        connection.subscriptions.park() &&
        !this.parked.has(connection)
      ) {
        this.parked.add(connection)
        this.conflations++
      }
    }
  }

  /** The peer took some bytes. */
  drained(connection: Connection): void {
    const waiting = connection.socket.getBufferedAmount()
    if (waiting === 0) connection.behindSince = undefined
    if (waiting > RESUME_BYTES) return
    this.given.delete(connection)
    if (!this.parked.has(connection)) return
    connection.subscriptions.resume(RESUME_BYTES)
    if (!connection.isOpen) return
    this.given.set(connection, connection.socket.getBufferedAmount())
    if (!connection.subscriptions.isParked) this.parked.delete(connection)
  }

  gone(connection: Connection): void {
    this.parked.delete(connection)
    this.given.delete(connection)
  }

  stats(): SlowStats {
    const { behind, conflations, closedByAge } = this
    return { behind, parked: this.parked.size, conflations, closedByAge }
  }
}

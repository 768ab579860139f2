/**
 * Ping, pong, stale and expiry times of all connections with one timer: a wheel of seconds, so that a second costs what is due in
 * it, not what is connected.
 */

export const PING_SECONDS = 25
export const PONG_SECONDS = 8
export const STALE_SECONDS = 10
export const EXPIRY_GRACE_SECONDS = 25

export interface Beating {
  readonly isOpen: boolean
  /** Sends a ping and waits for its pong. */
  readonly ping: () => void
  /** Called PONG_SECONDS after a ping. */
  readonly pongDue: () => void
  /** Not connected in time. */
  readonly staleDue: () => void
  /** The token, with its grace, is over unless it was refreshed. */
  readonly expiryDue: () => void
  /** A subscription, with its grace, is over unless it was refreshed. */
  readonly subscriptionsDue: () => void
}

type Due = Exclude<keyof Beating, "isOpen">

/**
 * Nothing stands further ahead on the wheel: what is due later passes by until it is time, so that a connection that is gone is not kept
 * until its token would have ended.
 */
const HORIZON_SECONDS = 60

interface Entry {
  readonly connection: Beating
  readonly what: Due
  readonly at: number
}

export class Heartbeat {
  private readonly due = new Map<number, Array<Entry>>()
  private second = 0
  private timer: NodeJS.Timeout | undefined

  /** `safely` keeps a defect of one second from the process. */
  start(safely: (run: () => void) => () => void): void {
    this.timer = setInterval(
      safely(() => this.tick()),
      1000,
    )
    this.timer.unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  in(seconds: number, connection: Beating, what: Due): void {
    this.plan({ connection, what, at: this.second + Math.max(1, Math.ceil(seconds)) })
  }

  /** One second; called by the timer, and by tests. */
  tick(): void {
    this.second++
    const list = this.due.get(this.second)
    if (list === undefined) return
    this.due.delete(this.second)
    const defects: Array<unknown> = []
    for (const entry of list) {
      const { connection, what, at } = entry
      if (!connection.isOpen) continue
      if (at > this.second) {
        this.plan(entry)
        continue
      }
      try {
        connection[what]()
      } catch (cause) {
        defects.push(cause)
      }
      if (what === "ping") {
        this.in(PONG_SECONDS, connection, "pongDue")
        this.in(PING_SECONDS, connection, "ping")
      }
    }
    // Told once all others of this second have had their turn.
    if (defects.length > 0) throw defects[0]
  }

  private plan(entry: Entry): void {
    const at = Math.min(entry.at, this.second + HORIZON_SECONDS)
    const list = this.due.get(at)
    if (list === undefined) this.due.set(at, [entry])
    else list.push(entry)
  }
}

/**
 * Schedules expiry checks of a connection: one at a time, for the earliest known expiry, however often it is refreshed; a check that
 * finds nothing expired schedules the next. Times are seconds since the Unix epoch.
 */
export class ExpiryWatch {
  /** The end for which a look is planned. */
  private earliest = Number.POSITIVE_INFINITY

  constructor(
    private readonly plan: (seconds: number) => void,
    private readonly now: () => number,
  ) {}

  /** Schedules a check at this expiry plus its grace, or earlier. */
  watch(expiresAt: number): void {
    if (expiresAt >= this.earliest) return
    this.earliest = expiresAt
    this.plan(expiresAt + EXPIRY_GRACE_SECONDS - this.now())
  }

  /** A look has come: what is not over is to be watched again. False when an earlier look has seen to that already. */
  begins(): boolean {
    // The wheel's seconds are not the clock's: a look may come up to one early.
    if (this.earliest + EXPIRY_GRACE_SECONDS - this.now() > 1) return false
    this.earliest = Number.POSITIVE_INFINITY
    return true
  }

  isOver(expiresAt: number): boolean {
    return expiresAt + EXPIRY_GRACE_SECONDS <= this.now()
  }
}

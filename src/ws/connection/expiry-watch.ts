/**
 * Schedules expiry checks of a connection: one at a time, for the earliest known expiry, however often it is refreshed; a check that
 * finds nothing expired schedules the next. Times are seconds since the Unix epoch.
 */
import { EXPIRY_GRACE_SECONDS } from "./heartbeat.ts"

export class ExpiryWatch {
  /** The end for which a look is planned. */
  private earliest = Number.POSITIVE_INFINITY

  constructor(
    private readonly plan: (seconds: number) => void,
    private readonly now: () => number,
  ) {}

  /** Sees to it that somebody looks when this end and its grace are over, or before. */
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

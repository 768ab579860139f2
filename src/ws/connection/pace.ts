/**
 * Pacing of reconnect storms: thousands of clients return at the same moment, and each wants to connect and to recover what it missed. Handled on
 * arrival they would occupy the event loop until all are done, while orders and their confirmations wait at every step. So new clients may take a
 * few ms of each turn of the loop, or half of what all else of it took (foundation/turn-share.ts), and the rest wait for the next one, first come, first served. The one thing to know: waiting work is kept by
 * the connection (`held`, with its limits); this queue only has the order.
 */
import { TurnShare } from "../../foundation/turn-share.ts"

/** Of one turn, at least: an order is looked at about five times between its request and its answer. */
const TURN_MILLIS = 4

export interface Newcomer {
  /** Plays what it holds, as long as it is admitted. Never throws. */
  readonly goOn: () => void
}

export class Pace {
  /** In the order in which they came. */
  private readonly waiting = new Set<Newcomer>()
  /** Those that have had a turn, and waited for storage since: they came before the others. */
  private readonly returning = new Set<Newcomer>()
  /** Whose turn it is. */
  private current: Newcomer | undefined = undefined
  /** Monotonic ms; of the running turn. */
  private overAt = 0
  private nextTurn: NodeJS.Immediate | undefined = undefined
  private deferrals = 0
  private readonly share: TurnShare

  constructor(private readonly monotonic: () => number) {
    this.share = new TurnShare(monotonic, TURN_MILLIS)
  }

  /** Whether it may play one more command now. If not it keeps it, and is asked to go on in a later turn. */
  admits(newcomer: Newcomer, queue = this.waiting): boolean {
    if (this.nextTurn === undefined && this.current === undefined) {
      this.share.leave()
      this.overAt = this.share.until()
      this.nextTurn = setImmediate(() => this.turn())
    }
    const isNext = this.current === newcomer || (this.current === undefined && this.size === 0)
    if (isNext && this.monotonic() < this.overAt) return true
    if (!queue.has(newcomer)) {
      queue.add(newcomer)
      this.deferrals++
    }
    return false
  }

  /** What is left of a command that has had its turn, and waited for storage since: now, or before those that have had none. `work` does not throw. */
  readonly inTurn = (work: () => void): void => {
    const newcomer: Newcomer = {
      goOn: () => {
        if (this.admits(newcomer, this.returning)) work()
      },
    }
    newcomer.goOn()
  }

  /** It is gone. */
  leave(newcomer: Newcomer): void {
    this.waiting.delete(newcomer)
  }

  /** No waiting work continues. */
  stop(): void {
    clearImmediate(this.nextTurn)
    this.nextTurn = undefined
    this.waiting.clear()
    this.returning.clear()
  }

  stats(): { readonly waiting: number; readonly deferrals: number } {
    return { waiting: this.size, deferrals: this.deferrals }
  }

  private get size(): number {
    return this.waiting.size + this.returning.size
  }

  /** Work that does not finish in the rest of the turn goes to the back of the queue. */
  private turn(): void {
    this.nextTurn = undefined
    this.overAt = this.share.until()
    let isOver = false
    for (const queue of [this.returning, this.waiting])
      for (const newcomer of queue) {
        if (isOver) break
        queue.delete(newcomer)
        this.current = newcomer
        newcomer.goOn()
        isOver = this.monotonic() >= this.overAt
      }
    this.current = undefined
    this.share.leave()
    if (this.size > 0) this.nextTurn = setImmediate(() => this.turn())
  }
}

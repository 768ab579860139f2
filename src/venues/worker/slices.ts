/**
 * Commands in the order in which they came, a slice of the loop's time at once. The one thing to know: a port hands over up to a thousand messages
 * before anything else has its turn, and signing a thousand cancels takes longer than a heartbeat may: without slices such a thread counts as hung,
 * is ended, and leaves all of them in doubt.
 */

/** Of the 200 ms between two heartbeats; a command that comes alone does not wait. */
const SLICE_MILLIS = 20

export class Slices<A> {
  readonly #play: (command: A) => void
  readonly #monotonic: () => number
  /** What waits for the next turn of the loop. */
  #waiting: Array<A> = []
  #at = 0
  /** When this turn of the loop took its first command; null: it has taken none. */
  #beganAt: number | null = null

  constructor(play: (command: A) => void, monotonic: () => number = () => performance.now()) {
    this.#play = play
    this.#monotonic = monotonic
  }

  take(command: A): void {
    if (this.#waiting.length === 0 && this.#hasTime()) this.#play(command)
    else this.#waiting.push(command)
  }

  /** Resolves when nothing waits. */
  async empty(): Promise<void> {
    while (this.#waiting.length > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  #hasTime(): boolean {
    const now = this.#monotonic()
    if (this.#beganAt === null) {
      this.#beganAt = now
      setImmediate(this.#turn)
    }
    return now - this.#beganAt < SLICE_MILLIS
  }

  readonly #turn = (): void => {
    this.#beganAt = null
    this.#next()
  }

  readonly #next = (): void => {
    if (this.#at === this.#waiting.length) {
      this.#waiting = []
      this.#at = 0
      return
    }
    if (!this.#hasTime()) return
    const command = this.#waiting[this.#at++] as A
    // After all that this one does before it waits for something, so that it counts.
    queueMicrotask(() => process.nextTick(this.#next))
    this.#play(command)
  }
}

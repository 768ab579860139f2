/**
 * Work that came all at once, done over several turns of the event loop: for a few ms of each, or for half of what all else of the turn took. The one
 * thing to know: where turns are long, on a machine with much else to do, a few ms of each would be less than comes in.
 */

const TURN_MILLIS = 5
const TURN_MILLIS_MAX = 100

export class TurnShare {
  readonly #monotonic: () => number
  readonly #turnMillis: number
  /** When others had the loop last. */
  #leftAt = 0

  constructor(monotonic: () => number, turnMillis = TURN_MILLIS) {
    this.#monotonic = monotonic
    this.#turnMillis = turnMillis
  }

  /** Others have the loop from here on. */
  leave(): void {
    this.#leftAt = this.#monotonic()
  }

  /** When the share of a turn that begins now is over. */
  until(): number {
    const now = this.#monotonic()
    return now + Math.min(TURN_MILLIS_MAX, Math.max(this.#turnMillis, (now - this.#leftAt) / 2))
  }

  /** Does the first of them, and as many more as there is time for; answers the rest, among it what was added to `due` meanwhile. */
  some<A>(due: ReadonlyArray<A>, take: (one: A) => void): Array<A> {
    const overAt = this.until()
    let count = 0
    while (count < due.length && (count === 0 || this.#monotonic() < overAt)) take(due[count++] as A)
    this.leave()
    return due.slice(count)
  }
}

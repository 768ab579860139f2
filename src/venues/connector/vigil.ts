/**
 * Whether a thread hangs: it neither answers its heartbeats nor does anything. One under a flood of frames answers late, because Node
 * reads a socket for up to 2 MB before it looks at anything else; ending it then would lose the very data it is busy with.
 */
export class Vigil {
  readonly #doneSoFar: () => number
  #done = 0
  #missed = 0

  /** `doneSoFar`: a count that grows with whatever the thread does. */
  constructor(doneSoFar: () => number) {
    this.#doneSoFar = doneSoFar
  }

  answered(): void {
    this.#missed = 0
  }

  /**
   * A heartbeat later: how many in a row have brought no sign of life. One that came late itself counts for nothing: a machine that keeps
   * this thread waiting keeps the other one waiting, too.
   */
  tick(isLate: boolean): number {
    const done = this.#doneSoFar()
    const hasWorked = done !== this.#done
    this.#done = done
    if (hasWorked) this.#missed = 0
    const missed = this.#missed
    if (!isLate) this.#missed += 1
    return missed
  }
}

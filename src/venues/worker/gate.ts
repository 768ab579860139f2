/**
 * Where what was built ahead waits, signed, before its first byte. The one thing to know: no request of work that has a gate reaches a socket
 * before the gate is open, whatever the request is (order-path 3).
 */
import { TooLate } from "./exchange/errors.ts"

export class Gate {
  #isShut = true
  #isDropped = false
  #open: () => void = () => undefined
  #drop: (reason: Error) => void = () => undefined
  readonly #opened: Array<() => void> = []
  readonly #undone: Array<() => void> = []
  /** Resolves when it is open, rejects when it never will be. */
  readonly passed: Promise<void>
  /** It was open, and in time: from here on bytes may have left. */
  hasLeft = false

  constructor() {
    this.passed = new Promise((resolve, reject) => {
      this.#open = resolve
      this.#drop = reject
    })
    // One that nothing waits at is dropped all the same.
    this.passed.catch(() => undefined)
  }

  /** False: it was dropped before. */
  open(): boolean {
    if (this.#isDropped) return false
    this.#isShut = false
    this.#open()
    for (const go of this.#opened.splice(0)) go()
    return true
  }

  /** Nothing that waits here ever leaves. An open gate stays open. */
  drop(): void {
    if (!this.#isShut || this.#isDropped) return
    this.#isDropped = true
    this.#drop(new TooLate("it was not released"))
    for (const undo of this.#undone.splice(0)) undo()
  }

  /** What waits here goes on. At once where it is open. */
  whenOpened(go: () => void): void {
    if (!this.#isShut) go()
    else if (!this.#isDropped) this.#opened.push(go)
  }

  /** What was taken for a request that waits here is given back. */
  whenDropped(undo: () => void): void {
    if (this.#isDropped) undo()
    else if (this.#isShut) this.#undone.push(undo)
  }
}

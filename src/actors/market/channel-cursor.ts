/**
 * Epoch and offset of one channel. Offsets grow by one with every change, with or without subscribers; when a first subscriber comes after
 * changes without one, or some are missing, a new epoch says that earlier positions cannot be recovered.
 */
export class ChannelCursor {
  readonly #newEpoch: () => string
  #epoch: string
  #offset = 0
  #unheard = false

  constructor(newEpoch: () => string) {
    this.#newEpoch = newEpoch
    this.#epoch = newEpoch()
  }

  get epoch(): string {
    return this.#epoch
  }

  /** Of the newest change. */
  get offset(): number {
    return this.#offset
  }

  /** The offset of one more change; `heard`: it is published. */
  next(heard: boolean): number {
    if (!heard) this.#unheard = true
    this.#offset += 1
    return this.#offset
  }

  /** Changes are missing: what comes next is of a new epoch. */
  broke(): void {
    this.#unheard = false
    this.#epoch = this.#newEpoch()
  }

  /** A first listener comes. */
  opened(): void {
    if (!this.#unheard) return
    this.#unheard = false
    this.#epoch = this.#newEpoch()
  }
}

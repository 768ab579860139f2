/**
 * A recorded `books` channel in place of an instrument's own: the messages leave byte-equal, the snapshot when somebody subscribes,
 * the updates one by one when the test asks for the next.
 */
import type { Channels } from "./channels.ts"

export interface BooksCapture {
  readonly instId: string
  /** The snapshot, as the venue sent it. */
  readonly snapshot: string
  readonly updates: ReadonlyArray<string>
}

export class ReplayBooks {
  #sent = 0

  constructor(
    readonly capture: BooksCapture,
    readonly channels: Channels,
  ) {}

  /** Sends the next update; false when there is none. */
  next(): boolean {
    const text = this.capture.updates[this.#sent]
    if (text === undefined) return false
    this.#sent += 1
    this.channels.publish("books", this.capture.instId, text)
    return true
  }
}

/**
 * What carries frames between processes: a broker, or memory in a simulation. At most once, and nothing is promised of the order; a frame that was handed over
 * may be lost without a word.
 */
export interface Wire {
  readonly isUp: () => boolean
  /** `number`: `undelivered` is told of it where no process listens on the subject, if that can be known. */
  readonly send: (subject: string, frame: Uint8Array, number?: number) => void
  /** Until what it answers is called. */
  readonly listen: (subject: string, take: (frame: Uint8Array) => void) => () => void
  /** One at a time. */
  readonly tell: (events: WireEvents) => void
}

export interface WireEvents {
  /** It can be sent again, after it could not. */
  readonly up: () => void
  readonly undelivered: (number: number) => void
}

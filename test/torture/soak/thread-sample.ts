/** What a thread of the soaked process says of itself, and the channel it is asked on. */

export const PULSE_CHANNEL = "soak"

/** What the instances of a thread keep, all of them together. */
export interface Caches {
  readonly instances: number
  readonly orderbooks: number
  readonly levels: number
  /** Frames that wait for a snapshot. */
  readonly cachedFrames: number
  readonly trades: number
  readonly tradeRows: number
  readonly tickers: number
  readonly ohlcvs: number
  readonly bars: number
  readonly sockets: number
  readonly subscriptions: number
  readonly futures: number
}

export interface ThreadSample {
  /** 0 is the main thread. */
  readonly thread: number
  readonly heapUsedBytes: number
  readonly externalBytes: number
  /** What keeps the event loop alive, by kind. */
  readonly resources: Readonly<Record<string, number>>
  readonly caches: Caches
}

export interface PulseAnswer {
  readonly answer: number
  readonly sample: ThreadSample
}

/** What the parts of `venue` agree on. */
export interface Pace {
  readonly perSecond: number
  readonly millis: number
  /** Part of every client order id of the round. */
  readonly name: string
}

/** Instants in µs of the machine's monotonic clock. */
export interface OrderTimes {
  /** As the exchange knows it. */
  readonly clientOrderId: string
  readonly plannedAt: number
  /** The gateway's answer after its commit; for ccxt the venue's answer. */
  readonly answeredAt: number
}

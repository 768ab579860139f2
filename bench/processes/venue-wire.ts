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
  /** Of the gateway's header Server-Timing: ms since it had read the request, in the order of the stages. */
  readonly stages?: ReadonlyArray<number>
}

export const STAGES = ["checked", "committed", "dispatched"] as const

export interface Credentials {
  readonly apiKey: string
  readonly apiSecret: string
}

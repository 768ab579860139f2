/** One row per kind of channel: how its publications travel. Who may subscribe is decided in `access`. */
import type { ChannelKind } from "../domain/channel.ts"

export interface ChannelKindSettings {
  /**
   * Publications of a busy server may be gathered this long, in ms, before they leave in one frame per socket; 0 = always at once.
   * While the server is idle nothing waits, whatever stands here (docs/decisions, adaptive flush).
   */
  readonly windowMillis: number
}

export type ChannelKinds = { readonly [K in ChannelKind]: ChannelKindSettings }

/** Account events are never gathered; market data up to `windowMillis`. */
export const channelKinds = (windowMillis: number): ChannelKinds => ({
  tradingAccount: { windowMillis: 0 },
  orderbook: { windowMillis },
  trade: { windowMillis },
  ticker: { windowMillis },
  venueTicker: { windowMillis },
})

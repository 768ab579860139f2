/**
 * How a stream of Gemini ends, which ccxt does not know. Book and trades of a market come by one subscription, whose end the venue does
 * not acknowledge; it reads in order, so what follows is of the next one.
 */
import type { Leaving } from "../adapter.ts"

export const leaving: Leaving = {
  isJoint: true,
  leave: ({ stream, market: { id, symbol } }) =>
    stream === "ticker"
      ? null
      : {
          message: { type: "unsubscribe", subscriptions: [{ name: "l2", symbols: [id.toUpperCase()] }] },
          keys: [`l2:${symbol}`],
          waiting: [`orderbook:${symbol}`, `trades:${symbol}`],
          isHeard: null,
        },
}

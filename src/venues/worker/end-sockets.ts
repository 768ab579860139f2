/** Ends the sockets that carry a market: whatever waits on them rejects, and begins again on new ones. */
import type { CcxtExchange } from "./ccxt.ts"

/** All of them, of an instance that has one for everything. */
export const endAll = (exchange: CcxtExchange, reason: string): void => {
  for (const socket of Object.values(exchange.clients)) {
    socket.onError(new Error(reason))
    socket.close()
  }
}

/** Subscriptions are kept under ccxt's symbol or the venue's own id, in upper or lower case. */
export const endSockets = (exchange: CcxtExchange, symbol: string, reason: string): void => {
  const names = [symbol, exchange.markets?.[symbol]?.id ?? symbol].map((name) => name.toLowerCase())
  for (const socket of Object.values(exchange.clients)) {
    const subscriptions = Object.keys(socket.subscriptions).map((subscription) => subscription.toLowerCase())
    if (!subscriptions.some((subscription) => names.some((name) => subscription.includes(name)))) continue
    socket.onError(new Error(reason))
    socket.close()
  }
}

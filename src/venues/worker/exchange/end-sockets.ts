/** Closes the sockets that carry a market: whatever waits on them is rejected, and resumes on new ones. */
import type { CcxtExchange, CcxtSocket } from "./ccxt.ts"

/** All of them, of an instance that has one for everything. */
export const endAll = (exchange: CcxtExchange, reason: string): void => {
  for (const socket of Object.values(exchange.clients)) {
    socket.onError(new Error(reason))
    socket.close()
  }
}

/** As a whole word: the pair `BTC/USDT` is in `WBTC/USDT`, too. */
const names = (key: string, name: string): boolean => {
  for (let at = key.indexOf(name); at >= 0; at = key.indexOf(name, at + 1))
    if (!/[a-z0-9]/.test(key[at - 1] ?? "") && !/[a-z0-9_/-]/.test(key[at + name.length] ?? "")) return true
  return false
}

/** Subscriptions are kept under ccxt's symbol or the venue's own id, in upper or lower case. */
export const socketsOf = (exchange: CcxtExchange, symbol: string): ReadonlyArray<CcxtSocket> => {
  const wanted = [symbol, exchange.markets?.[symbol]?.id ?? symbol].map((name) => name.toLowerCase())
  return Object.values(exchange.clients).filter(({ subscriptions }) =>
    Object.keys(subscriptions).some((key) => wanted.some((name) => names(key.toLowerCase(), name))),
  )
}

export const endSockets = (exchange: CcxtExchange, symbol: string, reason: string): void => {
  for (const socket of socketsOf(exchange, symbol)) {
    socket.onError(new Error(reason))
    socket.close()
  }
}

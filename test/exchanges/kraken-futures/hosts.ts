/** The hosts ccxt 4.5.84 dials for Kraken Futures (js/src/krakenfutures.js and js/src/pro/krakenfutures.js, `urls`). */
const HOSTS = ["futures.kraken.com:443", "demo-futures.kraken.com:443"]

export const krakenFuturesRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

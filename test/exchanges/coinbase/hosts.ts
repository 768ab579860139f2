/** The hosts ccxt 4.5.84 dials for Coinbase (js/src/coinbase.js and js/src/pro/coinbase.js, `urls`). */
const HOSTS = ["api.coinbase.com:443", "advanced-trade-ws.coinbase.com:443"]

export const coinbaseRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

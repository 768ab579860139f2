/** The hosts that ccxt 4.5.84 dials for Bitfinex, by REST and by socket (js/src/bitfinex.js and js/src/pro/bitfinex.js, `urls`). */
const HOSTS = ["api.bitfinex.com:443", "api-pub.bitfinex.com:443"]

export const bitfinexRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

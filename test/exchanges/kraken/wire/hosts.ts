/** The hosts ccxt 4.5.84 dials for Kraken Spot (js/src/kraken.js and js/src/pro/kraken.js, `urls`); there is no testnet. */
const HOSTS = ["api.kraken.com:443", "ws.kraken.com:443", "ws-auth.kraken.com:443"]

/** A VENUE_ROUTES value that points all of them at one loopback port. */
export const krakenRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

/** The hosts that ccxt 4.5.84 dials for Bitstamp, by REST and by socket (js/src/bitstamp.js and js/src/pro/bitstamp.js, `urls`). */
const HOSTS = ["www.bitstamp.net:443", "ws.bitstamp.net:443"]

export const bitstampRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

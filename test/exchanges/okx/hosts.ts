/**
 * The hosts ccxt 4.5.84 dials for OKX (js/src/okx.js and js/src/pro/okx.js, `urls`): REST is one host for trading and demo trading,
 * told apart by the header `x-simulated-trading`; demo WebSockets have a host of their own.
 */
const HOSTS = ["www.okx.com:443", "ws.okx.com:8443", "wspap.okx.com:8443"]

export const okxRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

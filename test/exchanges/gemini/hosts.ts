/** The hosts that ccxt 4.5.84 dials for Gemini: REST and sockets, and the page of the exchange, which has the steps of the markets (js/src/gemini.js, `urls`). */
const HOSTS = ["api.gemini.com:443", "exchange.gemini.com:443", "api.sandbox.gemini.com:443"]

export const geminiRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

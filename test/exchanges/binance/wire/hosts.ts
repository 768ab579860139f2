/**
 * The hosts ccxt 4.5.84 dials for Binance Spot (js/src/binance.js and js/src/pro/binance.js, `urls`): production, the testnet
 * that `setSandboxMode(true)` selects, and demo trading. A VENUE_ROUTES value points all of them at one loopback port.
 */
const HOSTS = [
  "api.binance.com:443",
  "stream.binance.com:9443",
  "ws-api.binance.com:443",
  "testnet.binance.vision:443",
  "stream.testnet.binance.vision:443",
  "ws-api.testnet.binance.vision:443",
  "demo-api.binance.com:443",
  "demo-stream.binance.com:443",
  "demo-ws-api.binance.com:443",
]

export const binanceRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

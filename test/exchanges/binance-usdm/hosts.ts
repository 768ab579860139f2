/** The hosts ccxt 4.5.84 dials for Binance USDⓈ-M (js/src/binance.js and js/src/pro/binance.js, `urls`). */
const HOSTS = ["fapi.binance.com:443", "fstream.binance.com:443"]

export const usdmRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

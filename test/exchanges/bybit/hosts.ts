/** The hosts ccxt 4.5.84 dials for Bybit and its testnet (js/src/bybit.js and js/src/pro/bybit.js, `urls`). */
const HOSTS = ["api.bybit.com:443", "stream.bybit.com:443", "api-testnet.bybit.com:443", "stream-testnet.bybit.com:443"]

export const bybitRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

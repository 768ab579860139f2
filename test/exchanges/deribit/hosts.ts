/** The hosts ccxt 4.5.84 dials for Deribit (js/src/deribit.js and js/src/pro/deribit.js, `urls`). */
const HOSTS = ["www.deribit.com:443", "test.deribit.com:443"]

export const deribitRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

/** The hosts that ccxt 4.5.84 dials for KuCoin spot (js/src/kucoin.js, `urls`), and the one that the venue names with a token of its sockets. */
export const SOCKET_HOST = "ws-api-spot.kucoin.com"

const HOSTS = ["api.kucoin.com:443", `${SOCKET_HOST}:443`]

export const kucoinRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

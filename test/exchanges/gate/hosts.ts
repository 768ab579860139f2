/** The host that ccxt 4.5.84 dials for Gate spot, by REST and by socket (js/src/gate.js and js/src/pro/gate.js, `urls`). */
const HOSTS = ["api.gateio.ws:443"]

export const gateRoutes = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(HOSTS.map((host) => [host, url]))

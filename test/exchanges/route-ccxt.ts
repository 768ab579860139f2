/**
 * Leads an unmodified ccxt instance to loopback: URLs stay as in production, only the TCP connect goes elsewhere.
 * ccxt picks error tables and subscriptions by URL, so rewriting `urls` would test another program. A host without a route is refused.
 */
import net from "node:net"

/** `host:port` to `http://127.0.0.1:PORT`, a VENUE_ROUTES value. */
export type Routes = Readonly<Record<string, string>>

/** The parts of a ccxt exchange that decide how it connects. */
export interface Routable {
  getDispatcherOptions: (...options: Array<never>) => object
  options: Record<string, unknown>
}

interface ConnectOptions {
  readonly hostname: string
  readonly port?: string
  readonly protocol: string
}

type Connected = (failure: Error | null, socket: net.Socket | null) => void

/** Changes the instance in place, before its first call. */
export const routeCcxt = (exchange: Routable, routes: Routes): void => {
  const open = (hostAndPort: string): net.Socket => {
    const route = routes[hostAndPort]
    if (route !== undefined) {
      return net.connect({ host: "127.0.0.1", port: Number(new URL(route).port), noDelay: true })
    }
    const socket = new net.Socket()
    const refusal = Object.assign(new Error(`no route to ${hostAndPort}`), { code: "ECONNREFUSED" })
    process.nextTick(() => socket.destroy(refusal))
    return socket
  }
  const original = exchange.getDispatcherOptions.bind(exchange)
  exchange.getDispatcherOptions = (...options) => ({
    ...original(...options),
    autoSelectFamily: false,
    connect: (target: ConnectOptions, done: Connected) => {
      const port = target.port || (target.protocol === "https:" ? "443" : "80")
      const socket = open(`${target.hostname}:${port}`)
      const failed = (cause: Error) => done(cause, null)
      socket.once("error", failed)
      socket.once("connect", () => {
        socket.removeListener("error", failed)
        done(null, socket)
      })
      return socket
    },
  })
  const known = readOptions(exchange.options["ws"])
  const createConnection = (target: { readonly host: string; readonly port: number | string }) =>
    open(`${target.host}:${target.port}`)
  exchange.options["ws"] = { ...known, options: { ...readOptions(known["options"]), createConnection } }
}

const readOptions = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {}

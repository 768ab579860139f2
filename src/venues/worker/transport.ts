/**
 * How a connector connects. ccxt keeps its production URLs (it picks error tables and subscriptions by them, venues.md 2.1); only
 * the TCP connect is re-routed, for REST (undici's `connect`) and for WebSockets (`createConnection`). With routes set, a host
 * without one is refused. A failure to connect says `NEVER_CONNECTED`: proof that no byte of the request left this host.
 */
import net from "node:net"
import tls from "node:tls"
import type { CcxtExchange } from "./ccxt.ts"

/** `host:port` → URL, for example `api.binance.com:443` → `http://127.0.0.1:9001`. */
export type Routes = Readonly<Record<string, string>>

/** Opens the text of every error of a connection that was never established. */
export const NEVER_CONNECTED = "never connected:"

/** Below ccxt's own request timeout, so that a connect that takes too long is told apart from an answer that does. */
const CONNECT_TIMEOUT_MILLIS = 4000

export interface Target {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly servername: string | undefined
}

/** Where a connection really goes. */
export type Route =
  | { readonly kind: "plain"; readonly host: string; readonly port: number }
  | {
      readonly kind: "tls"
      readonly host: string
      readonly port: number
      readonly servername: string
      readonly verified: boolean
    }
  | { readonly kind: "refused" }

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host)

/** An http target is plain TCP even where ccxt believes in TLS; an https target is TLS, unverified on loopback only. */
export const routeOf = (target: Target, routes: Routes | null): Route => {
  if (routes === null) {
    const { host, port } = target
    return target.secure
      ? { kind: "tls", host, port, servername: target.servername ?? host, verified: true }
      : { kind: "plain", host, port }
  }
  const to = routes[`${target.host}:${target.port}`]
  if (to === undefined) return { kind: "refused" }
  const url = new URL(to)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  if (url.protocol === "http:") return { kind: "plain", host, port: Number(url.port || 80) }
  const verified = !isLoopback(host)
  return { kind: "tls", host, port: Number(url.port || 443), servername: verified ? host : target.host, verified }
}

const neverConnected = (target: Target, cause: string): Error =>
  Object.assign(new Error(`${NEVER_CONNECTED} ${target.host}:${target.port} ${cause}`), { code: "ECONNREFUSED" })

/** A socket on its way; it is destroyed with a `NEVER_CONNECTED` error when it does not arrive. */
const dial = (
  target: Target,
  routes: Routes | null,
): { readonly socket: net.Socket; readonly ready: "connect" | "secureConnect" } => {
  const route = routeOf(target, routes)
  if (route.kind === "refused") {
    const socket = new net.Socket()
    process.nextTick(() => socket.destroy(neverConnected(target, "has no route")))
    return { socket, ready: "connect" }
  }
  const { host, port } = route
  if (route.kind === "plain") {
    return { socket: net.connect({ host, port, noDelay: true, autoSelectFamily: true }), ready: "connect" }
  }
  const servername = net.isIP(route.servername) === 0 ? route.servername : ""
  const socket = tls.connect({
    host,
    port,
    servername,
    rejectUnauthorized: route.verified,
    ALPNProtocols: ["http/1.1"],
  })
  socket.setNoDelay(true)
  return { socket, ready: "secureConnect" }
}

interface UndiciTarget {
  readonly hostname: string
  readonly port?: string
  readonly protocol: string
  readonly servername?: string | null
}

interface SocketTarget {
  readonly host: string
  readonly port: number | string
  readonly servername?: string
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** Changes the instance in place; before its first call. */
export const applyTransport = (exchange: CcxtExchange, routes: Routes | null): void => {
  const connect = (to: UndiciTarget, done: (failure: Error | null, socket: net.Socket | null) => void): net.Socket => {
    const secure = to.protocol === "https:"
    const target = {
      host: to.hostname,
      port: Number(to.port || (secure ? 443 : 80)),
      secure,
      servername: to.servername ?? undefined,
    }
    const { socket, ready } = dial(target, routes)
    const failed = (cause: Error) => {
      clearTimeout(timer)
      done(cause.message.startsWith(NEVER_CONNECTED) ? cause : neverConnected(target, cause.message), null)
    }
    const timer = setTimeout(() => socket.destroy(neverConnected(target, "timed out")), CONNECT_TIMEOUT_MILLIS)
    socket.once("error", failed)
    socket.once(ready, () => {
      clearTimeout(timer)
      socket.removeListener("error", failed)
      done(null, socket)
    })
    return socket
  }
  const original = exchange.getDispatcherOptions.bind(exchange)
  exchange.getDispatcherOptions = (isPlainAgent) => ({ ...original(isPlainAgent), autoSelectFamily: false, connect })

  const createConnection = (to: SocketTarget): net.Socket =>
    dial({ host: to.host, port: Number(to.port), secure: true, servername: to.servername }, routes).socket
  const ws = record(exchange.options["ws"])
  exchange.options["ws"] = { ...ws, options: { ...record(ws["options"]), createConnection } }
}

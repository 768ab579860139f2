/**
 * How a connector connects. ccxt keeps its production URLs (it picks error tables and subscriptions by them, venues 2.1); only
 * the TCP connect is re-routed, for REST (undici's `connect`) and for WebSockets (`createConnection`), and led through the venue's proxy
 * where it has one. With routes set, a host without one is refused. A failure to connect says `NEVER_CONNECTED`: proof that no byte of
 * the request left this host.
 */
import { once } from "node:events"
import net from "node:net"
import tls from "node:tls"
import type { CcxtExchange } from "./ccxt.ts"
import { openTunnel } from "./tunnel.ts"

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

/** Where connections are led. */
interface Ways {
  readonly routes: Routes | null
  readonly proxy: URL | null
}

/** A socket that can be written to; rejects with a `NEVER_CONNECTED` error. */
const dial = async (target: Target, { routes, proxy }: Ways): Promise<net.Socket> => {
  const route = routeOf(target, routes)
  if (route.kind === "refused") throw neverConnected(target, "has no route")
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MILLIS)
  try {
    const { host, port } = route
    const tunnel = proxy === null ? null : await openTunnel(proxy, host, port, signal)
    if (route.kind === "plain") {
      return tunnel ?? (await ready(net.connect({ host, port, autoSelectFamily: true }), "connect", signal))
    }
    const { servername, verified } = route
    const way = tunnel === null ? { host, port } : { socket: tunnel }
    const options = {
      ...way,
      servername: net.isIP(servername) === 0 ? servername : "",
      rejectUnauthorized: verified,
      ALPNProtocols: ["http/1.1"],
    }
    return await ready(tls.connect(options), "secureConnect", signal)
  } catch (cause) {
    throw neverConnected(target, signal.aborted ? "timed out" : cause instanceof Error ? cause.message : String(cause))
  }
}

const ready = async (
  socket: net.Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
): Promise<net.Socket> => {
  socket.setNoDelay(true)
  try {
    await once(socket, event, { signal })
    return socket
  } catch (cause) {
    // Nobody may be listening any more.
    socket.on("error", () => undefined).destroy()
    throw cause
  }
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

type Arrived = (failure: Error | null, socket: net.Socket | null) => void

/** Changes the instance in place; before its first call. `proxy` is a URL with its credentials. */
export const applyTransport = (exchange: CcxtExchange, routes: Routes | null, proxy: string | null): void => {
  const ways = { routes, proxy: proxy === null ? null : new URL(proxy) }
  const lead = (target: Target, arrived: Arrived): void => {
    dial(target, ways).then(
      (socket) => arrived(null, socket),
      (failure: Error) => arrived(failure, null),
    )
  }
  const connect = (to: UndiciTarget, arrived: Arrived): void => {
    const secure = to.protocol === "https:"
    const port = Number(to.port || (secure ? 443 : 80))
    lead({ host: to.hostname, port, secure, servername: to.servername ?? undefined }, arrived)
  }
  const original = exchange.getDispatcherOptions.bind(exchange)
  exchange.getDispatcherOptions = (isPlainAgent) => ({ ...original(isPlainAgent), autoSelectFamily: false, connect })

  // node:http takes the socket when it has arrived.
  const createConnection = (to: SocketTarget, arrived: Arrived): void =>
    lead({ host: to.host, port: Number(to.port), secure: true, servername: to.servername }, arrived)
  const ws = record(exchange.options["ws"])
  exchange.options["ws"] = { ...ws, options: { ...record(ws["options"]), createConnection } }
}

/**
 * How a connector connects. ccxt keeps its production URLs (it picks error tables and subscriptions by them, venues 2.1); only the TCP connect is
 * re-routed, for REST (undici's `connect`) and for WebSockets (`createConnection`), and goes through the venue's proxy where it has one. With
 * routes set, a host without one is refused. A failure to connect is marked `NEVER_CONNECTED`: proof that no byte of the request left this host.
 */
import { once } from "node:events"
import net from "node:net"
import tls from "node:tls"
import type { CcxtExchange } from "./ccxt.ts"

// A TCP connection through a proxy: HTTP CONNECT (http, https) or SOCKS 5 (RFC 1928, 1929). Host names are resolved by the proxy. No
// error says the proxy's credentials.

const ANSWER_BYTES_MAX = 16_384

/** Gives up and destroys `socket` when `signal` aborts. Rejects with a reason that begins with the proxy's address. */
export const openTunnel = async (proxy: URL, host: string, port: number, signal: AbortSignal): Promise<net.Socket> => {
  const at = { host: proxy.hostname.replace(/^\[|\]$/g, ""), port: Number(proxy.port || defaultPort(proxy)) }
  const socket =
    proxy.protocol === "https:"
      ? tls.connect({ ...at, servername: net.isIP(at.host) === 0 ? at.host : "", ALPNProtocols: ["http/1.1"] })
      : net.connect({ ...at, autoSelectFamily: true })
  socket.setNoDelay(true)
  const abort = () => socket.destroy(new Error("timed out"))
  signal.addEventListener("abort", abort)
  try {
    signal.throwIfAborted()
    await once(socket, proxy.protocol === "https:" ? "secureConnect" : "connect")
    await (proxy.protocol.startsWith("socks") ? shakeSocks : shakeHttp)(socket, proxy, host, port)
    return socket
  } catch (cause) {
    socket.destroy()
    throw new Error(`proxy ${at.host}:${at.port} ${cause instanceof Error ? cause.message : cause}`)
  } finally {
    signal.removeEventListener("abort", abort)
  }
}

const defaultPort = ({ protocol }: URL): number =>
  protocol === "https:" ? 443 : protocol.startsWith("socks") ? 1080 : 80

/** As given in the URL, decoded; null without. */
const credentialsOf = ({ username, password }: URL): { readonly user: string; readonly password: string } | null =>
  username === "" && password === ""
    ? null
    : { user: decodeURIComponent(username), password: decodeURIComponent(password) }

const shakeHttp = async (socket: net.Socket, proxy: URL, host: string, port: number): Promise<void> => {
  const authority = `${net.isIPv6(host) ? `[${host}]` : host}:${port}`
  const given = credentialsOf(proxy)
  const authorization =
    given === null
      ? ""
      : `Proxy-Authorization: Basic ${Buffer.from(`${given.user}:${given.password}`).toString("base64")}\r\n`
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`)
  const answer = await read(socket, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n")
    return end < 0 ? undefined : end + 4
  })
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer.toString("latin1"))?.[1]
  if (status !== "200") throw new Error(`answered ${status ?? "no HTTP"}`)
}

const NO_AUTHENTICATION = 0
const BY_PASSWORD = 2

const shakeSocks = async (socket: net.Socket, proxy: URL, host: string, port: number): Promise<void> => {
  const given = credentialsOf(proxy)
  socket.write(Buffer.from([5, 1, given === null ? NO_AUTHENTICATION : BY_PASSWORD]))
  const chosen = (await readBytes(socket, 2))[1]
  if (chosen === BY_PASSWORD && given !== null) {
    socket.write(Buffer.concat([Buffer.from([1]), sized(given.user), sized(given.password)]))
    if ((await readBytes(socket, 2))[1] !== 0) throw new Error("refused the credentials")
  } else if (chosen !== NO_AUTHENTICATION) throw new Error("requires another authentication method")
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3]), sized(host), Buffer.from([port >> 8, port & 255])]))
  // Version, outcome, reserved, then the address that it dials from: 4 bytes, 16, or a name with its length.
  const answer = await read(socket, (bytes) => {
    const kind = bytes[3]
    if (kind === undefined || (kind === 3 && bytes.length < 5)) return undefined
    return 6 + (kind === 1 ? 4 : kind === 4 ? 16 : 1 + (bytes[4] ?? 0))
  })
  if (answer[1] !== 0) throw new Error(`refused to connect (${answer[1]})`)
}

const sized = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  if (bytes.length > 255) throw new Error("does not support host names of this length")
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

const readBytes = (socket: net.Socket, count: number): Promise<Buffer> => read(socket, () => count)

/**
 * Reads until `lengthOf` knows the length of the answer and it is there; later bytes are left for the next reader. Not by `data`
 * events: a socket that was paused stays so, and node:http would never hear from it.
 */
const read = (socket: net.Socket, lengthOf: (bytes: Buffer) => number | undefined): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const finish = (act: () => void) => {
      socket.removeListener("readable", onReadable).removeListener("error", onError)
      socket.removeListener("end", onEnd).removeListener("close", onEnd)
      act()
    }
    const onError = (cause: Error) => finish(() => reject(cause))
    const onEnd = () => finish(() => reject(new Error("closed the connection")))
    const onReadable = () => {
      for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read())
        bytes = Buffer.concat([bytes, chunk])
      const length = lengthOf(bytes)
      if (length !== undefined && bytes.length >= length) {
        finish(() => {
          if (bytes.length > length) socket.unshift(bytes.subarray(length))
          resolve(bytes.subarray(0, length))
        })
      } else if (bytes.length > ANSWER_BYTES_MAX) finish(() => reject(new Error("sent an unterminated response")))
    }
    socket.on("readable", onReadable).on("error", onError).on("end", onEnd).on("close", onEnd)
  })

/** `host:port` → URL, for example `api.binance.com:443` → `http://127.0.0.1:9001`. */
type Routes = Readonly<Record<string, string>>

/** Opens the text of every error of a connection that was never established. */
export const NEVER_CONNECTED = "never connected:"

/** Below ccxt's own request timeout, so that a connect that takes too long is told apart from an answer that does. */
const CONNECT_TIMEOUT_MILLIS = 4000

interface Target {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly servername: string | undefined
}

/** Where a connection really goes. */
type Route =
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
    // There may be no listener any more.
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

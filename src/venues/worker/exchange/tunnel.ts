/**
 * A TCP connection through a proxy: HTTP CONNECT (http, https) or SOCKS 5 (RFC 1928, 1929). Host names are resolved by the proxy. No
 * error says the proxy's credentials.
 */
import { once } from "node:events"
import net from "node:net"
import tls from "node:tls"

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
  } else if (chosen !== NO_AUTHENTICATION) throw new Error("wants another authentication")
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
  if (bytes.length > 255) throw new Error("cannot take a name so long")
  return Buffer.concat([Buffer.from([bytes.length]), bytes])
}

const readBytes = (socket: net.Socket, count: number): Promise<Buffer> => read(socket, () => count)

/**
 * Reads until `lengthOf` knows the length of the answer and it is there; what came beyond it is left for whoever is next. Not by `data`
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
      } else if (bytes.length > ANSWER_BYTES_MAX) finish(() => reject(new Error("answers without an end")))
    }
    socket.on("readable", onReadable).on("error", onError).on("end", onEnd).on("close", onEnd)
  })

/** Loopback proxies: HTTP CONNECT and SOCKS 5, with or without a password. They note where they were asked to connect to, and as whom. */
import { once } from "node:events"
import net from "node:net"

export interface LoopbackProxy {
  readonly port: number
  /** `host:port` of every tunnel that was opened. */
  readonly opened: ReadonlyArray<string>
  /** Credentials that were shown, as `user:password`; an empty text where there were none. */
  readonly shown: ReadonlyArray<string>
  /** What the next connections get: true refuses them after the handshake has begun. */
  refuses: boolean
  /** Says that the way is open only with the first words of the far side, in one piece. */
  waits: boolean
  readonly stop: () => Promise<void>
}

interface Handshake {
  readonly host: string
  readonly port: number
  readonly shown: string
  /** What to say when the way is open, and when it is refused. */
  readonly opened: string | Buffer
  readonly refused: string | Buffer
}

/** `credentials`: `user:password` that are asked for; null lets everybody through. */
export const startProxy = async (kind: "http" | "socks5", credentials: string | null): Promise<LoopbackProxy> => {
  const opened: Array<string> = []
  const shown: Array<string> = []
  const sockets = new Set<net.Socket>()
  const proxy = { refuses: false, waits: false }
  const serve = async (socket: net.Socket): Promise<void> => {
    const asked = await (kind === "http" ? connectOf(socket) : socksOf(socket, credentials !== null))
    shown.push(asked.shown)
    if (proxy.refuses || (credentials !== null && asked.shown !== credentials)) {
      socket.end(asked.refused)
      return
    }
    const far = net.connect(asked.port, asked.host)
    sockets.add(far)
    far.on("error", () => socket.destroy()).on("close", () => sockets.delete(far))
    await once(far, "connect")
    opened.push(`${asked.host}:${asked.port}`)
    if (proxy.waits) await once(far, "readable")
    socket.write(
      Buffer.concat([Buffer.from(asked.opened), proxy.waits ? (far.read() ?? Buffer.alloc(0)) : Buffer.alloc(0)]),
    )
    socket.pipe(far).pipe(socket)
  }
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
    serve(socket).catch(() => socket.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  return Object.assign(proxy, {
    port: typeof address === "object" && address !== null ? address.port : 0,
    opened,
    shown,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    },
  })
}

const read = async (socket: net.Socket, isWhole: (bytes: Buffer) => boolean): Promise<Buffer> => {
  let bytes = Buffer.alloc(0)
  while (!isWhole(bytes)) {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) await once(socket, "readable")
    else bytes = Buffer.concat([bytes, chunk])
  }
  return bytes
}

const connectOf = async (socket: net.Socket): Promise<Handshake> => {
  const head = (await read(socket, (bytes) => bytes.includes("\r\n\r\n"))).toString("latin1")
  const [, authority = ""] = /^CONNECT (\S+) HTTP\/1\.1/.exec(head) ?? []
  const [, encoded = ""] = /proxy-authorization: basic (\S+)/i.exec(head) ?? []
  const at = authority.lastIndexOf(":")
  return {
    host: authority.slice(0, at),
    port: Number(authority.slice(at + 1)),
    shown: Buffer.from(encoded, "base64").toString(),
    opened: "HTTP/1.1 200 Connection established\r\nVia: 1.1 loopback\r\n\r\n",
    refused: "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
  }
}

const socksOf = async (socket: net.Socket, wantsPassword: boolean): Promise<Handshake> => {
  await read(socket, (bytes) => bytes.length >= 2 && bytes.length >= 2 + (bytes[1] ?? 0))
  socket.write(Buffer.from([5, wantsPassword ? 2 : 0]))
  let shown = ""
  if (wantsPassword) {
    const bytes = await read(
      socket,
      (got) => got.length > 1 && got.length >= 3 + (got[1] ?? 0) + (got[2 + (got[1] ?? 0)] ?? 255),
    )
    const user = bytes.subarray(2, 2 + (bytes[1] ?? 0))
    shown = `${user}:${bytes.subarray(3 + user.length)}`
    socket.write(Buffer.from([1, 0]))
  }
  const asked = await read(socket, (got) => got.length >= 5 && got.length >= 7 + (got[4] ?? 0))
  const host = asked.subarray(5, 5 + (asked[4] ?? 0)).toString()
  // The address it dials from, here as a name, so that its length has to be read.
  const bound = Buffer.concat([Buffer.from([3, 4]), Buffer.from("here"), Buffer.from([0, 0])])
  return {
    host,
    port: asked.readUInt16BE(5 + host.length),
    shown,
    opened: Buffer.concat([Buffer.from([5, 0, 0]), bound]),
    refused: Buffer.concat([Buffer.from([5, 2, 0]), bound]),
  }
}

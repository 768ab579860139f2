/** Connections through proxies: how the way is opened, that nothing is lost on it, and what is said when it stays shut. */
import { once } from "node:events"
import net from "node:net"
import tls from "node:tls"
import { afterEach, describe, expect, it } from "vitest"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { applyTransport, NEVER_CONNECTED, openTunnel } from "../../../../src/venues/worker/exchange/transport.ts"
import { type LoopbackProxy, startProxy } from "../../../kit/proxies/proxies.ts"
import { CERTIFICATE, KEY } from "../../../kit/servers/http-certificate.ts"

const PASSWORD = "s3cret:p@ss/word"
const CREDENTIALS = `trader:${PASSWORD}`
const IN_URL = `trader:${encodeURIComponent(PASSWORD)}@`

const stops: Array<() => unknown> = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Says hello at once, then returns what it is told. */
const startEcho = async (secure: boolean): Promise<number> => {
  const serve = (socket: net.Socket) => {
    socket.on("error", () => undefined).write("hello ")
    socket.pipe(socket)
  }
  const server = secure ? tls.createServer({ cert: CERTIFICATE, key: KEY }, serve) : net.createServer(serve)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  stops.push(() => server.close())
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const proxyOf = async (kind: "http" | "socks5", credentials: string | null): Promise<LoopbackProxy> => {
  const proxy = await startProxy(kind, credentials)
  stops.push(proxy.stop)
  return proxy
}

/** Listens as node:http does, which never resumes a socket that somebody paused. */
const heard = (socket: net.Socket, length: number): Promise<string> => {
  stops.push(() => socket.destroy())
  return new Promise((resolve, reject) => {
    let text = ""
    socket.on("error", reject).on("close", () => reject(new Error(`closed after "${text}"`)))
    socket.on("data", (chunk) => {
      text += chunk
      if (text.length >= length) resolve(text)
    })
  })
}

const soon = () => AbortSignal.timeout(30_000)

describe.each(["http", "socks5"] as const)("a tunnel through a proxy (%s)", (kind) => {
  const url = (proxy: { readonly port: number }, credentials = "") =>
    new URL(`${kind}://${credentials}127.0.0.1:${proxy.port}`)

  it("leads to the host that was named, whose name the proxy resolves", async () => {
    const [port, proxy] = [await startEcho(false), await proxyOf(kind, null)]
    const socket = await openTunnel(url(proxy), "localhost", port, soon())
    socket.write("and goodbye")
    expect(await heard(socket, 17)).toBe("hello and goodbye")
    expect(proxy).toMatchObject({ opened: [`localhost:${port}`], shown: [""] })
  })

  it("loses nothing that comes in one piece with the proxy's answer", async () => {
    const [port, proxy] = [await startEcho(false), await proxyOf(kind, CREDENTIALS)]
    proxy.waits = true
    expect(await heard(await openTunnel(url(proxy, IN_URL), "127.0.0.1", port, soon()), 6)).toBe("hello ")
  })

  it("shows the credentials of its URL, whatever characters they have", async () => {
    const [port, proxy] = [await startEcho(false), await proxyOf(kind, CREDENTIALS)]
    const socket = await openTunnel(url(proxy, IN_URL), "127.0.0.1", port, soon())
    expect(await heard(socket, 6)).toBe("hello ")
    expect(proxy.shown).toEqual([CREDENTIALS])
  })

  it("says that it was refused, without the credentials", async () => {
    const [port, proxy] = [await startEcho(false), await proxyOf(kind, "somebody:else")]
    const refused = await openTunnel(url(proxy, IN_URL), "127.0.0.1", port, soon()).catch(
      (error: Error) => error.message,
    )
    expect(refused).toContain(
      `proxy 127.0.0.1:${proxy.port} ${kind === "http" ? "answered 407" : "refused to connect"}`,
    )
    expect(refused).not.toContain("s3cret")
    expect(refused).not.toContain("trader")
    expect(proxy.opened).toEqual([])
  })

  it("fails when nobody is there, when the proxy hangs up, and when it says nothing in time", async () => {
    const nobody = await proxyOf(kind, null)
    await nobody.stop()
    stops.pop()
    await expect(openTunnel(url(nobody), "localhost", 1, soon())).rejects.toThrow("ECONNREFUSED")
    const mute = net.createServer((socket) => void socket.on("error", () => undefined))
    mute.listen(0, "127.0.0.1")
    await once(mute, "listening")
    stops.push(() => mute.close())
    const { port } = mute.address() as net.AddressInfo
    await expect(openTunnel(url({ port }), "localhost", 1, AbortSignal.timeout(50))).rejects.toThrow("timed out")
    mute.on("connection", (socket) => socket.end())
    await expect(openTunnel(url({ port }), "localhost", 1, soon())).rejects.toThrow("closed the connection")
  })
})

describe("a connector's transport", () => {
  /** What ccxt would get of `applyTransport`. */
  const connecting = (routes: Readonly<Record<string, string>> | null, proxy: string | null) => {
    const stub = { options: {}, getDispatcherOptions: () => ({}) } as unknown as CcxtExchange
    applyTransport(stub, routes, proxy)
    type Connect = (to: object, done: (failure: Error | null, socket: net.Socket | null) => void) => void
    const { connect } = stub.getDispatcherOptions() as { connect: Connect }
    const { options } = stub.options["ws"] as { options: { createConnection: Connect } }
    const opened = (open: Connect, to: object) =>
      new Promise<net.Socket>((resolve, reject) =>
        open(to, (failure, socket) => (socket === null ? reject(failure) : resolve(socket))),
      )
    return {
      rest: () => opened(connect, { hostname: "api.example.com", protocol: "https:" }),
      socket: () => opened(options.createConnection, { host: "api.example.com", port: 443 }),
    }
  }

  it.each(["rest", "socket"] as const)("speaks TLS inside of the tunnel (%s)", async (side) => {
    const [port, proxy] = [await startEcho(true), await proxyOf("http", null)]
    const ways = connecting({ "api.example.com:443": `https://127.0.0.1:${port}` }, `http://127.0.0.1:${proxy.port}`)
    const socket = await ways[side]()
    expect(socket).toBeInstanceOf(tls.TLSSocket)
    socket.write("and goodbye")
    expect(await heard(socket, 17)).toBe("hello and goodbye")
    expect(proxy.opened).toEqual([`127.0.0.1:${port}`])
  })

  it.each(["rest", "socket"] as const)("proves that nothing left when the proxy refuses (%s)", async (side) => {
    const proxy = await proxyOf("http", "somebody:else")
    const ways = connecting(null, `http://${IN_URL}127.0.0.1:${proxy.port}`)
    const failure = await ways[side]().catch((error: Error) => error.message)
    expect(failure).toBe(`${NEVER_CONNECTED} api.example.com:443 proxy 127.0.0.1:${proxy.port} answered 407`)
  })

  it.each(["rest", "socket"] as const)("asks no proxy for a host without a route (%s)", async (side) => {
    const proxy = await proxyOf("http", null)
    const ways = connecting({}, `http://127.0.0.1:${proxy.port}`)
    await expect(ways[side]()).rejects.toThrow("has no route")
    expect(proxy.shown).toEqual([])
  })
})

/** What one client may open and send: sockets of a user and of an address, commands of a connection. The clock is turned by hand. */
import { Centrifuge } from "centrifuge"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { Rpc } from "../../../src/ports/rpc.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { FORMATS, SOON } from "../../kit/servers/conformance.ts"
import { BOOK, startSockets, type TestSocketOptions, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

const start = async (limits: NonNullable<TestSocketOptions["limits"]>, rpc?: Rpc): Promise<TestSockets> => {
  sockets = await startSockets({ limits, handTurned: true, ...(rpc === undefined ? {} : { rpc }) })
  return sockets
}

const connected = async ({ url }: TestSockets, token = "alice") => {
  const socket = await rawSocket(url)
  socket.send({ id: 1, connect: { token } })
  return socket
}

/** What the upgrade is answered. */
const upgradeOf = (url: string) =>
  new Promise<number>((resolve, reject) => {
    const socket = new WebSocket(url)
    socket.on("open", () => {
      socket.close()
      resolve(101)
    })
    socket.on("unexpected-response", (_request, { statusCode = 0 }) => {
      socket.terminate()
      resolve(statusCode)
    })
    socket.on("error", (error) => void (socket.readyState === socket.CLOSED ? reject(error) : undefined))
  })

describe("one user", () => {
  it("has so many connections, one more is closed with 3504, and a place is free when one ends", async () => {
    const running = await start({ perUser: 2 })
    const [first, second] = [await connected(running), await connected(running)]
    for (const socket of [first, second]) expect(await socket.next()).toMatchObject({ id: 1, connect: {} })
    const third = await connected(running)
    expect(await third.closed).toMatchObject({ code: 3504, reason: "connection limit" })
    expect(await (await connected(running, "bob")).next()).toMatchObject({ id: 1, connect: {} })
    first.socket.close()
    await expect.poll(() => running.server.stats().connections, SOON).toBe(2)
    const fourth = await connected(running)
    expect(await fourth.next()).toMatchObject({ id: 1, connect: {} })
    // A refused one took no place, and gave none back.
    expect(await (await connected(running)).closed).toMatchObject({ code: 3504 })
  })

  it("whose client is the official one stays out, instead of knocking again and again", async () => {
    const running = await start({ perUser: 1 })
    expect(await (await connected(running)).next()).toMatchObject({ connect: {} })
    const client = new Centrifuge(running.url, { token: "alice", websocket: WebSocket })
    const ended = new Promise<{ readonly code: number }>((resolve) => client.on("disconnected", resolve))
    client.connect()
    expect(await ended).toMatchObject({ code: 3504 })
    expect(client.state).toBe("disconnected")
  })
})

describe("one address", () => {
  it("has so many connections, whoever they speak for, and one more is answered 429", async () => {
    const running = await start({ perAddress: 2 })
    const [first] = [await rawSocket(running.url), await rawSocket(running.url)]
    expect(await upgradeOf(running.url)).toBe(429)
    first.socket.close()
    await expect.poll(() => running.server.stats().connections, SOON).toBe(1)
    expect(await upgradeOf(running.url)).toBe(101)
  })
})

describe.each(FORMATS)("one connection in %s", (format) => {
  it("sends so many commands a second: one more is refused, and the next second has room again", async () => {
    const running = await start({ commands: { perSecond: 5, burst: 11 } })
    const socket = await rawSocket(running.url, { format })
    socket.send({ id: 1, connect: { token: "alice" } })
    await socket.next()
    socket.send(...Array.from({ length: 12 }, (_, n) => ({ id: 10 + n, ping: {} })))
    const answers = await Promise.all(Array.from({ length: 12 }, () => socket.next()))
    expect(answers.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => ({ id: 10 + n, ping: {} })))
    const error = { code: 111, message: "too many requests", temporary: true }
    expect(answers.slice(10)).toEqual([
      { id: 20, error },
      { id: 21, error },
    ])
    running.turn(1)
    socket.send(...Array.from({ length: 6 }, (_, n) => ({ id: 30 + n, subscribe: { channel: BOOK } })))
    const later = await Promise.all(Array.from({ length: 6 }, () => socket.next()))
    expect(later.filter((it) => (it as { error?: { code: number } }).error?.code === 111)).toHaveLength(1)
  })

  it("is closed with 3013 when it goes on all the same", async () => {
    const running = await start({ commands: { perSecond: 5, burst: 10 } })
    const socket = await rawSocket(running.url, { format })
    socket.send({ id: 1, connect: { token: "alice" } })
    await socket.next()
    socket.send(...Array.from({ length: 40 }, (_, n) => ({ id: 10 + n, ping: {} })))
    expect(await socket.closed).toMatchObject({ code: 3013, reason: "too many requests" })
  })

  it("cancels also when it has sent too many other commands, and cancels no more often than those", async () => {
    const rpc: Rpc = ({ method }, done) => done({ envelope: `{"called":"${method}"}`, failure: null })
    const running = await start({ commands: { perSecond: 5, burst: 6 } }, rpc)
    const socket = await rawSocket(running.url, { format })
    socket.send({ id: 1, connect: { token: "alice" } })
    await socket.next()
    const call = (id: number, method: string) => ({ id, rpc: { method: `tradeOrder.${method}`, data: {} } })
    socket.send(...Array.from({ length: 6 }, (_, n) => call(10 + n, "submit")))
    const submits = await Promise.all(Array.from({ length: 6 }, () => socket.next()))
    expect(submits.at(-1)).toMatchObject({ id: 15, error: { code: 111 } })
    const methods = ["cancel", "cancelAll", "cancelAllAfter", "cancel", "cancel", "cancel", "cancel"]
    socket.send(...methods.map((method, n) => call(20 + n, method)))
    const cancels = await Promise.all(methods.map(() => socket.next()))
    expect(cancels.slice(0, 6)).toEqual(
      methods.slice(0, 6).map((method, n) => ({ id: 20 + n, rpc: { data: { called: `tradeOrder.${method}` } } })),
    )
    expect(cancels[6]).toMatchObject({ id: 26, error: { code: 111 } })
  })

  it("cancels also while as many of its calls as may be wait for their answers", async () => {
    const waiting: Array<() => void> = []
    const rpc: Rpc = ({ method }, done) => {
      const answer = () => done({ envelope: "{}", failure: null })
      if (method === "tradeOrder.submit") waiting.push(answer)
      else answer()
    }
    const running = await start({}, rpc)
    const socket = await rawSocket(running.url, { format })
    socket.send({ id: 1, connect: { token: "alice" } })
    await socket.next()
    const call = (id: number, method: string) => ({ id, rpc: { method: `tradeOrder.${method}`, data: {} } })
    socket.send(...Array.from({ length: 129 }, (_, n) => call(10 + n, "submit")), call(300, "cancel"))
    expect(await socket.next()).toMatchObject({ id: 138, error: { code: 111 } })
    expect(await socket.next()).toMatchObject({ id: 300, rpc: {} })
    expect(waiting).toHaveLength(128)
    for (const answer of waiting) answer()
    expect(await socket.next()).toMatchObject({ id: 10, rpc: {} })
  })
})

/** Rules A.8 and A.13 of the protocol: what each error says, who is closed with what, and how many channels a connection may have. */
import { describe, expect, it } from "vitest"
import type { Rpc } from "../../../../src/ports/rpc.ts"
import { FORMATS, refusal, SOON, TICKER, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const CALLS_MAX = 128
const calls: Array<Parameters<Rpc>[1]> = []
const room = useRoom({ rpc: (_request, done) => void calls.push(done) })
const own = () => `tradingAccount:${room.sockets.accountId}`

describe.each(FORMATS)("A.8 errors in %s", (format) => {
  it.each([
    ["unknown channel", 102, "alice", () => ({ subscribe: { channel: "x" } })],
    ["permission denied", 103, "bob", () => ({ subscribe: { channel: own() } })],
    ["permission denied", 103, "bob", () => ({ subscribe: { channel: `${own()}:orders` } })],
    [
      "this channel is a map: subscribe to it as one (newMapSubscription, type 1)",
      103,
      "alice",
      () => ({ subscribe: { channel: `${own()}:orders` } }),
    ],
    [
      "this channel is a stream, not a map: subscribe to it as one (newSubscription, type 0)",
      103,
      "alice",
      () => ({ subscribe: { channel: own(), type: 1 } }),
    ],
    ["already subscribed", 105, "alice", () => ({ subscribe: { channel: BOOK } })],
    ["bad request", 107, "alice", () => ({ subscribe: { channel: "x".repeat(256) } })],
    ["not available", 108, "alice", () => ({ presence: { channel: BOOK } })],
    [
      "unrecoverable position",
      112,
      "alice",
      () => ({ subscribe: { channel: TRADES, recover: true, epoch: "gone", flag: 2 } }),
    ],
  ])("say %s", async (message, code, token, command) => {
    const [socket] = await room.subscribed(BOOK, format, {}, token)
    socket.send({ id: 5, ...command() })
    expect(await socket.next()).toEqual({ id: 5, error: { code, message } })
  })

  it("say method not found", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 5, rpc: { method: "x" } })
    await expect.poll(() => calls.length, SOON).toBe(1)
    calls.pop()?.("unknown method")
    expect(await socket.next()).toEqual({ id: 5, error: { code: 104, message: "method not found" } })
  })

  it("say that trying again may help: internal server error, and too many requests", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 4, subscribe: { channel: "market:trade:SLOW:BTC/USDT" } })
    await expect.poll(() => room.sockets.learn.length, SOON).toBe(1)
    room.sockets.learn.pop()?.(false)
    expect(await socket.next()).toEqual({
      id: 4,
      error: { code: 100, message: "internal server error", temporary: true },
    })
    socket.send(...Array.from({ length: CALLS_MAX + 1 }, (_, n) => ({ id: 10 + n, rpc: { method: "slow" } })))
    expect(await socket.next()).toEqual({
      id: 10 + CALLS_MAX,
      error: { code: 111, message: "too many requests", temporary: true },
    })
    for (const done of calls.splice(0)) done({ failure: null, envelope: "{}" })
    expect(await socket.rest()).toHaveLength(CALLS_MAX)
    socket.send({ id: 5, rpc: { method: "x" } })
    await expect.poll(() => calls.length, SOON).toBe(1)
    calls.pop()?.({ failure: null, envelope: "{}" })
    expect(await socket.next()).toMatchObject({ id: 5, rpc: {} })
  })
})

describe.each(FORMATS)("A.8 closes in %s", (format) => {
  it("end every connection of a session that ended with 3500, and no other", async () => {
    const mine = [await room.connected(format, "bob"), (await room.subscribed(BOOK, format, {}, "bob"))[0]]
    const other = await room.connected(format)
    room.sockets.endSession("session-bob")
    for (const socket of mine) expect(await socket.closed).toEqual({ code: 3500, reason: "invalid token" })
    expect(await other.rest()).toEqual([])
  })

  it("end a session's connections that came after it was refreshed, too", async () => {
    const socket = await room.connected(format, "root")
    socket.send({ id: 2, refresh: { token: "root" } })
    await socket.next()
    room.sockets.endSession("session-root")
    expect((await socket.closed).code).toBe(3500)
  })

  it("let the connection's channels go", async () => {
    const [socket] = await room.subscribed(TICKER, format)
    const subscribers = () => room.sockets.hub.find(TICKER)?.subscribers ?? 0
    expect(subscribers()).toBe(1)
    socket.send({ id: 3, connect: { token: "alice" } })
    await socket.closed
    await expect.poll(subscribers, SOON).toBe(0)
  })
})

describe.each(FORMATS)("A.13 the channel limit in %s", (format) => {
  const small = useRoom({ channelsMax: 3 })
  it("is counted over channels that are subscribed and those that wait, and refused with 106", async () => {
    const socket = await small.connected(format)
    const waiting = "market:trade:SLOW:BTC/USDT"
    socket.send(
      { id: 2, subscribe: { channel: BOOK } },
      { id: 3, subscribe: { channel: TRADES } },
      { id: 4, subscribe: { channel: waiting } },
      { id: 5, subscribe: { channel: TICKER } },
      { id: 6, subscribe: { channel: "nonsense" } },
      { id: 7, subscribe: { channel: BOOK } },
    )
    const answers = await socket.rest()
    expect(answers).toMatchObject([
      { id: 2, subscribe: {} },
      { id: 3, subscribe: {} },
      { id: 5, error: { code: 106, message: "limit exceeded" } },
      refusal(6, 106),
      refusal(7, 105),
    ])
    socket.send({ id: 8, unsubscribe: { channel: BOOK } }, { id: 9, subscribe: { channel: TICKER } })
    expect(await socket.rest()).toMatchObject([
      { id: 8, unsubscribe: {} },
      { id: 9, subscribe: {} },
    ])
    small.sockets.learn.pop()?.(false)
    expect(await socket.next()).toMatchObject(refusal(4, 100))
    socket.send({ id: 10, subscribe: { channel: BOOK } })
    expect(await socket.next()).toMatchObject({ id: 10, subscribe: {} })
  })
})

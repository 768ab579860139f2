/** Rules A.3 of the protocol: connect, its credentials, and what happens without it. */
import { describe, expect, it } from "vitest"
import { FORMATS, SOON, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const TTL = 600
const room = useRoom({ handTurned: true, ttl: TTL })

describe.each(FORMATS)("A.3 connect in %s", (format) => {
  it("is answered with client, version, expiry, ping, pong and time", async () => {
    const socket = await room.raw({ format })
    socket.send({ id: 1, connect: { token: "alice", name: "js", version: "5.8.0", data: { any: 1 }, flag: 1 } })
    const { id, connect } = (await socket.next()) as { id: unknown; connect: Readonly<Record<string, unknown>> }
    expect(id).toBe(1)
    const { client, time, ...others } = connect
    expect(client).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Math.abs(Number(time) - Date.now())).toBeLessThan(3_600_000)
    expect(others).toEqual({ version: "3.0.1", expires: true, ttl: TTL, ping: 25, pong: true })
  })

  it("gives every connection its own client id", async () => {
    const clients = new Set<unknown>()
    for (let n = 0; n < 5; n++) {
      const socket = await room.raw({ format })
      socket.send({ id: 1, connect: { token: "alice" } })
      clients.add(((await socket.next())["connect"] as { client?: unknown }).client)
    }
    expect(clients.size).toBe(5)
  })

  it.each([
    ["subscribe", { channel: BOOK }],
    ["unsubscribe", { channel: BOOK }],
    ["publish", { channel: BOOK, data: {} }],
    ["presence", { channel: BOOK }],
    ["presence_stats", { channel: BOOK }],
    ["history", { channel: BOOK }],
    ["ping", {}],
    ["rpc", { method: "x" }],
    ["refresh", { token: "alice" }],
    ["sub_refresh", { channel: BOOK }],
  ])("must be first: %s before it ends the connection with 3501", async (method, parameters) => {
    const socket = await room.raw({ format })
    socket.send({ id: 1, [method]: parameters }, { id: 2, connect: { token: "alice" } })
    expect(await socket.closed).toEqual({ code: 3501, reason: "bad request" })
    expect(socket.waiting()).toBe(0)
  })

  it("must be first: send before it ends the connection with 3501", async () => {
    const socket = await room.raw({ format })
    socket.send({ send: { data: {} } })
    expect((await socket.closed).code).toBe(3501)
  })

  it("comes once: a second one ends the connection with 3501", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 2, connect: { token: "alice" } }, { id: 3, ping: {} })
    expect(await socket.closed).toEqual({ code: 3501, reason: "bad request" })
    expect(socket.waiting()).toBe(0)
  })

  it("comes within 10 s, or the connection ends with 3502", async () => {
    const [late, patient] = [await room.raw({ format }), await room.connected(format)]
    // The server knows of a socket a moment before its client does.
    await expect.poll(() => room.sockets.server.stats().connections, SOON).toBeGreaterThanOrEqual(2)
    room.sockets.turn(9)
    const timely = await room.connected(format)
    expect(late.socket.readyState).toBe(late.socket.OPEN)
    room.sockets.turn(1)
    expect(await late.closed).toEqual({ code: 3502, reason: "stale" })
    expect(await timely.rest()).toEqual([])
    expect(await patient.rest()).toEqual([])
  })

  it.each([
    ["no token", {}, 3501, "bad request"],
    ["an empty token", { token: "" }, 3501, "bad request"],
    ["an invalid token", { token: "nobody" }, 3500, "invalid token"],
  ])("with %s ends the connection", async (_what, connect, code, reason) => {
    const socket = await room.raw({ format })
    socket.send({ id: 1, connect }, { id: 2, ping: {} })
    expect(await socket.closed).toEqual({ code, reason })
    expect(socket.waiting()).toBe(0)
  })

  it("with an expired token is answered with error 109, and nothing more is read", async () => {
    const socket = await room.raw({ format })
    socket.send({ id: 1, connect: { token: "old" } }, { id: 2, ping: {} })
    expect(await socket.next()).toEqual({ id: 1, error: { code: 109, message: "token expired" } })
    socket.send({ id: 3, ping: {} }, { id: 4, connect: { token: "alice" } })
    // Another connection's answer is later than ours would be.
    await (await room.connected(format)).rest()
    expect(socket.waiting()).toBe(0)
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
  })
})

describe.each(FORMATS)("A.3 unsubscribe in %s", (format) => {
  it.each(["nonsense", BOOK, "tradingAccount:00000000-0000-0000-0000-000000000000", "é".repeat(300)])(
    "succeeds for a channel that is not subscribed: %s",
    async (channel) => {
      const socket = await room.connected(format)
      socket.send({ id: 2, unsubscribe: { channel } })
      expect(await socket.next()).toEqual({ id: 2, unsubscribe: {} })
    },
  )

  it("of no channel ends the connection with 3501", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 2, unsubscribe: {} })
    expect((await socket.closed).code).toBe(3501)
  })
})

describe.each(FORMATS)("A.5 an expiring connection in %s", (format) => {
  it("ends with 3005 when its token and 25 s of grace are over", async () => {
    const socket = await room.connected(format)
    await room.pass(TTL + 24, socket)
    expect(socket.socket.readyState).toBe(socket.socket.OPEN)
    await room.pass(2, socket)
    expect(await socket.closed).toEqual({ code: 3005, reason: "connection expired" })
  })

  it("goes on when it is refreshed in time", async () => {
    const socket = await room.connected(format)
    await room.pass(TTL + 10, socket)
    socket.send({ id: 5, refresh: { token: "alice" } })
    expect(await socket.rest()).toEqual([{ id: 5, refresh: { expires: true, ttl: TTL } }])
    await room.pass(TTL + 10, socket)
    expect(await socket.rest()).toEqual([])
    await room.pass(16, socket)
    expect((await socket.closed).code).toBe(3005)
  })

  it.each([
    ["expired", "old", 3005, "connection expired"],
    ["invalid", "nobody", 3500, "invalid token"],
    ["another user's", "bob", 3500, "invalid token"],
    ["missing", "", 3501, "bad request"],
  ])("ends when the new token is %s", async (_what, token, code, reason) => {
    const socket = await room.connected(format)
    socket.send({ id: 2, refresh: { token } })
    expect(await socket.closed).toEqual({ code, reason })
  })
})

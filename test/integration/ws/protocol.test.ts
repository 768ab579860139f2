/** The protocol on the wire (realtime A): one test per rule that this release serves, against a real uWebSockets server. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type RawSocket, rawSocket } from "../../kit/raw-socket.ts"
import { BOOK, startSockets, type TestSockets } from "../../kit/socket-server.ts"

describe("the socket's protocol", () => {
  let sockets: TestSockets
  const open: Array<RawSocket> = []
  const raw = async (options = {}) => {
    const socket = await rawSocket(sockets.url, options)
    open.push(socket)
    return socket
  }
  const connected = async (token = "alice") => {
    const socket = await raw()
    socket.send({ id: 1, connect: { token } })
    await socket.next()
    return socket
  }

  beforeAll(async () => {
    sockets = await startSockets()
  })
  afterAll(async () => {
    for (const socket of open) socket.socket.terminate()
    await sockets.stop()
  })

  it("answers connect with client, version, expiry, ping and time", async () => {
    const socket = await raw()
    socket.send({ connect: { token: "alice", name: "js" }, id: 1 })
    const reply = await socket.next()
    expect(reply).toMatchObject({
      id: 1,
      connect: {
        version: "3.0.1",
        expires: true,
        ping: 25,
        pong: true,
        client: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    })
    expect((reply["connect"] as unknown as { ttl: number }).ttl).toBeGreaterThan(3500)
  })

  it.each([
    ["a command before connect", '{"id":1,"subscribe":{"channel":"x"}}', 3501],
    ["bad JSON", "{", 3501],
    ["an empty frame", "", 3501],
    ["a blank line between commands", '{"id":1,"connect":{"token":"alice"}}\n\n{"id":2,"ping":{}}', 3501],
    ["an id of 0", '{"id":0,"connect":{"token":"alice"}}', 3501],
    ["a negative id", '{"id":-1,"connect":{"token":"alice"}}', 3501],
    ["an id without a request", '{"id":7}', 3501],
    ["an unknown request", '{"id":7,"dance":{}}', 3501],
    ["no credentials", '{"id":1,"connect":{}}', 3501],
    ["an invalid token", '{"id":1,"connect":{"token":"nobody"}}', 3500],
    ["a second connect", '{"id":1,"connect":{"token":"alice"}}\n{"id":2,"connect":{"token":"alice"}}', 3501],
    ["an unsolicited pong", '{"id":1,"connect":{"token":"alice"}}\n{}', 3501],
    [
      "an unknown delta",
      `{"id":1,"connect":{"token":"alice"}}\n{"id":2,"subscribe":{"channel":"${BOOK}","delta":"x"}}`,
      3501,
    ],
    ["an empty channel", '{"id":1,"connect":{"token":"alice"}}\n{"id":2,"subscribe":{"channel":""}}', 3501],
  ])("closes on %s", async (_what, frame, code) => {
    const socket = await raw()
    socket.sendText(frame)
    expect((await socket.closed).code).toBe(code)
  })

  it("answers an expired token with error 109 and reads nothing more", async () => {
    const socket = await raw()
    socket.send({ id: 1, connect: { token: "old" } }, { id: 2, ping: {} })
    expect(await socket.next()).toEqual({ id: 1, error: { code: 109, message: "token expired" } })
    socket.send({ id: 3, ping: {} })
    const other = await connected()
    other.send({ id: 2, ping: {} })
    await other.next()
    expect(socket.waiting()).toBe(0)
  })

  it("closes a message over 64 KiB with 1009 and a binary one with 3506", async () => {
    const large = await connected()
    large.sendText(JSON.stringify({ id: 2, rpc: { method: "x", data: "y".repeat(70_000) } }))
    expect(await large.closed).toEqual({ code: 1009, reason: "message size limit exceeded" })
    const binary = await connected()
    binary.socket.send(Buffer.from([1, 2, 3]))
    expect((await binary.closed).code).toBe(3506)
  })

  it("takes the JSON subprotocol when it is offered and a foreign origin not at all", async () => {
    const socket = await raw({ protocols: ["centrifuge-json"] })
    expect(socket.socket.protocol).toBe("centrifuge-json")
    await expect(rawSocket(sockets.url, { origin: "https://evil.example.com" })).rejects.toThrow("403")
    await raw({ origin: "https://app.example.com" })
    await raw({ origin: new URL(sockets.url).origin.replace("ws", "http") })
  })

  it("answers each method by its rule", async () => {
    const socket = await connected()
    const answers: Array<unknown> = []
    socket.send({ send: { data: {} } }, { id: 2, ping: {} }, { id: 3, publish: { channel: BOOK, data: {} } })
    socket.send({ id: 4, history: { channel: BOOK } }, { id: 5, presence: { channel: BOOK } })
    socket.send(
      { id: 6, presenceStats: { channel: BOOK } },
      { id: 7, rpc: { method: "x" } },
      { id: 8, unsubscribe: { channel: BOOK } },
    )
    for (let i = 0; i < 7; i++) answers.push(await socket.next())
    expect(answers).toEqual([
      { id: 2, ping: {} },
      { id: 3, error: { code: 103, message: "permission denied" } },
      { id: 4, history: { publications: [], epoch: "e1", offset: 0 } },
      { id: 5, error: { code: 108, message: "not available" } },
      { id: 6, error: { code: 108, message: "not available" } },
      { id: 7, error: { code: 104, message: "method not found" } },
      { id: 8, unsubscribe: {} },
    ])
  })

  it.each([
    ["an unknown channel", "nonsense", "alice", 102],
    ["an unknown venue", "market:orderbook:NOWHERE:BTC/USDT", "alice", 102],
    ["an unknown instrument", "market:orderbook:MOCK:XXX/YYY", "alice", 102],
    ["a name over 255 bytes", "a".repeat(256), "alice", 107],
    ["another user's account", "ACCOUNT", "bob", 103],
    ["an account that does not exist", "tradingAccount:00000000-0000-0000-0000-000000000000", "alice", 103],
    ["a wildcard", "tradingAccount:*", "alice", 102],
  ])("refuses to subscribe to %s", async (_what, channel, token, code) => {
    const socket = await connected(token)
    socket.send({ id: 2, subscribe: { channel: channel.replace("ACCOUNT", `tradingAccount:${sockets.accountId}`) } })
    expect(await socket.next()).toMatchObject({ id: 2, error: { code } })
  })

  it("lets the owner and an admin of the tenant see an account", async () => {
    for (const token of ["alice", "root"]) {
      const socket = await connected(token)
      socket.send({ id: 2, subscribe: { channel: `tradingAccount:${sockets.accountId}` } })
      expect(await socket.next()).toEqual({ id: 2, subscribe: { recoverable: true, positioned: true, epoch: "e1" } })
    }
  })

  it("sends the snapshot in the reply and every later publication after it", async () => {
    sockets.position.snapshot = '{"updateType":"SNAPSHOT"}'
    sockets.position.offset = 7
    const socket = await connected()
    socket.send({ id: 2, subscribe: { channel: BOOK, flag: 1 } })
    const reply = await socket.next()
    const { offset } = sockets.position
    expect(reply).toEqual({
      id: 2,
      subscribe: {
        recoverable: true,
        positioned: true,
        publications: [{ data: { updateType: "SNAPSHOT" } }],
        offset,
        epoch: "e1",
      },
    })
    sockets.publish('{"n":1}')
    sockets.publish('{"n":2}')
    expect(await socket.next()).toEqual({ push: { channel: BOOK, pub: { data: { n: 1 }, offset: offset + 1 } } })
    expect(await socket.next()).toEqual({ push: { channel: BOOK, pub: { data: { n: 2 }, offset: offset + 2 } } })
    socket.send({ id: 3, subscribe: { channel: BOOK } })
    expect(await socket.next()).toEqual({ id: 3, error: { code: 105, message: "already subscribed" } })
  })

  it("serves BASE-QUOTE under the name the client used", async () => {
    const alias = "market:orderbook:MOCK:BTC-USDT"
    const [one, two] = [await connected(), await connected("bob")]
    one.send({ id: 2, subscribe: { channel: alias } })
    two.send({ id: 2, subscribe: { channel: BOOK } })
    await Promise.all([one.next(), two.next()])
    sockets.publish('{"n":3}')
    expect(await one.next()).toMatchObject({ push: { channel: alias, pub: { data: { n: 3 } } } })
    expect(await two.next()).toMatchObject({ push: { channel: BOOK, pub: { data: { n: 3 } } } })
  })

  it("holds back what concerns a channel that must wait, and nothing else", async () => {
    const socket = await connected()
    const channel = "market:orderbook:SLOW:BTC/USDT"
    socket.send({ id: 2, subscribe: { channel } }, { id: 3, unsubscribe: { channel } }, { id: 4, ping: {} })
    expect(await socket.next()).toEqual({ id: 4, ping: {} })
    expect(sockets.learn.length).toBe(1)
    sockets.learn.pop()!(false)
    expect(await socket.next()).toMatchObject({ id: 2, error: { code: 100, temporary: true } })
    expect(await socket.next()).toEqual({ id: 3, unsubscribe: {} })
  })

  it("tells a source about its first and its last subscriber", async () => {
    const channel = "market:trade:MOCK:BTC/USDT"
    const [one, two] = [await connected(), await connected()]
    for (const socket of [one, two]) {
      socket.send({ id: 2, subscribe: { channel } })
      await socket.next()
    }
    one.send({ id: 3, unsubscribe: { channel } })
    await one.next()
    const heard = () => sockets.calls.filter((call) => call.endsWith(channel))
    expect(heard()).toEqual([`opened ${channel}`])
    two.close()
    await expect.poll(heard).toEqual([`opened ${channel}`, `closed ${channel}`])
  })

  it("ends a channel for good or for a new start, as the publisher says", async () => {
    const channel = `tradingAccount:${sockets.accountId}`
    const socket = await connected()
    socket.send({ id: 2, subscribe: { channel } })
    await socket.next()
    sockets.publishOn(channel, sockets.position.offset + 1, '{"last":true}')
    sockets.hub.terminate(channel)
    expect(await socket.next()).toEqual({
      push: { channel, pub: { data: { last: true }, offset: sockets.position.offset + 1 } },
    })
    expect(await socket.next()).toEqual({
      push: { channel, unsubscribe: { code: 2000, reason: "server unsubscribe" } },
    })
    socket.send({ id: 3, subscribe: { channel } })
    await socket.next()
    sockets.hub.invalidate(channel)
    expect(await socket.next()).toMatchObject({ push: { channel, unsubscribe: { code: 2500 } } })
  })

  it("refreshes a connection, and closes on a token that is expired or somebody else's", async () => {
    const socket = await connected()
    socket.send({ id: 2, refresh: { token: "alice" } })
    expect(await socket.next()).toMatchObject({ id: 2, refresh: { expires: true } })
    socket.send({ id: 3, refresh: { token: "bob" } })
    expect((await socket.closed).code).toBe(3500)
    const late = await connected()
    late.send({ id: 2, refresh: { token: "old" } })
    expect((await late.closed).code).toBe(3005)
  })

  it("closes the sockets of a session that ended", async () => {
    const [mine, other] = [await connected("bob"), await connected("alice")]
    sockets.endSession("session-bob")
    expect((await mine.closed).code).toBe(3500)
    other.send({ id: 2, ping: {} })
    expect(await other.next()).toEqual({ id: 2, ping: {} })
  })
})

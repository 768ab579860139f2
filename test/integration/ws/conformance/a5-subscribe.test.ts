/** Rules A.5 of the protocol: what a subscribe is checked for and in which order, and what subscribe and unsubscribe answer. */
import { describe, expect, it } from "vitest"
import { FORMATS, refusal, SOON, TICKER, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const room = useRoom()
const account = () => `tradingAccount:${room.sockets.accountId}`
const leaf = { key: "side", cmp: "eq", val: "BUY" }

describe.each(FORMATS)("A.5 subscribe in %s", (format) => {
  it.each([
    ["no channel", {}],
    ["an empty channel", { channel: "" }],
    ["an unknown delta", { channel: BOOK, delta: "vcdiff" }],
    ["an unknown delta on an unknown channel", { channel: "nonsense", delta: "vcdiff" }],
    ["an unknown delta on a channel that is subscribed", { channel: TICKER, delta: "x" }],
    ["an unknown delta on a name that is too long", { channel: "x".repeat(256), delta: "x" }],
  ])("with %s ends the connection with 3501", async (_what, subscribe) => {
    const [socket] = await room.subscribed(TICKER, format)
    socket.send({ id: 3, subscribe })
    expect(await socket.closed).toEqual({ code: 3501, reason: "bad request" })
  })

  it.each([
    ["a name of 256 bytes", () => ({ channel: "x".repeat(256) }), 107],
    ["a name of 256 bytes in 128 characters", () => ({ channel: "é".repeat(128) }), 107],
    ["a name of 255 bytes that is no channel", () => ({ channel: "x".repeat(255) }), 102],
    ["an unknown namespace", () => ({ channel: "nonsense:1" }), 102],
    ["an unknown namespace beyond ASCII", () => ({ channel: "наука:1" }), 102],
    ["a name beyond ASCII", () => ({ channel: "market:trade:MOCK:BTC/USDТ" }), 107],
    ["an account's name beyond ASCII", () => ({ channel: `${account()}é` }), 107],
    ["a channel that is subscribed", () => ({ channel: TRADES }), 105],
    ["a channel that is subscribed, and a bad filter", () => ({ channel: TRADES, tf: { op: "xor" } }), 105],
    ["a channel of the other type", () => ({ channel: TICKER, type: 1 }), 103],
    ["a channel of a type that is not served", () => ({ channel: BOOK, type: 4 }), 103],
    ["another user's account", () => ({ channel: account() }), 103],
    ["an account that does not exist", () => ({ channel: "tradingAccount:00000000-0000-4000-8000-000000000000" }), 103],
    ["an account without rights, and a bad filter", () => ({ channel: account(), tf: { op: "xor" } }), 103],
    ["an account in capitals", () => ({ channel: account().toUpperCase() }), 102],
    ["an account with a space", () => ({ channel: `${account()} ` }), 102],
    ["every account", () => ({ channel: "tradingAccount:*" }), 102],
    ["a venue that there is not", () => ({ channel: "market:trade:NOWHERE:BTC/USDT" }), 102],
    ["an instrument that there is not", () => ({ channel: "market:trade:MOCK:XXX/YYY" }), 102],
    ["a private name", () => ({ channel: `$${BOOK}` }), 102],
    ["a filter where none is allowed", () => ({ channel: BOOK, tf: leaf }), 107],
    ["a malformed filter", () => ({ channel: "market:trade:MOCK:BTC-USDT", tf: { op: "xor", nodes: [leaf] } }), 107],
  ] as const)("refuses %s", async (_what, subscribe, code) => {
    const [socket] = await room.subscribed(TRADES, format, {}, "bob")
    socket.send({ id: 3, subscribe: subscribe() })
    expect(await socket.next()).toMatchObject(refusal(3, code))
    expect(await socket.rest()).toEqual([])
  })

  it("lets the owner and an admin of the tenant see an account", async () => {
    for (const token of ["alice", "root"]) {
      const [, reply] = await room.subscribed(account(), format, {}, token)
      expect(reply).toMatchObject({ id: 2, subscribe: { recoverable: true, positioned: true, epoch: "e1" } })
    }
  })

  it("has a result even with a flag for channel compaction, and pushes then still name the channel", async () => {
    const [socket, reply] = await room.subscribed(BOOK, format, { flag: 1 })
    expect(reply).toMatchObject({ id: 2, subscribe: { positioned: true } })
    expect(reply["subscribe"]).not.toHaveProperty("id")
    room.sockets.publish('{"n":1}')
    expect(await socket.next()).toMatchObject({ push: { channel: BOOK } })
  })

  it("under another spelling of the symbol is served by that name", async () => {
    const alias = "market:orderbook:MOCK:BTC-USDT"
    const [one] = await room.subscribed(alias, format)
    const [two] = await room.subscribed(BOOK, format, {}, "bob")
    room.sockets.publish('{"n":3}')
    expect(await one.next()).toMatchObject({ push: { channel: alias, pub: { data: { n: 3 } } } })
    expect(await two.next()).toMatchObject({ push: { channel: BOOK, pub: { data: { n: 3 } } } })
  })
})

describe("A.5 a source", () => {
  it("hears of its first and its last subscriber", async () => {
    const channel = "market:trade:MOCK:BTC-USDT"
    const heard = () => room.sockets.calls.filter((call) => call.endsWith(TRADES))
    await expect.poll(() => room.sockets.hub.find(TRADES)?.subscribers ?? 0, SOON).toBe(0)
    room.sockets.calls.length = 0
    const [one] = await room.subscribed(channel)
    const [two] = await room.subscribed(TRADES, "protobuf")
    one.send({ id: 3, unsubscribe: { channel } })
    await one.next()
    expect(heard()).toEqual([`opened ${TRADES}`])
    two.close()
    await expect.poll(heard, SOON).toEqual([`opened ${TRADES}`, `closed ${TRADES}`])
  })
})

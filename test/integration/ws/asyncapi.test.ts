/** What crosses the wire is what the AsyncAPI document says of the protocol: each command, reply and push is exactly one of its messages. */
import { afterEach, describe, expect, it } from "vitest"
import { CLOSES } from "../../../src/ws/protocol/error-codes.ts"
import { type RawSocket, rawSocket } from "../../kit/readers/raw-socket.ts"
import { asyncDocument, judge } from "../../kit/rules/asyncapi.ts"
import { BOOK, startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

const document = asyncDocument()
const judged = judge(document)
const messageOf = (channel: "commands" | "replies", value: unknown): string | undefined => {
  const names = judged.accepted(channel, value)
  expect(names, `${JSON.stringify(value)}\n${judged.faults(channel, value).join("\n")}`).toHaveLength(1)
  return names[0]
}

let sockets: TestSockets
let socket: RawSocket
afterEach(async () => {
  socket.socket.terminate()
  await sockets.stop()
})

describe("the protocol in the AsyncAPI document", () => {
  it("is what a connection says and hears", async () => {
    sockets = await startSockets()
    socket = await rawSocket(sockets.url)
    const account = `tradingAccount:${sockets.accountId}`
    const asked: ReadonlyArray<readonly [reply: string, command: Readonly<Record<string, unknown>>]> = [
      ["reply.connect", { connect: { token: "alice", name: "test", version: "1" } }],
      ["reply.subscribe", { subscribe: { channel: BOOK, flag: 1 } }],
      ["reply.subscribe", { subscribe: { channel: account, recover: true, offset: 3, epoch: "old" } }],
      ["reply.error", { subscribe: { channel: BOOK } }],
      ["reply.history", { history: { channel: account, limit: 10, reverse: true } }],
      ["reply.error", { presence: { channel: BOOK } }],
      ["reply.error", { presence_stats: { channel: BOOK } }],
      ["reply.error", { publish: { channel: BOOK, data: { any: "thing" } } }],
      ["reply.error", { rpc: { method: "no.such.method", data: {} } }],
      ["reply.ping", { ping: {} }],
      ["reply.refresh", { refresh: { token: "alice" } }],
      ["reply.error", { sub_refresh: { channel: "market:trade:MOCK:BTC/USDT", token: "x" } }],
      ["reply.unsubscribe", { unsubscribe: { channel: account } }],
    ]
    for (const [index, [reply, request]] of asked.entries()) {
      const command = { id: index + 1, ...request }
      expect(messageOf("commands", command)).toBe(`command.${Object.keys(request)[0]}`)
      socket.send(command)
      expect(messageOf("replies", await socket.next())).toBe(reply)
    }
    expect(messageOf("commands", { send: { data: 1 } })).toBe("command.send")
    sockets.publish('{"n":1}')
    expect(messageOf("replies", await socket.next())).toBe("push")
    sockets.hub.invalidate(BOOK)
    expect(messageOf("replies", await socket.next())).toBe("push")
    socket.send({ id: 99, connect: { token: "alice" } })
    const { code } = await socket.closed
    expect(code).toBe(CLOSES.badRequest[0])
    expect(document["x-protocol"].closes).toContainEqual({ code, reason: CLOSES.badRequest[1], reconnects: false })
  })

  it("says how long a message may be", async () => {
    sockets = await startSockets()
    socket = await rawSocket(sockets.url)
    socket.send({ id: 1, connect: { token: "alice" } })
    await socket.next()
    const bytesMax = document["x-protocol"].messageBytesMax
    const empty = JSON.stringify({ id: 2, ping: {}, more: "" })
    socket.sendText(empty.replace('""', `"${"x".repeat(bytesMax - empty.length)}"`))
    expect(await socket.next()).toEqual({ id: 2, ping: {} })
    socket.sendText(empty.replace('""', `"${"x".repeat(bytesMax - empty.length + 1)}"`))
    expect((await socket.closed).code).toBe(CLOSES.messageTooLarge[0])
  })
})

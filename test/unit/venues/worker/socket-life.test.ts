/** Whether a connection answers, on real sockets: by a pong of the protocol, by a word of the venue's own, once for many who ask. */
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket, WebSocketServer } from "ws"
import type { CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { SocketLife } from "../../../../src/venues/worker/exchange/sockets.ts"

const open: Array<{ close: () => void }> = []
afterEach(() => {
  for (const it of open.splice(0)) it.close()
})

/** `answers`: what the far end does with a ping of the protocol, and with a text. */
const connected = async (answers: boolean, ping?: string) => {
  const server = new WebSocketServer({ port: 0, autoPong: answers })
  const asked: Array<string> = []
  server.on("connection", (far) => {
    far.on("ping", () => asked.push("ping"))
    far.on("message", (data) => {
      asked.push(String(data))
      if (answers) far.send("pong")
    })
  })
  await new Promise((resolve) => server.once("listening", resolve))
  const connection = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  open.push(connection, server)
  await new Promise((resolve) => connection.once("open", resolve))
  const life = new SocketLife()
  const socket = {
    connection,
    ping: ping === undefined ? undefined : () => ping,
    send: async (text: string) => connection.send(text),
  } as unknown as CcxtSocket
  connection.on("message", () => life.heard(socket))
  return { life, socket, connection, asked }
}

describe("a connection", () => {
  it.each([undefined, "are you there"])("that answers is alive (its own ping: %s)", async (ping) => {
    const { life, socket, asked } = await connected(true, ping)
    expect(await Promise.all([life.answers(socket), life.answers(socket)])).toEqual([true, true])
    expect(await life.answers(socket)).toBe(true)
    // One question for all who ask at about the same time.
    expect(asked).toEqual([ping ?? "ping"])
  })

  it.each([undefined, "are you there"])("that is open and does not answer is not (its own ping: %s)", async (ping) => {
    const { life, socket, connection, asked } = await connected(false, ping)
    expect(await life.answers(socket)).toBe(false)
    expect([connection.readyState, asked]).toEqual([WebSocket.OPEN, [ping ?? "ping"]])
    expect(connection.listenerCount("pong")).toBe(0)
  })

  it("that is closed is not asked", async () => {
    const { life, socket, connection, asked } = await connected(true)
    connection.terminate()
    expect(await life.answers(socket)).toBe(false)
    expect(asked).toEqual([])
  })
})

/** Rules A.4 of the protocol: pings, pongs, and connections that give none. The wheel of seconds is turned by hand. */
import { Centrifuge } from "centrifuge"
import { Centrifuge as CentrifugeProtobuf } from "centrifuge/build/protobuf"
import { afterAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { frame, OPCODES, rawFrames } from "../../../kit/readers/raw-frames.ts"
import type { RawSocket } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, useRoom } from "../../../kit/servers/conformance.ts"

const room = useRoom({ handTurned: true })
const ends: Array<() => void> = []
afterAll(() => {
  for (const end of ends) end()
})

/** Turns second by second, so that the ping is read before its pong is due. */
const pinged = async (socket: RawSocket): Promise<void> => {
  for (let second = 0; second < 25; second++) {
    room.sockets.turn(1)
    if ((await socket.rest()).length > 0) return
  }
  throw new Error("no ping")
}

describe.each(FORMATS)("A.4 a ping in %s", (format) => {
  it("comes first in the second half of the interval, then every 25 s", async () => {
    const socket = await room.connected(format)
    const at: Array<number> = []
    for (let second = 1; second <= 100; second++) {
      room.sockets.turn(1)
      for (const reply of await socket.rest()) {
        expect(reply).toEqual({})
        at.push(second)
        socket.send({})
      }
    }
    const [first = 0] = at
    expect(first).toBeGreaterThan(12)
    expect(first).toBeLessThanOrEqual(25)
    expect(at).toEqual([0, 1, 2, 3].map((n) => first + 25 * n).filter((second) => second <= 100))
  })

  it("is an empty reply alone in its message", async () => {
    const socket = await room.connected(format)
    await pinged(socket)
    // The last message is the answer to what was asked after the ping.
    expect(socket.messages.at(-2)).toEqual(format === "json" ? Buffer.from("{}") : Buffer.from([0]))
  })

  it("that is not answered within 8 s ends the connection with 3012", async () => {
    const [silent, answering] = [await room.connected(format), await room.connected(format)]
    for (let second = 1; second <= 33; second++) {
      room.sockets.turn(1)
      for (const _ of await answering.rest()) answering.send({})
    }
    expect(await silent.closed).toEqual({ code: 3012, reason: "no pong" })
    expect(await answering.rest()).toEqual([])
  })

  it("is answered once: a second pong ends the connection with 3501", async () => {
    const socket = await room.connected(format)
    await pinged(socket)
    socket.send({}, { id: 2, ping: {} })
    expect(await socket.next()).toEqual({ id: 2, ping: {} })
    socket.send({})
    expect(await socket.closed).toEqual({ code: 3501, reason: "bad request" })
  })

  it("as a command is answered", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 2, ping: {} })
    expect(await socket.next()).toEqual({ id: 2, ping: {} })
  })
})

describe("A.4 a client that asked for WebSocket pings", () => {
  const url = () => `${room.sockets.url}?cf_ws_frame_ping_pong=true`
  const connected = async () => {
    const socket = await rawFrames(url())
    ends.push(() => socket.socket.destroy())
    socket.write(frame('{"id":1,"connect":{"token":"alice"}}'))
    const { connect } = JSON.parse((await socket.next()).payload.toString())
    return { socket, connect }
  }

  it("gets those, and no pings of the protocol", async () => {
    const { socket, connect } = await connected()
    expect(connect).not.toHaveProperty("ping")
    expect(connect).not.toHaveProperty("pong")
    let pings = 0
    for (let step = 0; step < 34; step++) {
      room.sockets.turn(3)
      socket.write(frame('{"id":2,"ping":{}}'))
      let found = await socket.next()
      if (found.opcode === OPCODES.ping) {
        pings++
        socket.write(frame("", { opcode: OPCODES.pong }))
        found = await socket.next()
      }
      expect(found.payload.toString()).toBe('{"id":2,"ping":{}}')
    }
    expect(pings).toBeGreaterThanOrEqual(3)
  })

  it("may send pongs that nobody asked for, but none of the protocol", async () => {
    const { socket } = await connected()
    socket.write(frame("", { opcode: OPCODES.pong }))
    socket.write(frame('{"id":2,"ping":{}}'))
    expect((await socket.next()).payload.toString()).toBe('{"id":2,"ping":{}}')
    socket.write(frame("{}"))
    expect(await socket.closed).toBe(3501)
  })

  it("is gone when it does not answer them", async () => {
    const { socket } = await connected()
    room.sockets.turn(33)
    expect(await socket.closed).toBe(3012)
  })
})

describe.each([
  ["json", Centrifuge],
  ["protobuf", CentrifugeProtobuf],
] as const)("A.4 the official client in %s", (_format, Client) => {
  it("answers every ping and stays", async () => {
    const client = new Client(room.sockets.url, { token: "alice", websocket: WebSocket })
    ends.push(() => client.disconnect())
    const left: Array<unknown> = []
    client.on("connecting", (context) => left.push(context))
    client.on("disconnected", (context) => left.push(context))
    client.connect()
    await client.ready(30_000)
    left.length = 0
    for (let step = 0; step < 100; step++) {
      room.sockets.turn(3)
      // Its pong has arrived when a later command of it is answered.
      await expect(client.rpc("x", {})).rejects.toMatchObject({ code: 104 })
    }
    expect(left).toEqual([])
  })
})

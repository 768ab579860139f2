/** Who has not said in time who it is: closed, but not while it only waits for its turn. Time is turned by hand, the turns of the loop are real. */
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, it } from "vitest"
import type { ClientSocket, ConnectionContext } from "../../../src/ws/connection/client.ts"
import { Connection } from "../../../src/ws/connection/connection.ts"
import { Heartbeat, STALE_SECONDS } from "../../../src/ws/connection/heartbeat.ts"
import { Pace } from "../../../src/ws/connection/pace.ts"
import { SocketMeters } from "../../../src/ws/fanout/hub.ts"
import { jsonCodec } from "../../../src/ws/protocol/codec-json.ts"

const CONNECT = new TextEncoder().encode('{"id":1,"connect":{"token":"old"}}').buffer

/** One connection, whose every token is expired; `crowd` leaves no time for anybody in this turn of the loop. */
const visit = () => {
  const clock = { now: 0 }
  const pace = new Pace(() => clock.now)
  const heartbeat = new Heartbeat()
  const heard: Array<unknown> = []
  const socket: ClientSocket = {
    send: (frame) => heard.push(frame),
    end: (code) => heard.push(code),
    subscribe: () => undefined,
    unsubscribe: () => undefined,
    cork: (write) => write(),
    ping: () => undefined,
    getBufferedAmount: () => 0,
  }
  const context = {
    pace,
    heartbeat,
    hub: { meters: new SocketMeters(), deflates: () => false },
    authority: { identify: () => "expired" },
    commandRate: () => null,
    now: () => clock.now,
    onDefect: (error: unknown) => heard.push(error),
  } as unknown as ConnectionContext
  const peer = { ip: "192.0.2.1" }
  const connection = new Connection(
    socket,
    { codec: jsonCodec, nativePings: false, peer, connection: undefined },
    context,
  )
  return {
    connection,
    heard,
    pace,
    crowd: () => {
      pace.admits({ goOn: () => undefined })
      clock.now += 1_000
    },
    turn: (seconds: number) => {
      for (let second = 0; second < seconds; second++) heartbeat.tick()
    },
  }
}

it("closes who says nothing", () => {
  const { heard, turn } = visit()
  turn(STALE_SECONDS - 1)
  expect(heard).toEqual([])
  turn(1)
  expect(heard).toEqual([3502])
})

it("spares who waits for its turn, and closes it when nothing comes of it", async () => {
  const { connection, heard, pace, crowd, turn } = visit()
  crowd()
  connection.message(CONNECT)
  expect(pace.stats().waiting).toBe(1)
  turn(STALE_SECONDS)
  expect([heard, connection.isOpen]).toEqual([[], true])
  await nextTurn()
  expect(heard).toMatchObject([expect.stringContaining('"code":109')])
  turn(STALE_SECONDS)
  expect([heard[1], connection.isOpen]).toEqual([3502, false])
})

/** Rules A.5 of the protocol: a subscribe that cannot be answered at once, and the commands behind it. */
import { describe, expect, it } from "vitest"
import type { InstrumentId, VenueId } from "../../../../src/domain/ids.ts"
import { FORMATS, refusal, SOON, useRoom } from "../../../kit/servers/conformance.ts"
import { VENUE } from "../../../kit/servers/socket-server.ts"

const SLOW_BOOK = "market:orderbook:SLOW:BTC/USDT"

describe.each(FORMATS)("A.5 a subscribe that must wait, in %s", (format) => {
  const room = useRoom()
  const waiting = async (...more: ReadonlyArray<object>) => {
    const socket = await room.connected(format)
    socket.send({ id: 2, subscribe: { channel: SLOW_BOOK } }, ...more, { id: 9, ping: {} })
    expect(await socket.next()).toEqual({ id: 9, ping: {} })
    const learn = room.sockets.learn.pop()
    if (learn === undefined) throw new Error("nobody asked for the instruments")
    return { socket, learn }
  }
  const known = () => {
    const [instrument] = room.sockets.instruments.ofVenue(VENUE, null)
    if (instrument === undefined) throw new Error("no instrument")
    const { sockets } = room
    sockets.instruments.put([
      { ...instrument, instrumentId: "SLOW:BTC/USDT" as InstrumentId, venue: "SLOW" as VenueId },
    ])
  }

  it("holds back what concerns its channel and nothing else", async () => {
    const { socket, learn } = await waiting({ id: 3, unsubscribe: { channel: SLOW_BOOK } })
    expect(socket.waiting()).toBe(0)
    learn(false)
    expect(await socket.next()).toMatchObject({ id: 2, error: { code: 100, temporary: true } })
    expect(await socket.next()).toEqual({ id: 3, unsubscribe: {} })
  })

  it("counts: a second one for the channel is answered after it", async () => {
    const { socket, learn } = await waiting({ id: 3, subscribe: { channel: SLOW_BOOK } })
    learn(false)
    expect(await socket.next()).toMatchObject({ id: 2, error: { code: 100, temporary: true } })
    // The second asks for itself, and waits.
    await expect.poll(() => room.sockets.learn.length, SOON).toBe(1)
    room.sockets.learn.pop()?.(false)
    expect(await socket.next()).toMatchObject({ id: 3, error: { code: 100, temporary: true } })
  })

  it("ends the connection with 3013 when far too much waits behind it", async () => {
    const socket = await room.connected(format)
    const commands = Array.from({ length: 101 }, (_, n) => ({ id: 3 + n, unsubscribe: { channel: SLOW_BOOK } }))
    socket.send({ id: 2, subscribe: { channel: SLOW_BOOK } }, ...commands)
    expect((await socket.closed).code).toBe(3013)
    room.sockets.learn.pop()?.(true)
  })

  it("leaves nothing behind when its client goes", async () => {
    const { socket, learn } = await waiting()
    const before = room.sockets.hub.stats().subscriptions
    socket.close()
    await socket.closed
    learn(true)
    expect(room.sockets.hub.stats().subscriptions).toBe(before)
  })

  it("is served when the venue was asked: once, twice, and after an unsubscribe between", async () => {
    const { socket, learn } = await waiting(
      { id: 3, unsubscribe: { channel: SLOW_BOOK } },
      { id: 4, subscribe: { channel: SLOW_BOOK } },
      { id: 5, subscribe: { channel: SLOW_BOOK } },
    )
    known()
    learn(true)
    expect(await socket.next()).toMatchObject({ id: 2, subscribe: { positioned: true } })
    expect(await socket.next()).toEqual({ id: 3, unsubscribe: {} })
    expect(await socket.next()).toMatchObject({ id: 4, subscribe: { positioned: true } })
    expect(await socket.next()).toMatchObject(refusal(5, 105))
  })
})

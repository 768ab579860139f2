/** Rules A.7 of the protocol: what the server says unasked. */
import { describe, expect, it } from "vitest"
import { FORMATS, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const room = useRoom({ channels: { trade: { presence: true, joinLeave: true } } })
const account = () => `tradingAccount:${room.sockets.accountId}`

describe.each(FORMATS)("A.7 a publication in %s", (format) => {
  it("has data and an offset that grows by one", async () => {
    const [socket] = await room.subscribed(BOOK, format)
    const { offset } = room.sockets.position
    for (let n = 1; n <= 50; n++) room.sockets.publish(`{"n":${n}}`)
    const pushes = (await socket.rest()) as unknown as ReadonlyArray<{ push: { pub: { offset: number } } }>
    expect(pushes.map(({ push }) => push.pub.offset)).toEqual(Array.from({ length: 50 }, (_, n) => offset + n + 1))
    for (const { push } of pushes) expect(Object.keys(push).sort()).toEqual(["channel", "pub"])
  })

  it("has the epoch only when it is the stream's first", async () => {
    const [socket] = await room.subscribed(account(), format)
    const stream = room.sockets.stream(account())
    room.sockets.hub.invalidate(account())
    await socket.rest()
    stream.position.epoch = `epoch-${format}`
    stream.position.offset = 0
    socket.send({ id: 3, subscribe: { channel: account() } })
    await socket.next()
    stream.publish('{"n":1}')
    stream.publish('{"n":2}')
    expect(await socket.rest()).toEqual([
      { push: { channel: account(), pub: { data: { n: 1 }, offset: 1, epoch: `epoch-${format}` } } },
      { push: { channel: account(), pub: { data: { n: 2 }, offset: 2 } } },
    ])
  })

  it("carries any JSON value", async () => {
    const [socket] = await room.subscribed(BOOK, format)
    const values = ['"text"', "5", "-0.5", "true", "[]", "{}", "[[],{}]", '"\\u0000"', '{"":""}']
    for (const value of values) room.sockets.publish(value)
    const pushes = (await socket.rest()) as unknown as ReadonlyArray<{ push: { pub: { data: unknown } } }>
    expect(pushes.map(({ push }) => push.pub.data)).toEqual(values.map((value) => JSON.parse(value)))
  })

  it("reaches only those who are subscribed", async () => {
    const [on] = await room.subscribed(BOOK, format)
    const [left] = await room.subscribed(BOOK, format)
    const [elsewhere] = await room.subscribed(account(), format)
    left.send({ id: 3, unsubscribe: { channel: BOOK } })
    await left.next()
    room.sockets.publish('{"n":1}')
    expect(await on.rest()).toHaveLength(1)
    expect(await left.rest()).toEqual([])
    expect(await elsewhere.rest()).toEqual([])
  })
})

describe.each(FORMATS)("A.7 join and leave in %s", (format) => {
  const gone = async () => {
    await expect.poll(() => room.sockets.hub.find(TRADES)?.subscribers ?? 0, { timeout: 60_000 }).toBe(0)
  }
  const infoOf = (reply: unknown, kind: "join" | "leave") =>
    (reply as { push: Readonly<Record<string, { info: { user: string; client: string } }>> }).push[kind]?.info

  it.each([
    ["alone", {}],
    ["with deltas", { delta: "fossil" }],
  ])("are pushed to all, one's own join right after the reply: %s", async (_what, more) => {
    await gone()
    const [alice, reply] = await room.subscribed(TRADES, format, more)
    expect(reply).toMatchObject({ id: 2, subscribe: {} })
    const own = infoOf(await alice.next(), "join")
    expect(own).toMatchObject({ user: "alice" })
    const [bob] = await room.subscribed(TRADES, format, more, "bob")
    const other = infoOf(await bob.next(), "join")
    expect(other).toMatchObject({ user: "bob" })
    expect(infoOf(await alice.next(), "join")).toEqual(other)
    bob.send({ id: 3, unsubscribe: { channel: TRADES } })
    expect(await bob.rest()).toEqual([{ id: 3, unsubscribe: {} }])
    expect(infoOf(await alice.next(), "leave")).toEqual(other)
    const [again] = await room.subscribed(TRADES, format, more, "bob")
    const back = infoOf(await alice.next(), "join")
    again.close()
    expect(infoOf(await alice.next(), "leave")).toEqual(back)
    expect(await alice.rest()).toEqual([])
  })

  it("keep their order among publications", async () => {
    await gone()
    const stream = room.sockets.stream(TRADES)
    const [alice] = await room.subscribed(TRADES, format)
    await alice.next()
    stream.publish('{"n":1}')
    const [bob] = await room.subscribed(TRADES, format, {}, "bob")
    stream.publish('{"n":2}')
    const kinds = (await alice.rest()).map(({ push }) => Object.keys(push as object).find((key) => key !== "channel"))
    expect(kinds).toEqual(["pub", "join", "pub"])
    expect((await bob.rest()).map(({ push }) => Object.keys(push as object)[1])).toEqual(["join", "pub"])
  })

  it("are not pushed where the setting is off", async () => {
    const [alice] = await room.subscribed(BOOK, format)
    const [bob] = await room.subscribed(BOOK, format, {}, "bob")
    bob.close()
    await bob.closed
    expect(await alice.rest()).toEqual([])
  })
})

describe.each(FORMATS)("A.7 the end of a subscription in %s", (format) => {
  it("for good is a push of unsubscribe 2000, after what was published before", async () => {
    const [socket] = await room.subscribed(account(), format)
    const stream = room.sockets.stream(account())
    const offset = stream.publish('{"last":true}')
    room.sockets.hub.terminate(account())
    stream.publish('{"late":true}')
    const pushes = await socket.rest()
    expect(pushes).toMatchObject([
      { push: { channel: account(), pub: { data: { last: true }, offset } } },
      { push: { channel: account(), unsubscribe: { code: 2000, reason: "server unsubscribe" } } },
    ])
    expect(pushes).toHaveLength(2)
  })

  it("for a new start is a push of unsubscribe 2500", async () => {
    const [socket] = await room.subscribed(account(), format)
    room.sockets.hub.invalidate(account())
    expect(await socket.next()).toEqual({
      push: { channel: account(), unsubscribe: { code: 2500, reason: "insufficient state" } },
    })
    socket.send({ id: 3, subscribe: { channel: account() } })
    expect(await socket.next()).toMatchObject({ id: 3, subscribe: {} })
  })

  it("leaves its other channels as they are", async () => {
    const [socket] = await room.subscribed(account(), format)
    socket.send({ id: 3, subscribe: { channel: BOOK } })
    await socket.next()
    room.sockets.hub.terminate(account())
    room.sockets.publish('{"n":1}')
    expect(await socket.rest()).toMatchObject([{ push: { unsubscribe: {} } }, { push: { channel: BOOK, pub: {} } }])
  })
})

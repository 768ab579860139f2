/** Rules A.9 of the protocol: channels in cache mode, channels without positions, and recovery from storage while the stream goes on. */
import { describe, expect, it } from "vitest"
import type { StoredPublication } from "../../../../src/ports/channel-port.ts"
import type { RawSocket } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, SOON, TICKER, TRADES, useRoom, VENUE_TICKER } from "../../../kit/servers/conformance.ts"

/** What only storage has: the process has heard nothing of it. */
const STORED = 500

describe.each(FORMATS)("A.9 a channel in cache mode in %s", (format) => {
  const room = useRoom()
  const recovering = (more: object) => room.subscribed(TICKER, format, { recover: true, ...more })
  const moved = async () => {
    const stream = room.sockets.stream(TICKER)
    const [reader] = await room.subscribed(TICKER, format)
    stream.publish('{"last":"1"}')
    stream.publish('{"last":"2"}')
    await reader.rest()
    return { stream, reader, ...stream.position }
  }

  it("that nobody published on yet has nothing to recover", async () => {
    const [, reply] = await recovering({})
    const { subscribe } = reply as unknown as { subscribe: object }
    expect(subscribe).toMatchObject({ was_recovering: true })
    expect(subscribe).not.toHaveProperty("recovered")
    expect(subscribe).not.toHaveProperty("publications")
  })

  it("gives the latest value to whoever comes", async () => {
    const { offset, epoch } = await moved()
    const [socket, reply] = await room.subscribed(TICKER, format)
    expect(reply).toEqual({
      id: 2,
      subscribe: {
        recoverable: true,
        positioned: true,
        epoch,
        offset,
        publications: [{ data: { last: "2" }, offset }],
      },
    })
    expect(await socket.rest()).toEqual([])
  })

  it.each([
    ["an older position", (offset: number, epoch: string) => ({ offset: offset - 1, epoch })],
    ["no position", () => ({})],
    ["a position of another epoch", (offset: number) => ({ offset, epoch: "gone" })],
    ["a position ahead of it", (offset: number, epoch: string) => ({ offset: offset + 7, epoch })],
  ])("recovers with the latest value alone from %s", async (_what, positionAt) => {
    const { offset, epoch } = await moved()
    const [, reply] = await recovering(positionAt(offset, epoch))
    expect(reply).toMatchObject({
      subscribe: { was_recovering: true, recovered: true, epoch, publications: [{ data: { last: "2" }, offset }] },
    })
  })

  it("gives nothing to whoever has exactly the latest value", async () => {
    const { offset, epoch } = await moved()
    const [, reply] = await recovering({ offset, epoch })
    expect(reply).toMatchObject({ subscribe: { was_recovering: true, recovered: true } })
    expect(reply["subscribe"]).not.toHaveProperty("publications")
  })

  it("of a whole venue gives the latest value of every instrument, oldest first", async () => {
    const stream = room.sockets.stream(VENUE_TICKER)
    const [reader] = await room.subscribed(VENUE_TICKER, format)
    for (const [subject, last] of ["A1", "B1", "C1", "A2", "B2"].map((text) => [text[0] ?? "", text[1] ?? ""] as const))
      stream.publish(JSON.stringify({ subject, last }), { subject, tags: { instrumentId: subject } })
    await reader.rest()
    for (const more of [{}, { recover: true, epoch: "gone", offset: 1 }]) {
      const [, reply] = await room.subscribed(VENUE_TICKER, format, more)
      const { publications } = (reply as unknown as { subscribe: { publications: ReadonlyArray<{ data: unknown }> } })
        .subscribe
      expect(publications.map(({ data }) => data)).toEqual([
        { subject: "C", last: "1" },
        { subject: "A", last: "2" },
        { subject: "B", last: "2" },
      ])
    }
  })
})

describe.each(FORMATS)("A.9 a channel without recovery in %s", (format) => {
  const room = useRoom({ channels: { trade: { recovery: "none", historySize: 0 } } })

  it("has no positions: an empty result, and publications without offsets", async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket, reply] = await room.subscribed(TRADES, format)
    expect(reply).toEqual({ id: 2, subscribe: {} })
    stream.publish('{"n":1}')
    expect(await socket.next()).toEqual({ push: { channel: TRADES, pub: { data: { n: 1 } } } })
  })

  it("answers a recovery with was_recovering alone", async () => {
    const [, reply] = await room.subscribed(TRADES, format, { recover: true, offset: 1, epoch: "e" })
    expect(reply).toEqual({ id: 2, subscribe: { was_recovering: true } })
  })
})

describe.each(FORMATS)("A.9 recovery from storage in %s", (format) => {
  interface Asked {
    readonly after: number
    readonly upTo: number
    readonly done: (rows: ReadonlyArray<StoredPublication> | null) => void
  }
  const asked: Array<Asked> = []
  const position = { epoch: "stored", offset: STORED, snapshot: null }
  const room = useRoom({
    sources: {
      tradingAccount: {
        opened: () => undefined,
        closed: () => undefined,
        position: () => ({ ...position }),
        replay: (_channel, after, upTo, done) => void asked.push({ after, upTo, done }),
      },
    },
  })
  const channel = () => `tradingAccount:${room.sockets.accountId}`
  const publish = () => {
    position.offset++
    room.sockets.hub.publish(channel(), { epoch: "stored", offset: position.offset, json: `{"n":${position.offset}}` })
  }
  const rows = (after: number, upTo: number): ReadonlyArray<StoredPublication> =>
    Array.from({ length: upTo - after }, (_, n) => ({ offset: after + n + 1, json: `{"n":${after + n + 1}}` }))
  /** Each from further back: what was read for those before is remembered, and asked for no more. */
  let oldest = STORED - 50
  const further = (): number => {
    oldest -= 10
    return oldest
  }
  const returning = async (offset = further()): Promise<{ readonly socket: RawSocket; readonly request: Asked }> => {
    const socket = await room.connected(format)
    socket.send({ id: 2, subscribe: { channel: channel(), recover: true, offset, epoch: "stored" } })
    expect(await socket.rest()).toEqual([])
    const request = asked.pop()
    if (request === undefined) throw new Error("storage was not asked")
    return { socket, request }
  }
  const recovered = async (socket: RawSocket) => {
    const { subscribe } = (await socket.next()) as unknown as {
      subscribe: { recovered?: boolean; offset: number; publications?: ReadonlyArray<{ offset: number }> }
    }
    return { ...subscribe, offsets: (subscribe.publications ?? []).map(({ offset }) => offset) }
  }

  it("merges what was stored with what was published in the meantime", async () => {
    const from = oldest
    const { socket, request } = await returning(from)
    expect(request).toMatchObject({ after: from, upTo: position.offset })
    for (let n = 0; n < 5; n++) publish()
    request.done(rows(request.after, request.upTo))
    publish()
    const result = await recovered(socket)
    expect(result).toMatchObject({ recovered: true, offset: from })
    expect(result.offsets).toEqual(Array.from({ length: position.offset - 1 - from }, (_, n) => from + n + 1))
    expect(await socket.rest()).toMatchObject([{ push: { pub: { offset: position.offset } } }])
  })

  it.each([
    ["cannot say", () => null],
    ["has a hole", ({ after, upTo }: Asked) => rows(after, upTo).slice(1)],
    ["has too few", ({ after, upTo }: Asked) => rows(after, upTo - 1)],
  ])("starts over when storage %s, and goes on", async (_what, answer) => {
    const { socket, request } = await returning()
    publish()
    request.done(answer(request))
    const result = await recovered(socket)
    expect(result).toMatchObject({ was_recovering: true, offset: position.offset })
    expect(result.recovered).toBeUndefined()
    expect(result.offsets).toEqual([])
    publish()
    expect(await socket.rest()).toMatchObject([{ push: { pub: { offset: position.offset } } }])
  })

  it("asks once for what one after the other has missed", async () => {
    const { socket, request } = await returning()
    request.done(rows(request.after, request.upTo))
    const offsets = Array.from({ length: position.offset - request.after }, (_, n) => request.after + n + 1)
    expect(await recovered(socket)).toMatchObject({ recovered: true, offsets })
    const next = await room.connected(format)
    next.send({ id: 2, subscribe: { channel: channel(), recover: true, offset: request.after, epoch: "stored" } })
    expect(await recovered(next)).toMatchObject({ recovered: true, offsets })
    expect(asked).toEqual([])
  })

  it("is not left behind by a client that goes, or that does not want it any more", async () => {
    const subscriptions = () => room.sockets.hub.stats().subscriptions
    await expect.poll(subscriptions, SOON).toBe(0)
    const one = await returning()
    one.socket.close()
    await one.socket.closed
    one.request.done(rows(one.request.after, one.request.upTo))
    const two = await returning()
    two.socket.send({ id: 3, unsubscribe: { channel: channel() } })
    two.request.done(rows(two.request.after, two.request.upTo))
    await two.socket.next()
    expect(await two.socket.next()).toEqual({ id: 3, unsubscribe: {} })
    expect(subscriptions()).toBe(0)
  })
})

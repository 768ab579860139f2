/** Rules A.6 of the protocol: history, presence, rpc, and publishing where clients may not. */
import { describe, expect, it } from "vitest"
import type { RawSocket, Reply } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, refusal, SOON, TICKER, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

const HISTORY = 20
const room = useRoom({ channels: { trade: { historySize: HISTORY, recoveryMax: 15, presence: true } } })

interface Page {
  readonly publications?: ReadonlyArray<{ readonly data: unknown; readonly offset: number }>
  readonly epoch: string
  readonly offset: number
}

const asked = async (socket: RawSocket, command: object): Promise<Reply> => {
  socket.send({ id: 5, ...command })
  return socket.next()
}
const page = async (socket: RawSocket, request: object): Promise<Page> => {
  const { history } = (await asked(socket, { history: { channel: TRADES, ...request } })) as { history?: unknown }
  if (history === undefined) throw new Error("no history")
  return history as Page
}
const offsets = ({ publications = [] }: Page): ReadonlyArray<number> => publications.map(({ offset }) => offset)
const range = (from: number, to: number): ReadonlyArray<number> => {
  const length = Math.abs(to - from) + 1
  return Array.from({ length }, (_, n) => (from <= to ? from + n : from - n))
}

describe.each(FORMATS)("A.6 history in %s", (format) => {
  /** A channel with somebody on it, of which the first publications have left. */
  const filled = async () => {
    const stream = room.sockets.stream(TRADES)
    const [socket] = await room.subscribed(TRADES, format)
    for (let n = 0; n < HISTORY + 5; n++) stream.publish(`{"n":${stream.position.offset + 1}}`)
    await socket.rest()
    const { offset: top, epoch } = stream.position
    return { socket, top, epoch, first: top - HISTORY + 1 }
  }

  it("without a limit, or with limit 0, is the position alone", async () => {
    const { socket, top, epoch } = await filled()
    expect(await page(socket, {})).toMatchObject({ epoch, offset: top })
    expect(offsets(await page(socket, {}))).toEqual([])
    expect(offsets(await page(socket, { limit: 0, reverse: true }))).toEqual([])
  })

  it("with limit -1, or above the limit, has as many as the channel gives", async () => {
    const { socket, first } = await filled()
    for (const limit of [-1, 15, 16, 2_147_483_647])
      expect(offsets(await page(socket, { limit }))).toEqual(range(first, first + 14))
  })

  it("is what was published, oldest first", async () => {
    const { socket, first } = await filled()
    const found = await page(socket, { limit: 2 })
    expect(found.publications).toMatchObject([
      { data: { n: first }, offset: first },
      { data: { n: first + 1 }, offset: first + 1 },
    ])
  })

  it("in reverse is the newest first", async () => {
    const { socket, top } = await filled()
    expect(offsets(await page(socket, { limit: 3, reverse: true }))).toEqual(range(top, top - 2))
  })

  it("since an offset goes on after it, and in reverse before it", async () => {
    const { socket, top, epoch } = await filled()
    const since = { offset: top - 5, epoch }
    expect(offsets(await page(socket, { limit: 3, since }))).toEqual(range(top - 4, top - 2))
    expect(offsets(await page(socket, { limit: 3, since, reverse: true }))).toEqual(range(top - 6, top - 8))
    expect(offsets(await page(socket, { limit: -1, since: { offset: top, epoch } }))).toEqual([])
    expect(offsets(await page(socket, { limit: -1, since: { offset: top + 9, epoch } }))).toEqual([])
    expect(offsets(await page(socket, { limit: 2, since: { offset: top - 2, epoch: "" } }))).toEqual(
      range(top - 1, top),
    )
  })

  it("since an offset that has left is what is left", async () => {
    const { socket, first, epoch } = await filled()
    expect(offsets(await page(socket, { limit: 2, since: { offset: 1, epoch } }))).toEqual(range(first, first + 1))
    expect(offsets(await page(socket, { limit: 2, since: { offset: 0, epoch } }))).toEqual(range(first, first + 1))
  })

  it("since a position of another epoch is refused with 112", async () => {
    const { socket, top } = await filled()
    const history = { channel: TRADES, limit: 1, since: { offset: top, epoch: "gone" } }
    expect(await asked(socket, { history })).toMatchObject(refusal(5, 112))
  })

  it("in reverse since offset 0 is refused with 107", async () => {
    const { socket, epoch } = await filled()
    const history = { channel: TRADES, limit: 1, reverse: true, since: { offset: 0, epoch } }
    expect(await asked(socket, { history })).toMatchObject(refusal(5, 107))
  })

  it("of a channel that nobody published on begins at 0, with an epoch", async () => {
    const channel = `tradingAccount:${room.sockets.accountId}`
    const { epoch } = room.sockets.stream(channel).position
    const socket = await room.connected(format)
    const { history } = (await asked(socket, { history: { channel, limit: -1 } })) as { history: Page }
    expect(history.epoch).toBe(epoch)
    expect(history.offset ?? 0).toBe(0)
    expect(offsets(history)).toEqual([])
  })

  it.each([
    ["a channel without history", TICKER, 108],
    ["an unknown channel", "nonsense", 102],
    ["an instrument that there is not", "market:trade:MOCK:XXX/YYY", 102],
    ["an account that does not exist", "tradingAccount:00000000-0000-4000-8000-000000000000", 103],
  ])("of %s is refused", async (_what, channel, code) => {
    const socket = await room.connected(format)
    expect(await asked(socket, { history: { channel, limit: 1 } })).toMatchObject(refusal(5, code))
  })

  it("of another user's account is refused with 103", async () => {
    const socket = await room.connected(format, "bob")
    const channel = `tradingAccount:${room.sockets.accountId}`
    expect(await asked(socket, { history: { channel } })).toMatchObject(refusal(5, 103))
  })

  it("of no channel ends the connection with 3501", async () => {
    const socket = await room.connected(format)
    socket.send({ id: 5, history: { limit: 1 } })
    expect((await socket.closed).code).toBe(3501)
  })
})

describe.each(FORMATS)("A.6 presence in %s", (format) => {
  const empty = async () => {
    await expect.poll(() => room.sockets.hub.find(TRADES)?.subscribers ?? 0, SOON).toBe(0)
  }

  it("is who is on the channel, by client, with counts of clients and users", async () => {
    await empty()
    const [one, two] = [await room.connected(format), await room.connected(format)]
    const other = await room.connected(format === "json" ? "protobuf" : "json", "bob")
    for (const socket of [one, two, other]) {
      socket.send({ id: 2, subscribe: { channel: TRADES } })
      await socket.next()
    }
    const { presence } = (await asked(one, { presence: { channel: TRADES } })) as {
      presence: { presence: Readonly<Record<string, { user: string; client: string }>> }
    }
    const people = Object.entries(presence.presence)
    expect(people.map(([, { user }]) => user).sort()).toEqual(["alice", "alice", "bob"])
    for (const [client, info] of people) expect(info.client).toBe(client)
    expect(new Set(people.map(([client]) => client)).size).toBe(3)
    const stats = { presence_stats: { channel: TRADES } }
    expect(await asked(two, stats)).toEqual({ id: 5, presence_stats: { num_clients: 3, num_users: 2 } })
    two.close()
    await expect
      .poll(async () => (await asked(one, stats))["presence_stats"], SOON)
      .toEqual({ num_clients: 2, num_users: 2 })
  })

  it("may be asked from outside, and ends with unsubscribe", async () => {
    await empty()
    const [socket] = await room.subscribed(TRADES, format)
    const outside = await room.connected(format, "bob")
    const stats = { presence_stats: { channel: TRADES } }
    expect(await asked(outside, stats)).toEqual({ id: 5, presence_stats: { num_clients: 1, num_users: 1 } })
    await asked(socket, { unsubscribe: { channel: TRADES } })
    expect(await asked(outside, { presence: { channel: TRADES } })).toMatchObject({ id: 5, presence: {} })
    expect(await asked(outside, stats)).toMatchObject({ id: 5, presence_stats: {} })
    const left = (await asked(outside, stats))["presence_stats"] as { num_clients?: number }
    expect(left.num_clients ?? 0).toBe(0)
  })

  it.each(["presence", "presence_stats"])("that is off is refused with 108: %s", async (method) => {
    const socket = await room.connected(format)
    expect(await asked(socket, { [method]: { channel: BOOK } })).toMatchObject(refusal(5, 108))
    expect(await asked(socket, { [method]: { channel: "nonsense" } })).toMatchObject(refusal(5, 102))
    const strange = await room.connected(format, "bob")
    const channel = `tradingAccount:${room.sockets.accountId}`
    expect(await asked(strange, { [method]: { channel } })).toMatchObject(refusal(5, 103))
    strange.send({ id: 6, [method]: {} })
    expect((await strange.closed).code).toBe(3501)
  })
})

describe.each(FORMATS)("A.6 other commands in %s", (format) => {
  it("publish is refused with 103, and with 3501 when it names no channel", async () => {
    const socket = await room.connected(format)
    expect(await asked(socket, { publish: { channel: TRADES, data: { n: 1 } } })).toMatchObject(refusal(5, 103))
    expect(await asked(socket, { publish: { channel: TRADES } })).toMatchObject(refusal(5, 103))
    expect(await asked(socket, { publish: { channel: "nonsense", data: 1 } })).toMatchObject(refusal(5, 102))
    socket.send({ id: 6, publish: { data: {} } })
    expect((await socket.closed).code).toBe(3501)
  })

  it("rpc of an unknown method is refused with 104", async () => {
    const socket = await room.connected(format)
    for (const method of ["", "x", "__proto__", "constructor", "toString"])
      expect(await asked(socket, { rpc: { method, data: { a: 1 } } })).toMatchObject(refusal(5, 104))
    expect(await asked(socket, { rpc: {} })).toMatchObject(refusal(5, 104))
  })
})

describe.each(FORMATS)("A.6 rpc in %s", (format) => {
  const calls: Array<unknown> = []
  const answering = useRoom({
    rpc: ({ method, data }, done) => {
      calls.push([method, data])
      done({ failure: null, envelope: '{"ok":true}' })
    },
  })
  it("is answered with data", async () => {
    const socket = await answering.connected(format)
    for (const data of [{ a: [1, null, "é"] }, [1], "text", 5, true])
      expect(await asked(socket, { rpc: { method: "echo", data } })).toEqual({ id: 5, rpc: { data: { ok: true } } })
    expect(calls).toEqual([{ a: [1, null, "é"] }, [1], "text", 5, true].map((data) => ["echo", data]))
    calls.length = 0
  })
})

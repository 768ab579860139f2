/** Rules A.9 of the protocol: positions, and what a client that comes back is given. */
import { describe, expect, it } from "vitest"
import type { RawSocket, Reply } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, refusal, TRADES, useRoom } from "../../../kit/servers/conformance.ts"

const HISTORY = 20
const RECOVERY_MAX = 15
const TTL_SECONDS = 60
const room = useRoom({
  handTurned: true,
  channels: { trade: { historySize: HISTORY, historyTtlSeconds: TTL_SECONDS, recoveryMax: RECOVERY_MAX } },
})

interface Result {
  readonly offset?: number
  readonly recovered?: boolean
  readonly publications?: ReadonlyArray<{ readonly data: unknown; readonly offset: number }>
}

const resultOf = (reply: Reply): Result => {
  const result = reply["subscribe"]
  if (typeof result !== "object" || result === null) throw new Error(`no subscribe result in ${JSON.stringify(reply)}`)
  return result
}
const offsetsOf = ({ publications = [] }: Result): ReadonlyArray<number> => publications.map(({ offset }) => offset)
const upTo = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from) }, (_, n) => from + 1 + n)

/** A stream with more behind it than its history holds, and somebody who stays on it. */
const filled = async (format: RawSocket["format"]) => {
  const stream = room.sockets.stream(TRADES)
  const [reader] = await room.subscribed(TRADES, format)
  for (let n = 0; n < HISTORY + 5; n++) stream.publish(`{"n":${stream.position.offset + 1}}`)
  await reader.rest()
  const { offset: top, epoch } = stream.position
  return { stream, reader, top, epoch }
}

describe.each(FORMATS)("A.9 a subscribe in %s", (format) => {
  const back = async (position: object): Promise<{ readonly socket: RawSocket; readonly reply: Reply }> => {
    const [socket, reply] = await room.subscribed(TRADES, format, { recover: true, ...position })
    return { socket, reply }
  }

  it("tells where the stream stands", async () => {
    const { top, epoch } = await filled(format)
    const [, reply] = await room.subscribed(TRADES, format)
    expect(reply).toEqual({ id: 2, subscribe: { recoverable: true, positioned: true, epoch, offset: top } })
  })

  it.each([
    ["one missed", 1],
    ["as many as may be recovered", RECOVERY_MAX],
  ])("with a position that history covers gets what it missed, from its own offset on: %s", async (_what, missed) => {
    const { stream, top, epoch } = await filled(format)
    const { socket, reply } = await back({ offset: top - missed, epoch })
    const result = resultOf(reply)
    expect(result).toMatchObject({ recoverable: true, positioned: true, was_recovering: true, recovered: true, epoch })
    expect(result.offset).toBe(top - missed)
    expect(offsetsOf(result)).toEqual(upTo(top - missed, top))
    for (const { data, offset } of result.publications ?? []) expect(data).toEqual({ n: offset })
    stream.publish('{"next":true}')
    expect(await socket.rest()).toEqual([{ push: { channel: TRADES, pub: { data: { next: true }, offset: top + 1 } } }])
  })

  it("at the newest offset has missed nothing", async () => {
    const { stream, top, epoch } = await filled(format)
    const { socket, reply } = await back({ offset: top, epoch })
    expect(reply).toEqual({
      id: 2,
      subscribe: { recoverable: true, positioned: true, was_recovering: true, recovered: true, epoch, offset: top },
    })
    stream.publish('{"n":1}')
    expect(await socket.rest()).toHaveLength(1)
  })

  it("with an empty epoch trusts the stream's", async () => {
    const { top } = await filled(format)
    const { reply } = await back({ offset: top - 3 })
    expect(resultOf(reply)).toMatchObject({ recovered: true, was_recovering: true })
    expect(offsetsOf(resultOf(reply))).toEqual(upTo(top - 3, top))
  })

  it.each([
    ["has left the history", (top: number, epoch: string) => ({ offset: top - HISTORY - 1, epoch })],
    ["is too far back", (top: number, epoch: string) => ({ offset: top - RECOVERY_MAX - 1, epoch })],
    ["is 0 and far back", (_top: number, epoch: string) => ({ offset: 0, epoch })],
    ["is ahead of the stream", (top: number, epoch: string) => ({ offset: top + 1, epoch })],
    ["is of another epoch", (top: number, _epoch: string) => ({ offset: top, epoch: "gone" })],
  ])(
    "with a position that %s starts over: the top, no publications, and then what comes",
    async (_what, positionAt) => {
      const { stream, top, epoch } = await filled(format)
      const { socket, reply } = await back(positionAt(top, epoch))
      expect(reply).toEqual({
        id: 2,
        subscribe: { recoverable: true, positioned: true, was_recovering: true, epoch, offset: top },
      })
      stream.publish('{"n":1}')
      expect(await socket.rest()).toMatchObject([{ push: { pub: { offset: top + 1 } } }])
    },
  )

  // What is no number of 64 bits without a sign ends the connection (A.2).
  it.each([2 ** 53, 2 ** 60])(
    "with an offset of %s, beyond all there are, starts over, even on a young stream",
    async (offset) => {
      const channel = `tradingAccount:${room.sockets.accountId}`
      const stream = room.sockets.stream(channel)
      const [reader] = await room.subscribed(channel, format)
      if (stream.position.offset === 0) for (let n = 0; n < 3; n++) stream.publish(`{"n":${n}}`)
      await reader.rest()
      const { epoch, offset: top } = stream.position
      const [, reply] = await room.subscribed(channel, format, { recover: true, offset, epoch })
      expect(reply).toEqual({
        id: 2,
        subscribe: { recoverable: true, positioned: true, was_recovering: true, epoch, offset: top },
      })
    },
  )

  it("with flag 2 and a position that cannot be used is refused with 112", async () => {
    const { stream, top, epoch } = await filled(format)
    const socket = await room.connected(format)
    const position = { channel: TRADES, recover: true, flag: 3 }
    socket.send({ id: 2, subscribe: { ...position, offset: top, epoch: "gone" } })
    expect(await socket.next()).toMatchObject(refusal(2, 112))
    stream.publish('{"n":1}')
    expect(await socket.rest()).toEqual([])
    socket.send({ id: 3, subscribe: { ...position, offset: top, epoch } })
    expect(offsetsOf(resultOf(await socket.next()))).toEqual([top + 1])
  })

  it("after the history's time has only the position left", async () => {
    const { stream, top, epoch } = await filled(format)
    room.sockets.turn(TTL_SECONDS + 1)
    const late = await back({ offset: top - 1, epoch })
    expect(resultOf(late.reply)).toMatchObject({ was_recovering: true, offset: top, epoch })
    expect(resultOf(late.reply).recovered).toBeUndefined()
    const current = await back({ offset: top, epoch })
    expect(resultOf(current.reply)).toMatchObject({ recovered: true, offset: top })
    stream.publish('{"n":1}')
    const again = await back({ offset: top, epoch })
    expect(offsetsOf(resultOf(again.reply))).toEqual([top + 1])
  })

  it("goes on where it was after everybody had left for a moment", async () => {
    const { stream, reader, top, epoch } = await filled(format)
    reader.send({ id: 9, unsubscribe: { channel: TRADES } })
    await reader.next()
    stream.publish('{"missed":true}')
    const { reply } = await back({ offset: top, epoch })
    expect(resultOf(reply)).toMatchObject({ recovered: true, publications: [{ data: { missed: true } }] })
  })
})

describe.each(FORMATS)("A.9 a stream with a hole in %s", (format) => {
  it.each([
    ["skips an offset", 2, (epoch: string) => epoch],
    ["goes back", -1, (epoch: string) => epoch],
    ["begins a new epoch", 1, (epoch: string) => `${epoch}+`],
  ])("that %s sends everybody back to the start with 2500, before anything of it", async (_what, step, epochAfter) => {
    const { stream, reader, top, epoch } = await filled(format)
    stream.position.offset = top + step - 1
    stream.position.epoch = epochAfter(epoch)
    stream.publish('{"after":true}')
    expect(await reader.rest()).toEqual([
      { push: { channel: TRADES, unsubscribe: { code: 2500, reason: "insufficient state" } } },
    ])
    const [back, reply] = await room.subscribed(TRADES, format, { recover: true, epoch, offset: top })
    const { offset, epoch: now } = stream.position
    expect(resultOf(reply)).toMatchObject({ was_recovering: true, offset, epoch: now })
    expect(resultOf(reply).recovered).toBeUndefined()
    stream.publish('{"on":true}')
    expect(await back.rest()).toHaveLength(1)
  })
})

/** Rules A.5 of the protocol: the reply to a subscribe comes before its channel's pushes, and nothing is lost or given twice around it. */
import { describe, expect, it } from "vitest"
import type { RawSocket, Reply } from "../../../kit/readers/raw-socket.ts"
import { FORMATS, TRADES, useRoom } from "../../../kit/servers/conformance.ts"
import { BOOK } from "../../../kit/servers/socket-server.ts"

interface Subscribed {
  readonly id: number
  readonly subscribe: { readonly offset?: number; readonly publications?: ReadonlyArray<{ readonly data: Numbered }> }
}
interface Numbered {
  readonly n: number
}
interface Pushed {
  readonly push: { readonly channel: string; readonly pub: { readonly data: Numbered; readonly offset: number } }
}

const isReply = (reply: Reply, method: string): boolean => method in reply

/** Every loop turn one publication, until it is told to stop. */
const publishing = (publish: () => void): (() => void) => {
  let goes = true
  const turn = (): void => {
    if (!goes) return
    publish()
    setImmediate(turn)
  }
  turn()
  return () => {
    goes = false
  }
}

describe.each(FORMATS)("A.5 the order of subscribe in %s", (format) => {
  const room = useRoom()

  it("is: the reply with its offset, then each publication after that offset, until the reply to unsubscribe", async () => {
    const stream = room.sockets.stream(TRADES)
    const stop = publishing(() => stream.publish(`{"n":${stream.position.offset + 1}}`))
    const sockets = await Promise.all(Array.from({ length: 5 }, () => room.connected(format)))
    const look = async (socket: RawSocket): Promise<void> => {
      for (let round = 0; round < 20; round++) {
        const id = 10 + round * 2
        socket.send({ id, subscribe: { channel: TRADES } })
        const reply = (await socket.next()) as unknown as Subscribed
        expect(reply).toMatchObject({ id, subscribe: {} })
        let { offset = 0 } = reply.subscribe
        for (let count = 0; count < 10; count++) {
          const { push } = (await socket.next()) as unknown as Pushed
          expect(push.pub.offset).toBe(++offset)
          expect(push.pub.data.n).toBe(offset)
        }
        socket.send({ id: id + 1, unsubscribe: { channel: TRADES } })
        for (;;) {
          const next = await socket.next()
          if (isReply(next, "unsubscribe")) break
          expect((next as unknown as Pushed).push.pub.offset).toBe(++offset)
        }
      }
    }
    await Promise.all(sockets.map(look))
    stop()
    for (const socket of sockets) expect(await socket.rest()).toEqual([])
  })

  it("holds for publications of the very turn in which the subscribe is answered", async () => {
    const { position } = room.sockets
    const [first] = await room.subscribed(BOOK, format)
    const { source } = room.sockets.hub.find(BOOK)?.served ?? {}
    if (source === undefined) throw new Error("nobody hears the book")
    const [late] = [await room.connected(format)]
    // The source is asked for its position in the turn of the subscribe: it publishes before it answers and right after.
    const asked = source.position
    const patched = source as { position: typeof asked }
    let n = position.offset
    const publish = (): void => room.sockets.publish(`{"n":${++n}}`)
    patched.position = (channel) => {
      publish()
      queueMicrotask(publish)
      return asked(channel)
    }
    late.send({ id: 3, subscribe: { channel: BOOK } })
    const reply = (await late.next()) as unknown as Subscribed
    patched.position = asked
    publish()
    const pushed = (await late.rest()) as unknown as ReadonlyArray<Pushed>
    expect(reply.subscribe.offset).toBe(n - 2)
    expect(pushed.map(({ push }) => push.pub.offset)).toEqual([n - 1, n])
    expect((await first.rest()).length).toBe(3)
  })

  it("is kept in a loop of subscribe and unsubscribe without waiting for answers", async () => {
    const socket = await room.connected(format)
    const commands = Array.from({ length: 100 }, (_, n) =>
      n % 2 === 0 ? { id: 10 + n, subscribe: { channel: BOOK } } : { id: 10 + n, unsubscribe: { channel: BOOK } },
    )
    socket.send(...commands)
    const answers = await socket.rest()
    expect(answers.map(({ id }) => id)).toEqual(commands.map(({ id }) => id))
    expect(answers.filter((answer) => "error" in answer)).toEqual([])
    room.sockets.publish('{"n":0}')
    expect(await socket.rest()).toEqual([])
  })

  it("hands over the present state first, then what changes it", async () => {
    const { position } = room.sockets
    position.snapshot = '{"n":-1}'
    const [socket, reply] = await room.subscribed(BOOK, format)
    position.snapshot = null
    expect(reply).toMatchObject({ subscribe: { publications: [{ data: { n: -1 } }], offset: position.offset } })
    room.sockets.publish('{"n":1}')
    expect(await socket.next()).toMatchObject({ push: { pub: { data: { n: 1 }, offset: position.offset } } })
  })
})

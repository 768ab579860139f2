/** A command that meets a defect of ours ends its own connection, and nothing else. */
import { afterEach, expect, it } from "vitest"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { BOOK, startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

it.each([
  ["at once", 0],
  ["after it waited for the peer to read", 40],
])("closes the connection of a command that throws with 3004, %s, and serves the others", async (_when, snapshots) => {
  const defects: Array<unknown> = []
  const boom = new Error("boom")
  const running = await startSockets({
    rpc: () => {
      throw boom
    },
    onDefect: (error) => defects.push(error),
  })
  sockets = running
  const other = await rawSocket(running.url)
  other.send({ id: 1, connect: { token: "bob" } }, { id: 2, subscribe: { channel: BOOK } })
  await other.next()
  await other.next()

  running.position.snapshot = JSON.stringify("x".repeat(60_000))
  const socket = await rawSocket(running.url)
  const again = Array.from({ length: snapshots }, () => [
    { id: 2, subscribe: { channel: BOOK } },
    { id: 3, unsubscribe: { channel: BOOK } },
  ])
  socket.send({ id: 1, connect: { token: "alice" } }, ...again.flat(), { id: 4, rpc: { method: "any" } })
  expect(await socket.closed).toEqual({ code: 3004, reason: "internal server error" })
  expect(defects).toEqual([boom])

  running.publish('{"n":1}')
  expect(await other.next()).toMatchObject({ push: { pub: { data: { n: 1 } } } })
})

it.each([
  ["its source cannot say where it stands", () => [], true],
  ["what storage gave it makes no sense", () => [undefined], false],
])("closes the connection of a subscribe that waited with 3004 when %s", async (_what, rows, isLost) => {
  const defects: Array<unknown> = []
  const asked: Array<() => void> = []
  let isBroken = false
  const running = await startSockets({
    onDefect: (error) => defects.push(error),
    sources: {
      tradingAccount: {
        opened: () => undefined,
        closed: () => undefined,
        position: () => {
          if (isBroken) throw new Error("lost")
          return { epoch: "e", offset: 10, snapshot: null }
        },
        replay: (_channel, _after, _upTo, done) => void asked.push(() => done(rows() as never)),
      },
    },
  })
  sockets = running
  const socket = await rawSocket(running.url)
  const subscribe = { channel: `tradingAccount:${running.accountId}`, recover: true, epoch: "e", offset: 9 }
  socket.send({ id: 1, connect: { token: "alice" } }, { id: 2, subscribe })
  await socket.next()
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(1)
  isBroken = isLost
  asked.pop()?.()
  expect(await socket.closed).toEqual({ code: 3004, reason: "internal server error" })
  expect(defects).toHaveLength(1)
  expect(running.hub.stats().subscriptions).toBe(0)
})

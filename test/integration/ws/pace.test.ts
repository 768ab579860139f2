/** A crowd of connects and subscribes takes turns: nothing of it is lost or out of order, and calls of others come between. */
import { afterEach, expect, it } from "vitest"
import type { StoredPublication } from "../../../src/ports/channel-port.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets | undefined
afterEach(async () => {
  await sockets?.stop()
  sockets = undefined
})

const serve = async (): Promise<TestSockets> => {
  // A turn has 4 ms, so at most 80 commands: a fast machine would play all of them in one.
  sockets = await startSockets({
    rpc: (_request, done) => done({ envelope: "{}", failure: null }),
    lookMillis: 0.05,
  })
  return sockets
}

/** Far more than a turn has time for. */
const MANY = 900
const subscribes = Array.from({ length: MANY }, (_, n) => ({
  id: n + 2,
  subscribe: { channel: `market:orderbook:MOCK:C${n}/USDT` },
}))
const connect = { id: 1, connect: { token: "alice" } }
const ids = (replies: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyArray<unknown> =>
  replies.filter(({ id }) => id !== undefined).map(({ id }) => id)

it("answers all commands of a connection in order, however many turns they take", async () => {
  const { url, server } = await serve()
  const socket = await rawSocket(url)
  const last = { id: MANY + 2, rpc: { method: "tradeOrder.submit", data: {} } }
  socket.send(connect, ...subscribes, last)
  const answered = []
  while (answered.length < MANY + 2) answered.push(...ids([await socket.next()]))
  expect(answered).toEqual(Array.from({ length: MANY + 2 }, (_, n) => n + 1))
  expect(server.stats().newcomers.deferrals).toBeGreaterThan(0)
  expect(server.stats().newcomers.waiting).toBe(0)
})

it("lets a cancel pass the client's own subscribes", async () => {
  const { url } = await serve()
  const socket = await rawSocket(url)
  socket.send(connect)
  await socket.next()
  socket.send(...subscribes, { id: 5_000, rpc: { method: "tradeOrder.cancel", data: {} } })
  const answered = []
  while (answered.length < MANY + 1) answered.push(...ids([await socket.next()]))
  expect(answered.filter((id) => id !== 5_000)).toEqual(subscribes.map(({ id }) => id))
  expect(answered.indexOf(5_000)).toBeLessThan(MANY)
})

it("forgets what waits of a client that is gone", async () => {
  const { url, server, hub } = await serve()
  const crowd = await Promise.all(Array.from({ length: 10 }, () => rawSocket(url)))
  for (const socket of crowd) socket.send(connect, ...subscribes)
  await crowd[0]!.next()
  for (const { socket } of crowd) socket.terminate()
  await expect.poll(() => server.stats().connections, { timeout: 30_000 }).toBe(0)
  expect(server.stats().newcomers.waiting).toBe(0)
  expect(hub.stats().subscriptions).toBe(0)
})

it("tells all who wait to come back when it ends, and keeps nothing of theirs", async () => {
  const { url, server, hub } = await serve()
  const crowd = await Promise.all(Array.from({ length: 10 }, () => rawSocket(url)))
  for (const socket of crowd) socket.send(connect, ...subscribes)
  await expect.poll(() => server.stats().newcomers.waiting, { interval: 1, timeout: 30_000 }).toBeGreaterThan(1)
  const over = server.shutdown()
  expect(server.stats().newcomers.waiting).toBe(0)
  const codes = await Promise.all(crowd.map(async ({ closed }) => (await closed).code))
  await over
  expect(codes).toEqual(crowd.map(() => 3001))
  expect(hub.stats().subscriptions).toBe(0)
})

it("gives those for whom storage was read what they missed a few in each turn", async () => {
  const crowdSize = 30
  const ends: Array<(rows: ReadonlyArray<StoredPublication>) => void> = []
  const { url, hub, accountId } = await startSockets({
    lookMillis: 0.5,
    sources: {
      tradingAccount: {
        opened: () => undefined,
        closed: () => undefined,
        position: () => ({ epoch: "e1", offset: 1, snapshot: null }),
        replay: (_channel, _after, _upTo, done) => void ends.push(done),
      },
    },
  }).then((it) => {
    sockets = it
    return it
  })
  const channel = `tradingAccount:${accountId}`
  const crowd = await Promise.all(Array.from({ length: crowdSize }, () => rawSocket(url)))
  for (const socket of crowd) socket.send(connect, { id: 2, subscribe: { channel, recover: true, epoch: "e1" } })
  await expect.poll(() => hub.find(channel)?.holds, { interval: 1, timeout: 30_000 }).toBe(crowdSize)
  ends[0]?.([{ offset: 1, json: '{"n":1}' }])
  expect(hub.stats().subscriptions).toBeLessThan(crowdSize / 2)
  for (const socket of crowd) {
    expect(await socket.next()).toMatchObject({ id: 1 })
    expect(await socket.next()).toMatchObject({ id: 2, subscribe: { recovered: true, publications: [{ offset: 1 }] } })
  }
  expect([hub.stats().subscriptions, ends.length]).toEqual([crowdSize, 1])
})

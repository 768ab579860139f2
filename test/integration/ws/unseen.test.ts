/** A socket of a session that another process has begun: it is read first, and nothing that the client sent meanwhile is lost or overtakes. */
import { afterEach, beforeEach, expect, it } from "vitest"
import { type Learn, Unseen } from "../../../src/auth/session/unseen.ts"
import { AccessTokenExpired, SessionRevoked } from "../../../src/domain/errors/authentication.ts"
import { StorageUnavailable } from "../../../src/domain/errors/service.ts"
import type { SessionId } from "../../../src/domain/ids.ts"
import { rawSocket } from "../../kit/readers/raw-socket.ts"
import { eventually } from "../../kit/servers/http-server.ts"
import { startSockets, type TestSockets } from "../../kit/servers/socket-server.ts"

let sockets: TestSockets
const asked: Array<Parameters<Learn>[1]> = []
/** Sessions that are known by now. */
const known = new Set<string>()
const failures: Record<string, Unseen["failure"]> = { alice: new SessionRevoked(), stale: new AccessTokenExpired() }

beforeEach(async () => {
  asked.length = 0
  known.clear()
  sockets = await startSockets({
    rpc: (_request, done) => done({ envelope: "{}", failure: null }),
    unseen: (token) => {
      const failure = known.has(token) ? undefined : failures[token]
      return failure && new Unseen(token as SessionId, (_session, done) => void asked.push(done), failure)
    },
  })
})
afterEach(() => sockets.stop())

const connect = (token: string) => ({ id: 1, connect: { token } })
const CALL = { id: 2, rpc: { method: "tradeOrder.submit", data: {} } }
const learnt = async (failure?: StorageUnavailable) => {
  await eventually(() => asked.length === 1)
  asked.pop()?.(failure)
}

it("is connected when its session was read, and what was sent behind the connect is answered behind it", async () => {
  const socket = await rawSocket(sockets.url)
  socket.send(connect("alice"), CALL)
  socket.send({ ...CALL, id: 3 })
  await eventually(() => asked.length === 1)
  expect(socket.waiting()).toBe(0)
  known.add("alice")
  await learnt()
  const replies = [await socket.next(), await socket.next(), await socket.next()]
  expect(replies.map(({ id }) => id)).toEqual([1, 2, 3])
  // Another token of the same session's next proof: a cancel does not wait for it.
  known.delete("alice")
  socket.send(
    { id: 4, refresh: { token: "alice" } },
    { ...CALL, id: 5 },
    { id: 6, rpc: { method: "tradeOrder.cancel", data: {} } },
  )
  expect(await socket.next()).toMatchObject({ id: 6 })
  known.add("alice")
  await learnt()
  expect([await socket.next(), await socket.next()]).toMatchObject([{ id: 4, refresh: { expires: true } }, { id: 5 }])
})

it("is refused as before when the database knows no more, and told to come again when it does not answer", async () => {
  const over = await rawSocket(sockets.url)
  over.send(connect("alice"), CALL)
  await learnt()
  expect(await over.closed).toMatchObject({ code: 3500 })
  const stale = await rawSocket(sockets.url)
  stale.send(connect("stale"))
  await learnt()
  expect(await stale.next()).toMatchObject({ id: 1, error: { code: 109 } })
  const away = await rawSocket(sockets.url)
  away.send(connect("alice"))
  await learnt(new StorageUnavailable())
  expect(await away.closed).toMatchObject({ code: 3004 })
  // Gone before it was known.
  const gone = await rawSocket(sockets.url)
  gone.send(connect("alice"))
  await eventually(() => asked.length === 1)
  gone.socket.terminate()
  await gone.closed
  known.add("alice")
  await learnt()
  const next = await rawSocket(sockets.url)
  next.send(connect("alice"))
  expect(await next.next()).toMatchObject({ id: 1, connect: {} })
})

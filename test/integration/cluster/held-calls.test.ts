/** Changes at the own port and the own sockets of an owner that is behind, and at the sockets of another node: held, let in later, refused or let go of. */
import { connect } from "node:net"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { afterEach, expect, it } from "vitest"
import { Ok } from "../../../src/http/edge/envelope.ts"
import { HELD_MAX } from "../../../src/http/edge/held-calls.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access, Deadline, within } from "../../../src/http/edge/route.ts"
import type { RpcAnswer } from "../../../src/ports/rpc.ts"
import { type RawSocket, rawSocket } from "../../kit/readers/raw-socket.ts"
import { eventually, principal, serveTest, type TestHttp, type TestHttpOptions } from "../../kit/servers/http-server.ts"
import { startEdges } from "../../kit/servers/socket-edges.ts"
import { startSockets } from "../../kit/servers/socket-server.ts"

const Any = Ok(Schema.Unknown)
const Word = Schema.Struct({
  word: Schema.String,
  tradeOrderId: Schema.optional(Schema.String),
  tradingAccountId: Schema.optional(Schema.String),
})
/** Of the names that sockets may call. */
const CANCEL = "/api/v3/tradeOrder/cancel"
const PATIENCE_MILLIS = 600_000
const Group = HttpApiGroup.make("test")
  .add(
    HttpApiEndpoint.post("cancel", CANCEL)
      .setPayload(Word)
      .addSuccess(Any)
      .annotate(Access, "write")
      .annotate(Deadline, within(PATIENCE_MILLIS)),
  )
  .add(HttpApiEndpoint.get("read", "/api/v3/market/venues").addSuccess(Any).annotate(Access, "read"))
const api = HttpApi.make("test").add(Group)
const BUSY = "Service unavailable"
const isRefusal = (answer: RpcAnswer | "unknown method"): boolean =>
  typeof answer !== "string" && answer.failure?.message === BUSY

const closing: Array<() => Promise<unknown> | unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

interface Owner {
  readonly http: TestHttp
  /** What was begun, in this order. */
  readonly begun: Array<string>
}

const owner = async (options: Pick<TestHttpOptions, "monotonic"> = {}): Promise<Owner> => {
  const begun: Array<string> = []
  const handlers: HandlersOf<typeof Group> = {
    test: {
      cancel: ({ body }, reply) => {
        begun.push(body.word)
        reply.ok(body)
      },
      read: (_input, reply) => reply.ok("read"),
    },
  }
  const http = await serveTest(api, handlers, options)
  closing.push(http.close)
  return { http, begun }
}

const post = async ({ http: { url } }: Owner, word: string) => {
  const headers = { "content-type": "application/json", authorization: "Bearer writer" }
  const response = await fetch(url + CANCEL, { method: "POST", headers, body: JSON.stringify({ word }) })
  const { errno } = (await response.json()) as { readonly errno: number }
  return [response.status, errno, response.headers.get("retry-after")]
}

const called = (word: string) => ({ method: "tradeOrder.cancel", data: { word } })
/** A call of a socket; each comes from an address of its own unless it is said. */
let addresses = 0
const call = (
  { http }: Owner,
  word: string,
  done: (answer: RpcAnswer | "unknown method") => void,
  ip = `10.${addresses >> 8}.${addresses++ & 255}.1`,
): void => http.mounted.rpc({ ...called(word), isMalformed: false, principal: principal(), ip }, done)
const opened = async (url: string): Promise<RawSocket> => {
  const socket = await rawSocket(url)
  closing.push(socket.close)
  socket.send({ id: 1, connect: { token: "alice" } })
  expect(await socket.next()).toMatchObject({ id: 1, connect: {} })
  return socket
}

it("holds the changes that are called over its sockets and over those of another node, and answers them when there is room", async () => {
  const at = await owner()
  const { http, begun } = at
  const sockets = await startSockets({ rpc: http.mounted.rpc })
  closing.push(sockets.stop)
  let heldBack = 0
  const holdsBack = () => {
    if (!http.crowded.now) return undefined
    heldBack++
    return "crowded" as const
  }
  const across = await startEdges(sockets, 1, { holdsBack })
  closing.push(across.stop)
  const [own, other] = [await opened(sockets.url), await opened(across.edges[0]!.url)]
  http.crowded.now = true
  const read = { id: 3, rpc: { method: "market.venues", data: {} } }
  own.send({ id: 2, rpc: called("own") }, read)
  other.send({ id: 2, rpc: called("other") }, read)
  const over = post(at, "http")
  // What changes nothing is answered meanwhile.
  for (const socket of [own, other])
    expect(await socket.next()).toMatchObject({ id: 3, rpc: { data: { errno: 0, data: "read" } } })
  await eventually(() => http.mounted.inFlight() === 2 && heldBack > 0)
  // Both nodes answer to this after what they have done.
  expect([await own.rest(), await other.rest(), begun]).toEqual([[], [], []])
  http.crowded.now = false
  const answer = (word: string) => ({ id: 2, rpc: { data: { errno: 0, data: { word } } } })
  expect(await own.next()).toMatchObject(answer("own"))
  expect(await other.next()).toMatchObject(answer("other"))
  expect(await over).toEqual([200, 0, null])
  expect([...begun].sort()).toEqual(["http", "other", "own"])
})

it("begins a cancel that names its order by its id while others wait: at the own port, over the own sockets and over those of another node", async () => {
  const at = await owner()
  const { http, begun } = at
  const sockets = await startSockets({ rpc: http.mounted.rpc })
  closing.push(sockets.stop)
  const across = await startEdges(sockets, 1, { holdsBack: () => (http.crowded.now ? "crowded" : undefined) })
  closing.push(across.stop)
  const [own, other] = [await opened(sockets.url), await opened(across.edges[0]!.url)]
  http.crowded.now = true
  const waiting = post(at, "waits")
  await eventually(() => http.mounted.inFlight() === 1)
  const byId = (word: string) => ({ word, tradeOrderId: "018bcfe5-6800-7000-8000-000000000001" })
  own.send({ id: 2, rpc: { method: "tradeOrder.cancel", data: byId("own") } })
  expect(await own.next()).toMatchObject({ id: 2, rpc: { data: { errno: 0 } } })
  other.send({ id: 2, rpc: { method: "tradeOrder.cancel", data: byId("other") } })
  expect(await other.next()).toMatchObject({ id: 2, rpc: { data: { errno: 0 } } })
  const headers = { "content-type": "application/json", authorization: "Bearer writer" }
  const body = JSON.stringify(byId("http"))
  expect((await fetch(http.url + CANCEL, { method: "POST", headers, body })).status).toBe(200)
  expect(begun).toEqual(["own", "other", "http"])
  http.crowded.now = false
  expect(await waiting).toEqual([200, 0, null])
})

it("refuses at once what is one too many, and nothing of that is done later", async () => {
  const at = await owner()
  const { http, begun } = at
  const answers: Array<RpcAnswer | "unknown method"> = []
  const told = (answer: RpcAnswer | "unknown method") => answers.push(answer)
  http.crowded.now = true
  for (let n = 0; n < HELD_MAX; n++) call(at, `${n}`, told)
  expect([answers, http.mounted.inFlight()]).toEqual([[], 2_000])
  call(at, "socket", told)
  expect(await post(at, "http")).toEqual([503, -190001, "1"])
  expect(answers).toEqual([
    { envelope: expect.stringContaining('"errno":-190001'), failure: { code: 1103, message: BUSY } },
  ])
  http.crowded.now = false
  await eventually(() => answers.length === HELD_MAX + 1 && http.mounted.inFlight() === 0)
  expect(begun).toEqual(Array.from({ length: HELD_MAX }, (_, n) => `${n}`))
  expect(await post(at, "again")).toEqual([200, 0, null])
})

it("has room for others, however many calls of one address it holds", async () => {
  const at = await owner()
  const { http, begun } = at
  http.crowded.now = true
  let [refused, answered] = [0, 0]
  for (let n = 0; n < HELD_MAX; n++)
    call(at, "many", (answer) => (isRefusal(answer) ? refused++ : answered++), "10.255.0.1")
  expect(refused).toBe(HELD_MAX / 2)
  const others: Array<RpcAnswer | "unknown method"> = []
  for (let n = 0; n < 100; n++) call(at, "other", (answer) => others.push(answer))
  expect(others).toEqual([])
  http.crowded.now = false
  await eventually(() => others.length === 100 && answered === HELD_MAX / 2)
  expect([others.filter(isRefusal), begun.filter((word) => word === "other").length]).toEqual([[], 100])
  // And what has been let in is no share of anyone's.
  http.crowded.now = true
  for (let n = 0; n < HELD_MAX / 2; n++)
    call(at, "again", (answer) => (isRefusal(answer) ? refused++ : answered++), "10.255.0.1")
  expect(refused).toBe(HELD_MAX / 2)
  http.crowded.now = false
  await eventually(() => answered === HELD_MAX)
})

it("lets go of what is held for a client that goes away: it is not done, and its room is another's", async () => {
  const at = await owner()
  const { http, begun } = at
  const ask = (word: string): (() => void) => {
    const body = JSON.stringify({ word })
    const socket = connect(http.port, "127.0.0.1")
    socket.on("error", () => {})
    socket.write(
      `POST ${CANCEL} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    return () => socket.resetAndDestroy()
  }
  http.crowded.now = true
  const gone = Array.from({ length: HELD_MAX / 40 }, () => ask("gone"))
  await eventually(() => http.mounted.inFlight() === gone.length)
  // With those that are gone this address had no room left for as many again.
  const stay = HELD_MAX - 2 * gone.length
  let stayed = 0
  for (let n = 0; n < stay; n++) call(at, "stays", () => stayed++)
  for (const leave of gone) leave()
  await eventually(() => http.mounted.inFlight() === stay)
  // The looks at what is held, each 20 ms, are timers of the same loop: one of them is due before this.
  await new Promise((resolve) => setTimeout(resolve, 50))
  const later = gone.map(() => post(at, "later"))
  await eventually(() => http.mounted.inFlight() === stay + later.length)
  http.crowded.now = false
  expect(new Set((await Promise.all(later)).map(([status]) => status))).toEqual(new Set([200]))
  await eventually(() => stayed === stay)
  expect(begun.filter((word) => word !== "stays")).toEqual(later.map(() => "later"))
})

it("lets go of the calls of a socket that is closed: they are not done, and their room is another's", async () => {
  const at = await owner()
  const { http, begun } = at
  const sockets = await startSockets({ rpc: http.mounted.rpc })
  closing.push(sockets.stop)
  const [leaves, stays] = [await opened(sockets.url), await opened(sockets.url)]
  http.crowded.now = true
  leaves.send({ id: 2, rpc: called("gone") }, { id: 3, rpc: called("gone") })
  stays.send({ id: 2, rpc: called("stays") })
  await eventually(() => http.mounted.inFlight() === 3)
  leaves.close()
  await eventually(() => http.mounted.inFlight() === 1)
  // Of the half that one address may have.
  let refused = 0
  for (let n = 0; n < HELD_MAX / 2; n++)
    call(at, "later", (answer) => (isRefusal(answer) ? refused++ : undefined), "127.0.0.1")
  expect(refused).toBe(1)
  http.crowded.now = false
  expect(await stays.next()).toMatchObject({ id: 2, rpc: { data: { errno: 0 } } })
  await eventually(() => http.mounted.inFlight() === 0)
  expect([begun.length, new Set(begun)]).toEqual([HELD_MAX / 2, new Set(["stays", "later"])])
  const aborted = http.lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  expect(aborted.filter((line) => line["aborted"] === true)).toHaveLength(2)
})

it("begins nothing with too little time left: it is told that nothing was done, and not that nothing is known", async () => {
  let later = 0
  const at = await owner({ monotonic: () => performance.now() + later })
  at.http.crowded.now = true
  const late = post(at, "late")
  await eventually(() => at.http.mounted.inFlight() === 1)
  later += PATIENCE_MILLIS - 150
  at.http.crowded.now = false
  expect(await late).toEqual([503, -190001, "1"])
  expect(at.begun).toEqual([])
})

it("begins what has as much time left as the owner is behind by: less waits, with all that its account has sent since, and is told that nothing was done", async () => {
  let later = 0
  const at = await owner({ monotonic: () => performance.now() + later })
  const { http, begun } = at
  http.crowded.now = true
  const ask = async (word: string, tradingAccountId: string): Promise<number> => {
    const headers = { "content-type": "application/json", authorization: "Bearer writer" }
    const body = JSON.stringify({ word, tradingAccountId })
    return (await fetch(http.url + CANCEL, { method: "POST", headers, body })).status
  }
  const first = ask("first", "a")
  await eventually(() => http.mounted.inFlight() === 1)
  later += PATIENCE_MILLIS - 60_000
  const rest = [ask("second", "a"), ask("another", "b")]
  await eventually(() => http.mounted.inFlight() === 3)
  http.crowded.behindMillis = 120_000
  http.crowded.now = false
  expect(await rest[1]).toBe(200)
  expect([begun, http.mounted.inFlight()]).toEqual([["another"], 2])
  // The owner has caught up in time for one of them, and late for the other.
  later += 59_900
  http.crowded.behindMillis = 0
  expect([await first, await rest[0]]).toEqual([503, 200])
  expect(begun).toEqual(["another", "second"])
})

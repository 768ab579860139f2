/** A request in a session that another process has begun: it is read first, and the request goes on as it came, with its query and its body. */
import { connect } from "node:net"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { type Learn, Unseen } from "../../../src/auth/session/unseen.ts"
import { SessionRevoked } from "../../../src/domain/errors/authentication.ts"
import { StorageUnavailable } from "../../../src/domain/errors/service.ts"
import type { SessionId } from "../../../src/domain/ids.ts"
import { Ok } from "../../../src/http/edge/envelope.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access, Query } from "../../../src/http/edge/route.ts"
import { authenticate, eventually, raw, serveTest, type TestHttp } from "../../kit/servers/http-server.ts"

const Any = Ok(Schema.Unknown)
const Group = HttpApiGroup.make("test")
  .add(
    HttpApiEndpoint.get("query", "/query")
      .setUrlParams(Query({ depth: Schema.optional(Schema.Int) }))
      .addSuccess(Any)
      .annotate(Access, "read"),
  )
  .add(
    HttpApiEndpoint.post("write", "/write")
      .setPayload(Schema.Struct({ word: Schema.String }))
      .addSuccess(Any)
      .annotate(Access, "write"),
  )

let http: TestHttp
let isKnown = false
const asked: Array<Parameters<Learn>[1]> = []
beforeAll(async () => {
  const handlers: HandlersOf<typeof Group> = {
    test: { query: ({ query }, reply) => reply.ok(query), write: ({ body }, reply) => reply.ok(body) },
  }
  http = await serveTest(HttpApi.make("test").add(Group), handlers, {
    authenticate: (header, from) =>
      isKnown || header !== "Bearer writer"
        ? authenticate(header, from)
        : new Unseen("s" as SessionId, (_session, done) => void asked.push(done), new SessionRevoked()),
  })
})
beforeEach(() => {
  isKnown = false
  asked.length = 0
})
afterAll(() => http.close())

const learnt = async (isThere: boolean, failure?: StorageUnavailable) => {
  await eventually(() => asked.length === 1)
  isKnown = isThere
  asked.pop()?.(failure)
}
const HEAD = "Host: x\r\nAuthorization: Bearer writer\r\nContent-Type: application/json\r\n"
const WORD = JSON.stringify({ word: "z".repeat(40_000) })

it("is answered as any other once its session was read", async () => {
  const [query, body] = ["/query?depth=7", "/write"].map((path, index) =>
    fetch(`${http.url}${path}`, {
      headers: { authorization: "Bearer writer", "content-type": "application/json" },
      ...(index === 0 ? {} : { method: "POST", body: WORD }),
    }),
  )
  await eventually(() => asked.length === 2)
  isKnown = true
  for (const done of asked) done(undefined)
  expect(await (await query!).json()).toMatchObject({ errno: 0, data: { depth: 7 } })
  expect(await (await body!).json()).toMatchObject({ errno: 0, data: JSON.parse(WORD) })
})

it("takes the rest of a body that comes after that", async () => {
  const half = WORD.length >> 1
  const socket = connect(http.port, "127.0.0.1")
  let answer = ""
  socket.setEncoding("utf8").on("data", (text) => {
    answer += text
  })
  socket.write(`POST /write HTTP/1.1\r\n${HEAD}Content-Length: ${WORD.length}\r\n\r\n${WORD.slice(0, half)}`)
  await learnt(true)
  socket.write(WORD.slice(half))
  await eventually(() => answer.includes(WORD))
  expect(answer).toMatch(/^HTTP\/1.1 200/)
  socket.destroy()
})

it("is refused when there is no such session, or the database does not say", async () => {
  const call = () => fetch(`${http.url}/query`, { headers: { authorization: "Bearer writer" } })
  const over = call()
  await learnt(false)
  expect((await over).status).toBe(401)
  const away = call()
  await learnt(false, new StorageUnavailable())
  expect((await away).status).toBe(503)
})

it("keeps no more of it than a body may have, and survives a client that leaves", async () => {
  const large = `POST /write HTTP/1.1\r\n${HEAD}Content-Length: 200000\r\n\r\n${"y".repeat(200_000)}`
  const [answer] = await raw(http.port, large)
  expect(answer?.status).toBe(413)
  await learnt(true)
  isKnown = false
  const socket = connect(http.port, "127.0.0.1")
  socket.write(`POST /write HTTP/1.1\r\n${HEAD}Content-Length: ${WORD.length}\r\n\r\n${WORD}`)
  await eventually(() => asked.length === 1)
  socket.destroy()
  await eventually(() => http.mounted.inFlight() === 0)
  await learnt(true)
  expect((await fetch(`${http.url}/query`, { headers: { authorization: "Bearer writer" } })).status).toBe(200)
  expect(http.defects).toEqual([])
})

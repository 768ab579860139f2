/** The adapter against a real uWebSockets server: every way in which one wrong request or handler could end the process or lie. */
import { connect } from "node:net"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { Busy, DeadlineExceeded } from "../../../src/domain/errors/service.ts"
import { OrderNotFound, OutcomeUnknown } from "../../../src/domain/errors/trade-order.ts"
import { Fail, JsonText, Ok } from "../../../src/http/edge/envelope.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access, Deadline, Query } from "../../../src/http/edge/route.ts"
import { eventually, raw, serveTest, type TestHttp } from "../../kit/servers/http-server.ts"

const Echo = Schema.Struct({
  word: Schema.String.pipe(Schema.maxLength(100)),
  number: Schema.optional(Schema.NullOr(Schema.Int)),
  free: Schema.optional(Schema.Unknown),
})
const Any = Ok(Schema.Unknown)
const short = { millis: 100, failure: () => new DeadlineExceeded() }

const TestGroup = HttpApiGroup.make("test")
  .add(HttpApiEndpoint.post("echo", "/echo").setPayload(Echo).addSuccess(Any).annotate(Access, "none"))
  .add(
    HttpApiEndpoint.get("query", "/query")
      .setUrlParams(
        Query({
          depth: Schema.optional(Schema.Int.pipe(Schema.between(1, 1000))),
          ids: Schema.optional(Schema.Array(Schema.String)),
          flag: Schema.optional(Schema.Boolean),
        }),
      )
      .addSuccess(Any)
      .annotate(Access, "none"),
  )
  .add(HttpApiEndpoint.get("throws", "/throws").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("dies", "/dies").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("never", "/never").addSuccess(Any).annotate(Access, "none").annotate(Deadline, short))
  .add(
    HttpApiEndpoint.post("slow", "/slow")
      .setPayload(Echo)
      .addSuccess(Any)
      .annotate(Access, "none")
      .annotate(Deadline, { millis: 100, failure: () => new OutcomeUnknown({ tradeOrderId: null }) }),
  )
  .add(HttpApiEndpoint.get("late", "/late").addSuccess(Any).annotate(Access, "none").annotate(Deadline, short))
  .add(HttpApiEndpoint.get("cyclic", "/cyclic").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("twice", "/twice").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("header", "/header").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("fails", "/fails").addSuccess(Any).addError(Fail(OrderNotFound)).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("busy", "/busy").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("text", "/text").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("read", "/read").addSuccess(Any).annotate(Access, "read"))
  .add(HttpApiEndpoint.post("bare", "/bare").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.post("write", "/write").setPayload(Echo).addSuccess(Any).annotate(Access, "write"))

const Api = HttpApi.make("test").add(TestGroup)

interface Envelope {
  readonly errno: number
  readonly data: unknown
  readonly details: Readonly<Record<string, unknown>>
}

describe("the HTTP adapter", () => {
  let http: TestHttp
  let lateReply: (() => void) | undefined

  beforeAll(async () => {
    const handlers: HandlersOf<typeof TestGroup> = {
      test: {
        echo: ({ body }, reply) => reply.ok(body),
        query: ({ query }, reply) => reply.ok(query),
        throws: () => {
          throw new Error("secret detail of the inside")
        },
        dies: () => Effect.dieMessage("secret detail of the inside"),
        never: () => {},
        slow: () => {},
        late: (_input, reply) => {
          lateReply = () => reply.ok("too late")
        },
        cyclic: (_input, reply) => {
          const loop: Record<string, unknown> = {}
          loop["self"] = loop
          reply.ok(loop)
        },
        twice: (_input, reply) => {
          reply.ok("first")
          reply.ok("second")
          reply.fail(new Busy({ retryAfterSeconds: 1 }))
        },
        header: (_input, reply) => reply.ok("ok", { headers: { "X-Test": "a\r\nSet-Cookie: evil=1" } }),
        fails: () => new OrderNotFound(),
        busy: (_input, reply) => reply.fail(new Busy({ retryAfterSeconds: 3 })),
        text: (_input, reply) => reply.ok(new JsonText('{"price":"1.10"}')),
        read: ({ principal }, reply) => reply.ok(principal.userId),
        bare: ({ body }, reply) => reply.ok(body ?? "no body"),
        write: ({ body }, reply) => reply.ok(body),
      },
    }
    http = await serveTest(Api, handlers)
  })
  afterAll(() => http.close())

  const get = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${http.url}${path}`, init)
    return { response, body: (await response.json()) as Envelope }
  }
  const post = (path: string, body: string, headers: Record<string, string> = {}) =>
    get(path, { method: "POST", body, headers: { "content-type": "application/json", ...headers } })
  const request = (head: string, body = "") => `${head}\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  it("answers in the envelope with the headers of every answer", async () => {
    const { response, body } = await post("/echo", '{"word":"hello"}')
    expect(response.status).toBe(200)
    expect(body).toEqual({ success: true, errno: 0, error: null, data: { word: "hello" } })
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect(response.headers.get("x-request-id")).toMatch(/^generated-\d+$/)
    expect(response.headers.get("strict-transport-security")).toBeNull()
  })

  it("takes text that is JSON already as it is", async () => {
    expect((await get("/text")).body.data).toEqual({ price: "1.10" })
  })

  it("echoes a clean X-Request-ID and replaces any other", async () => {
    const clean = await get("/fails", { headers: { "x-request-id": "My.own_id-1" } })
    expect(clean.response.headers.get("x-request-id")).toBe("My.own_id-1")
    expect(clean.body.details["request_id"]).toBe("My.own_id-1")
    for (const id of ["with space", "a".repeat(65), "ü", '"quoted"', "semi;colon"]) {
      const [answer] = await raw(http.port, `GET /text HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${id}\r\n\r\n`)
      expect(answer?.headers.get("x-request-id")).toMatch(/^generated-\d+$/)
    }
  })

  it("survives a handler that throws, and tells the client nothing of it", async () => {
    for (const path of ["/throws", "/dies", "/cyclic"]) {
      const { response, body } = await get(path)
      expect(response.status).toBe(500)
      expect(body.errno).toBe(-190000)
      expect(JSON.stringify(body)).not.toContain("secret")
      const id = response.headers.get("x-request-id")
      expect(http.defects.some((defect) => defect.requestId === id)).toBe(true)
    }
  })

  it("answers by its own deadline when the handler never does", async () => {
    const { response, body } = await get("/never")
    expect(response.status).toBe(504)
    expect(body.errno).toBe(-190004)
  })

  it("drops an answer that comes after the deadline", async () => {
    const { response } = await get("/late")
    expect(response.status).toBe(504)
    lateReply?.()
    expect((await get("/text")).response.status).toBe(200)
  })

  it("sends only the first of several answers", async () => {
    expect((await get("/twice")).body.data).toBe("first")
  })

  it("fails by the table, with Retry-After where waiting helps", async () => {
    const missing = await get("/fails")
    expect(missing.response.status).toBe(404)
    expect(missing.body).toMatchObject({
      success: false,
      errno: -110001,
      error: "Trade order not found",
      data: null,
      details: { code: "ORDER_NOT_FOUND", resource: "test", action: "fails", metadata: {} },
    })
    const busy = await get("/busy")
    expect(busy.response.status).toBe(503)
    expect(busy.response.headers.get("retry-after")).toBe("3")
  })

  it("never lets a line break into a header", async () => {
    const [answer] = await raw(http.port, "GET /header HTTP/1.1\r\nHost: x\r\n\r\n")
    expect(answer?.headers.get("x-test")).toBe("aSet-Cookie: evil=1")
    expect(answer?.headers.has("set-cookie")).toBe(false)
  })

  it("looks at the token, then the permission, then the shape", async () => {
    const none = await post("/write", "not json")
    expect([none.response.status, none.body.errno]).toEqual([401, -100002])
    const bad = await post("/write", "not json", { authorization: "Bearer nobody" })
    expect([bad.response.status, bad.body.errno]).toEqual([401, -100003])
    const reader = await post("/write", "not json", { authorization: "Bearer reader" })
    expect([reader.response.status, reader.body.errno]).toEqual([403, -102002])
    expect(reader.body.details).toMatchObject({ required: ["write"], provided: ["read"], metadata: {} })
    const writer = await post("/write", "not json", { authorization: "Bearer writer" })
    expect([writer.response.status, writer.body.errno]).toEqual([400, -104001])
  })

  it("keeps the connection usable after a refusal that left the body unread", async () => {
    const body = '{"word":"unread"}'
    const head = `POST /write HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const answers = await raw(http.port, [head, body, "GET /text HTTP/1.1\r\nHost: x\r\n\r\n"], 2)
    expect(answers.map((answer) => answer.status)).toEqual([401, 200])
  })

  describe("refuses a body", () => {
    const cases: ReadonlyArray<readonly [string, string, number, number]> = [
      ["that is no JSON", "{", 400, -104001],
      ["that is empty", "", 400, -104001],
      ["that is no object", "[1]", 400, -104000],
      ["that is null", "null", 400, -104000],
      ["without a required field", "{}", 400, -104002],
      ["with a field of the wrong type", '{"word":1}', 400, -104003],
      ["with an integer beyond the safe ones", '{"word":"a","number":1e300}', 400, -104003],
      ["with a fraction for an integer", '{"word":"a","number":1.5}', 400, -104003],
      ["with over-long emoji", JSON.stringify({ word: "😀".repeat(60) }), 400, -104003],
      ["with NUL in a string", '{"word":"a\\u0000b"}', 400, -104003],
      ["with a lone surrogate", '{"word":"a\\ud800b"}', 400, -104003],
      ["with NUL deep inside", '{"word":"a","free":[{"x":"\\u0000"}]}', 400, -104003],
      ["with a lone surrogate in a key", '{"word":"a","free":{"\\udc00":1}}', 400, -104003],
      ["33 levels deep", `{"word":"a","free":${"[".repeat(32)}${"]".repeat(32)}}`, 400, -104000],
      ["with too many keys", JSON.stringify({ word: "a", free: keys(1_001) }), 400, -104000],
    ]
    it.each(cases)("%s", async (_name, text, status, errno) => {
      const { response, body } = await post("/echo", text)
      expect([response.status, body.errno]).toEqual([status, errno])
    })

    it("that is not UTF-8", async () => {
      const body = '{"word":"\xff"}'
      const head = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
      const [answer] = await raw(http.port, head + body)
      expect(JSON.parse(answer?.body ?? "{}")).toMatchObject({ errno: -104001 })
    })

    it("and says which field it is about, without repeating its value", async () => {
      const missing = await post("/echo", '{"number":1}')
      expect(missing.body.details["metadata"]).toEqual({ parameter: "word" })
      const wrong = await post("/echo", '{"word":{"password":"hunter2hunter2"}}')
      expect(wrong.body.details["metadata"]).toMatchObject({ parameter: "word" })
      expect(JSON.stringify(wrong.body)).not.toContain("hunter2")
    })
  })

  it("takes 32 levels and well-formed pairs", async () => {
    const deep = `{"word":"😀","free":${"[".repeat(31)}${"]".repeat(31)}}`
    expect((await post("/echo", deep)).response.status).toBe(200)
    expect((await post("/echo", '{"word":"\\ud83d\\ude00"}')).body.data).toEqual({ word: "😀" })
  })

  it("gives nobody a prototype by __proto__", async () => {
    const { body } = await post("/echo", '{"word":"a","__proto__":{"admin":true}}')
    expect(body.errno).toBe(-104013)
    const free = await post("/echo", '{"word":"a","free":{"__proto__":{"admin":true}}}')
    expect((free.body.data as { readonly free: Record<string, unknown> }).free["admin"]).toBeUndefined()
  })

  it("wants application/json in UTF-8", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "application/jsonx",
    ]) {
      const { response, body } = await post("/echo", '{"word":"a"}', { "content-type": type })
      expect([response.status, body.errno]).toEqual([415, -104006])
    }
    for (const type of ["application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]) {
      expect((await post("/echo", '{"word":"a"}', { "content-type": type })).response.status).toBe(200)
    }
    const packed = await post("/echo", '{"word":"a"}', { "content-encoding": "gzip" })
    expect(packed.response.status).toBe(415)
    const [bare] = await raw(http.port, request("POST /echo HTTP/1.1", '{"word":"a"}'))
    expect(bare?.status).toBe(415)
  })

  it("reads up to 64 KiB and refuses more with 413 that the sender can read", async () => {
    const filled = (bytes: number): string => {
      const empty = '{"word":"a","free":""}'
      return `{"word":"a","free":"${"x".repeat(bytes - empty.length)}"}`
    }
    expect((await post("/echo", filled(65_536))).response.status).toBe(200)
    for (const bytes of [65_537, 500_000]) {
      const { response, body } = await post("/echo", filled(bytes))
      expect([response.status, body.errno]).toEqual([413, -104007])
    }
  })

  it("ends an endless chunked body", async () => {
    const head =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`
    const [answer] = await raw(http.port, [head, ...Array.from({ length: 120 }, () => chunk)])
    expect(answer?.status).toBe(413)
    expect(answer?.headers.get("connection")).toBe("close")
  })

  it("survives a client that leaves in the middle of its body", async () => {
    const before = http.lines.length
    const socket = connect(http.port, "127.0.0.1")
    socket.write("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    await eventually(() => http.mounted.inFlight() === 1)
    socket.destroy()
    await eventually(() => http.lines.slice(before).some((line) => line.includes('"aborted":true')))
    expect((await get("/text")).response.status).toBe(200)
    expect(http.mounted.inFlight()).toBe(0)
  })

  it("survives an answer to a client that has left", async () => {
    const socket = connect(http.port, "127.0.0.1")
    lateReply = undefined
    socket.write("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")
    await eventually(() => lateReply !== undefined)
    const before = http.lines.length
    socket.destroy()
    await eventually(() => http.lines.slice(before).some((line) => line.includes('"aborted":true')))
    ;(lateReply as (() => void) | undefined)?.()
    expect((await get("/text")).response.status).toBe(200)
  })

  it("reads a body that arrives in pieces", async () => {
    const body = '{"word":"pieces"}'
    const head = `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
    const [answer] = await raw(http.port, [head, ...body])
    expect(JSON.parse(answer?.body ?? "{}")).toMatchObject({ data: { word: "pieces" } })
  })

  it("joins the pieces of a body once, however many they are", async () => {
    const joined = vi.spyOn(Buffer, "concat")
    const head =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    const pieces = [...'{"word":"pieces"}'].map((byte) => `1\r\n${byte}\r\n`).join("")
    const [answer] = await raw(http.port, [`${head}${pieces}0\r\n\r\n`])
    expect(JSON.parse(answer?.body ?? "{}")).toMatchObject({ data: { word: "pieces" } })
    const large = joined.mock.calls.filter(([list]) => list.length > 1 && list.every((it) => it.length <= 1))
    joined.mockRestore()
    expect(large.length).toBe(1)
  })

  // Clients and proxies frame a POST without a body in chunks, or give it a type, because they know no better.
  it.each([
    ["no framing", "\r\n"],
    ["a length of zero", "Content-Length: 0\r\n\r\n"],
    ["a length of zero, and a type", "Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n"],
    ["no chunk, and no type", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["no chunk, of JSON", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["no chunk, of another type", "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ])("runs without a body where none is read and none came: %s", async (_name, rest) => {
    const answers = await raw(
      http.port,
      [`POST /bare HTTP/1.1\r\nHost: x\r\n${rest}`, request("GET /text HTTP/1.1")],
      2,
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(JSON.parse(answers[0]?.body ?? "{}")).toMatchObject({ data: "no body" })
  })

  it("runs without a body that ends in a piece of its own", async () => {
    const head = "POST /bare HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    const [answer] = await raw(http.port, [head, "0\r\n", "\r\n"])
    expect(JSON.parse(answer?.body ?? "{}")).toMatchObject({ data: "no body" })
  })

  it.each([
    ["text/plain", '{"a":1}', 415, -104006],
    ["application/json", '{"a":1}', 400, -104013],
    ["application/json", "{", 400, -104001],
    ["application/json", "[]", 400, -104000],
    ["application/json", "{}", 200, 0],
  ])("looks at the bytes that came where none are read: %s %s", async (type, body, status, errno) => {
    const head = `POST /bare HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n`
    for (const framed of [
      [`${head}Content-Length: ${body.length}\r\n\r\n${body}`],
      [`${head}Transfer-Encoding: chunked\r\n\r\n`, ...[...body].map((byte) => `1\r\n${byte}\r\n`), "0\r\n\r\n"],
    ]) {
      const answers = await raw(http.port, [...framed, request("GET /text HTTP/1.1")], 2)
      expect(answers.map((answer) => answer.status)).toEqual([status, 200])
      expect(JSON.parse(answers[0]?.body ?? "{}")).toMatchObject({ errno })
    }
  })

  it("reads headers that arrive in pieces", async () => {
    const [answer] = await raw(http.port, ["GET /text HTTP/1.1\r\nHo", "st: x\r\nX-Request-", "ID: pieces\r\n", "\r\n"])
    expect([answer?.status, answer?.headers.get("x-request-id")]).toEqual([200, "pieces"])
  })

  it("gives up on a body that does not come, and says that nothing was done", async () => {
    const head = "POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n"
    const [answer] = await raw(http.port, [head, "{"])
    expect(answer?.status).toBe(504)
    expect(answer?.headers.get("connection")).toBe("close")
    expect(JSON.parse(answer?.body ?? "{}")).toMatchObject({ errno: -190004 })
    expect(http.mounted.inFlight()).toBe(0)
  })

  it("says by the route's own failure when the handler had it", async () => {
    const { response, body } = await post("/slow", '{"word":"a"}')
    expect([response.status, body.errno]).toEqual([503, -110014])
  })

  it("serves nothing on a connection with two different Content-Length headers", async () => {
    const head =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 12\r\nContent-Length: 5\r\n\r\n"
    const answers = await raw(http.port, `${head}{"word":"a"}GET /text HTTP/1.1\r\nHost: x\r\n\r\n`, 2)
    expect(answers).toEqual([])
  })

  it("refuses Content-Length beside Transfer-Encoding", async () => {
    const head =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    const [answer] = await raw(http.port, `${head}0\r\n\r\n`)
    expect(answer?.status ?? 400).toBe(400)
  })

  it("answers 404 for unknown paths and 405 with Allow for known ones", async () => {
    const unknown = await get("/nowhere?x=1")
    expect([unknown.response.status, unknown.body.errno]).toEqual([404, -104004])
    for (const method of ["DELETE", "PUT", "PATCH", "POST"]) {
      const wrong = await get("/text", { method })
      expect([wrong.response.status, wrong.body.errno]).toEqual([405, -104005])
      expect(wrong.response.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
    }
    const post = await get("/echo")
    expect([post.response.status, post.response.headers.get("allow")]).toEqual([405, "POST, OPTIONS"])
    for (const method of ["TRACE", "CONNECT", "BREW"]) {
      const [answer] = await raw(http.port, `${method} /text HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect(answer === undefined || answer.status >= 400).toBe(true)
    }
  })

  it("answers OPTIONS with what is allowed, and HEAD with the headers of GET", async () => {
    const options = await fetch(`${http.url}/text`, { method: "OPTIONS" })
    expect(options.headers.get("content-length")).toBeNull()
    expect([options.status, options.headers.get("allow"), await options.text()]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
      "",
    ])
    const head = await fetch(`${http.url}/text`, { method: "HEAD" })
    const whole = await (await fetch(`${http.url}/text`)).text()
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, `${whole.length}`, ""])
    const refused = await fetch(`${http.url}/read`, { method: "HEAD" })
    expect([refused.status, await refused.text()]).toEqual([401, ""])
  })

  it("keeps the connection that had a HEAD: the next request on it is answered", async () => {
    const received = await new Promise<string>((resolve, reject) => {
      let text = ""
      const socket = connect(http.port, "127.0.0.1", () => socket.write("HEAD /text HTTP/1.1\r\nHost: x\r\n\r\n"))
      socket.setEncoding("latin1").on("data", (part: string) => {
        if (text === "") socket.write("GET /text HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        text += part
      })
      socket.on("error", reject).on("close", () => resolve(text))
    })
    const [head = "", whole = "", body = ""] = received.split("\r\n\r\n")
    for (const answer of [head, whole]) {
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      expect(answer.match(/\r\nContent-Length: .*/g)).toEqual([`\r\nContent-Length: ${body.length}`])
    }
    expect(body.length).toBeGreaterThan(0)
  })

  it("reads query strings strictly", async () => {
    expect((await get("/query?ids=a&ids=b,c&ids[]=d&depth=10&flag=true")).body.data).toEqual({
      ids: ["a", "b", "c", "d"],
      depth: 10,
      flag: true,
    })
    expect((await get("/query?ids=BTC%2FUSDT")).body.data).toEqual({ ids: ["BTC/USDT"] })
    for (const query of [
      "depth=0",
      "depth=1001",
      "depth=1e2",
      "depth=0x10",
      "depth=",
      "depth=%20",
      "flag=yes",
      "depth=1&depth=2",
      "ids=%00",
      "ids=%zz",
    ]) {
      const { response, body } = await get(`/query?${query}`)
      expect([query, response.status, body.errno]).toEqual([query, 400, -104003])
    }
    for (const query of ["other=1", "dept=1", "depth=1&other", "%zz=1", "__proto__=1", "id%00s=1"])
      expect([query, (await get(`/query?${query}`)).body.errno]).toEqual([query, -104013])
  })

  it("writes one access line an answer, with the route and without the query", async () => {
    const before = http.lines.length
    await get("/query?ids=private", { headers: { "x-request-id": "logged", "user-agent": 'a"b\\c' } })
    await get("/read", { headers: { authorization: "Bearer reader" } })
    await get("/nowhere/secret")
    const entries = http.lines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(entries).toHaveLength(3)
    expect(entries[0]).toMatchObject({
      requestId: "logged",
      method: "GET",
      route: "/query",
      status: 200,
      errno: 0,
      ip: "127.0.0.1",
      ua: 'a"b\\c',
      aborted: false,
    })
    // Its own name for the request is not ours.
    expect(entries[0]?.["callId"]).toMatch(/^generated-\d+$/)
    expect(entries[1]).not.toHaveProperty("callId")
    expect(entries[1]).toMatchObject({ route: "/read", userId: "00000000-0000-4000-8000-000000000001" })
    expect(entries[2]).toMatchObject({ route: "*", status: 404, errno: -104004 })
    expect(http.lines.join()).not.toContain("private")
  })

  it("refuses and closes while draining", async () => {
    http.draining.now = true
    try {
      const { response, body } = await get("/text")
      expect([response.status, body.errno]).toEqual([503, -190002])
      expect(response.headers.get("retry-after")).toBe("1")
      const head = await fetch(`${http.url}/text`, { method: "HEAD" })
      expect([head.status, head.headers.get("connection"), await head.text()]).toEqual([503, "close", ""])
      // As long as the envelope that GET has, but for the id in it.
      const { length } = await (await fetch(`${http.url}/text`)).text()
      expect(Math.abs(Number(head.headers.get("content-length")) - length)).toBeLessThan(3)
    } finally {
      http.draining.now = false
    }
  })
})

const keys = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))

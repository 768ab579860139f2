/** An answer is written in the turn of its own request, in a later one, or in that of another request: what leaves is the same to the byte. */
import { connect } from "node:net"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { Busy } from "../../../src/domain/errors/service.ts"
import { Ok } from "../../../src/http/edge/envelope.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access } from "../../../src/http/edge/route.ts"
import { eventually, serveTest, type TestHttp } from "../../kit/servers/http-server.ts"

const Any = Ok(Schema.Unknown)
const Asked = Schema.Struct({ answer: Schema.Literal("short", "long", "headers", "failure") })
const Group = HttpApiGroup.make("test")
  .add(HttpApiEndpoint.post("body", "/body").setPayload(Asked).addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("read", "/read").addSuccess(Any).annotate(Access, "none"))
  .add(HttpApiEndpoint.get("answerOthers", "/answerOthers").addSuccess(Any).annotate(Access, "none"))

let http: TestHttp
/** When the next answers are written: null: at once. */
let held: Array<() => void> | null = null
const written = (write: () => void): void => {
  if (held === null) write()
  else held.push(write)
}

beforeAll(async () => {
  const handlers: HandlersOf<typeof Group> = {
    test: {
      body: ({ body }, reply) =>
        written(() => {
          if (body.answer === "failure") reply.fail(new Busy({ retryAfterSeconds: 3 }))
          else if (body.answer === "headers")
            reply.ok("ü", { headers: { "X-Test": "a\r\nb", "Cache-Control": "private" } })
          else reply.ok(body.answer === "long" ? "y".repeat(300_000) : "y")
        }),
      read: (_input, reply) => written(() => reply.ok(["z"])),
      answerOthers: (_input, reply) => {
        for (const write of held ?? []) write()
        reply.ok("others first")
      },
    },
  }
  http = await serveTest(HttpApi.make("test").add(Group), handlers)
})
afterAll(() => http.close())

/** All that comes until the server closes, but for the second in which it was said. */
const said = (request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(http.port, "127.0.0.1", () => socket.write(request, "latin1"))
    let text = ""
    socket.setEncoding("latin1")
    socket.on("data", (chunk: string) => {
      text += chunk
    })
    socket.on("error", reject)
    socket.on("close", () => resolve(text.replace(/\r\nDate: [^\r]*/, "")))
  })

const head = (line: string): string =>
  `${line} HTTP/1.1\r\nHost: x\r\nX-Request-ID: the-same\r\nConnection: close\r\nContent-Type: application/json\r\n`
const asking = (answer: string): string => {
  const body = JSON.stringify({ answer })
  return `${head("POST /body")}Content-Length: ${body.length}\r\n\r\n${body}`
}

const REQUESTS = [
  ...["short", "long", "headers", "failure", "unknown"].map(asking),
  `${head("GET /read")}\r\n`,
  `${head("HEAD /read")}\r\n`,
]

it.each(REQUESTS)("%j", async (request) => {
  held = null
  const atOnce = await said(request)
  expect(atOnce).toMatch(/^HTTP\/1\.1 (200 OK|400 Bad Request|503 Service Unavailable)\r\nX-Request-ID: the-same\r\n/)
  // Refused before it reaches its handler: there is nothing to hold.
  if (request.includes("unknown")) return
  const waiting: Array<() => void> = []
  held = waiting
  const late = said(request)
  await eventually(() => waiting.length === 1)
  for (const write of waiting.splice(0)) write()
  expect(await late).toBe(atOnce)
  const inAnothersTurn = said(request)
  await eventually(() => waiting.length === 1)
  expect(await said(`${head("GET /answerOthers")}\r\n`)).toContain("others first")
  expect(await inAnothersTurn).toBe(atOnce)
})

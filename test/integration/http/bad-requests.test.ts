/** Scoreboard B9: raw bytes that are no request, or two at once, straight at the server; behind HAProxy: `npm run torture -- smuggling`. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CanaryServer, serveCanary } from "../../kit/http-fuzz/canary-server.ts"
import { AMBIGUOUS, namesOf, OTHER_SPELLINGS, saidTo, statusesOf } from "../../kit/http-fuzz/smuggling.ts"
import { raw } from "../../kit/servers/http-server.ts"

let server: CanaryServer
beforeAll(async () => {
  server = await serveCanary()
})
afterAll(() => server.close())

const statusOf = async (bytes: string): Promise<number | undefined> => statusesOf(await saidTo(server.port, bytes))[0]

describe("the server", () => {
  it("serves its canary when it is asked for it", async () => {
    expect(await statusOf("GET /canary HTTP/1.1\r\nHost: x\r\nX-Request-ID: asked\r\n\r\n")).toBe(200)
    expect(server.canaries()).toEqual(["asked"])
  })

  it("reads no second request where another server might have read one", async () => {
    const answers = await Promise.all(AMBIGUOUS.map(({ bytes }) => saidTo(server.port, bytes)))
    expect(namesOf(server.canaries().slice(1))).toEqual([])
    const statuses = new Set(answers.flatMap(statusesOf))
    for (const status of statuses) expect([200, 400, 404, 405, 413, 431, 501, 505]).toContain(status)
  })

  it("does not know its canary by other spellings", async () => {
    for (const path of OTHER_SPELLINGS) {
      const status = await statusOf(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-ID: ${encodeURIComponent(path).replaceAll("%", "-")}\r\n\r\n`,
      )
      expect([path, status]).toEqual([path, 404])
    }
    expect(server.canaries().length).toBe(1)
  })

  it("knows its methods by their own names", async () => {
    for (const method of ["get", "Get", "TRACE", "CONNECT", "PROPFIND", "GETX", "G\u00cbT"]) {
      const status = await statusOf(`${method} /canary HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect([method, status === undefined || status >= 400]).toEqual([method, true])
    }
  })

  it("refuses heads that are too long, or have too many lines", async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `X-${n}: y\r\n`).join("")
    for (const head of [many, `X: ${"y".repeat(70_000)}\r\n`]) {
      const status = await statusOf(`GET /facts HTTP/1.1\r\nHost: x\r\n${head}\r\n`)
      expect(status === undefined || status === 431 || status === 400).toBe(true)
    }
  })

  it("gives no header back that it was not asked to", async () => {
    const [answer] = await raw(
      server.port,
      "GET /facts?x=%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: x\r\nX-Request-ID: a%0d%0aSet-Cookie: a=b\r\nOrigin: https://evil.example\r\n\r\n",
    )
    expect(answer?.status).toBe(400)
    expect([...(answer?.headers.keys() ?? [])].sort()).toEqual(server.headerNames)
    expect([...(answer?.headers.values() ?? [])].join()).not.toMatch(/a=b|evil/)
  })

  it("goes on", async () => {
    expect(await statusOf("GET /facts HTTP/1.1\r\nHost: x\r\n\r\n")).toBe(200)
    expect(server.defects()).toEqual([])
  })
})

/** TLS, proxies and ports with real sockets: what is offered, what is refused, and what a second gateway is told. */
import { createHash, randomBytes } from "node:crypto"
import { request } from "node:https"
import { connect } from "node:tls"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "@effect/platform"
import { Effect, Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openApiDocument } from "../../../src/http/docs/openapi.ts"
import { NAVIGATION_STYLE, navigation } from "../../../src/http/docs/pages.ts"
import { referencePages } from "../../../src/http/docs/reference.ts"
import { TextDocument } from "../../../src/http/edge/document.ts"
import { Ok } from "../../../src/http/edge/envelope.ts"
import type { HandlersOf } from "../../../src/http/edge/mount.ts"
import { Access } from "../../../src/http/edge/route.ts"
import { makeServer, PortTaken } from "../../../src/http/edge/server.ts"
import { channelKinds } from "../../../src/ws/channels/kinds.ts"
import { asyncApiDocument } from "../../../src/ws/docs/asyncapi.ts"
import { realtimePage } from "../../../src/ws/docs/realtime-page.ts"
import { CERTIFICATE, type CertificateFiles, certificateFiles } from "../../kit/servers/http-certificate.ts"
import { raw, serveTest, type TestHttp } from "../../kit/servers/http-server.ts"

const Facts = Schema.Struct({ ip: Schema.String })
const Group = HttpApiGroup.make("test")
  .add(HttpApiEndpoint.get("facts", "/facts").addSuccess(Ok(Facts)).annotate(Access, "none"))
  .add(HttpApiEndpoint.post("act", "/act").setPayload(Schema.Struct({})).addSuccess(Ok(Facts)).annotate(Access, "none"))
const Api = HttpApi.make("test").add(Group)
const handlers: HandlersOf<typeof Group> = {
  test: {
    facts: ({ request }, reply) => reply.ok({ ip: request.ip }),
    act: ({ request }, reply) => reply.ok({ ip: request.ip }),
  },
}

/** More than any buffer of the kernel takes at once. */
const LONG = randomBytes(16 * 1024 * 1024)

describe("direct TLS", () => {
  let files: CertificateFiles
  let http: TestHttp
  beforeAll(async () => {
    files = certificateFiles()
    const pages = [{ path: "/long", contentType: "application/octet-stream", body: LONG, headers: {} }]
    http = await serveTest(Api, handlers, { transport: { tls: files, production: true }, pages })
  })
  afterAll(() => {
    http.close()
    files.remove()
  })

  /** The negotiated protocol and cipher, or the error's code. */
  const handshake = (options: object): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect({
        port: http.port,
        host: "127.0.0.1",
        ca: CERTIFICATE,
        servername: "localhost",
        ...options,
      })
      socket.on("secureConnect", () => {
        resolve(`${socket.getProtocol()} ${socket.getCipher().name}`)
        socket.destroy()
      })
      socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    })

  it("answers over HTTPS with HSTS", async () => {
    const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
      request(
        { port: http.port, host: "127.0.0.1", path: "/facts", ca: CERTIFICATE, servername: "localhost" },
        (answer) => {
          answer.resume()
          answer.on("end", () => resolve({ status: answer.statusCode, ...answer.headers }))
        },
      )
        .on("error", reject)
        .end()
    })
    expect(headers).toMatchObject({ status: 200, "strict-transport-security": "max-age=31536000" })
    expect(http.url).toMatch(/^https:/)
  })

  it("speaks 1.2 and 1.3 and nothing older", async () => {
    expect(await handshake({ minVersion: "TLSv1.3" })).toMatch(/^TLSv1\.3 /)
    expect(await handshake({ maxVersion: "TLSv1.2" })).toMatch(/^TLSv1\.2 ECDHE-ECDSA-/)
    const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }
    expect(await handshake(old)).toMatch(/^ERR_SSL|^E/)
  })

  it("offers no CBC suite", async () => {
    const ciphers = "ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA256@SECLEVEL=0"
    expect(await handshake({ maxVersion: "TLSv1.2", ciphers })).toMatch(/^ERR_SSL|^E/)
  })

  it("gives a long page whole to a reader who stops for a moment", async () => {
    const received = await new Promise<Buffer>((resolve, reject) => {
      const chunks: Array<Buffer> = []
      const options = { port: http.port, host: "127.0.0.1", ca: CERTIFICATE, servername: "localhost", path: "/long" }
      request(options, (answer) => {
        answer.pause()
        setTimeout(() => answer.resume(), 300)
        answer.on("data", (chunk: Buffer) => chunks.push(chunk))
        answer.on("end", () => resolve(Buffer.concat(chunks)))
      })
        .on("error", reject)
        .end()
    })
    expect(received.length).toBe(LONG.length)
    expect(received.equals(LONG)).toBe(true)
  })

  it("says nothing to plain HTTP", async () => {
    expect(await raw(http.port, "GET /facts HTTP/1.1\r\nHost: x\r\n\r\n")).toEqual([])
  })
})

describe("behind a proxy", () => {
  let http: TestHttp
  beforeAll(async () => {
    http = await serveTest(Api, handlers, { transport: { trustProxy: ["127.0.0.1"], production: true } })
  })
  afterAll(() => http.close())

  const get = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`${http.url}${path}`, { headers })
    const body = (await response.json()) as { readonly errno: number; readonly data: unknown }
    return { response, body }
  }

  it("refuses whatever did not come by HTTPS, on every path", async () => {
    for (const path of ["/facts", "/nowhere"])
      for (const headers of [{}, { "x-forwarded-proto": "http" }]) {
        const { response, body } = await get(path, headers as Record<string, string>)
        expect([path, response.status, body.errno]).toEqual([path, 403, -102005])
      }
  })

  it("takes the client's address from the proxy", async () => {
    const { response, body } = await get("/facts", {
      "x-forwarded-proto": "https",
      "x-forwarded-for": "6.6.6.6, 203.0.113.7",
    })
    expect(response.headers.get("strict-transport-security")).toBe("max-age=31536000")
    expect(body.data).toEqual({ ip: "203.0.113.7" })
  })
})

describe("without TLS", () => {
  it("believes no header about where a request comes from", async () => {
    const http = await serveTest(Api, handlers)
    const facts = async (headers: Record<string, string>) => {
      const answer = (await (await fetch(`${http.url}/facts`, { headers })).json()) as { readonly data: unknown }
      return answer.data
    }
    expect(await facts({})).toEqual({ ip: "127.0.0.1" })
    expect(await facts({ "x-forwarded-for": "1.2.3.4" })).toEqual({ ip: "127.0.0.1" })
    expect(await facts({ forwarded: "for=1.2.3.4" })).toEqual({ ip: "127.0.0.1" })
    http.close()
  })

  it("tells the second gateway that the port is taken", async () => {
    const http = await serveTest(Api, handlers)
    const second = makeServer({ host: "127.0.0.1", port: http.port, production: false, tls: null, trustProxy: [] })
    const error = await Effect.runPromise(Effect.flip(second.listen))
    expect(error).toBeInstanceOf(PortTaken)
    expect(error.message).toContain(`${http.port}`)
    second.close()
    expect((await fetch(`${http.url}/facts`)).status).toBe(200)
    http.close()
  })

  it("refuses a certificate that cannot be read or is none", () => {
    const settings = { host: "127.0.0.1", port: 0, production: false, trustProxy: [] }
    const missing = { certFile: "/nonexistent/cert.pem", keyFile: "/nonexistent/key.pem" }
    expect(() => makeServer({ ...settings, tls: missing })).toThrow(/TLS_CERT_FILE: .* cannot be read/)
    const files = certificateFiles()
    expect(() => makeServer({ ...settings, tls: { ...files, keyFile: files.certFile } })).toThrow(
      /TLS_KEY_FILE: not a private key in PEM/,
    )
    files.remove()
  })
})

describe("the reference", () => {
  let http: TestHttp
  const facts = { version: "3.0.1", kinds: channelKinds(10), rpcMethods: ["market.orderbook.get"] }
  const site = { html: navigation("/docs/realtime"), style: NAVIGATION_STYLE }
  const realtime = { asyncApi: asyncApiDocument(facts), page: realtimePage(facts, site) }
  beforeAll(async () => {
    http = await serveTest(Api, handlers, { pages: referencePages(realtime) })
  })
  afterAll(() => http.close())

  it("is served whole from here, under a policy without eval", async () => {
    const page = await fetch(`${http.url}/docs`)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain("unsafe-eval")
    const html = await page.text()
    expect(html).not.toMatch(/https?:\/\//)
    const linked = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map((match) => match[1] ?? "")
    expect(linked.length).toBeGreaterThan(3)
    for (const path of linked) {
      const asset = await fetch(`${http.url}${path}`, { headers: { "accept-encoding": "identity" } })
      expect([path, asset.status]).toEqual([path, 200])
      expect(asset.headers.get("x-content-type-options")).toBe("nosniff")
      expect((await asset.arrayBuffer()).byteLength).toBe(Number(asset.headers.get("content-length")))
    }
  })

  it("serves the document it shows", async () => {
    const document = await fetch(`${http.url}/api/v3/openapi.json`)
    expect(document.headers.get("content-type")).toBe("application/json; charset=utf-8")
    // The file of the tree, which is what the schemas say now.
    expect(await document.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument())))
    const plain = { "accept-encoding": "identity" }
    const head = await fetch(`${http.url}/docs/swagger-ui-bundle.js`, { method: "HEAD", headers: plain })
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(1_000_000)
  })

  it("shows the real-time endpoint on one page that asks nobody for anything", async () => {
    const page = await fetch(`${http.url}/docs/realtime`)
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8")
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(policy).not.toMatch(/unsafe|script|connect/)
    const html = await page.text()
    const style = /<style>([\s\S]*)<\/style>/.exec(html)?.[1] ?? ""
    expect(policy).toContain(createHash("sha256").update(style).digest("base64"))
    expect(html).not.toMatch(/<script|\sstyle=|\son\w+=|(?:src|href)="https?:/)
    const document = await fetch(`${http.url}/api/v3/asyncapi.json`)
    expect(document.headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(await document.json()).toEqual(JSON.parse(JSON.stringify(realtime.asyncApi)))
    const linked = [...html.matchAll(/href="(\/[^"]+)"/g)].map((match) => match[1] ?? "")
    expect(linked).toEqual(expect.arrayContaining(["/docs", "/api/v3/asyncapi.json"]))
    for (const path of linked) expect([path, (await fetch(`${http.url}${path}`)).status]).toEqual([path, 200])
    const ids = new Set([...html.matchAll(/id="([^"]+)"/g)].map((match) => match[1]))
    for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(id)
  })
})

const PAGE = {
  path: "/page",
  contentType: "text/plain",
  body: new TextDocument(() => Buffer.from("what the page says")),
  headers: {},
}

describe("a header that comes in two lines", () => {
  let http: TestHttp
  beforeAll(async () => {
    http = await serveTest(Api, handlers, { pages: [PAGE] })
  })
  afterAll(() => http.close())

  const ask = async (lines: ReadonlyArray<string>, first = "GET /facts HTTP/1.1") => {
    const host = lines.some((line) => line.startsWith("Host")) ? [] : ["Host: x"]
    const [answer] = await raw(http.port, [first, ...host, ...lines, "", ""].join("\r\n"))
    return answer!
  }

  it.each([
    ["Authorization", "Bearer reader", "Bearer writer"],
    ["Idempotency-Key", "first", "second"],
    ["Idempotency-Key", "same", "same"],
    ["Content-Type", "application/json", "text/plain"],
    ["Origin", "https://a.example", "https://b.example"],
    ["Host", "a.example", "b.example"],
  ])("is refused by its name where one of them decides: %s", async (name, one, other) => {
    const { status, body } = await ask([`${name}: ${one}`, "X-Between: 1", `${name.toLowerCase()}: ${other}`])
    expect([status, body]).toEqual([400, expect.stringContaining(`"parameter":"${name}"`)])
    expect((await ask([`${name}: ${one}`])).status).toBe(200)
  })

  it("names no request, and is one list where it is a list", async () => {
    const { status, headers } = await ask(["X-Request-ID: one", "X-Request-ID: other"])
    expect([status, headers.get("x-request-id")]).toEqual([200, expect.stringContaining("generated-")])
    const page = (lines: ReadonlyArray<string>) => ask(lines, "GET /page HTTP/1.1")
    const etag = (await page([])).headers.get("etag")
    expect((await page([`If-None-Match: "another"`, `If-None-Match: ${etag}`])).status).toBe(304)
    const encoded = [
      "Content-Type: application/json",
      "Content-Encoding:",
      "Content-Encoding: gzip",
      "Content-Length: 2",
    ]
    const refused = await raw(http.port, `${["POST /act HTTP/1.1", "Host: x", ...encoded, "", ""].join("\r\n")}{}`)
    expect(refused.map(({ status }) => status)).toEqual([415])
  })
})

/** A certificate that is renewed while the gateway runs, and the port that tells whoever comes without TLS. */
import { X509Certificate } from "node:crypto"
import { readFileSync, rmSync } from "node:fs"
import { Agent, request } from "node:https"
import { join } from "node:path"
import { connect } from "node:tls"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ClientOptions, WebSocket } from "ws"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import { makeServer, PortTaken } from "../../../../src/http/edge/server.ts"
import { endGateways, type Gateway, launchGateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import {
  type CertificateFiles,
  certificateFiles,
  EXPIRED,
  FIRST,
  type Pair,
  SECOND,
} from "../../../kit/servers/http-certificate.ts"
import { raw } from "../../../kit/servers/http-server.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"
import { withDatabaseServer } from "./database.ts"

const CHANNEL = "market:orderbook:MOCK:BTC/USDT"
const ca = [FIRST.certificate, SECOND.certificate]
const serialOf = ({ certificate }: Pair): string => new X509Certificate(certificate).serialNumber

class TrustingSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | Array<string>, options?: ClientOptions) {
    const tls = { ca, servername: "localhost" }
    super(url, protocols, { ...options, ...tls })
  }
}

const makeDatabase = withDatabaseServer()
let files: CertificateFiles
let gateway: Gateway
let port: number

beforeAll(async () => {
  const { url } = await makeDatabase()
  files = certificateFiles()
  const tls = { TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile, PLAIN_HTTP_PORT: "0" }
  gateway = await startGateway({ env: { DATABASE_URL: url, METRICS_PORT: "0", RATE_LIMITS: "off", ...tls } })
  port = Number(new URL(gateway.http).port)
})
afterAll(async () => {
  closeClients()
  await endGateways()
  files.remove()
})

/** The serial number that a new connection is shown; `servername` absent: without SNI. */
const shown = (servername?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { port, host: "127.0.0.1", ca, checkServerIdentity: () => undefined }
    const socket = connect({ ...options, ...(servername === undefined ? {} : { servername }) }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber ?? "none")
      socket.destroy()
    })
    socket.on("error", reject)
  })

const ask = (path: string, agent: Agent | false = false, body?: object): Promise<{ status: number; text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" }
    const options = { method: body === undefined ? "GET" : "POST", ca, servername: "localhost", headers, agent }
    const call = request(`${gateway.http}${path}`, options, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text }))
    })
    call.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
  })

const said = (words: string): number => gateway.stderr().split(words).length - 1

/** Puts the pair into the files, tells the gateway, and waits until it has said what it made of that. */
const renewWith = async (pair: Pair, words: string): Promise<void> => {
  const before = said(words)
  files.write(pair)
  gateway.kill("SIGHUP")
  await until(
    () => `"${words}" in:\n${gateway.stderr()}`,
    () => said(words) > before,
  )
}

const metric = async (name: string): Promise<number> => {
  const url = await until("metrics", () => /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(gateway.stderr())?.[0])
  const text = await (await fetch(url)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
}

const signUp = async (email: string): Promise<string> => {
  const { text } = await ask("/api/v3/auth/signup", false, { email, password: "correct horse battery staple" })
  return JSON.parse(text).data.accessToken
}

/** A second process on the port, as another gateway would: it must never get it. */
const portIsOurs = async (): Promise<boolean> => {
  const second = makeServer({ host: "127.0.0.1", port, production: false, tls: files, trustProxy: [] })
  const error = await Effect.runPromise(Effect.flip(second.listen))
  second.close()
  return error instanceof PortTaken
}

describe("SIGHUP", () => {
  it("shows new connections the new certificate while open ones, and those being made, notice nothing", async () => {
    const first = await connectClient(gateway, await signUp("first@example.com"), TrustingSocket)
    const troubles: Array<string> = []
    first.on("connecting", ({ code }) => troubles.push(`the first client lost its socket: ${code}`))
    const firstFeed = await listen<OrderBookRecord>(first, CHANNEL)
    const kept = new Agent({ keepAlive: true, maxSockets: 1 })
    let answers = 0
    let isOver = false
    const loops = [kept, false as const, false as const].map(async (agent) => {
      while (!isOver) {
        const { status } = await ask("/api/v3/health/live", agent).catch((error) => ({ status: String(error) }))
        if (status === 200) answers++
        else troubles.push(`a request: ${status}`)
      }
    })
    for (const pair of [SECOND, FIRST, SECOND]) {
      const before = answers
      await until("requests at work", () => answers > before + 5)
      await renewWith(pair, "the certificate was renewed")
      expect([await shown("localhost"), await shown("elsewhere.example"), await shown()]).toEqual(
        [0, 1, 2].map(() => serialOf(pair)),
      )
      expect(await portIsOurs()).toBe(true)
    }
    const second = await connectClient(gateway, await signUp("second@example.com"), TrustingSocket)
    const secondFeed = await listen<OrderBookRecord>(second, CHANNEL)
    // One publication reaches the sockets of both certificates.
    await until("the same books on both", () => {
      const seen = new Set(firstFeed.records().map(({ sequence }) => sequence))
      return (
        secondFeed.records().filter(({ sequence, updateType }) => updateType === "DIFF" && seen.has(sequence)).length >
        3
      )
    })
    isOver = true
    await Promise.all(loops)
    kept.destroy()
    const diffs = firstFeed.records().slice(1)
    expect(
      diffs.every(({ previousSequence }, index) => previousSequence === firstFeed.records()[index]?.sequence),
    ).toBe(true)
    expect(troubles).toEqual([])
    expect(await metric("ws_connections")).toBe(2)
    expect(await metric("tls_certificate_expiry_timestamp_seconds")).toBe(
      Date.parse(new X509Certificate(SECOND.certificate).validTo) / 1000,
    )
    closeClients()
  })

  it("keeps the old certificate when the files are no pair, are over, or are not there", async () => {
    const before = await shown()
    const words = "certificate renewal rejected"
    const bad: ReadonlyArray<readonly [pair: Pair, why: string]> = [
      [{ certificate: FIRST.certificate, key: SECOND.key }, "the key is not that of the certificate"],
      [EXPIRED, "the certificate expired on 2020-02-01"],
      [{ certificate: "", key: FIRST.key }, "TLS_CERT_FILE: not a certificate in PEM"],
      [{ certificate: `${FIRST.certificate}${FIRST.certificate.slice(0, 200)}`, key: FIRST.key }, "OpenSSL rejects"],
      [{ certificate: FIRST.certificate, key: FIRST.certificate }, "TLS_KEY_FILE: not a private key"],
    ]
    for (const [pair, why] of bad) {
      await renewWith(pair, words)
      expect(
        gateway
          .stderr()
          .split("\n")
          .findLast((line) => line.includes(words)),
      ).toContain(why)
      expect([await shown("localhost"), await shown()]).toEqual([before, before])
    }
    rmSync(files.keyFile)
    gateway.kill("SIGHUP")
    await until("the missing file", () => said(`${files.keyFile} cannot be read`) > 0)
    expect(await shown()).toBe(before)
    expect(await metric("tls_certificate_refused")).toBe(1)
    const logs = (name: string): string => readFileSync(join(gateway.dataDir, "logs", `${name}.log`), "utf8")
    await until(
      "the refusals in both streams",
      () => logs("audit").includes("CertificateRefused") && logs("security").includes("certificate_taken_refused"),
    )
    expect(logs("audit") + logs("security") + gateway.stderr()).not.toContain("PRIVATE KEY")
  })

  it("takes a good pair after bad ones, and says so when nothing has changed", async () => {
    await renewWith(SECOND, "the certificate files are unchanged")
    expect(await metric("tls_certificate_refused")).toBe(0)
    await renewWith(FIRST, "the certificate was renewed")
    expect([await shown("localhost"), await shown()]).toEqual([serialOf(FIRST), serialOf(FIRST)])
  })

  it("does nothing, and says so, where the gateway has no TLS of its own, even before it is ready", async () => {
    const plain = launchGateway({ env: { DATABASE_URL: (await makeDatabase()).url } })
    await until("its first words", () => plain.stderr().includes("insecure"))
    plain.kill("SIGHUP")
    const { http } = await plain.ready
    await until("its answer", () => plain.stderr().includes("SIGHUP ignored"))
    expect((await fetch(`${http}/api/v3/health/live`)).status).toBe(200)
    plain.kill("SIGTERM")
    expect(await plain.exited).toEqual({ code: 0, signal: null })
  })
})

describe("the port for plain HTTP", () => {
  const plainPort = async (): Promise<number> =>
    Number(
      await until(
        "its address",
        () => /"plain HTTP is refused","url":"http:\/\/127\.0\.0\.1:(\d+)"/.exec(gateway.stderr())?.[1],
      ),
    )

  it("tells every request that TLS is needed, with its request id, and hangs up", async () => {
    const port = await plainPort()
    const requests = [
      "GET / HTTP/1.1\r\nHost: x\r\nX-Request-ID: mine-1\r\n\r\n",
      "GET /api/v3/health HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /api/v3/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
      "POST /api/v3/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\nabc",
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
      "TRACE /connection/websocket HTTP/1.1\r\nHost: x\r\n\r\n",
      "GET /connection/websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    ]
    for (const text of requests) {
      // Two answers are asked for: it ends when the gateway hangs up.
      const answers = await raw(port, text, 2)
      expect([text, answers.length, answers[0]?.status]).toEqual([text, 1, 403])
      const { headers, body } = answers[0]!
      const { errno, details, data } = JSON.parse(body)
      expect({ errno, code: details.code, data }).toEqual({ errno: -102005, code: "TLS_REQUIRED", data: null })
      expect(details.request_id).toBe(headers.get("x-request-id"))
      if (text.includes("mine-1")) expect(headers.get("x-request-id")).toBe("mine-1")
      expect(headers.get("connection")).toBe("close")
      expect([headers.get("location"), headers.get("strict-transport-security")]).toEqual([undefined, undefined])
    }
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: "HEAD" })).status).toBe(403)
    const security = join(gateway.dataDir, "logs/security.log")
    await until("the event", () => readFileSync(security, "utf8").includes("tls_missing"))
  })
})

it("ends with the sockets of every certificate told to come back", async () => {
  const codes: Array<number> = []
  for (const pair of [SECOND, FIRST]) {
    const client = await connectClient(gateway, await signUp(`${serialOf(pair)}@example.com`), TrustingSocket)
    client.on("connecting", ({ code }) => codes.push(code))
    if (pair === SECOND) await renewWith(SECOND, "the certificate was renewed")
  }
  expect(await metric("ws_connections")).toBe(2)
  expect(await gateway.stop()).toEqual({ code: 0, signal: null })
  expect(codes).toEqual([3001, 3001])
})

/**
 * `npm run torture -- proxy`: the examples of deploy/ as they stand, but for ports and paths, in front of a gateway: what a client sees
 * through nginx and through HAProxy, over HTTP and over the socket, and what it cannot pretend.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { connect as connectTcp } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { Centrifuge } from "centrifuge"
import { WebSocket } from "ws"
import { freePort } from "../../kit/servers/free-port.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../kit/servers/gateway.ts"
import { CERTIFICATE, KEY } from "../../kit/servers/http-certificate.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { need, run } from "./tool.ts"

const deploy = fileURLToPath(new URL("../../../deploy/", import.meta.url))

interface Answer {
  readonly status: number
  readonly text: string
}

const call = (
  port: number,
  path: string,
  body?: string,
  headers: Record<string, string> = {},
  localAddress = "127.0.0.1",
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const asked = request(
      {
        host: "127.0.0.1",
        localAddress,
        port,
        path: `/api/v3${path}`,
        method: body === undefined ? "GET" : "POST",
        ca: CERTIFICATE,
        servername: "localhost",
        agent: false,
        headers: { "content-type": "application/json", host: `localhost:${port}`, ...headers },
      },
      (answer) => {
        let text = ""
        answer.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk
        })
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }))
      },
    )
    asked.on("error", reject)
    asked.end(body)
  })

/** The book's first state through the proxy, by the official client; the error's text when there is none. */
const bookThrough = (port: number, token: string, origin: string): Promise<string> =>
  new Promise((resolve) => {
    class Browser extends WebSocket {
      constructor(url: string, protocols?: string | Array<string>) {
        super(url, protocols ?? [], { ca: CERTIFICATE, headers: { origin } })
      }
    }
    const url = `wss://localhost:${port}/connection/websocket`
    const client = new Centrifuge(url, { token, websocket: Browser, timeout: 10_000, maxReconnectDelay: 500 })
    const end = (says: string): void => {
      client.disconnect()
      resolve(says)
    }
    const book = client.newSubscription("market:orderbook:MOCK:BTC/USDT")
    book.on("publication", ({ data }) => end(String(data.instrumentId)))
    client.on("error", ({ error }) => end(`${error.code} ${error.message}`))
    book.subscribe()
    client.connect()
  })

/** How long a request that never ends is kept, in ms. */
const patience = (port: number): Promise<number> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const socket = connectTcp(port, "127.0.0.1")
    socket.on("error", () => resolve(performance.now() - startedAt))
    socket.on("close", () => resolve(performance.now() - startedAt))
    socket.resume()
  })

interface Front {
  readonly name: string
  readonly port: number
  readonly process: ChildProcess
}

type Make = (folder: string, gateway: Gateway, appends?: boolean) => Promise<Front>

/** With `appends` as docs/operations/proxy.md says for two hops. */
const nginx: Make = async (folder, gateway, appends = false) => {
  const [port, test] = [await freePort(), await freePort()]
  const conf = readFileSync(join(deploy, "nginx/nginx.conf"), "utf8")
    .replaceAll(
      "X-Forwarded-For $remote_addr",
      `X-Forwarded-For ${appends ? "$proxy_add_x_forwarded_for" : "$remote_addr"}`,
    )
    .replaceAll("/etc/venue-gateway/tls", folder)
    .replace("listen 443 ", `listen 127.0.0.1:${port} `)
    .replace("listen 8443 ", `listen 127.0.0.1:${test} `)
  writeFileSync(join(folder, "nginx.conf"), conf)
  const upstreams = readFileSync(join(deploy, "nginx/upstreams.conf"), "utf8")
  writeFileSync(join(folder, "upstreams.conf"), upstreams.replace("127.0.0.1:8080", new URL(gateway.http).host))
  const words = `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;`
  const process = spawn("nginx", ["-c", join(folder, "nginx.conf"), "-g", words], { stdio: "ignore" })
  return { name: "nginx", port, process }
}

const haproxy: Make = async (folder, gateway, appends = false) => {
  const [port, test] = [await freePort(), await freePort()]
  const conf = readFileSync(join(deploy, "haproxy.cfg"), "utf8")
    .replaceAll("  http-request del-header X-Forwarded-For\n", (line) => (appends ? "" : line))
    .replaceAll("/etc/venue-gateway/tls", folder)
    .replace("bind :443 ", `bind 127.0.0.1:${port} `)
    .replace("bind :8443 ", `bind 127.0.0.1:${test} `)
    .replace("127.0.0.1:8080", new URL(gateway.http).host)
  writeFileSync(join(folder, "haproxy.cfg"), conf)
  const process = spawn("haproxy", ["-db", "-f", join(folder, "haproxy.cfg")], { stdio: "ignore" })
  return { name: "haproxy", port, process }
}

const FORGED = { "x-forwarded-for": "203.0.113.99", "x-forwarded-proto": "http", forwarded: "for=203.0.113.98" }

const accessLine = (gateway: Gateway, requestId: string): Promise<string> =>
  until("the access line", () => {
    const text = readFileSync(join(gateway.dataDir, "logs/access.log"), "utf8")
    return text.split("\n").find((line) => line.includes(requestId))
  })

const judge = async ({ name, port }: Front, gateway: Gateway, progress: (line: string) => void) => {
  const says = (what: string, passed: boolean, words: string): Verdict => ({
    name: `${name}: ${what}`,
    passed,
    says: words,
  })
  progress(`${name} on port ${port}`)
  await until(`${name} to serve`, async () => (await call(port, "/health").catch(() => null))?.status === 200)
  // HAProxy takes a server for well until it has looked at it.
  await sleep(5000)
  const email = `${name}@example.com`
  const signup = await call(port, "/auth/signup", JSON.stringify({ email, password: "a good password" }), FORGED)
  if (signup.status !== 200) return [says("HTTPS", false, `signup ${signup.status} ${signup.text.slice(0, 200)}`)]
  const session = JSON.parse(signup.text).data as { accessToken: string }
  const token = session.accessToken
  const claims = Buffer.from(token.split(".")[1] ?? "", "base64url").toString()
  const requestId = `${name}-forged`
  await call(port, "/auth/user", undefined, { ...FORGED, authorization: `Bearer ${token}`, "x-request-id": requestId })
  const lines = await accessLine(gateway, requestId)
  const own = await bookThrough(port, token, `https://localhost:${port}`)
  const other = await bookThrough(port, token, "https://elsewhere.example.com")
  const large = await call(port, "/auth/login", JSON.stringify({ email, password: "x".repeat(100_000) }))
  const huge = await call(port, "/auth/login", "x".repeat(2_000_000)).catch((error: Error) => ({
    status: 413,
    text: error.message,
  }))
  const scan = await run("sslscan", ["--no-colour", `127.0.0.1:${port}`])
  const enabled = [...scan.text.matchAll(/^(\S+)\s+enabled/gm)].map(([, it]) => it)
  progress(`${name}: a request that never ends`)
  const kept = await patience(port)
  return [
    says("HTTPS", signup.status === 200, `signup ${signup.status}`),
    says(
      "what a client says about itself",
      /"ip":"127\.0\.0\.1"/.test(lines) && !lines.includes("203.0.113"),
      "forged X-Forwarded-For, X-Forwarded-Proto and Forwarded count for nothing",
    ),
    says(
      "admin",
      !claims.includes("admin"),
      `a signup through the proxy makes no admin: ${claims.match(/"permissions":\[[^\]]*\]/)?.[0]}`,
    ),
    says("socket", own === "MOCK:BTC/USDT", own),
    says("socket of a foreign page", own !== other && other !== "MOCK:BTC/USDT", other),
    says(
      "a body over 64 KiB",
      large.status === 413 && large.text.includes("-104"),
      `${large.status} ${large.text.slice(0, 60)}`,
    ),
    says("a body over 1 MiB", huge.status === 413, `${huge.status}`),
    says("TLS", enabled.join(" ") === "TLSv1.2 TLSv1.3", enabled.join(", ")),
    says("a request that never ends", kept <= 15_000, `closed after ${(kept / 1000).toFixed(1)} s`),
  ]
}

/** The load balancer of two hops; here a client at an address that nobody trusts. */
const HOP = "127.0.0.2"

/** Of a proxy that appends: only its own line counts, over HTTP and for a socket. */
const judgeAppending = async ({ name, port }: Front, gateway: Gateway): Promise<Verdict> => {
  await until(`${name} to serve`, async () => (await call(port, "/health").catch(() => null))?.status === 200)
  const [asked, opened] = [`${name}-appends-http`, `${name}-appends-socket`]
  await call(port, "/health", undefined, { ...FORGED, "x-request-id": asked }, HOP)
  await new Promise<void>((resolve, reject) => {
    const socket = new WebSocket(`wss://localhost:${port}/connection/websocket`, {
      ca: CERTIFICATE,
      localAddress: HOP,
      family: 4,
      headers: { ...FORGED, "x-request-id": opened },
    })
    socket.on("error", reject)
    socket.on("close", () => resolve())
    socket.on("open", () => socket.close())
  })
  const lines = [await accessLine(gateway, asked), await accessLine(gateway, opened)]
  const addresses = lines.map((line) => (JSON.parse(line) as { readonly ip: string }).ip)
  return {
    name: `${name}: two hops, a client that claims an address`,
    passed: addresses.every((ip) => ip === HOP),
    says: `HTTP and socket from ${HOP} count as ${addresses.join(" and ")}`,
  }
}

export const proxy = async (progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  need("nginx", "haproxy", "sslscan")
  const folder = mkdtempSync(join(tmpdir(), "proxy-"))
  writeFileSync(join(folder, "cert.pem"), CERTIFICATE)
  writeFileSync(join(folder, "key.pem"), KEY, { mode: 0o600 })
  writeFileSync(join(folder, "both.pem"), CERTIFICATE + KEY, { mode: 0o600 })
  const fronts: Array<Front> = []
  try {
    const gateway = await startGateway({ env: { NODE_ENV: "production", TRUST_PROXY: "127.0.0.1" } })
    const direct = await api(gateway)
      .get("/health")
      .catch(() => null)
    const verdicts: Array<Verdict> = [
      { name: "without a proxy", passed: direct?.status === 403, says: `${direct?.status} ${direct?.envelope.errno}` },
    ]
    for (const make of [nginx, haproxy]) {
      const front = await make(folder, gateway)
      fronts.push(front)
      verdicts.push(...(await judge(front, gateway, progress)))
      const appending = await make(folder, gateway, true)
      fronts.push(appending)
      verdicts.push(await judgeAppending(appending, gateway))
    }
    return verdicts
  } finally {
    for (const { process } of fronts) process.kill("SIGTERM")
    await endGateways()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The unmodified official client against a running gateway, in every place where people run it: JSON and Protobuf, plain and TLS, in Node
 * and in a real headless browser, which loads the client's own builds from a page.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { request } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isDeepStrictEqual } from "node:util"
import { Centrifuge } from "centrifuge"
import { Centrifuge as CentrifugeProtobuf } from "centrifuge/build/protobuf"
import { type ClientOptions, WebSocket } from "ws"
import { Api, type Gateway, startGateway } from "../../kit/servers/gateway.ts"
import { CERTIFICATE, certificateFiles } from "../../kit/servers/http-certificate.ts"
import type { Verdict } from "../kill/kill-verdict.ts"
import { EXPECTED, tellStory } from "./story.js"

const INSTRUMENT = "MOCK:BTC/USDT"
const PASSWORD = "correct horse battery staple"

interface Cast {
  readonly token: string
  readonly tradingAccountId: string
}

/** A JSON call that trusts the test's certificate. */
const callTls = (base: string, path: string, body: unknown, token: string | null): Promise<{ data: unknown }> =>
  new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    }
    const options = { method: "POST", ca: CERTIFICATE, servername: "localhost", headers, agent: false }
    const call = request(`${base}/api/v3${path}`, options, (reply) => {
      let text = ""
      reply.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      reply.on("end", () => resolve(JSON.parse(text)))
    })
    call.on("error", reject).end(JSON.stringify(body))
  })

const castOf = async (gateway: Gateway, email: string): Promise<Cast> => {
  if (!gateway.http.startsWith("https")) {
    const session = (await new Api(gateway.http).signup(email, PASSWORD)).record
    const account = (await new Api(gateway.http, session.accessToken).connectMock()).record
    return { token: session.accessToken, tradingAccountId: account.tradingAccountId }
  }
  const signup = await callTls(gateway.http, "/auth/signup", { email, password: PASSWORD }, null)
  const { accessToken } = signup.data as { readonly accessToken: string }
  const body = { venue: "MOCK", externalTradingAccountId: "main" }
  const account = await callTls(gateway.http, "/tradingAccount/connect", body, accessToken)
  const { tradingAccountId } = account.data as { readonly tradingAccountId: string }
  return { token: accessToken, tradingAccountId }
}

class TrustingSocket extends WebSocket {
  constructor(url: string | URL, protocols?: string | Array<string>, options?: ClientOptions) {
    const tls = { ca: CERTIFICATE, servername: "localhost" }
    super(url, protocols, { ...options, ...tls })
  }
}

const inNode = (gateway: Gateway, cast: Cast, format: "JSON" | "Protobuf"): Promise<unknown> => {
  const common = { url: gateway.ws, instrumentId: INSTRUMENT, websocket: TrustingSocket, ...cast }
  if (format === "JSON")
    return tellStory({ ...common, Centrifuge, encode: (value) => value, decode: (data: unknown) => data })
  return tellStory({
    ...common,
    Centrifuge: CentrifugeProtobuf,
    encode: (value) => Buffer.from(JSON.stringify(value)),
    decode: (data: Uint8Array) => JSON.parse(Buffer.from(data).toString("utf8")),
  })
}

const served = (name: string): string => readFileSync(fileURLToPath(new URL(name, import.meta.url)), "utf8")

const page = (gateway: Gateway, cast: Cast, format: "JSON" | "Protobuf"): string => `<!doctype html>
<script src="/client.js"></script>
<script type="module">
import { tellStory } from "/story.js"
const bytes = ${format === "Protobuf"}
const place = {
  Centrifuge, url: ${JSON.stringify(gateway.ws)}, instrumentId: ${JSON.stringify(INSTRUMENT)}, ...${JSON.stringify(cast)},
  encode: (value) => bytes ? new TextEncoder().encode(JSON.stringify(value)) : value,
  decode: (data) => bytes ? JSON.parse(new TextDecoder().decode(data)) : data,
}
const told = await tellStory(place).catch((error) => ({ failed: String(error) }))
await fetch("/told", { method: "POST", body: JSON.stringify(told) })
</script>`

const inBrowser = async (
  browser: string,
  gateway: Gateway,
  cast: Cast,
  format: "JSON" | "Protobuf",
): Promise<unknown> => {
  const client = format === "JSON" ? "centrifuge.js" : "centrifuge.protobuf.js"
  const profile = mkdtempSync(join(tmpdir(), "browser-"))
  let told: (what: unknown) => void = () => undefined
  const answer = new Promise<unknown>((resolve) => {
    told = resolve
  })
  const server = createServer((asked, reply) => {
    if (asked.url === "/told") {
      let text = ""
      asked.setEncoding("utf8").on("data", (part: string) => {
        text += part
      })
      asked.on("end", () => {
        reply.end()
        told(JSON.parse(text))
      })
      return
    }
    const isScript = asked.url?.endsWith(".js") === true
    reply.setHeader("content-type", isScript ? "text/javascript" : "text/html; charset=utf-8")
    if (asked.url === "/client.js") reply.end(served(`../../../node_modules/centrifuge/dist/${client}`))
    else if (asked.url === "/story.js") reply.end(served("./story.js"))
    else reply.end(page(gateway, cast, format))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
  const quiet = ["--disable-background-networking", "--disable-component-update", "--ignore-certificate-errors"]
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const process_ = spawn(
    browser,
    [...flags, ...quiet, `--user-data-dir=${profile}`, "--remote-debugging-port=0", address],
    {
      stdio: "ignore",
      // A group of its own: a browser is many processes, and all of them write into the profile.
      detached: true,
    },
  )
  const ended = new Promise((resolve) => process_.once("close", resolve))
  const timer = setTimeout(() => told({ failed: "the browser said nothing for two minutes" }), 120_000)
  try {
    return await answer
  } finally {
    clearTimeout(timer)
    if (process_.pid !== undefined) process.kill(-process_.pid, "SIGKILL")
    await ended
    server.closeAllConnections()
    server.close()
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

export const clients = async (browser: string, progress: (line: string) => void): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  const { certFile, keyFile, remove } = certificateFiles()
  const env = { MOCK_TICK_MS: "20", ALLOWED_ORIGINS: "*" }
  for (const transport of ["plain", "TLS"]) {
    const tls = transport === "TLS" ? { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } : {}
    const gateway = await startGateway({ env: { ...env, ...tls } })
    for (const format of ["JSON", "Protobuf"] as const)
      for (const place of ["Node", "browser"]) {
        const name = `${format}, ${transport}, ${place}`
        if (place === "browser" && !existsSync(browser)) {
          progress(`${name}: skipped, there is no browser at ${browser}`)
          continue
        }
        progress(name)
        const cast = await castOf(gateway, `${format}-${place}@example.com`)
        const seen = await (place === "Node"
          ? inNode(gateway, cast, format)
          : inBrowser(browser, gateway, cast, format)
        ).catch((error: unknown) => ({ failed: String(error) }))
        verdicts.push({ name, passed: isDeepStrictEqual(seen, EXPECTED), says: JSON.stringify(seen) })
      }
    await gateway.stop()
  }
  remove()
  return verdicts
}

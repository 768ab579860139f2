/**
 * How a session logs in where the connector is ccxt's own: the real classes against a socket that asks for what the venue documents,
 * and answers anything else in the venue's words.
 */
import { createHash, createHmac } from "node:crypto"
import type { IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type WebSocket, WebSocketServer } from "ws"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { scripted } from "../../../kit/worlds/scripted-session.ts"

const KEY = "account-key"
const SECRET = "c2VjcmV0"

type Frame = Readonly<Record<string, unknown>>

/** One connection as the venue sees it. */
interface Line {
  readonly request: IncomingMessage
  readonly say: (frame: unknown) => void
  isLoggedIn: boolean
  /** What was asked for while it was logged in. */
  readonly taken: Array<string>
}

const open: Array<() => Promise<unknown> | undefined> = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

const hmac = (hash: string, text: string, key: string | Buffer = SECRET): string =>
  createHmac(hash, key).update(text).digest("hex")

interface Venue {
  readonly id: string
  /** Of a connection; undefined: nothing can be said against it before its first frame. */
  readonly dialled?: (line: Line) => void
  readonly hears: (line: Line, frame: Frame) => void
}

const textOf = (frame: Frame, name: string): string => String(frame[name])
const inner = (frame: Frame, name: string): Frame => (frame[name] ?? {}) as Frame

const VENUES: Readonly<Record<string, Venue>> = {
  BYBIT: {
    id: "BTCUSDT",
    hears: (line, frame) => {
      const args = frame["args"] as ReadonlyArray<string>
      const answer = { op: frame["op"], conn_id: "1", req_id: frame["req_id"] }
      if (frame["op"] === "auth") {
        const [key, expires, signature] = args
        line.isLoggedIn = key === KEY && signature === hmac("sha256", `GET/realtime${expires}`)
        line.say({ ...answer, success: line.isLoggedIn, ret_msg: line.isLoggedIn ? "" : "Params Error" })
      } else if (frame["op"] === "subscribe") {
        if (line.isLoggedIn) line.taken.push(...args)
        line.say({ ...answer, success: line.isLoggedIn, ret_msg: line.isLoggedIn ? "" : "Request not authorized" })
      }
    },
  },
  GEMINI: {
    id: "btcusdt",
    dialled: (line) => {
      const { headers, url } = line.request
      const payload = String(headers["x-gemini-payload"])
      const said = Buffer.from(payload, "base64").toString()
      line.isLoggedIn =
        headers["x-gemini-apikey"] === KEY &&
        headers["x-gemini-signature"] === hmac("sha384", payload) &&
        said.includes('"request":"/v1/order/events"')
      if (line.isLoggedIn) line.taken.push(String(url).split("?")[0] ?? "")
      line.say(
        line.isLoggedIn
          ? { type: "subscription_ack", accountId: 1 }
          : { result: "error", reason: "MissingApikeyHeader" },
      )
    },
    hears: () => undefined,
  },
  GATE: {
    id: "BTC_USDT",
    hears: (line, frame) => {
      if (frame["event"] !== "subscribe") return
      const { channel, time, id } = frame
      const signed = `channel=${channel}&event=subscribe&time=${time}`
      const auth = inner(frame, "auth")
      line.isLoggedIn = auth["KEY"] === KEY && auth["SIGN"] === hmac("sha512", signed)
      if (line.isLoggedIn) line.taken.push(String(channel))
      const error = line.isLoggedIn ? null : { code: 4, message: "not authorized" }
      line.say({
        time,
        id,
        channel,
        event: "subscribe",
        error,
        result: { status: line.isLoggedIn ? "success" : "fail" },
      })
    },
  },
  DERIBIT: {
    id: "BTC_USDT-PERPETUAL",
    hears: (line, frame) => {
      const { id, method } = frame
      const params = inner(frame, "params")
      if (method === "public/auth") {
        const { timestamp, nonce } = params
        line.isLoggedIn =
          params["client_id"] === KEY && params["signature"] === hmac("sha256", `${timestamp}\n${nonce}\n`)
        if (line.isLoggedIn) line.say({ jsonrpc: "2.0", id, result: { access_token: "t", expires_in: 900 } })
      } else if (method === "private/subscribe" && line.isLoggedIn) {
        const channels = params["channels"] as ReadonlyArray<string>
        line.taken.push(...channels)
        line.say({ jsonrpc: "2.0", id, result: channels })
        return
      }
      if (!line.isLoggedIn) line.say({ jsonrpc: "2.0", id, error: { message: "unauthorized", code: 13009 } })
    },
  },
  KRAKENFUTURES: {
    id: "PF_XBTUSD",
    dialled: (line) => line.say({ event: "info", version: 1 }),
    hears: (line, frame) => {
      if (frame["event"] === "challenge") line.say({ event: "challenge", message: "a-challenge" })
      if (frame["event"] !== "subscribe") return
      const hashed = createHash("sha256").update("a-challenge").digest()
      const signed = createHmac("sha512", Buffer.from(SECRET, "base64")).update(hashed).digest("base64")
      line.isLoggedIn = frame["api_key"] === KEY && frame["signed_challenge"] === signed
      if (line.isLoggedIn) line.taken.push(textOf(frame, "feed"))
      line.say(
        line.isLoggedIn
          ? { event: "subscribed", feed: frame["feed"] }
          : { event: "alert", message: "Failed to subscribe to authenticated feed" },
      )
    },
  },
  BITFINEX: {
    id: "tBTCUST",
    dialled: (line) => line.say({ event: "info", version: 2, platform: { status: 1 } }),
    hears: (line, frame) => {
      if (frame["event"] !== "auth") return
      line.isLoggedIn = frame["apiKey"] === KEY && frame["authSig"] === hmac("sha384", textOf(frame, "authPayload"))
      if (line.isLoggedIn) line.taken.push("account")
      line.say({
        event: "auth",
        status: line.isLoggedIn ? "OK" : "FAILED",
        chanId: 0,
        code: line.isLoggedIn ? 0 : 10100,
      })
    },
  },
}

/** The venue's hosts are this server. */
const serving = async (name: string, venue: Venue) => {
  const lines: Array<Line> = []
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  server.on("connection", (far: WebSocket, request) => {
    const line: Line = { request, say: (frame) => far.send(JSON.stringify(frame)), isLoggedIn: false, taken: [] }
    lines.push(line)
    venue.dialled?.(line)
    far.on("message", (data) => {
      const frame: unknown = JSON.parse(String(data))
      if (typeof frame === "object" && frame !== null) venue.hears(line, frame as Frame)
    })
  })
  await new Promise((resolve) => server.once("listening", resolve))
  const to = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const hosts = PROFILES.find((it) => it.venue === name)?.hosts ?? []
  open.push(() => {
    for (const client of server.clients) client.terminate()
    return new Promise((resolve) => server.close(resolve))
  })
  return { lines, routes: Object.fromEntries(hosts.map((host) => [host, to])) }
}

describe("a private session logs in as the venue asks", () => {
  it.each([
    ["BYBIT", ["order", "wallet", "execution"]],
    ["GEMINI", ["/v1/order/events"]],
    ["GATE", ["spot.orders", "spot.balances", "spot.usertrades"]],
    ["DERIBIT", ["user.orders.any.any.raw", "user.portfolio.any", "user.trades.any.any.raw"]],
    ["KRAKENFUTURES", ["open_orders_verbose", "balances", "fills"]],
    ["BITFINEX", ["account"]],
  ] as const)("%s", async (name, wanted) => {
    const venue = VENUES[name]
    if (venue === undefined) throw new Error(`no socket of ${name}`)
    const { lines, routes } = await serving(name, venue)
    const { session, reports } = await scripted(name, venue.id, () => ({}), {}, false, routes)
    open.push(() => session.stop())
    const taken = () => lines.flatMap((line) => line.taken)
    await vi.waitFor(() => expect(taken()).toEqual(expect.arrayContaining([...wanted])), 4000)
    await vi.waitFor(() => expect(reports.map(({ _tag }) => _tag)).toContain("StreamUp"), 4000)
    expect(reports.filter(({ _tag }) => _tag === "StreamDown")).toEqual([])
    expect(lines.every(({ isLoggedIn }) => isLoggedIn)).toBe(true)
  })
})

/**
 * The doors of the loopback exchange without a client library: WebSocket manners, switches, control endpoint, the process.
 */
import { spawn } from "node:child_process"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { BinanceExchange } from "../../exchanges/binance/exchange.ts"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"

const USER = { apiKey: "key", apiSecret: "secret", balances: { USDT: "100000", BTC: "1" } }

let exchange: BinanceExchange
const sockets: Array<WebSocket> = []
beforeEach(async () => {
  exchange = await startBinanceExchange({ users: [USER], market: "still" })
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  await exchange.stop()
})

const open = async (path: string): Promise<WebSocket> => {
  const socket = new WebSocket(exchange.url.replace("http", "ws") + path)
  sockets.push(socket)
  await once(socket, "open")
  return socket
}

const nextMessage = async (socket: WebSocket): Promise<unknown> => {
  const [bytes] = await once(socket, "message")
  return JSON.parse(String(bytes))
}

const sign = (payload: string) => createHmac("sha256", USER.apiSecret).update(payload).digest("hex")

const signedRest = async (url: string, method: string, path: string, parameters: Record<string, string>) => {
  const query = String(new URLSearchParams({ ...parameters, timestamp: String(Date.now()) }))
  const headers = { "x-mbx-apikey": USER.apiKey }
  const answer = await fetch(`${url}${path}?${query}&signature=${sign(query)}`, { method, headers })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> }
}

const LIMIT_BUY = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.01",
  price: "50000",
}

const subscribeUser = async (): Promise<WebSocket> => {
  const socket = await open("/ws-api/v3")
  const signed = `apiKey=${USER.apiKey}&timestamp=${Date.now()}`
  const params = { ...Object.fromEntries(new URLSearchParams(signed)), signature: sign(signed) }
  socket.send(JSON.stringify({ id: 1, method: "userDataStream.subscribe.signature", params }))
  expect(await nextMessage(socket)).toMatchObject({ id: 1, status: 200, result: { subscriptionId: 0 } })
  return socket
}

describe("a market stream connection", () => {
  it("answers SUBSCRIBE, LIST_SUBSCRIPTIONS and UNSUBSCRIBE, and speaks only what is subscribed", async () => {
    const socket = await open("/ws")
    const ask = async (message: object) => {
      const reply = nextMessage(socket)
      socket.send(JSON.stringify(message))
      return reply
    }
    expect(await ask({ method: "SUBSCRIBE", params: ["btcusdt@trade"], id: 1 })).toEqual({ result: null, id: 1 })
    const trade = nextMessage(socket)
    exchange.trade("ETHUSDT", "BUY", "1")
    exchange.trade("BTCUSDT", "BUY", "0.001")
    expect(await trade).toMatchObject({ e: "trade", s: "BTCUSDT", q: "0.00100000", m: false })
    expect(await ask({ method: "LIST_SUBSCRIPTIONS", id: 2 })).toEqual({ result: ["btcusdt@trade"], id: 2 })
    expect(await ask({ method: "UNSUBSCRIBE", params: ["btcusdt@trade"], id: 3 })).toEqual({ result: null, id: 3 })
    exchange.trade("BTCUSDT", "BUY", "0.001")
    expect(await ask({ method: "NONSENSE", id: 4 })).toMatchObject({ error: { code: 2 }, id: 4 })
  })

  it("is closed when the client sends more than five messages a second", async () => {
    const socket = await open("/stream")
    const closed = once(socket, "close")
    for (let id = 0; id < 6; id += 1) socket.send(JSON.stringify({ method: "LIST_SUBSCRIPTIONS", id }))
    expect((await closed)[0]).toBe(1008)
  })

  it("numbers diffs without a gap, and a snapshot fits between them", async () => {
    const socket = await open("/ws/btcusdt@depth@100ms")
    const before = exchange.depth("BTCUSDT", 1).lastUpdateId
    const first = nextMessage(socket)
    exchange.setLevel("BTCUSDT", "bids", "59000.01", "1")
    exchange.setLevel("BTCUSDT", "bids", "59000.01", "0")
    exchange.setLevel("BTCUSDT", "asks", "61000.01", "2")
    expect(await first).toMatchObject({
      U: before + 1,
      u: before + 3,
      b: [["59000.01000000", "0.00000000"]],
      a: [["61000.01000000", "2.00000000"]],
    })
    const second = nextMessage(socket)
    exchange.setLevel("BTCUSDT", "asks", "61000.01", "0")
    expect(await second).toMatchObject({ U: before + 4, u: before + 4 })
  })
})

describe("the switches", () => {
  it("close all sockets, refuse new ones, and let them in again", async () => {
    const socket = await open("/ws/btcusdt@trade")
    const closed = once(socket, "close")
    exchange.fault({ fault: "closeSockets" })
    expect((await closed)[0]).toBe(1006)
    exchange.fault({ fault: "refuseWebSockets", on: true })
    await expect(open("/ws/btcusdt@trade")).rejects.toThrow()
    exchange.fault({ fault: "clear" })
    expect((await open("/ws/btcusdt@trade")).readyState).toBe(WebSocket.OPEN)
  })

  it("silence the user stream without closing it, and push any event", async () => {
    const socket = await subscribeUser()
    exchange.fault({ fault: "suppressUserEvents", on: true })
    expect((await signedRest(exchange.url, "POST", "/api/v3/order", LIMIT_BUY)).status).toBe(200)
    const pushed = nextMessage(socket)
    const event = { e: "eventStreamTerminated", E: 1 }
    exchange.fault({ fault: "pushUserEvent", apiKey: USER.apiKey, event })
    expect(await pushed).toEqual({ subscriptionId: 0, event })
    exchange.fault({ fault: "suppressUserEvents", on: false })
    const next = nextMessage(socket)
    await signedRest(exchange.url, "DELETE", "/api/v3/openOrders", { symbol: "BTCUSDT" })
    expect(await next).toMatchObject({ event: { e: "executionReport", x: "CANCELED", X: "CANCELED" } })
  })

  it("delay an answer, let others pass it, and still give the right one", async () => {
    const action = { kind: "delay", millis: 300 } as const
    exchange.fault({ fault: "answer", match: "POST /api/v3/order", action })
    const answered: Array<string> = []
    const placed = signedRest(exchange.url, "POST", "/api/v3/order", LIMIT_BUY)
    const both = Promise.all([
      placed.then(() => answered.push("order")),
      signedRest(exchange.url, "GET", "/api/v3/account", {}).then(() => answered.push("account")),
    ])
    await both
    expect(answered).toEqual(["account", "order"])
    expect((await placed).body["status"]).toBe("NEW")
  })
})

describe("REST", () => {
  it("counts weight and orders in its headers", async () => {
    const first = await signedRest(exchange.url, "GET", "/api/v3/account", {})
    const second = await signedRest(exchange.url, "POST", "/api/v3/order", LIMIT_BUY)
    expect(Number(first.headers.get("x-mbx-used-weight-1m"))).toBeGreaterThanOrEqual(20)
    expect(Number(second.headers.get("x-mbx-order-count-10s"))).toBeGreaterThanOrEqual(1)
  })

  it("checks an order without placing it", async () => {
    expect((await signedRest(exchange.url, "POST", "/api/v3/order/test", LIMIT_BUY)).body).toEqual({})
    const tooSmall = { ...LIMIT_BUY, quantity: "0.00001" }
    const refused = await signedRest(exchange.url, "POST", "/api/v3/order/test", tooSmall)
    expect(refused.body).toEqual({ code: -1013, msg: "Filter failure: NOTIONAL" })
    expect(exchange.orders(USER.apiKey)).toEqual([])
  })

  it("names what is missing, superfluous or out of time", async () => {
    const code = async (parameters: Record<string, string>) =>
      (await signedRest(exchange.url, "POST", "/api/v3/order", parameters)).body["code"]
    const { price, ...withoutPrice } = LIMIT_BUY
    expect(await code(withoutPrice)).toBe(-1102)
    expect(await code({ ...LIMIT_BUY, stopPrice: price })).toBe(-1106)
    expect(await code({ ...LIMIT_BUY, price: "" })).toBe(-1105)
    expect(await code({ ...LIMIT_BUY, newClientOrderId: "x".repeat(37) })).toBe(-1100)
    expect(await code({ ...LIMIT_BUY, recvWindow: "60001" })).toBe(-1131)
  })
})

describe("the exchange as a process", () => {
  it("prints its address, obeys the control endpoint, judges placements, and ends on SIGTERM", async () => {
    const program = fileURLToPath(new URL("../../exchanges/main.ts", import.meta.url))
    const child = spawn(
      process.execPath,
      ["--import", "tsx", program, "--port", "0", "--user", `${USER.apiKey}:${USER.apiSecret}`],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    try {
      const [line] = (await once(createInterface(child.stdout), "line")) as [string]
      const ready = JSON.parse(line.replace(/^exchange /, ""))
      expect(ready).toMatchObject({ apiKey: USER.apiKey, routes: { "api.binance.com:443": ready.url } })
      const control = async (path: string, fault?: object) => {
        const body = fault === undefined ? {} : { method: "POST", body: JSON.stringify(fault) }
        const answer = await fetch(`${ready.url}/__control/${path}`, body)
        return { status: answer.status, body: await answer.json() }
      }
      const action = { kind: "apply-then-destroy" }
      const thrown = await control("fault", { fault: "answer", match: "POST /api/v3/order", action })
      expect(thrown.status).toBe(200)
      expect((await control("fault", { fault: "nonsense" })).status).toBe(400)
      expect((await control("fault", { fault: "answer" })).status).toBe(400)
      const order = { ...LIMIT_BUY, newClientOrderId: "mine" }
      await expect(signedRest(ready.url, "POST", "/api/v3/order", order)).rejects.toThrow()
      const again = await signedRest(ready.url, "POST", "/api/v3/order", order)
      expect(again.body).toEqual({ code: -2010, msg: "Duplicate order sent." })
      expect((await control("placements")).body).toMatchObject([
        { clientOrderId: "mine", count: 2, created: 1, refusals: [-2010] },
      ])
      expect((await control(`orders?apiKey=${USER.apiKey}`)).body).toMatchObject([
        { clientOrderId: "mine", status: "NEW" },
      ])
      const exited = once(child, "exit")
      child.kill("SIGTERM")
      expect((await exited)[0]).toBe(0)
    } finally {
      child.kill("SIGKILL")
    }
  })
})

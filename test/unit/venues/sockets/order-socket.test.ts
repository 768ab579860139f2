/** What the sockets of venues are sent for orders (SOCKET_ORDERS), by real instances of ccxt; nothing is dialled. */
import { describe, expect, it } from "vitest"
import type { OrderSocket, SignedRequest } from "../../../../src/venues/adapters/adapter.ts"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"

const SECRETS = { apiKey: "key", apiSecret: "secret", apiPassphrase: "pass" }

const made = async (venue: string) => {
  const profile = PROFILES.find((it) => it.venue === venue) as VenueProfile
  const settings = { profile, routes: {}, proxy: null, socketOrders: true }
  const exchange = privateInstances(await loadExchange(profile.exchange), settings)(SECRETS)
  return { exchange, socket: adapterOf(profile).orderSocket as OrderSocket }
}

/** One that is open and logged in. */
const socketOf = ({ exchange, socket }: Awaited<ReturnType<typeof made>>): void => {
  const url = socket.urlOf(exchange) as string
  const open = exchange.client(url)
  const futures = { authenticated: { resolve: () => undefined } }
  Object.assign(open, { connection: { readyState: 1 }, lastPong: Date.now(), futures })
  for (const said of [
    { event: "login", code: "0" },
    { op: "auth", success: true, retCode: 0 },
  ])
    if (socket.acknowledgesLogin?.(said) === true) exchange.handleMessage(open, said)
}

const header = (headers: unknown, name: string): unknown => (headers as Readonly<Record<string, unknown>>)[name]

const signed = (exchange: CcxtExchange, path: string, params: object): SignedRequest =>
  exchange.sign(path, "private", "POST", params as Readonly<Record<string, unknown>>) as SignedRequest

const saidFor = ({ exchange, socket }: Awaited<ReturnType<typeof made>>, path: string, params: object) => {
  const request = signed(exchange, path, params)
  const operation = socket.operationOf(request)
  return operation === undefined ? undefined : socket.messageOf(exchange, request, operation, "7")
}

describe("an order for a venue's socket", () => {
  it("is not signed for it while the socket is away", async () => {
    const { exchange } = await made("BINANCE")
    let signatures = 0
    const { signParams } = exchange
    exchange.signParams = (params) => {
      signatures += 1
      return signParams.call(exchange, params)
    }
    const sent = exchange.fetch("https://api.binance.com/api/v3/order", "POST", {}, "symbol=BTCUSDT&signature=1")
    await expect(sent).rejects.toThrow("never connected")
    expect(signatures).toBe(0)
  })

  it.each([
    ["BINANCE", "order", { symbol: "BTCUSDT" }, ({ body }: SignedRequest) => /signature=(\w+)/.exec(String(body))?.[1]],
    ["OKX", "trade/order", { instId: "BTC-USDT" }, ({ headers }: SignedRequest) => header(headers, "OK-ACCESS-SIGN")],
    ["BYBIT", "v5/order/create", { symbol: "BTCUSDT" }, ({ headers }: SignedRequest) => header(headers, "X-BAPI-SIGN")],
  ])(
    "is not signed as a request of %s while the socket takes orders, and what is no order is",
    async (venue, path, params, signatureOf) => {
      const at = await made(venue)
      expect(signatureOf(signed(at.exchange, path, params))).toMatch(/\w/)
      socketOf(at)
      expect(signatureOf(signed(at.exchange, path, params)) ?? "").toBe("")
      const other = venue === "OKX" ? "account/set-leverage" : venue === "BYBIT" ? "v5/order/cancel-all" : "order/oco"
      expect(signatureOf(signed(at.exchange, other, params))).toMatch(/\w/)
    },
  )

  it("names OKX's instrument by its number and says its expiry; what has no number goes by request", async () => {
    const okx = await made("OKX")
    const market = { id: "BTC-USDT", symbol: "BTC/USDT", base: "BTC", quote: "USDT", instIdCode: 10_458 }
    Object.assign(okx.exchange, { markets_by_id: { "BTC-USDT": [market], "ETH-USDT": [{}] } })
    const order = { clOrdId: "c", side: "buy", sz: "1" }
    expect(saidFor(okx, "trade/order", { instId: "BTC-USDT", ...order })).toEqual({
      id: "7",
      op: "order",
      expTime: expect.stringMatching(/^\d{13}$/),
      args: [{ instIdCode: 10_458, ...order }],
    })
    expect(saidFor(okx, "trade/cancel-order", { instId: "BTC-USDT", ordId: "1" })).toEqual({
      id: "7",
      op: "cancel-order",
      args: [{ instIdCode: 10_458, ordId: "1" }],
    })
    expect(saidFor(okx, "trade/order", { instId: "ETH-USDT", ...order })).toBeUndefined()
    expect(saidFor(okx, "trade/cancel-batch-orders", { instId: "BTC-USDT" })).toBeUndefined()
  })

  it("has BYBIT's time and window in its header, and no filter where the socket takes none", async () => {
    const bybit = await made("BYBIT")
    const header = {
      "X-BAPI-TIMESTAMP": expect.stringMatching(/^\d{13}$/),
      "X-BAPI-RECV-WINDOW": "5000",
      Referer: "CCXT",
    }
    const order = { category: "spot", symbol: "BTCUSDT", orderLinkId: "c" }
    expect(saidFor(bybit, "v5/order/create", order)).toEqual({ reqId: "7", op: "order.create", header, args: [order] })
    expect(saidFor(bybit, "v5/order/cancel", { ...order, orderFilter: "Order" })).toEqual({
      reqId: "7",
      op: "order.cancel",
      header,
      args: [order],
    })
    expect(saidFor(bybit, "v5/order/cancel-all", order)).toBeUndefined()
  })

  it("is answered as REST would: BYBIT's word for too many sessions is none about the key", async () => {
    const { socket } = await made("BYBIT")
    const header = { "X-Bapi-Limit-Status": 19, Timenow: "1711001595209" }
    const data = { orderId: "1", orderLinkId: "c" }
    expect(socket.answerOf({ reqId: "7", retCode: 0, retMsg: "OK", op: "order.create", data, header })).toEqual({
      status: 200,
      headers: { "x-bapi-limit-status": "19", timenow: "1711001595209" },
      body: JSON.stringify({ retCode: 0, retMsg: "OK", result: data, retExtInfo: {}, time: 1_711_001_595_209 }),
    })
    expect(socket.answerOf({ retCode: 10003, retMsg: "Too many sessions under the same UID" }).status).toBe(503)
  })
})

/** The parts of a connector on real ccxt instances, without a network. */
import { describe, expect, it } from "vitest"
import type { TradeOrderId, VenueId } from "../../../../src/domain/ids.ts"
import { adapterOf } from "../../../../src/venues/adapters/adapters.ts"
import type { VenueProfile } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES, venueOf } from "../../../../src/venues/adapters/registry.ts"
import { instrumentOf } from "../../../../src/venues/instrument-of.ts"
import { tapCache } from "../../../../src/venues/worker/exchange/cache-tap.ts"
import type { CcxtExchange, CcxtOrder, CcxtSocket } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { privateInstances, publicInstance } from "../../../../src/venues/worker/exchange/instance.ts"
import { loadExchange } from "../../../../src/venues/worker/exchange/load.ts"
import { routeOf } from "../../../../src/venues/worker/exchange/transport.ts"
import { type BookChange, BookTap } from "../../../../src/venues/worker/feed/book-tap.ts"
import { Digits } from "../../../../src/venues/worker/feed/digits.ts"
import { SequenceGuard } from "../../../../src/venues/worker/feed/sequence-guard.ts"
import { orderState } from "../../../../src/venues/worker/session/normalise.ts"

const binance = PROFILES.find(({ venue }) => venue === "BINANCE") as VenueProfile
const SECRETS = { apiKey: "k", apiSecret: "s", apiPassphrase: null }

const tapped = async () => {
  const exchange = publicInstance(await loadExchange("binance"), { profile: binance, routes: {}, proxy: null })
  const digits = new Digits()
  const changes: Array<Omit<BookChange, "book">> = []
  const tap = new BookTap(digits, ({ snapshot, bids, asks }) => void changes.push({ snapshot, bids, asks }))
  digits.install(exchange)
  tap.install(exchange)
  const frame = (run: () => void): void => {
    tap.frameStarts()
    digits.frameStarts()
    run()
    tap.frameEnds()
    digits.frameEnds()
  }
  return { exchange, digits, changes, frame }
}

const store = (
  exchange: CcxtExchange,
  side: { storeArray: (row: ReadonlyArray<number>) => void },
  price: string,
  quantity: string,
) => side.storeArray([exchange.safeFloat([price], 0) as number, exchange.safeFloat([quantity], 0) as number])

describe("the registry", () => {
  it.each(PROFILES.map((profile) => [profile.venue, profile] as const))(
    "has %s with a file in ccxt, plain data and its hosts",
    async (_, profile) => {
      const Exchange = await loadExchange(profile.exchange)
      expect(structuredClone(profile)).toEqual(profile)
      const exchange = publicInstance(Exchange, { profile, routes: {}, proxy: null })
      expect(exchange.id).toBe(profile.exchange)
      const { urls: all, hostname } = exchange as unknown as { urls: { api: unknown }; hostname?: string }
      const urls = JSON.stringify(all.api).replaceAll("{hostname}", hostname ?? "")
      // KuCoin names its WebSocket host in an answer.
      for (const host of profile.hosts.filter((it) => !it.startsWith("ws-api-spot.")))
        expect(urls).toContain(host.replace(/:443$/, ""))
    },
  )

  it("lists a venue that the configuration disables as INACTIVE", () => {
    expect(venueOf(binance, []).status).toBe("ACTIVE")
    expect(venueOf(binance, ["BINANCE"])).toMatchObject({
      status: "INACTIVE",
      orderExpiryMillis: 5000,
      inProcess: false,
    })
  })

  it("names a ccxt file that does not exist", async () => {
    await expect(loadExchange("nowhere")).rejects.toThrow()
  })
})

describe("the digits of a public instance", () => {
  it("stay the venue's own, at any length and where two texts share a number", async () => {
    const { exchange, changes, frame } = await tapped()
    const book = exchange.orderBook({}, 1000)
    frame(() => {
      book.reset({})
      store(exchange, book.bids, "12345678901.123456789", "0.05041000")
      store(exchange, book.bids, "5.00", "5.00000000")
      store(exchange, book.asks, "123456789012345678.90", "1e-8")
    })
    expect(changes).toEqual([
      {
        snapshot: true,
        bids: ["12345678901.123456789", "0.05041000", "5.00", "5.00000000"],
        asks: ["123456789012345678.90", "1e-8"],
      },
    ])
  })

  it("are plain where the venue sends floats", async () => {
    const { exchange, changes, frame } = await tapped()
    const book = exchange.orderBook({}, 1000)
    frame(() => {
      book.reset({})
      book.bids.storeArray([101.5, 1e-8])
    })
    expect(changes[0]?.bids).toEqual(["101.5", "0.00000001"])
  })
})

describe("the book tap", () => {
  it("makes one change of a frame, and another of the next", async () => {
    const { exchange, changes, frame } = await tapped()
    const book = exchange.orderBook({}, 1000)
    frame(() => {
      book.reset({})
      store(exchange, book.bids, "1.0", "2.0")
    })
    frame(() => {
      store(exchange, book.bids, "1.0", "0.00000000")
      store(exchange, book.asks, "3.0", "4.0")
    })
    expect(changes.map(({ snapshot }) => snapshot)).toEqual([true, false])
    expect(changes[1]).toEqual({ snapshot: false, bids: ["1.0", "0"], asks: ["3.0", "4.0"] })
  })

  it("makes one snapshot of a REST sync and the frames that were kept for it", async () => {
    const { exchange, changes } = await tapped()
    const book = exchange.orderBook({}, 1000)
    const rows = (exchange as unknown as { parseOrderBook: (raw: unknown, symbol: string) => unknown }).parseOrderBook(
      {
        bids: [
          ["1.10", "5.00"],
          ["1.20", "6.00"],
        ],
        asks: [["2.0", "7.000"]],
      },
      "BTC/USDT",
    )
    book.reset(rows)
    store(exchange, book.bids, "1.20", "0.0")
    store(exchange, book.asks, "2.5", "1.0")
    expect(changes).toEqual([])
    await Promise.resolve()
    expect(changes).toEqual([{ snapshot: true, bids: ["1.10", "5.00"], asks: ["2.0", "7.000", "2.5", "1.0"] }])
  })

  it("counts a level without orders as deleted in a counted book", async () => {
    const { exchange, changes, frame } = await tapped()
    const book = exchange.countedOrderBook({}, 1000)
    frame(() => {
      book.reset({})
      book.bids.storeArray([1, 2, 3])
    })
    frame(() => book.bids.storeArray([1, 2, 0]))
    expect(changes[1]).toEqual({ snapshot: false, bids: ["1", "0"], asks: [] })
  })

  it("sees a book that was built from a snapshot", async () => {
    const { exchange, changes, frame } = await tapped()
    frame(() => exchange.orderBook({ bids: [[1, 2]], asks: [[3, 4]] }, 1000))
    expect(changes).toEqual([{ snapshot: true, bids: ["1", "2"], asks: ["3", "4"] }])
  })
})

describe("the order tap", () => {
  it("sees every item of a cache that is made later, once", () => {
    const kept: Array<number> = []
    const seen: Array<number> = []
    const owner: { orders: { append: (item: number) => void } | undefined } = { orders: undefined }
    tapCache<number, "orders">(owner, "orders", (item) => void seen.push(item))
    const cache = { append: (item: number) => void kept.push(item) }
    owner.orders = cache
    owner.orders = cache
    owner.orders.append(1)
    owner.orders.append(1)
    expect([seen, kept]).toEqual([
      [1, 1],
      [1, 1],
    ])
  })
})

describe("the sequence guard", () => {
  const socket = {} as CcxtSocket
  const bybit = (u: number, type = "delta") => ({ topic: "orderbook.50.BTCUSDT", type, data: { u } })

  it("finds the hole that ccxt overlooks, and starts anew at a snapshot", () => {
    const guard = new SequenceGuard("bybit")
    expect(guard.look(socket, bybit(10, "snapshot"))).toBeUndefined()
    expect(guard.look(socket, bybit(11))).toBeUndefined()
    expect(guard.look(socket, bybit(13))).toMatchObject({ hole: expect.stringContaining("jumped from 11 to 13") })
    expect(guard.look(socket, bybit(40, "snapshot"))).toBeUndefined()
    expect(guard.look(socket, { topic: "publicTrade.BTCUSDT", data: [] })).toBeUndefined()
  })

  it("counts each connection apart, and nothing of a venue that ccxt checks", () => {
    const guard = new SequenceGuard("coinbase")
    expect(guard.look(socket, { sequence_num: 4 })).toBeUndefined()
    expect(guard.look({} as CcxtSocket, { sequence_num: 9 })).toBeUndefined()
    expect(guard.look(socket, { sequence_num: 6 })).toMatchObject({ hole: expect.stringContaining("jumped") })
    expect(new SequenceGuard("binance").look(socket, { sequence_num: 9 })).toBeUndefined()
  })
})

describe("the route of a connection", () => {
  const target = { host: "api.binance.com", port: 443, secure: true, servername: undefined }

  it.each([
    [
      "the venue itself without routes",
      null,
      { kind: "tls", host: "api.binance.com", port: 443, servername: "api.binance.com", verified: true },
    ],
    ["nowhere without a route", { "other.com:443": "http://127.0.0.1:1" }, { kind: "refused" }],
    [
      "plain TCP for an http target",
      { "api.binance.com:443": "http://127.0.0.1:9001" },
      { kind: "plain", host: "127.0.0.1", port: 9001 },
    ],
    [
      "unverified TLS on loopback",
      { "api.binance.com:443": "https://127.0.0.1:9001" },
      { kind: "tls", host: "127.0.0.1", port: 9001, servername: "api.binance.com", verified: false },
    ],
    [
      "verified TLS elsewhere",
      { "api.binance.com:443": "https://proxy.example:8443" },
      { kind: "tls", host: "proxy.example", port: 8443, servername: "proxy.example", verified: true },
    ],
    [
      "unverified TLS on IPv6 loopback",
      { "api.binance.com:443": "https://[::1]:9001" },
      { kind: "tls", host: "::1", port: 9001, servername: "api.binance.com", verified: false },
    ],
  ])("is %s", (_, routes, route) => {
    expect(routeOf(target, routes)).toEqual(route)
  })
})

describe("a private instance", () => {
  it("leaves amounts and prices as they are, longer than a float can hold", async () => {
    const exchange = privateInstances(await loadExchange("binance"), { profile: binance, routes: {}, proxy: null })(
      SECRETS,
    )
    expect(exchange.amountToPrecision("BTC/USDT", "90071992.547409931")).toBe("90071992.547409931")
    expect(exchange.priceToPrecision("BTC/USDT", "0.1234567890123456789")).toBe("0.1234567890123456789")
  })

  it("admits a second request although its costs are texts", async () => {
    const exchange = privateInstances(await loadExchange("binance"), { profile: binance, routes: {}, proxy: null })(
      SECRETS,
    )
    await exchange.throttle("0.2")
    await exchange.throttle("40")
    await exchange.throttle(undefined)
  })
})

describe("an order of Binance", () => {
  const order = (status: string, raw: Record<string, string>, change: Partial<CcxtOrder> = {}): CcxtOrder => ({
    id: "7",
    clientOrderId: "0123456789abcdef0123456789abcdef",
    symbol: "BTC/USDT",
    type: "limit",
    timeInForce: "GTC",
    postOnly: undefined,
    side: "sell",
    price: "1.50000000",
    amount: "2.00000000",
    filled: "0.50000000",
    status,
    timestamp: 1,
    lastUpdateTimestamp: 2,
    lastTradeTimestamp: undefined,
    trades: undefined,
    info: raw,
    ...change,
  })
  const stateOf = (it: CcxtOrder) => orderState(binance, it, adapterOf(binance))

  it.each([
    ["expired", { X: "EXPIRED", f: "IOC", o: "LIMIT" }, "CANCELLED", "REMAINDER"],
    ["expired", { X: "EXPIRED", f: "FOK", o: "LIMIT" }, "CANCELLED", "REMAINDER"],
    ["expired", { X: "EXPIRED", f: "GTC", o: "MARKET" }, "CANCELLED", "REMAINDER"],
    ["expired", { X: "EXPIRED", f: "GTC", o: "LIMIT" }, "CANCELLED", null],
    ["expired", { X: "EXPIRED_IN_MATCH", f: "GTC", o: "LIMIT" }, "CANCELLED", "SELF_TRADE_PREVENTION"],
    [
      "expired",
      { status: "EXPIRED_IN_MATCH", timeInForce: "IOC", type: "LIMIT" },
      "CANCELLED",
      "SELF_TRADE_PREVENTION",
    ],
    ["canceled", { X: "CANCELED" }, "CANCELLED", null],
    ["open", { X: "PARTIALLY_FILLED" }, "OPEN", null],
    ["closed", { X: "FILLED" }, "FILLED", null],
    ["rejected", { X: "REJECTED" }, "REJECTED", null],
    ["1", { X: "1" }, "UNKNOWN", null],
  ])("that ccxt calls %s and Binance %j is %s, %s", (status, raw, shown, ending) => {
    expect(stateOf(order(status, raw))).toMatchObject({ status: shown, ending })
  })

  it("keeps its digits and our id", () => {
    expect(stateOf(order("open", {}))).toMatchObject({
      tradeOrderId: "01234567-89ab-cdef-0123-456789abcdef" as TradeOrderId,
      instrumentId: "BINANCE:BTC/USDT",
      orderSide: "SELL",
      quantity: "2.00000000",
      executedQuantity: "0.50000000",
      limitPrice: "1.50000000",
    })
  })

  it("belongs to whom the venue's answer names, and only without a name to whom it was asked for", () => {
    const [ours, asked] = ["0123456789abcdef0123456789abcdef", "f".repeat(32)]
    const whose = (it: CcxtOrder, knownAs: string | null) =>
      orderState(binance, it, adapterOf(binance), knownAs)?.clientId
    expect(whose(order("open", {}, { clientOrderId: ours }), asked)).toBe(ours)
    expect(whose(order("canceled", { origClientOrderId: ours }, { clientOrderId: "cancel_1" }), asked)).toBe(ours)
    expect(whose(order("open", {}, { clientOrderId: undefined }), asked)).toBe(asked)
    expect(whose(order("open", {}, { clientOrderId: "web_1" }), null)).toBe("web_1")
  })

  it("that is not ours, or of a strange type, is still an order", () => {
    const foreign = stateOf(order("open", {}, { clientOrderId: "web_1", type: "stop_loss_limit", price: "3" }))
    expect(foreign).toMatchObject({ tradeOrderId: null, clientId: "web_1", orderType: "LIMIT", limitPrice: "3" })
    expect(stateOf(order("open", {}, { side: "bid" }))).toBeUndefined()
    expect(stateOf(order("open", {}, { symbol: "BTC/USDT:USDT" }))).toBeUndefined()
  })

  it("that is not ours and over, of a kind that ccxt reads no quantity of, is what it executed", () => {
    const kind = { clientOrderId: "bot-17", amount: undefined, filled: "0.5" }
    expect(stateOf(order("canceled", {}, kind))).toMatchObject({ quantity: "0.5", executedQuantity: "0.5" })
    expect(stateOf(order("open", {}, kind))).toBeUndefined()
    expect(stateOf(order("canceled", {}, { ...kind, filled: "0" }))).toBeUndefined()
  })
})

describe("an instrument of a connector", () => {
  it("has exact steps and the digits they mean", () => {
    const row = {
      symbol: "SHIB/USDT",
      baseAsset: "SHIB",
      quoteAsset: "USDT",
      tickSize: "0.00000001",
      lotSize: "1",
      minQuantity: "1",
      maxQuantity: "46116860414",
      minNotional: null,
      active: false,
    }
    const instrument = instrumentOf("BINANCE" as VenueId, row)
    expect(instrument).toMatchObject({
      instrumentId: "BINANCE:SHIB/USDT",
      precision: 8,
      scale: 0,
      minNotional: null,
      status: "DELISTED",
    })
    expect([instrument.tickSize, instrument.lotSize, instrument.maxQuantity].map(String)).toEqual([
      "0.00000001",
      "1",
      "46116860414",
    ])
    expect(instrumentOf("BINANCE" as VenueId, { ...row, tickSize: "0", lotSize: "10" })).toMatchObject({
      precision: 8,
      scale: 0,
    })
  })
})

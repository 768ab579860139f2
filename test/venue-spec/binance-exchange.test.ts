/**
 * The loopback exchange against unmodified ccxt.pro: what ccxt reads, places, watches and how it names every refusal.
 * Production URLs are kept; only the connect is led to loopback (route-ccxt.ts). Failure classes are ccxt's, odd ones included.
 */
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import type { OrderBook } from "ccxt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import type { BinanceExchange } from "../exchanges/binance/exchange.ts"
import { startBinanceExchange } from "../exchanges/binance/exchange.ts"
import { DEFAULT_SYMBOLS, LEVELS } from "../exchanges/binance/replay/synthetic.ts"
import {
  type Binance,
  connectBinance,
  failure,
  hastily,
  type Settings,
  watchAccount,
  watchUntil,
} from "../exchanges/ccxt-client.ts"

const USER = { apiKey: "k".repeat(64), apiSecret: "s".repeat(64), balances: { USDT: "100000", BTC: "5" } }
const SYMBOL = "BTC/USDT"

let exchange: BinanceExchange
let client: Binance
const clients: Array<Binance> = []

const connect = (settings: Settings = {}, options: Settings = {}): Binance => {
  const made = connectBinance(exchange.routes, { apiKey: USER.apiKey, secret: USER.apiSecret, ...settings }, options)
  clients.push(made)
  return made
}

const fault = (match: string, action: object) =>
  exchange.fault({ fault: "answer", match, action } as Parameters<BinanceExchange["fault"]>[0])

beforeAll(async () => {
  exchange = await startBinanceExchange({ users: [USER], market: "still", symbols: DEFAULT_SYMBOLS, tickMillis: 100 })
  client = connect()
  await client.loadMarkets()
})

afterAll(async () => {
  await Promise.all(clients.map((one) => one.close()))
  await exchange.stop()
})

describe("public REST", () => {
  it("loads the spot markets with their tick, step and smallest notional", () => {
    const market = client.market(SYMBOL)
    expect([market.precision.price, market.precision.amount, market.limits.cost?.min]).toEqual([0.01, 0.00001, 5])
    expect(client.symbols).toContain("ETH/USDT")
  })

  it("tells its time, its book, its tickers, trades and candles", async () => {
    expect(Math.abs(((await client.fetchTime()) ?? 0) - Date.now())).toBeLessThan(60_000)
    const book = await client.fetchOrderBook(SYMBOL, 5)
    expect([book.bids.length, book.asks.length]).toEqual([5, 5])
    expect(Number(book.bids[0]?.[0])).toBeLessThan(Number(book.asks[0]?.[0]))
    expect(Number((await client.fetchTicker(SYMBOL)).last)).toBeGreaterThan(0)
    expect((await client.fetchTrades(SYMBOL)).length).toBeGreaterThan(0)
    expect((await client.fetchOHLCV(SYMBOL, "1m")).length).toBeGreaterThan(0)
  })
})

describe("orders over REST", () => {
  it("rests a limit order, finds it by id and by client order id, and cancels it", async () => {
    const placed = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "rest-1" })
    expect([placed.status, placed.clientOrderId]).toEqual(["open", "rest-1"])
    expect((await client.fetchOpenOrders(SYMBOL)).map((order) => order.id)).toEqual([placed.id])
    const balance = await client.fetchBalance()
    expect([balance["USDT"]?.free, balance["USDT"]?.used]).toEqual([99_500, 500])
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).clientOrderId).toBe("rest-1")
    const found = await client.fetchOrder("", SYMBOL, { clientOrderId: "rest-1" })
    expect(found.id).toBe(placed.id)
    expect((await client.cancelOrder(String(placed.id), SYMBOL)).status).toBe("canceled")
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("canceled")
    expect(await client.fetchOpenOrders(SYMBOL)).toEqual([])
  })

  it("fills a market order over several levels and shows its fills and fees", async () => {
    const wanted = 1.5
    const bought = await client.createOrder(SYMBOL, "market", "buy", wanted)
    expect([bought.status, bought.filled]).toEqual(["closed", wanted])
    expect(bought.trades.length).toBeGreaterThan(1)
    const mine = await client.fetchMyTrades(SYMBOL, undefined, undefined, { orderId: bought.id })
    expect(mine.length).toBe(bought.trades.length)
    expect(mine[0]?.fee?.currency).toBe("BTC")
    const paid = mine.reduce((sum, trade) => sum + Number(trade.fee?.cost), 0)
    expect(paid).toBeCloseTo(wanted / 1000, 7)
  })

  it("buys for an amount of quote asset", async () => {
    const bought = await client.createOrder(SYMBOL, "market", "buy", 1, undefined, { cost: 600 })
    expect(bought.status).toBe("closed")
    expect(Number(bought.cost)).toBeLessThanOrEqual(600)
    expect(Number(bought.cost)).toBeGreaterThan(598)
  })

  it("treats postOnly, IOC and FOK as the venue does", async () => {
    const maker = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { postOnly: true })
    expect(maker.info.type).toBe("LIMIT_MAKER")
    const ioc = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { timeInForce: "IOC" })
    expect([ioc.status, ioc.filled]).toEqual(["expired", 0])
    const fok = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 65_000, { timeInForce: "FOK" })
    expect([fok.status, fok.filled]).toEqual(["closed", 0.01])
    const stop = await client.createOrder(SYMBOL, "limit", "sell", 0.01, 40_000, { triggerPrice: 45_000 })
    expect([stop.info.type, stop.triggerPrice]).toEqual(["STOP_LOSS_LIMIT", 45_000])
    // It works at no time yet, which ccxt takes for its time.
    expect([stop.info.workingTime, stop.timestamp]).toEqual([-1, -1])
    expect((await client.cancelAllOrders(SYMBOL)).length).toBe(2)
  })
})

describe("refusals and their ccxt class", () => {
  const limitBuy = (amount: number, price: number, parameters: Settings = {}) =>
    client.createOrder(SYMBOL, "limit", "buy", amount, price, parameters)
  const cases: ReadonlyArray<readonly [string, () => Promise<unknown>, string, RegExp]> = [
    ["more than the balance", () => limitBuy(100, 50_000), "InsufficientFunds", /insufficient balance/],
    ["a notional below the smallest", () => limitBuy(0.00001, 50_000), "BadRequest", /NOTIONAL/],
    ["a quantity off the step", () => raw({ quantity: "0.000015" }), "InvalidOrder", /LOT_SIZE/],
    ["a price off the tick", () => raw({ price: "50000.001" }), "InvalidOrder", /PRICE_FILTER/],
    ["too many decimals", () => raw({ quantity: "0.0000000001" }), "BadRequest", /-1111/],
    ["no decimal at all", () => raw({ quantity: "1e3" }), "BadRequest", /-1100/],
    ["an unknown side", () => raw({ side: "HOLD" }), "BadRequest", /-1117/],
    ["an unknown type", () => raw({ type: "ICEBERG" }), "BadRequest", /-1116/],
    ["an unknown time in force", () => raw({ timeInForce: "DAY" }), "BadRequest", /-1115/],
    ["an unknown symbol", () => raw({ symbol: "FOOBAR" }), "BadSymbol", /-1121/],
    ["cancelling an unknown order", () => client.cancelOrder("999999", SYMBOL), "OrderNotFound", /-2011/],
    ["fetching an unknown order", () => client.fetchOrder("999999", SYMBOL), "OrderNotFound", /-2013/],
    [
      "a post-only order that would take",
      () => limitBuy(0.01, 65_000, { postOnly: true }),
      "OrderImmediatelyFillable",
      /immediately match/,
    ],
    [
      "a stop that would trigger at once",
      () => client.createOrder(SYMBOL, "limit", "sell", 0.01, 50_000, { stopLossPrice: 70_000 }),
      "OrderImmediatelyFillable",
      /trigger immediately/,
    ],
  ]
  const raw = (parts: Record<string, string>) => {
    const order = {
      symbol: "BTCUSDT",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      quantity: "0.01",
      price: "50000.00",
    }
    return client.request("order", "private", "POST", { ...order, ...parts })
  }

  it.each(cases)("%s", async (_, attempt, name, message) => {
    const seen = await failure(attempt)
    expect(seen.name).toBe(name)
    expect(seen.message).toMatch(message)
  })

  it("a client order id that is open already: InvalidOrder, and the judge saw two arrivals and one order", async () => {
    await limitBuy(0.01, 50_000, { clientOrderId: "twice" })
    const seen = await failure(() => limitBuy(0.01, 50_000, { clientOrderId: "twice" }))
    expect(seen).toEqual({ name: "InvalidOrder", message: expect.stringContaining("Duplicate order sent.") })
    const judged = exchange.placements().find((placement) => placement.clientOrderId === "twice")
    expect([judged?.count, judged?.created, judged?.refusals]).toEqual([2, 1, [-2010]])
    await client.cancelAllOrders(SYMBOL)
  })

  it("keys and signatures: AuthenticationError for a bad one, DDoSProtection for one revoked after a success", async () => {
    const wrongSecret = connect({ secret: "x" })
    wrongSecret.setMarketsFromExchange(client)
    expect(await failure(() => wrongSecret.fetchBalance())).toMatchObject({
      name: "AuthenticationError",
      message: /-1022/,
    })
    const unknownKey = connect({ apiKey: "nobody" })
    unknownKey.setMarketsFromExchange(client)
    expect((await failure(() => unknownKey.fetchBalance())).message).toMatch(/-2015/)
    const badFormat = connect({ apiKey: "no key!" })
    badFormat.setMarketsFromExchange(client)
    expect(await failure(() => badFormat.fetchBalance())).toMatchObject({
      name: "AuthenticationError",
      message: /-2014/,
    })
    const brief = { ...USER, apiKey: "brief" }
    exchange.addUser(brief)
    const revoked = connect({ apiKey: "brief" })
    revoked.setMarketsFromExchange(client)
    await revoked.fetchBalance()
    exchange.removeUser("brief")
    expect((await failure(() => revoked.fetchBalance())).name).toBe("DDoSProtection")
  })

  it("a clock a minute off: InvalidNonce, and loadTimeDifference repairs it", async () => {
    const skewed = connect({}, { timeDifference: 60_000 })
    skewed.setMarketsFromExchange(client)
    expect(await failure(() => skewed.fetchBalance())).toMatchObject({ name: "InvalidNonce", message: /-1021/ })
    await skewed.loadTimeDifference()
    expect((await skewed.fetchBalance())["USDT"]?.total).toBeGreaterThan(0)
  })

  it("HTTP 429 and 418: DDoSProtection", async () => {
    const body = '{"code":-1003,"msg":"Too many requests."}'
    fault("GET /api/v3/account", { kind: "status", status: 429, body, headers: { "retry-after": "3" } })
    expect((await failure(() => client.fetchBalance())).name).toBe("DDoSProtection")
    fault("GET /api/v3/account", { kind: "status", status: 418, body })
    expect((await failure(() => client.fetchBalance())).name).toBe("DDoSProtection")
  })

  it("a host without a route is refused", async () => {
    const lost = connectBinance({}, { timeout: 500 })
    clients.push(lost)
    expect(await failure(() => lost.fetchTime())).toMatchObject({ message: /no route|NetworkError|fetch/ })
    expect((await failure(() => lost.fetchTime())).name).toMatch(/NetworkError|ExchangeNotAvailable/)
  })
})

describe("answers that get lost", () => {
  const place = (clientOrderId: string) =>
    failure(() => client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId }))
  const find = (clientOrderId: string) => failure(() => client.fetchOrder("", SYMBOL, { clientOrderId }))
  const KEY = "POST /api/v3/order"

  it("apply-then-hang: RequestTimeout, and the order is there under its client order id", async () => {
    fault(KEY, { kind: "apply-then-hang" })
    expect((await hastily(client, () => place("hang"))).name).toBe("RequestTimeout")
    const found = await client.fetchOrder("", SYMBOL, { clientOrderId: "hang" })
    expect(found.status).toBe("open")
  })

  it("apply-then-destroy and apply-then-status: the order is there", async () => {
    fault(KEY, { kind: "apply-then-destroy" })
    expect((await place("cut")).name).toBe("NetworkError")
    expect((await client.fetchOrder("", SYMBOL, { clientOrderId: "cut" })).status).toBe("open")
    fault(KEY, { kind: "apply-then-status", status: 502 })
    expect((await place("gateway")).name).toBe("ExchangeNotAvailable")
    expect((await client.fetchOrder("", SYMBOL, { clientOrderId: "gateway" })).status).toBe("open")
  })

  it("hang, destroy and 403: the same classes, but no order", async () => {
    fault(KEY, { kind: "destroy" })
    expect((await place("never-1")).name).toBe("NetworkError")
    fault(KEY, { kind: "status", status: 403 })
    expect((await place("never-2")).name).toBe("ExchangeNotAvailable")
    fault(KEY, { kind: "hang" })
    expect((await hastily(client, () => place("never-3"))).name).toBe("RequestTimeout")
    for (const id of ["never-1", "never-2", "never-3"]) expect((await find(id)).name).toBe("OrderNotFound")
    const judged = exchange.placements().filter(({ clientOrderId }) => clientOrderId.startsWith("never"))
    expect(judged.map(({ count, created }) => [count, created])).toEqual([
      [1, 0],
      [1, 0],
      [1, 0],
    ])
    await client.cancelAllOrders(SYMBOL)
  })
})

describe("streams", () => {
  it("keeps an order book, a trade, a ticker and a candle stream", async () => {
    await client.watchOrderBook(SYMBOL)
    exchange.setLevel("BTCUSDT", "bids", "60000.00", "1.25")
    const book = await watchUntil(
      () => client.watchOrderBook(SYMBOL),
      (seen: OrderBook) => Number(seen.bids[0]?.[0]) === 60_000,
    )
    expect(Number(book.bids[0]?.[1])).toBe(1.25)
    const watching = Promise.all([
      client.watchTrades(SYMBOL),
      watchUntil(
        () => client.watchTicker(SYMBOL, { name: "ticker" }),
        (ticker) => ticker.last === 60_000,
      ),
      watchUntil(
        () => client.watchOHLCV(SYMBOL, "1m"),
        (candles) => candles.at(-1)?.[4] === 60_000,
      ),
    ])
    const traded = setInterval(() => exchange.trade("BTCUSDT", "SELL", "0.001"), 100)
    const [trades, ticker, candles] = await watching
    clearInterval(traded)
    expect(trades[0]?.price).toBe(60_000)
    expect(Number(ticker.ask)).toBeGreaterThan(60_000)
    expect(Number(candles.at(-1)?.[5])).toBeGreaterThan(0)
  })

  it("loses a diff: ccxt reports ChecksumError, and its next watch is in step with the venue again", async () => {
    const watchForever = () =>
      watchUntil(
        () => client.watchOrderBook(SYMBOL),
        () => false,
      )
    const gap = failure(watchForever)
    // Leaves with the diff that is dropped: when it is here, the next change belongs to the next diff.
    const partialBook = new WebSocket(`${exchange.url.replace("http", "ws")}/ws/btcusdt@depth5@100ms`)
    await once(partialBook, "open")
    exchange.fault({ fault: "dropNextDiffs", symbol: "BTCUSDT", count: 1 })
    const dropped = once(partialBook, "message")
    exchange.setLevel("BTCUSDT", "bids", "60000.01", "7")
    await dropped
    partialBook.terminate()
    exchange.setLevel("BTCUSDT", "bids", "60000.02", "8")
    expect((await gap).name).toBe("ChecksumError")
    const snapshots = exchange.counts()["GET /api/v3/depth"] ?? 0
    const nudge = setInterval(
      () => exchange.setLevel("BTCUSDT", "asks", "69000.00", String(1 + (Date.now() % 100))),
      50,
    )
    const book = await watchUntil(
      () => client.watchOrderBook(SYMBOL),
      (seen: OrderBook) => Number(seen.bids[0]?.[0]) === 60_000.02,
    )
    clearInterval(nudge)
    expect(book.bids.slice(0, 3).map((row) => [Number(row[0]), Number(row[1])])).toEqual(
      exchange.depth("BTCUSDT", 3).bids.map((row) => row.map(Number)),
    )
    expect((exchange.counts()["GET /api/v3/depth"] ?? 0) - snapshots).toBe(1)
  })

  it("tells orders, fills and balances on the signed user stream", async () => {
    const reserved = watchUntil(
      () => client.watchBalance(),
      (balance) => Number(balance["USDT"]?.used) === 500,
    )
    const { orders, trades, seen } = watchAccount(client, "user-2")
    // Only who is subscribed hears anything: the exchange tells when the subscription has arrived.
    while (exchange.counts()["WS userDataStream.subscribe.signature"] === undefined) await sleep(10)
    await client.createOrder(SYMBOL, "limit", "buy", 0.01, 65_000, { clientOrderId: "user-1" })
    await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "user-2" })
    await reserved
    await client.cancelOrder("", SYMBOL, { clientOrderId: "user-2" })
    await seen
    expect(orders.filter(({ clientOrderId }) => clientOrderId === "user-1").at(-1)?.status).toBe("closed")
    expect(trades[0]?.takerOrMaker).toBe("taker")
    expect(Number(trades[0]?.fee?.cost)).toBeGreaterThan(0)
  })

  it("places and cancels over the WebSocket API", async () => {
    const placed = await client.createOrderWs(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "ws-1" })
    expect([placed.status, placed.clientOrderId]).toEqual(["open", "ws-1"])
    expect((await client.cancelOrderWs(String(placed.id), SYMBOL)).status).toBe("canceled")
    const judged = exchange.placements().find(({ clientOrderId }) => clientOrderId === "ws-1")
    expect([judged?.count, judged?.created]).toEqual([1, 1])
    expect(exchange.orders(USER.apiKey).find(({ clientOrderId }) => clientOrderId === "ws-1")?.status).toBe("CANCELED")
  })
})

describe("the testnet", () => {
  it("is the same exchange for a sandbox client, REST and streams", async () => {
    const sandbox = connect()
    sandbox.setSandboxMode(true)
    await sandbox.loadMarkets()
    expect((await sandbox.fetchBalance())["USDT"]?.total).toBeGreaterThan(0)
    const book = await sandbox.watchOrderBook("ETH/USDT")
    expect(book.bids.length).toBe(LEVELS)
  })
})

/**
 * The loopback OKX against unmodified ccxt.pro: what ccxt reads, places, watches and how it names every refusal. Production URLs are
 * kept; only the connect is led to loopback (route-ccxt.ts). Failure classes are ccxt's, odd ones included.
 */
import { setTimeout as sleep } from "node:timers/promises"
import type { Order, OrderBook } from "ccxt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { LEVELS } from "../exchanges/binance/replay/synthetic.ts"
import { failure, hastily, type Settings, watchAccount, watchUntil } from "../exchanges/ccxt-client.ts"
import { connectOkx, type Okx } from "../exchanges/okx/client.ts"
import { type OkxExchange, startOkxExchange } from "../exchanges/okx/exchange.ts"

const USER = {
  apiKey: "k".repeat(36),
  apiSecret: "S".repeat(32),
  apiPassphrase: "pass phrase",
  balances: { USDT: "1000000", BTC: "5" },
}
const DEMO = { ...USER, apiKey: "d".repeat(36), isSimulated: true }
const SYMBOL = "BTC/USDT"
const ID = "BTC-USDT"

let exchange: OkxExchange
let client: Okx
const clients: Array<Okx> = []

const connect = (settings: Settings = {}, options: Settings = {}): Okx => {
  const keys = { apiKey: USER.apiKey, secret: USER.apiSecret, password: USER.apiPassphrase }
  const made = connectOkx(
    exchange.routes,
    { ...keys, ...settings },
    { createOrder: "privatePostTradeOrder", ...options },
  )
  clients.push(made)
  return made
}

const fault = (match: string, action: object) =>
  exchange.fault({ fault: "answer", match, action } as Parameters<OkxExchange["fault"]>[0])

beforeAll(async () => {
  exchange = await startOkxExchange({ users: [USER, DEMO], market: "still", tickMillis: 100 })
  client = connect()
  await client.loadMarkets()
})

afterAll(async () => {
  await Promise.all(clients.map((one) => one.close()))
  await exchange.stop()
})

describe("public REST", () => {
  it("loads the spot markets with their tick, lot and smallest size", () => {
    const market = client.market(SYMBOL)
    expect([market.precision.price, market.precision.amount, market.limits.amount?.min]).toEqual([0.1, 1e-8, 0.00001])
    expect([market.spot, market.active, market.limits.cost?.min]).toEqual([true, true, undefined])
    expect(client.symbols).toContain("ETH/BTC")
  })

  it("tells its time, its book, its tickers, trades and candles", async () => {
    expect(Math.abs(((await client.fetchTime()) ?? 0) - Date.now())).toBeLessThan(60_000)
    const book = await client.fetchOrderBook(SYMBOL, 5)
    expect([book.bids.length, book.asks.length]).toEqual([5, 5])
    expect(Number(book.bids[0]?.[0])).toBeLessThan(Number(book.asks[0]?.[0]))
    const ticker = await client.fetchTicker(SYMBOL)
    expect([Number(ticker.last) > 0, Number(ticker.bid) < Number(ticker.ask)]).toEqual([true, true])
    expect(Object.keys(await client.fetchTickers()).length).toBe(5)
    expect((await client.fetchTrades(SYMBOL)).length).toBeGreaterThan(0)
    expect((await client.fetchTrades(SYMBOL, undefined, 5, { method: "publicGetMarketHistoryTrades" })).length).toBe(1)
    for (const type of ["Candles", "HistoryCandles"]) {
      const candles = await client.fetchOHLCV(SYMBOL, "1m", undefined, 5, { type })
      expect(candles.at(-1)?.[4]).toBe(Number(ticker.last))
    }
    expect((await client.fetchOHLCV(SYMBOL, "1d")).length).toBeGreaterThan(0)
  })

  it("pages candles and trades backwards, and refuses what it does not know", async () => {
    for (let i = 0; i < 12; i++) exchange.trade(ID, "BUY", "0.001")
    const page = await client.fetchTrades(SYMBOL, undefined, 5, { method: "publicGetMarketHistoryTrades" })
    const oldest = page[0]?.id
    const older = await client.fetchTrades(SYMBOL, undefined, 5, {
      method: "publicGetMarketHistoryTrades",
      after: oldest,
    })
    expect(older.map(({ id }) => Number(id))).toEqual([5, 4, 3, 2, 1].map((back) => Number(oldest) - back))
    expect(await failure(() => client.publicGetMarketBooks({ instId: "FOO-BAR" }))).toMatchObject({
      name: "BadSymbol",
      message: /51001/,
    })
    expect(await failure(() => client.publicGetPublicInstruments({}))).toMatchObject({ message: /50014/ })
    expect(await failure(() => client.publicGetMarketCandles({ instId: ID, bar: "1D" }))).toMatchObject({
      message: /not served/,
    })
  })
})

describe("orders over REST", () => {
  it("rests a limit order, finds it by id and by client order id, and cancels it", async () => {
    const placed = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "rest1" })
    // The answer names the order and nothing else.
    expect([placed.clientOrderId, placed.status, placed.amount]).toEqual(["rest1", undefined, undefined])
    expect((await client.fetchOpenOrders(SYMBOL)).map((order) => order.id)).toEqual([placed.id])
    const balance = await client.fetchBalance()
    expect([balance["USDT"]?.free, balance["USDT"]?.used]).toEqual([999_500, 500])
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).clientOrderId).toBe("rest1")
    const found = await client.fetchOrder("", SYMBOL, { clOrdId: "rest1" })
    expect([found.id, found.status, found.price]).toEqual([placed.id, "open", 50_000])
    await client.cancelOrder(String(placed.id), SYMBOL)
    const gone = await client.fetchOrder(String(placed.id), SYMBOL)
    expect([gone.status, gone.info["cancelSource"]]).toEqual(["canceled", "1"])
    expect(await client.fetchOpenOrders(SYMBOL)).toEqual([])
    expect((await client.fetchCanceledOrders(SYMBOL)).map((order) => order.id)).toContain(placed.id)
  })

  it("takes a batch, as ccxt sends an order unless told otherwise", async () => {
    const batching = connect({}, { createOrder: "privatePostTradeBatchOrders" })
    batching.setMarketsFromExchange(client)
    const placed = await batching.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "batch1" })
    expect(exchange.counts()["POST /api/v5/trade/batch-orders"]).toBe(1)
    await client.cancelOrder("", SYMBOL, { clOrdId: "batch1" })
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("canceled")
  })

  it("fills a market order over several levels and shows its fills and fees", async () => {
    const wanted = 1.5
    const bought = await client.createOrder(SYMBOL, "market", "buy", wanted)
    const order = await client.fetchOrder(String(bought.id), SYMBOL)
    expect([order.status, order.filled]).toEqual(["closed", wanted])
    const mine = await client.fetchOrderTrades(String(bought.id), SYMBOL)
    expect(mine.length).toBeGreaterThan(1)
    expect([mine[0]?.fee?.currency, mine[0]?.takerOrMaker]).toEqual(["BTC", "taker"])
    const paid = mine.reduce((sum, trade) => sum + Number(trade.fee?.cost), 0)
    expect(paid).toBeCloseTo(wanted / 1000, 7)
    expect(Number(order.fee?.cost)).toBeCloseTo(paid, 7)
  })

  it("buys for an amount of quote asset", async () => {
    const bought = await client.createMarketBuyOrderWithCost(SYMBOL, 600)
    const order = await client.fetchOrder(String(bought.id), SYMBOL)
    expect(order.status).toBe("closed")
    expect(Number(order.filled) * Number(order.average)).toBeLessThanOrEqual(600)
    expect(Number(order.filled) * Number(order.average)).toBeGreaterThan(598)
  })

  it("treats post-only, IOC and FOK as the venue does: accepted, then cancelled", async () => {
    const stateOf = async (placed: Order) => {
      const order = await client.fetchOrder(String(placed.id), SYMBOL)
      return [order.status, order.filled, order.info["ordType"], order.info["cancelSource"]]
    }
    const maker = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { postOnly: true })
    expect(await stateOf(maker)).toEqual(["open", 0, "post_only", ""])
    await client.cancelOrder(String(maker.id), SYMBOL)
    const taker = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 65_000, { postOnly: true })
    expect(await stateOf(taker)).toEqual(["canceled", 0, "post_only", "31"])
    const ioc = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { timeInForce: "IOC" })
    expect(await stateOf(ioc)).toEqual(["canceled", 0, "ioc", "14"])
    const fok = await client.createOrder(SYMBOL, "limit", "buy", 4, 60_000.6, { timeInForce: "FOK" })
    expect(await stateOf(fok)).toEqual(["canceled", 0, "fok", "13"])
  })

  it("prevents a self trade by cancelling the order that rests", async () => {
    const rests = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 59_999.9)
    await client.createOrder(SYMBOL, "limit", "sell", 0.01, 59_999.9, { timeInForce: "IOC" })
    const order = await client.fetchOrder(String(rests.id), SYMBOL)
    expect([order.status, order.info["cancelSource"]]).toEqual(["canceled", "32"])
  })

  it("amends size and price under the same id, and trades where the new price reaches", async () => {
    const placed = await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000)
    await client.editOrder(String(placed.id), SYMBOL, "limit", "buy", 0.02, 51_000)
    const amended = await client.fetchOrder(String(placed.id), SYMBOL)
    expect([amended.status, amended.amount, amended.price]).toEqual(["open", 0.02, 51_000])
    expect((await client.fetchBalance())["USDT"]?.used).toBe(1020)
    await client.editOrder(String(placed.id), SYMBOL, "limit", "buy", 0.02, 65_000)
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("closed")
    expect((await client.fetchBalance())["USDT"]?.used).toBe(0)
    expect(
      (await failure(() => client.editOrder(String(placed.id), SYMBOL, "limit", "buy", 0.03, 50_000))).message,
    ).toMatch(/51503/)
  })

  it("pages open orders and fills backwards by the id of the oldest", async () => {
    for (let i = 0; i < 7; i++) await client.createOrder(SYMBOL, "limit", "buy", 0.001, 50_000 + i)
    const first = await client.fetchOpenOrders(SYMBOL, undefined, 4)
    const oldest = first.map((order) => BigInt(String(order.id))).sort((a, b) => (a < b ? -1 : 1))[0]
    const rest = await client.fetchOpenOrders(SYMBOL, undefined, 4, { after: String(oldest) })
    expect(new Set([...first, ...rest].map((order) => order.id)).size).toBe(7)
    for (const { id } of [...first, ...rest]) await client.cancelOrder(String(id), SYMBOL)
    const fills = exchange.fills(USER.apiKey)
    const newest = await client.fetchMyTrades(SYMBOL, undefined, 3)
    expect(newest.map(({ id }) => id)).toEqual(fills.slice(-3).map(({ tradeId }) => tradeId))
    const before = await client.fetchMyTrades(SYMBOL, undefined, 3, { after: newest[0]?.info["billId"] })
    expect(before.map(({ id }) => id)).toEqual(fills.slice(-6, -3).map(({ tradeId }) => tradeId))
  })
})

describe("refusals and their ccxt class", () => {
  const limitBuy = (amount: number, price: number, parameters: Settings = {}) =>
    client.createOrder(SYMBOL, "limit", "buy", amount, price, parameters)
  /** The order as a program might send it that does not use ccxt's rounding. */
  const raw = (parts: Readonly<Record<string, string>>) => {
    const order = { instId: ID, tdMode: "cash", side: "buy", ordType: "limit", sz: "0.01", px: "50000", clOrdId: "raw" }
    return client.privatePostTradeOrder({ ...order, ...parts })
  }
  const cases: ReadonlyArray<readonly [string, () => Promise<unknown>, string, RegExp]> = [
    ["more than the balance", () => limitBuy(100, 50_000), "InsufficientFunds", /51008.*Insufficient USDT/],
    ["a size below the smallest", () => raw({ sz: "0.000001" }), "InvalidOrder", /51020/],
    [
      "a size off the lot",
      () =>
        client.privatePostTradeOrder({
          instId: "ETH-USDT",
          tdMode: "cash",
          side: "buy",
          ordType: "limit",
          sz: "0.0000015",
          px: "3000",
        }),
      "InvalidOrder",
      /51121/,
    ],
    ["a price off the tick (unknown to ccxt)", () => raw({ px: "50000.01" }), "ExchangeError", /51150/],
    ["no decimal at all", () => raw({ sz: "1e3" }), "BadRequest", /Parameter sz error/],
    ["an unknown side", () => raw({ side: "hold" }), "BadRequest", /Parameter side error/],
    ["an unknown type", () => raw({ ordType: "iceberg" }), "BadRequest", /Parameter ordType error/],
    ["margin", () => raw({ tdMode: "cross" }), "BadRequest", /Parameter tdMode error/],
    ["a client id with a dash", () => raw({ clOrdId: "a-b" }), "BadRequest", /Parameter clOrdId error/],
    ["an unknown instrument", () => raw({ instId: "FOO-BAR" }), "BadSymbol", /51001/],
    ["cancelling an unknown order", () => client.cancelOrder("999999", SYMBOL), "OrderNotFound", /51400/],
    ["fetching an unknown order", () => client.fetchOrder("999999", SYMBOL), "OrderNotFound", /51603/],
  ]

  it.each(cases)("%s", async (_, attempt, name, message) => {
    const seen = await failure(attempt)
    expect(seen.name).toBe(name)
    expect(seen.message).toMatch(message)
  })

  it("a client order id that is open already: InvalidOrder, and the judge saw two arrivals and one order", async () => {
    await limitBuy(0.01, 50_000, { clientOrderId: "twice" })
    const seen = await failure(() => limitBuy(0.01, 50_000, { clientOrderId: "twice" }))
    expect(seen).toEqual({ name: "InvalidOrder", message: expect.stringContaining("51016") })
    const judged = exchange.placements().find((placement) => placement.clientOrderId === "twice")
    expect([judged?.count, judged?.created, judged?.refusals]).toEqual([2, 1, [51016]])
    await client.cancelOrder("", SYMBOL, { clOrdId: "twice" })
  })

  it("keys, passphrases and signatures: AuthenticationError", async () => {
    const cases: ReadonlyArray<readonly [Settings, RegExp]> = [
      [{ secret: "x" }, /50113/],
      [{ apiKey: "nobody" }, /50111/],
      [{ password: "wrong" }, /50105/],
      [{ apiKey: DEMO.apiKey }, /50101/],
    ]
    for (const [settings, message] of cases) {
      const wrong = connect(settings)
      wrong.setMarketsFromExchange(client)
      expect(await failure(() => wrong.fetchBalance())).toMatchObject({ name: "AuthenticationError", message })
    }
  })

  it("a clock a minute off: InvalidNonce, and loadTimeDifference repairs it", async () => {
    const skewed = connect({}, { timeDifference: 60_000 })
    skewed.setMarketsFromExchange(client)
    expect(await failure(() => skewed.fetchBalance())).toMatchObject({ name: "InvalidNonce", message: /50102/ })
    await skewed.loadTimeDifference()
    expect((await skewed.fetchBalance())["USDT"]?.total).toBeGreaterThan(0)
  })

  it("an expTime that has passed: refused, nothing placed", async () => {
    const late = connect({ headers: { expTime: String(Date.now() - 1000) } })
    late.setMarketsFromExchange(client)
    const seen = await failure(() => late.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "late" }))
    expect(seen).toEqual({ name: "ExchangeError", message: expect.stringContaining("50036") })
    expect(exchange.placements().find(({ clientOrderId }) => clientOrderId === "late")).toMatchObject({ created: 0 })
  })

  it("HTTP 429: RateLimitExceeded with the venue's words, ExchangeNotAvailable without", async () => {
    const body = '{"msg":"Too Many Requests","code":"50011"}'
    fault("GET /api/v5/account/balance", { kind: "status", status: 429, body })
    expect((await failure(() => client.fetchBalance())).name).toBe("RateLimitExceeded")
    fault("GET /api/v5/account/balance", { kind: "status", status: 429 })
    expect((await failure(() => client.fetchBalance())).name).toBe("ExchangeNotAvailable")
  })
})

describe("answers that get lost", () => {
  const place = (clientOrderId: string) =>
    failure(() => client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId }))
  const find = (clOrdId: string) => client.fetchOrder("", SYMBOL, { clOrdId })
  const KEY = "POST /api/v5/trade/order"

  it("applied first: RequestTimeout, NetworkError, ExchangeNotAvailable, and the order is there under its client id", async () => {
    fault(KEY, { kind: "apply-then-hang" })
    expect((await hastily(client, () => place("hang"))).name).toBe("RequestTimeout")
    fault(KEY, { kind: "apply-then-destroy" })
    expect((await place("cut")).name).toBe("NetworkError")
    fault(KEY, { kind: "apply-then-status", status: 502 })
    expect((await place("gateway")).name).toBe("ExchangeNotAvailable")
    for (const id of ["hang", "cut", "gateway"]) {
      expect((await find(id)).status).toBe("open")
      await client.cancelOrder("", SYMBOL, { clOrdId: id })
    }
  })

  it("not applied: the same classes, but no order", async () => {
    fault(KEY, { kind: "destroy" })
    expect((await place("never1")).name).toBe("NetworkError")
    fault(KEY, { kind: "hang" })
    expect((await hastily(client, () => place("never2"))).name).toBe("RequestTimeout")
    for (const id of ["never1", "never2"]) expect((await failure(() => find(id))).name).toBe("OrderNotFound")
    const judged = exchange.placements().filter(({ clientOrderId }) => clientOrderId.startsWith("never"))
    expect(judged.map(({ count, created }) => [count, created])).toEqual([
      [1, 0],
      [1, 0],
    ])
  })
})

describe("streams", () => {
  it("keeps an order book, a trade, a ticker and a candle stream", async () => {
    await client.watchOrderBook(SYMBOL)
    exchange.setLevel(ID, "bids", "60000", "1.25")
    const book = await watchUntil(
      () => client.watchOrderBook(SYMBOL),
      (seen: OrderBook) => Number(seen.bids[0]?.[0]) === 60_000,
    )
    expect(Number(book.bids[0]?.[1])).toBe(1.25)
    const watching = Promise.all([
      client.watchTrades(SYMBOL),
      watchUntil(
        () => client.watchTicker(SYMBOL),
        (ticker) => ticker.last === 60_000,
      ),
      watchUntil(
        () => client.watchOHLCV(SYMBOL, "1m"),
        // The first candle of a minute repeats the last close with no volume until a trade is in it.
        (candles) => candles.at(-1)?.[4] === 60_000 && Number(candles.at(-1)?.[5]) > 0,
      ),
    ])
    const traded = setInterval(() => exchange.trade(ID, "SELL", "0.001"), 100)
    const [trades, ticker] = await watching
    clearInterval(traded)
    expect(trades[0]?.price).toBe(60_000)
    expect(Number(ticker.ask)).toBeGreaterThan(60_000)
  })

  it("says on `trades` what one taker did at one price together, on `trades-all` each match", async () => {
    exchange.setLevel(ID, "bids", "60000", "5")
    const all = connect({}, { watchTrades: { channel: "trades-all" } })
    all.setMarketsFromExchange(client)
    await client.createOrder(SYMBOL, "limit", "buy", 0.001, 60_000, { clientOrderId: "behind" })
    const matches: Array<number> = []
    const together = client.watchTrades(SYMBOL)
    const each = watchUntil(
      () => all.watchTrades(SYMBOL),
      (seen) => matches.push(...Array.from(seen, ({ amount }) => Number(amount))) === 2,
    )
    while (exchange.counts()["WS subscribe trades-all"] === undefined) await sleep(10)
    exchange.trade(ID, "SELL", "5.0005")
    const [both] = await together
    expect([both?.amount, both?.info?.["count"]]).toEqual([5.0005, "2"])
    await each
    expect(matches).toEqual([5, 0.0005])
    await client.cancelOrder("", SYMBOL, { clOrdId: "behind" })
  })

  it("loses an update: ccxt reports InvalidNonce", async () => {
    const gap = failure(() =>
      watchUntil(
        () => client.watchOrderBook(SYMBOL),
        () => false,
      ),
    )
    exchange.fault({ fault: "dropNextDiffs", symbol: ID, count: 1 })
    exchange.setLevel(ID, "bids", "60000.1", "7")
    while (!exchange.book(ID).isSettled) await sleep(10)
    exchange.setLevel(ID, "bids", "60000.2", "8")
    expect((await gap).name).toBe("InvalidNonce")
  })

  it("does not greet a subscription twice: only who unsubscribed gets a snapshot again", async () => {
    // What ccxt did at the gap above: the subscription stands at the venue, ccxt has forgotten it.
    const again = client.watchOrderBook(SYMBOL)
    let isThere = false
    again.then(
      () => {
        isThere = true
      },
      () => undefined,
    )
    const before = exchange.counts()["WS subscribe books"] ?? 0
    while ((exchange.counts()["WS subscribe books"] ?? 0) === before) await sleep(10)
    exchange.setLevel(ID, "bids", "60000.3", "9")
    while (!exchange.book(ID).isSettled) await sleep(10)
    expect(isThere).toBe(false)
    await client.unWatchOrderBook(SYMBOL)
    const book = await client.watchOrderBook(SYMBOL)
    expect(Number(book.bids[0]?.[0])).toBe(60_000.3)
  })

  it("tells orders, fills and balances after a login", async () => {
    const reserved = watchUntil(
      () => client.watchBalance(),
      (balance) => Number(balance["USDT"]?.used) === 500,
    )
    const { orders, trades, seen } = watchAccount(client, "user2")
    // Orders twice: once for ccxt's orders, once for its trades.
    while (exchange.counts()["WS subscribe account"] !== 1 || exchange.counts()["WS subscribe orders"] !== 2)
      await sleep(10)
    await client.createOrder(SYMBOL, "limit", "buy", 0.01, 65_000, { clientOrderId: "user1" })
    await client.createOrder(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: "user2" })
    await reserved
    await client.cancelOrder("", SYMBOL, { clOrdId: "user2" })
    await seen
    expect(orders.filter(({ clientOrderId }) => clientOrderId === "user1").at(-1)?.status).toBe("closed")
    expect(trades[0]?.takerOrMaker).toBe("taker")
    // ccxt passes OKX's sign through here: a fee that was charged is negative.
    expect(Number(trades[0]?.fee?.cost)).toBeLessThan(0)
  })

  it("answers a text ping, and closes a socket on which nothing is said", async () => {
    const quiet = await startOkxExchange({ market: "still", idleMillis: 2_000, tickMillis: 60_000 })
    const pinging = connectOkx(quiet.routes, { streaming: { keepAlive: 100 } })
    const silent = connectOkx(quiet.routes, { streaming: { keepAlive: 60_000 } })
    try {
      await pinging.watchOrderBook(SYMBOL)
      await silent.watchOrderBook(SYMBOL)
      const gone = failure(() => silent.watchOrderBook(SYMBOL))
      expect((await gone).message).toMatch(/4004/)
      while (quiet.socketCount("public") > 1) await sleep(10)
      expect(quiet.counts()["WS ping"]).toBeGreaterThan(1)
    } finally {
      await Promise.all([pinging.close(), silent.close()])
      await quiet.stop()
    }
  })
})

describe("demo trading", () => {
  it("is the same exchange for a sandbox client: header, host and keys of its own", async () => {
    const sandbox = connect({ apiKey: DEMO.apiKey })
    sandbox.setSandboxMode(true)
    await sandbox.loadMarkets()
    expect((await sandbox.fetchBalance())["USDT"]?.total).toBe(1_000_000)
    const book = await sandbox.watchOrderBook("ETH/USDT")
    expect(book.bids.length).toBe(LEVELS)
    const wrong = connect()
    wrong.setSandboxMode(true)
    wrong.setMarketsFromExchange(client)
    expect(await failure(() => wrong.fetchBalance())).toMatchObject({ name: "AuthenticationError", message: /50101/ })
    expect(await failure(() => wrong.watchOrders())).toMatchObject({ name: "AuthenticationError", message: /50101/ })
  })
})

/**
 * The loopback Kraken against unmodified ccxt.pro: what ccxt reads, places, watches and how it names every refusal. Where ccxt is
 * wrong about the venue the test says so: those are the traps that the connector has answers to.
 */
import { randomUUID } from "node:crypto"
import type { Order, OrderBook, Trade } from "ccxt"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { connectKraken, failure, hastily, type Kraken, type Settings, watchUntil } from "../exchanges/ccxt-client.ts"
import { type KrakenExchange, startKrakenExchange } from "../exchanges/kraken/exchange.ts"

const SECRET = Buffer.from("s".repeat(64)).toString("base64")
const USER = { apiKey: "k".repeat(56), apiSecret: SECRET, balances: { USD: "100000", BTC: "5" } }
const SYMBOL = "BTC/USD"
const ADD_ORDER = "POST /0/private/AddOrder"

let exchange: KrakenExchange
let client: Kraken
const clients: Array<Kraken> = []

const connect = async (settings: Settings = {}, options: Settings = {}): Promise<Kraken> => {
  const credentials = { apiKey: USER.apiKey, secret: USER.apiSecret }
  const made = await connectKraken(exchange.routes, { ...credentials, ...settings }, options)
  // Two requests of one millisecond would have one nonce.
  let nonce = Date.now() * 1000
  made.nonce = () => {
    nonce += 1
    return nonce
  }
  clients.push(made)
  return made
}

const newId = (): string => randomUUID().replaceAll("-", "")

const limitBuy = (amount: number, price: number, parameters: Settings = {}) =>
  client.createOrder(SYMBOL, "limit", "buy", amount, price, parameters)

beforeAll(async () => {
  exchange = await startKrakenExchange({ users: [USER], market: "still", isLimited: false })
  client = await connect()
  await client.loadMarkets()
})

afterAll(async () => {
  await Promise.all(clients.map((one) => one.close()))
  await exchange.stop()
})

describe("public REST", () => {
  it("loads the pairs under readable names, with tick, lot and minima", () => {
    const market = client.market(SYMBOL)
    expect([market.id, market.info.wsname]).toEqual(["XXBTZUSD", "XBT/USD"])
    expect([market.precision.price, market.precision.amount]).toEqual([0.1, 0.000_000_01])
    expect(market.limits.amount?.min).toBe(0.000_05)
    expect(client.symbols).toEqual(expect.arrayContaining(["BTC/USD", "BTC/USDT", "ETH/BTC", "DOGE/USD"]))
  })

  it("tells its time, its status, its book, its tickers, trades and candles", async () => {
    expect(Math.abs(((await client.fetchTime()) ?? 0) - Date.now())).toBeLessThan(60_000)
    expect((await client.fetchStatus()).status).toBe("ok")
    const book = await client.fetchOrderBook(SYMBOL, 5)
    expect([book.bids.length, book.asks.length]).toEqual([5, 5])
    expect(Number(book.bids[0]?.[0])).toBeLessThan(Number(book.asks[0]?.[0]))
    expect(Number((await client.fetchTicker(SYMBOL)).last)).toBeGreaterThan(0)
    expect(Object.keys(await client.fetchTickers())).toContain("ETH/BTC")
    expect((await client.fetchTrades(SYMBOL)).length).toBeGreaterThan(0)
    expect((await client.fetchOHLCV(SYMBOL, "1m")).length).toBeGreaterThan(0)
  })
})

describe("orders over REST", () => {
  it("rests a limit order, finds it by id, among the open ones by client order id, and cancels it", async () => {
    const clientOrderId = newId()
    const placed = await limitBuy(0.01, 50_000, { clientOrderId })
    expect(placed.id).toMatch(/^O[A-Z2-7]{5}-[A-Z2-7]{5}-[A-Z2-7]{6}$/)
    const [open] = await client.fetchOpenOrders(undefined, undefined, undefined, { clientOrderId })
    expect([open?.id, open?.clientOrderId, open?.status, open?.symbol]).toEqual([
      placed.id,
      clientOrderId,
      "open",
      SYMBOL,
    ])
    const balance = await client.fetchBalance()
    // The fee of a buy is put aside with it.
    expect([balance["USD"]?.free, balance["USD"]?.used]).toEqual([99_498, 502])
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("open")
    await client.cancelOrder(String(placed.id), SYMBOL)
    const ended = await client.fetchOrder(String(placed.id), SYMBOL)
    expect([ended.status, ended.info.reason]).toEqual(["canceled", "User requested"])
    const [closed] = await client.fetchClosedOrders(undefined, undefined, undefined, { clientOrderId })
    expect(closed?.id).toBe(placed.id)
    expect((await client.fetchBalance())["USD"]?.used).toBe(0)
  })

  it("cancels by client order id", async () => {
    const clientOrderId = newId()
    const placed = await limitBuy(0.01, 50_000, { clientOrderId })
    await client.cancelOrder("", SYMBOL, { clientOrderId })
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("canceled")
  })

  it("is never found by client order id in fetchOrder: ccxt looks for it under no id at all", async () => {
    const clientOrderId = newId()
    await limitBuy(0.01, 50_000, { clientOrderId })
    expect((await failure(() => client.fetchOrder("", SYMBOL, { clientOrderId }))).name).not.toBe("no failure")
    await client.cancelAllOrders()
  })

  it("fills a market order over several levels and shows its fills with fees in the quote asset", async () => {
    const bought = await client.createOrder(SYMBOL, "market", "buy", 1.5, undefined, { oflags: "fciq" })
    const ended = await client.fetchOrder(String(bought.id), SYMBOL)
    expect([ended.status, ended.filled]).toEqual(["closed", 1.5])
    const mine = (await client.fetchMyTrades(SYMBOL)).filter((trade) => trade.order === bought.id)
    expect(mine.length).toBeGreaterThan(1)
    expect(mine[0]?.fee?.currency).toBe("USD")
    const paid = mine.reduce((sum, trade) => sum + Number(trade.fee?.cost), 0)
    const cost = mine.reduce((sum, trade) => sum + Number(trade.cost), 0)
    expect(paid / cost).toBeCloseTo(0.004, 6)
  })

  it("buys for an amount of quote asset", async () => {
    const before = (await client.fetchBalance())["BTC"]?.total ?? 0
    await client.createMarketBuyOrderWithCost(SYMBOL, 600)
    expect(((await client.fetchBalance())["BTC"]?.total ?? 0) - before).toBeCloseTo(0.01, 3)
  })

  it("accepts a post-only order that would take, and cancels it at once", async () => {
    const placed = await limitBuy(0.01, 65_000, { postOnly: true })
    const ended = await client.fetchOrder(String(placed.id), SYMBOL)
    expect([ended.status, ended.filled, ended.info.reason]).toEqual(["canceled", 0, "Post only order"])
  })

  it("cancels what an IOC order cannot take, and ends a GTD order by its time", async () => {
    const ioc = await limitBuy(0.01, 50_000, { timeInForce: "IOC" })
    expect((await client.fetchOrder(String(ioc.id), SYMBOL)).status).toBe("canceled")
    const gtd = await limitBuy(0.01, 50_000, { timeInForce: "GTD", expiretm: "+1" })
    let ended: Order
    do ended = await client.fetchOrder(String(gtd.id), SYMBOL)
    while (ended.status === "open")
    expect(ended.status).toBe("expired")
  })

  it("takes the volume of a buy by cost, which is in quote, for a quantity in base", async () => {
    const placed = await client.createMarketBuyOrderWithCost(SYMBOL, 600)
    const found = await client.fetchOrder(String(placed.id), SYMBOL)
    expect([found.info.oflags, found.info.vol, found.amount, found.status]).toEqual([
      "fciq,viqc",
      "600.00000000",
      600,
      "closed",
    ])
    expect(found.filled).toBeLessThan(0.011)
  })

  it("holds stops back until the last trade reaches them, and calls a stop at market a market order", async () => {
    exchange.trade(SYMBOL, "SELL", "0.0001")
    const below = exchange.depth(SYMBOL, 3).bids.at(-1)?.[0] ?? ""
    const stop = await client.createOrder(SYMBOL, "market", "sell", 0.001, undefined, { stopLossPrice: below })
    const limit = await client.createOrder(SYMBOL, "limit", "sell", 0.001, 90_000, { takeProfitPrice: 80_000 })
    const [waiting, resting] = await Promise.all([stop, limit].map(({ id }) => client.fetchOrder(String(id), SYMBOL)))
    expect([waiting?.info.descr.ordertype, waiting?.type, waiting?.status]).toEqual(["stop-loss", "market", "open"])
    expect([waiting?.stopLossPrice, waiting?.price, waiting?.info.misc]).toEqual([Number(below), undefined, ""])
    expect([resting?.info.descr.ordertype, resting?.type, resting?.price]).toEqual([
      "take-profit-limit",
      "limit",
      90_000,
    ])
    const quantity = exchange.depth(SYMBOL, 3).bids.reduce((sum, [, each]) => sum + Number(each), 0)
    exchange.trade(SYMBOL, "SELL", quantity.toFixed(8))
    const done = await client.fetchOrder(String(stop.id), SYMBOL)
    expect([done.status, done.filled, done.info.misc]).toEqual(["closed", 0.001, "stopped"])
    await client.cancelAllOrders()
  })

  it("amends an order in place", async () => {
    const placed = await limitBuy(0.01, 50_000)
    await client.editOrder(String(placed.id), SYMBOL, "limit", "buy", 0.02, 49_000)
    const amended = await client.fetchOrder(String(placed.id), SYMBOL)
    expect([amended.amount, amended.price, amended.status]).toEqual([0.02, 49_000, "open"])
    expect((await client.fetchBalance())["USD"]?.used).toBeCloseTo(980 * 1.004, 6)
    await client.cancelAllOrders()
  })

  it("validates without placing", async () => {
    const before = (await client.fetchClosedOrders()).length
    await limitBuy(0.01, 50_000, { validate: "true" })
    expect((await client.fetchOpenOrders()).length).toBe(0)
    expect((await client.fetchClosedOrders()).length).toBe(before)
  })
})

describe("refusals and their ccxt class", () => {
  const raw = (parts: Settings) =>
    client.request("AddOrder", "private", "POST", {
      pair: "XBTUSD",
      type: "buy",
      ordertype: "limit",
      volume: "0.01",
      price: "50000.0",
      ...parts,
    })
  const cases: ReadonlyArray<readonly [string, () => Promise<unknown>, string, RegExp]> = [
    ["more than the balance", () => limitBuy(100, 50_000), "InsufficientFunds", /EOrder:Insufficient funds/],
    ["a volume below the smallest", () => raw({ volume: "0.00001" }), "InvalidOrder", /volume minimum not met/],
    ["too many decimals of a price", () => raw({ price: "50000.01" }), "ExchangeError", /up to 1 decimals/],
    ["too many decimals of a volume", () => raw({ volume: "0.000000001" }), "ExchangeError", /up to 8 decimals/],
    ["no decimal at all", () => raw({ volume: "1e3" }), "InvalidOrder", /Invalid arguments:volume/],
    ["an unknown side", () => raw({ type: "hold" }), "ExchangeError", /Invalid arguments:type/],
    ["an unknown time in force", () => raw({ timeinforce: "DAY" }), "ExchangeError", /Invalid arguments:timeinforce/],
    ["an unknown pair (ccxt knows another text)", () => raw({ pair: "FOOBAR" }), "ExchangeError", /Unknown asset pair/],
    ["a client order id of no known form", () => raw({ cl_ord_id: "No! Not this one" }), "ExchangeError", /:cl_ord_id/],
    [
      "a deadline too near",
      () => raw({ deadline: new Date(Date.now() + 1_900).toISOString() }),
      "ExchangeError",
      /:deadline/,
    ],
    [
      "a deadline that has passed",
      () => raw({ deadline: "2021-04-01T00:18:45Z" }),
      "ExchangeError",
      /Deadline elapsed/,
    ],
    [
      "cancelling an order that never was",
      () => client.cancelOrder("OZZZZZ-ZZZZZ-ZZZZZZ"),
      "InvalidOrder",
      /Invalid order/,
    ],
    [
      "fetching an order that never was",
      () => client.fetchOrder("OZZZZZ-ZZZZZ-ZZZZZZ"),
      "InvalidOrder",
      /Invalid order/,
    ],
  ]

  it.each(cases)("%s", async (_, attempt, name, message) => {
    const seen = await failure(attempt)
    expect(seen.name).toBe(name)
    expect(seen.message).toMatch(message)
  })

  it("a client order id that is open already: two arrivals, one order; free again once that is over", async () => {
    const clientOrderId = newId()
    const first = await limitBuy(0.01, 50_000, { clientOrderId })
    const seen = await failure(() => limitBuy(0.01, 50_000, { clientOrderId }))
    expect(seen.message).toMatch(/EGeneral:Invalid arguments:cl_ord_id not unique/)
    const judged = exchange.placements().find((placement) => placement.clientOrderId === clientOrderId)
    expect([judged?.count, judged?.created, judged?.refusals.length]).toEqual([2, 1, 1])
    await client.cancelOrder(String(first.id), SYMBOL)
    const second = await limitBuy(0.01, 50_000, { clientOrderId })
    await client.cancelOrder(String(second.id), SYMBOL)
    expect((await failure(() => client.cancelOrder(String(second.id), SYMBOL))).name).toBe("OrderNotFound")
  })

  it("keys, signatures and nonces", async () => {
    const unknown = await connect({ apiKey: "nobody" })
    unknown.setMarketsFromExchange(client)
    expect(await failure(() => unknown.fetchBalance())).toMatchObject({ name: "AuthenticationError" })
    const wrong = await connect({ secret: Buffer.from("x".repeat(64)).toString("base64") })
    wrong.setMarketsFromExchange(client)
    // Not an AuthenticationError for ccxt: the connector pins it.
    expect(await failure(() => wrong.fetchBalance())).toMatchObject({
      name: "ExchangeError",
      message: expect.stringContaining("EAPI:Invalid signature"),
    })
    const late = await connect()
    late.setMarketsFromExchange(client)
    late.nonce = () => 1
    expect(await failure(() => late.fetchBalance())).toMatchObject({ name: "InvalidNonce" })
  })

  it("limits calls, and runs them off by the second", async () => {
    const limited = await startKrakenExchange({ users: [USER], market: "empty" })
    const hasty = await connectKraken(limited.routes, { apiKey: USER.apiKey, secret: USER.apiSecret })
    let nonce = Date.now() * 1000
    hasty.nonce = () => {
      nonce += 1
      return nonce
    }
    await hasty.loadMarkets()
    const answers = await Promise.all(Array.from({ length: 30 }, () => failure(() => hasty.fetchBalance())))
    expect(answers.filter(({ name }) => name === "no failure").length).toBeGreaterThanOrEqual(20)
    expect(answers.find(({ name }) => name !== "no failure")).toMatchObject({
      name: "DDoSProtection",
      message: expect.stringContaining("EAPI:Rate limit exceeded"),
    })
    await hasty.close()
    await limited.stop()
  })
})

describe("answers that get lost", () => {
  it.each<[string, object, number]>([
    ["apply-then-hang", { kind: "apply-then-hang" }, 1],
    ["apply-then-destroy", { kind: "apply-then-destroy" }, 1],
    ["apply-then-status", { kind: "apply-then-status", status: 520 }, 1],
    ["destroy", { kind: "destroy" }, 0],
    ["hang", { kind: "hang" }, 0],
    ["status", { kind: "status", status: 200, body: '{"error":["EService:Unavailable"]}' }, 0],
  ])("%s", async (kind, action, placed) => {
    exchange.fault({ fault: "answer", match: ADD_ORDER, action } as Parameters<KrakenExchange["fault"]>[0])
    const clientOrderId = newId()
    const place = () => failure(() => limitBuy(0.01, 50_000, { clientOrderId }))
    const { name } = await (kind.endsWith("hang") ? hastily(client, place) : place())
    expect(name).toMatch(/RequestTimeout|NetworkError|ExchangeNotAvailable/)
    const judged = exchange.placements().find((placement) => placement.clientOrderId === clientOrderId)
    expect([judged?.count, judged?.created]).toEqual([1, placed])
    expect((await client.fetchOpenOrders(undefined, undefined, undefined, { clientOrderId })).length).toBe(placed)
    await client.cancelAllOrders()
  })
})

describe("streams", () => {
  it("keeps an order book to its depth, a trade, a ticker and a candle stream", async () => {
    const first = await client.watchOrderBook(SYMBOL, 10)
    expect([first.bids.length, first.asks.length]).toEqual([10, 10])
    exchange.setLevel(SYMBOL, "bids", "59999.9", "1.25")
    const book = await watchUntil(
      () => client.watchOrderBook(SYMBOL, 10),
      (seen: OrderBook) => Number(seen.bids[0]?.[0]) === 59_999.9,
    )
    expect(book.bids.map((row) => row.slice(0, 2).map(Number))).toEqual(
      exchange.depth(SYMBOL, 10).bids.map((row) => row.map(Number)),
    )
    const watching = Promise.all([
      client.watchTrades(SYMBOL),
      watchUntil(
        () => client.watchTicker(SYMBOL),
        (ticker) => ticker.last === 59_999.9,
      ),
      watchUntil(
        () => client.watchOHLCV(SYMBOL, "1m"),
        (candles) => candles.at(-1)?.[4] === 59_999.9,
      ),
    ])
    const traded = setInterval(() => exchange.trade(SYMBOL, "SELL", "0.001"), 100)
    const [trades, ticker, candles] = await watching
    clearInterval(traded)
    expect(trades[0]?.price).toBe(59_999.9)
    expect(Number(ticker.ask)).toBeGreaterThan(59_999.9)
    expect(Number(candles.at(-1)?.[5])).toBeGreaterThan(0)
  })

  it("loses an update: ccxt says nothing, and its book stays wrong", async () => {
    const levels = async () => (await client.watchOrderBook("ETH/USD", 10)).asks.map((row) => Number(row[0]))
    await levels()
    exchange.fault({ fault: "dropNextDiffs", symbol: "ETH/USD", count: 1 })
    exchange.setLevel("ETH/USD", "asks", "3000.01", "7")
    // The next update is in another turn of the exchange's loop.
    await new Promise((resolve) => setImmediate(resolve))
    exchange.setLevel("ETH/USD", "asks", "3000.02", "8")
    const seen = await watchUntil(levels, (prices) => prices.includes(3000.02))
    expect(seen).not.toContain(3000.01)
    expect(exchange.depth("ETH/USD", 10).asks[0]?.[0]).toBe("3000.01")
  })

  it("tells orders and balances on the private streams, trades apart from the orders' states", async () => {
    const orders: Array<Order> = []
    const trades: Array<Trade> = []
    const watched = watchUntil(
      () => client.watchOrders(),
      (list) => {
        orders.push(...structuredClone(list))
        return orders.some(({ status }) => status === "closed")
      },
    )
    const seen = Promise.all([
      watched,
      watchUntil(
        () => client.watchMyTrades(),
        (list) => {
          trades.push(...list)
          return trades.some(({ order }) => orders.some(({ id }) => id === order))
        },
      ),
      watchUntil(
        () => client.watchBalance(),
        (balance) => Number(balance["BTC"]?.total) > 0,
      ),
    ])
    while ((exchange.counts()["WS subscribe executions"] ?? 0) === 0) await new Promise((done) => setTimeout(done, 10))
    const bought = await client.createOrder(SYMBOL, "market", "buy", 0.01)
    await seen
    // Later steps name only the order: for ccxt they belong to no symbol, and to no order it knows.
    expect(orders.some(({ id, symbol }) => id === bought.id && symbol === undefined)).toBe(true)
    expect(trades.find(({ order }) => order === bought.id)?.takerOrMaker).toBe("taker")
  })

  it("places and cancels over the socket", async () => {
    const placed = await client.createOrderWs(SYMBOL, "limit", "buy", 0.01, 50_000, { clientOrderId: newId() })
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("open")
    await client.cancelOrderWs(String(placed.id))
    expect((await client.fetchOrder(String(placed.id), SYMBOL)).status).toBe("canceled")
    const refused = await failure(() => client.createOrderWs(SYMBOL, "limit", "buy", 100, 50_000))
    expect(refused.message).toMatch(/EOrder:Insufficient funds/)
  })
})

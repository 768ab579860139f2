/** PAPER on the live market of the loopback Binance, through ccxt: real books and trades, play money, and a restart in between. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { Api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { ClientBook, closeClients, connectClient, listen } from "../markets/socket.ts"
import { holdings, signUp, type Trader } from "../users/people.ts"

const INSTRUMENT = "PAPER:BTC/USDT"
let exchange: BinanceExchange
let gateway: Gateway
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "empty" })
  for (const [side, price, quantity] of [
    ["bids", "59990.00000000", "1.00000000"],
    ["bids", "59980.00000000", "5.00000000"],
    ["asks", "60010.00000000", "0.50000000"],
    ["asks", "60020.00000000", "2.00000000"],
  ] as const)
    exchange.setLevel("BTCUSDT", side, price, quantity)
  env = { VENUE_ROUTES: JSON.stringify(exchange.routes), PAPER_BALANCES: '{"USDT":"1000000","BTC":"10"}' }
  gateway = await startGateway({ env })
})
afterAll(async () => {
  closeClients()
  await endGateways()
  await exchange?.stop()
})

const connect = async (label: string): Promise<Trader> => {
  const newcomer = await signUp(gateway)
  const account = (await newcomer.calls.connect({ venue: "PAPER", externalTradingAccountId: label })).record
  const { tradingAccountId } = account
  await until("the account is ACTIVE", async () =>
    (await newcomer.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  return { ...newcomer, tradingAccountId }
}

const order = (trader: Trader, fields: Readonly<Record<string, unknown>>) => ({
  tradingAccountId: trader.tradingAccountId,
  instrumentId: INSTRUMENT,
  ...fields,
})

describe("PAPER", () => {
  it("is listed with the source's instruments, and shows the source's book digit for digit", async () => {
    const { calls } = await signUp(gateway)
    expect((await calls.venues()).record.find(({ venue }) => venue === "PAPER")).toMatchObject({ status: "ACTIVE" })
    const [paper] = (await calls.instruments({ venue: "PAPER", symbol: "BTC/USDT" })).record
    const [real] = (await calls.instruments({ venue: "BINANCE", symbol: "BTC/USDT" })).record
    expect(paper).toMatchObject({ instrumentId: INSTRUMENT, tickSize: real?.tickSize, lotSize: real?.lotSize })
    const book = (await calls.orderBook(INSTRUMENT)).record
    expect(book.venue).toBe("PAPER")
    expect(book.bids.map(([price, quantity]) => [price, quantity])).toEqual(exchange.depth("BTCUSDT", 10).bids)
  })

  it("serves its book and the source's own to different readers at once", async () => {
    const { session } = await signUp(gateway)
    const client = await connectClient(gateway, session.accessToken)
    const books = await Promise.all(
      ["PAPER", "BINANCE"].map(async (venue) => {
        const book = new ClientBook()
        await listen<OrderBookRecord>(client, `market:orderbook:${venue}:BTC/USDT`, (record) => book.apply(record))
        return book
      }),
    )
    // Both readers have a book before the change.
    for (const book of books) await until("a book", () => book.snapshots > 0)
    exchange.setLevel("BTCUSDT", "bids", "59970.00000000", "7.00000000")
    for (const book of books)
      await until("the new level", () => book.side("bids", 10).some(([price]) => price === "59970.00000000"))
    for (const book of books) expect(book.faults).toEqual([])
    client.disconnect()
  })

  it("walks the real book with a market order, with fees, and leaves the venue untouched", async () => {
    const trader = await connect("walker")
    const filled = await trader.calls.submitted(
      order(trader, { orderSide: "BUY", orderType: "MARKET", quantity: "1", awaitClosed: true }),
    )
    expect(filled).toMatchObject({ status: "FILLED", executedQuantity: "1", averagePrice: "60015" })
    const has = await holdings(trader)
    expect([has["BTC"]?.[0], has["USDT"]?.[0]]).toEqual(["10.999", "939985"])
    expect(exchange.placements()).toEqual([])
  })

  it("fills a resting order when its turn comes in the real queue, also after a restart", async () => {
    let trader = await connect("rester")
    const placed = (
      await trader.calls.submit(
        order(trader, { orderSide: "BUY", orderType: "LIMIT", quantity: "0.5", limitPrice: "59990" }),
      )
    ).record
    const stateOf = async () => (await trader.calls.order(trader.tradingAccountId, placed.tradeOrderId)).record
    await until("it rests", async () => (await stateOf()).orderStatus === "ACCEPTED")
    // 1 stands before it.
    exchange.trade("BTCUSDT", "SELL", "0.40000000")
    exchange.trade("BTCUSDT", "SELL", "0.80000000")
    await until("a part", async () => (await stateOf()).executedQuantity === "0.2")

    expect((await gateway.stop()).code).toBe(0)
    gateway = await startGateway({ env, dataDir: gateway.dataDir })
    const session = (await new Api(gateway.http).login(trader.email)).record
    trader = { ...trader, session, calls: new Api(gateway.http, session.accessToken) }
    await until("the account is ACTIVE again", async () =>
      (await trader.calls.accounts({ tradingAccountId: trader.tradingAccountId })).record.find(
        ({ status }) => status === "ACTIVE",
      ),
    )
    expect(await stateOf()).toMatchObject({ orderStatus: "PARTIALLY_FILLED", executedQuantity: "0.2" })
    // The book must be there before the trades, or nobody sees them.
    await until("the book", async () => (await trader.calls.orderBook(INSTRUMENT)).status === 200)
    await until(
      "the rest",
      async () => {
        exchange.setLevel("BTCUSDT", "bids", "59990.00000000", "0.10000000")
        exchange.trade("BTCUSDT", "SELL", "0.60000000")
        return (await stateOf()).status === "FILLED"
      },
      60_000,
    )
    await until("what it paid for them", async () => {
      const has = await holdings(trader)
      return [has["BTC"]?.[0], has["USDT"]?.[0], has["USDT"]?.[2]].join() === "10.4995,970005,0"
    })
  })

  it("cancels what rests and refuses a post-only order that would take", async () => {
    const trader = await connect("maker")
    const resting = (
      await trader.calls.submit(
        order(trader, { orderSide: "SELL", orderType: "LIMIT", quantity: "0.1", limitPrice: "70000" }),
      )
    ).record
    expect((await trader.calls.cancelled(trader.tradingAccountId, resting.tradeOrderId)).status).toBe("CANCELLED")
    const maker = await trader.calls.submitted(
      order(trader, {
        orderSide: "BUY",
        orderType: "LIMIT_MAKER",
        quantity: "0.1",
        limitPrice: "61000",
        awaitClosed: true,
      }),
    )
    expect(maker.status).toBe("REJECTED")
    expect((await holdings(trader))["BTC"]).toEqual(["10", "10", "0"])
  })
})

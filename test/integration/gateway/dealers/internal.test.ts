/** The platform's own venue as its users see it: over HTTP and the socket, with the ledger behind it. */
import { isDeepStrictEqual } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SecurityRecord } from "../../../../src/domain/instrument/instrument.ts"
import type { OrderBookRecord } from "../../../../src/domain/market/market.ts"
import { type InternalMarket, type InternalTrader, internalMarket } from "../../../kit/desks/internal-market.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { closeClients, connectClient, listen } from "../markets/socket.ts"

let gateway: Gateway
let market: InternalMarket

beforeAll(async () => {
  gateway = await startGateway({ env: { INTERNAL_MAKER_FEE_BPS: "10", INTERNAL_TAKER_FEE_BPS: "20" } })
  market = await internalMarket(gateway)
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

/** Balances are told after the orders that changed them. */
const untilShown = (trader: InternalTrader): Promise<boolean> =>
  until("the portfolio like the wallet", async () => isDeepStrictEqual(await trader.portfolio(), await trader.wallet()))

describe("the internal venue", () => {
  it("connects without credentials and brings a wallet along", async () => {
    const { calls } = await market.trader()
    const account = (await calls.connect({ venue: "INTERNAL", nickname: "second" })).record
    expect(account).toMatchObject({
      status: "ACTIVE",
      nickname: "second",
      externalTradingAccountId: account.walletId,
      dealerAccountId: null,
    })
    const again = (await calls.connect({ venue: "INTERNAL", externalTradingAccountId: account.walletId })).record
    expect(again.tradingAccountId).toBe(account.tradingAccountId)
  })

  it("trades between two wallets, with fees of what each receives", async () => {
    const alice = await market.trader({ BTC: "2" })
    const bob = await market.trader({ USD: "1000" })
    const ask = await alice.limit("SELL", "1", "100")
    expect(ask.status).toBe("OPEN")
    expect(await alice.wallet()).toEqual({ BTC: ["1", "1"] })
    expect(await market.book()).toEqual({ bids: [], asks: ["1 @ 100"] })
    const bid = await bob.limit("BUY", "0.4", "101")
    const bought = await bob.rests(bid.tradeOrderId, "FILLED")
    expect(bought).toMatchObject({ averagePrice: "100", executedQuantity: "0.4" })
    expect(bought.executions[0]?.fees).toMatchObject([{ asset: "BTC", quantity: "0.0008" }])
    const sold = await alice.rests(ask.tradeOrderId, "PARTIALLY_FILLED")
    expect(sold.executions[0]?.fees).toMatchObject([{ asset: "USD", quantity: "0.04" }])
    expect(await bob.wallet()).toEqual({ USD: ["960", "0"], BTC: ["0.3992", "0"] })
    expect(await alice.wallet()).toEqual({ BTC: ["1", "0.6"], USD: ["39.96", "0"] })
    for (const trader of [bob, alice]) await untilShown(trader)
    expect(await market.book()).toEqual({ bids: [], asks: ["0.6 @ 100"] })
    await alice.calls.cancelled(alice.tradingAccountId, ask.tradeOrderId)
    expect(await alice.wallet()).toEqual({ BTC: ["1.6", "0"], USD: ["39.96", "0"] })
    expect(await market.book()).toEqual({ bids: [], asks: [] })
  })

  it("keeps price and time: the best price first, the oldest first within it", async () => {
    const [ann, ben, cat] = [
      await market.trader({ BTC: "5" }),
      await market.trader({ BTC: "5" }),
      await market.trader({ USD: "10000" }),
    ]
    const first = await ann.limit("SELL", "1", "200")
    const second = await ben.limit("SELL", "1", "200")
    const better = await ben.limit("SELL", "0.5", "199")
    const taken = await cat.limit("BUY", "2", "200", { timeInForce: "IOC" })
    const filled = await cat.rests(taken.tradeOrderId, "FILLED")
    expect(filled.executions.map(({ executedPrice, executedQuantity }) => [executedPrice, executedQuantity])).toEqual([
      ["199", "0.5"],
      ["200", "1"],
      ["200", "0.5"],
    ])
    await ben.rests(better.tradeOrderId, "FILLED")
    await ann.rests(first.tradeOrderId, "FILLED")
    const rest = await ben.rests(second.tradeOrderId, "PARTIALLY_FILLED")
    await ben.calls.cancelled(ben.tradingAccountId, rest.tradeOrderId)
  })

  it("ends what cannot trade at once as its time in force says", async () => {
    const ann = await market.trader({ BTC: "5" })
    const bob = await market.trader({ USD: "10000" })
    const ask = await ann.limit("SELL", "1", "100")
    const ioc = await bob.limit("BUY", "2", "100", { timeInForce: "IOC", awaitClosed: true })
    expect(await bob.rests(ioc.tradeOrderId, "CANCELLED")).toMatchObject({
      cancelReason: "IOC_REMAINDER",
      executedQuantity: "1",
    })
    await ann.rests(ask.tradeOrderId, "FILLED")
    const other = await ann.limit("SELL", "1", "100")
    const fok = await bob.limit("BUY", "2", "100", { timeInForce: "FOK" })
    expect(await bob.rests(fok.tradeOrderId, "CANCELLED")).toMatchObject({
      cancelReason: "FOK_NOT_FILLED",
      executedQuantity: "0",
    })
    const maker = await bob.limit("BUY", "1", "100", { timeInForce: "GTX" })
    expect((await bob.rests(maker.tradeOrderId, "REJECTED")).rejectReason).toContain("WOULD_TAKE")
    expect(await bob.wallet()).toMatchObject({ USD: ["9900", "0"] })
    const market1 = await bob.submit({ orderSide: "BUY", orderType: "MARKET", quantity: "3" })
    expect(await bob.rests(market1.tradeOrderId, "CANCELLED")).toMatchObject({
      cancelReason: "NO_LIQUIDITY",
      executedQuantity: "1",
    })
    await ann.rests(other.tradeOrderId, "FILLED")
    const empty = await bob.submit({ orderSide: "BUY", orderType: "MARKET", quantity: "3" })
    expect(await bob.rests(empty.tradeOrderId, "CANCELLED")).toMatchObject({ cancelReason: "NO_LIQUIDITY" })
    expect(await bob.wallet()).toMatchObject({ USD: ["9800", "0"], BTC: ["1.996", "0"] })
    await untilShown(bob)
  })

  it("buys at market for so much quote", async () => {
    const ann = await market.trader({ BTC: "5" })
    const bob = await market.trader({ USD: "100" })
    await ann.limit("SELL", "0.5", "100")
    const rest = await ann.limit("SELL", "2", "110")
    const bought = await bob.submit({
      orderSide: "BUY",
      orderType: "MARKET",
      quantity: "100",
      orderQuantityType: "QUOTE",
    })
    // 50 at 100 buy 0.5; 50 at 110 buy 0.454, a whole number of lots.
    expect(await bob.rests(bought.tradeOrderId, "FILLED")).toMatchObject({
      executedQuantity: "0.954",
      executedCost: "99.94",
    })
    expect(await bob.wallet()).toMatchObject({ USD: ["0.06", "0"] })
    await ann.calls.cancelled(ann.tradingAccountId, rest.tradeOrderId)
  })

  it("does not let a user trade with himself, from whatever account", async () => {
    const ann = await market.trader({ BTC: "1", USD: "100" })
    const ask = await ann.limit("SELL", "1", "100")
    const bid = await ann.limit("BUY", "1", "100")
    expect(await ann.rests(bid.tradeOrderId, "CANCELLED")).toMatchObject({ cancelReason: "SELF_TRADE_PREVENTION" })
    expect(await ann.wallet()).toEqual({ BTC: ["0", "1"], USD: ["100", "0"] })
    await ann.calls.cancelled(ann.tradingAccountId, ask.tradeOrderId)
  })

  it("changes an order: less keeps its place, another price comes to the book again", async () => {
    const ann = await market.trader({ BTC: "5" })
    const ben = await market.trader({ BTC: "5" })
    const bob = await market.trader({ USD: "1000" })
    const replace = async (who: typeof ann, tradeOrderId: string, fields: Readonly<Record<string, string>>) =>
      (
        await who.calls.post<{ tradeOrderId: string }>("/tradeOrder/replace", {
          tradingAccountId: who.tradingAccountId,
          tradeOrderId,
          ...fields,
        })
      ).record
    const first = await ann.limit("SELL", "2", "100")
    const second = await ben.limit("SELL", "1", "100")
    await replace(ann, first.tradeOrderId, { quantity: "1" })
    await until("the hold of what is left", async () => (await ann.wallet())["BTC"]?.join() === "4,1")
    const one = await bob.limit("BUY", "1", "100")
    await bob.rests(one.tradeOrderId, "FILLED")
    await ann.rests(first.tradeOrderId, "FILLED")
    const bid = await bob.limit("BUY", "3", "90")
    expect(await bob.wallet()).toMatchObject({ USD: ["630", "270"] })
    await replace(bob, bid.tradeOrderId, { limitPrice: "101" })
    await ben.rests(second.tradeOrderId, "FILLED")
    expect(await bob.rests(bid.tradeOrderId, "PARTIALLY_FILLED")).toMatchObject({ executedQuantity: "1" })
    expect(await bob.wallet()).toMatchObject({ USD: ["598", "202"] })
    expect(await market.book()).toEqual({ bids: ["2 @ 101"], asks: [] })
    await bob.calls.cancelled(bob.tradingAccountId, bid.tradeOrderId)
    await untilShown(bob)
  })

  it("tells an account when its wallet changes from elsewhere", async () => {
    const ann = await market.trader({ BTC: "1" })
    await market.deposit(ann.walletId, "USD", "7.5")
    await until("the deposit in the portfolio", async () => (await ann.portfolio())["USD"]?.[0] === "7.5")
  })

  it("cancels the orders of a frozen wallet, and lets everybody else trade on", async () => {
    const [ann, ben] = [await market.trader({ BTC: "1" }), await market.trader({ BTC: "1" })]
    const bob = await market.trader({ USD: "1000" })
    const frozen = await ann.limit("SELL", "1", "100")
    const well = await ben.limit("SELL", "1", "100")
    expect((await market.admin.post("/wallet/freeze", { walletId: ann.walletId })).envelope).toMatchObject({ errno: 0 })
    const bid = await bob.limit("BUY", "1", "100")
    await bob.rests(bid.tradeOrderId, "FILLED")
    await ben.rests(well.tradeOrderId, "FILLED")
    expect(await ann.rests(frozen.tradeOrderId, "CANCELLED")).toMatchObject({ executedQuantity: "0" })
    expect(await market.book()).toEqual({ bids: [], asks: [] })
    const refused = await ann.limit("SELL", "1", "100")
    expect((await ann.rests(refused.tradeOrderId, "REJECTED")).rejectReason).toContain("WALLET_FROZEN")
  })

  it("disconnects: orders are cancelled, the wallet stays and can trade again", async () => {
    const ann = await market.trader({ BTC: "1" })
    const ask = await ann.limit("SELL", "1", "500")
    const gone = (await ann.calls.disconnect(ann.tradingAccountId)).record
    expect(gone.status).toBe("DISCONNECTED")
    expect(await ann.order(ask.tradeOrderId)).toMatchObject({
      status: "CANCELLED",
      cancelReason: "ACCOUNT_DISCONNECTED",
    })
    expect(await ann.wallet()).toEqual({ BTC: ["1", "0"] })
    const back = (await ann.calls.connect({ venue: "INTERNAL", externalTradingAccountId: ann.walletId })).record
    expect(back).toMatchObject({ walletId: ann.walletId, status: "ACTIVE" })
    expect(back.tradingAccountId).not.toBe(ann.tradingAccountId)
    const stranger = await market.trader()
    const taken = await stranger.calls.connect({ venue: "INTERNAL", externalTradingAccountId: ann.walletId })
    expect(taken.envelope.errno).toBe(-120008)
  })

  it("tells sockets of books, trades and accounts what is stored", async () => {
    const ann = await market.trader({ BTC: "1" })
    const bob = await market.trader({ USD: "1000" })
    const client = await connectClient(gateway, bob.calls.token ?? "")
    const [, symbol] = market.instrumentId.split("INTERNAL:")
    const books = await listen<OrderBookRecord>(client, `market:orderbook:INTERNAL:${symbol}`)
    const tape = await listen<{ price: string; quantity: string; side: string }>(
      client,
      `market:trade:INTERNAL:${symbol}`,
    )
    const account = await listen<{ kind: string }>(client, `tradingAccount:${bob.tradingAccountId}`)
    await ann.limit("SELL", "1", "180")
    const bid = await bob.limit("BUY", "0.25", "180")
    await bob.rests(bid.tradeOrderId, "FILLED")
    await until("the trade", () => tape.records().length > 0)
    expect(tape.records()).toMatchObject([{ price: "180", quantity: "0.25", side: "BUY" }])
    await until("the book after it", () => books.records().some(({ asks }) => asks.join() === "180,0.75,"))
    const kinds = () => account.records().map(({ kind }) => kind)
    await until(
      "the fill and what it makes",
      () => kinds().includes("TRADE_ORDER.FILLED") && kinds().at(-1) === "PORTFOLIO.UPDATED",
    )
    const told = kinds().slice(kinds().indexOf("EXECUTION.CREATED"))
    expect(told.slice(0, 3)).toEqual(["EXECUTION.CREATED", "TRADE_ORDER.FILLED", "PORTFOLIO.UPDATED"])
    await ann.calls.post("/tradeOrder/cancelAll", { tradingAccountId: ann.tradingAccountId })
    await until("an empty book", async () => (await market.book()).asks.length === 0)
  })

  it("watches triggers as it does for MOCK", async () => {
    const ann = await market.trader({ BTC: "2" })
    const bob = await market.trader({ USD: "1000" })
    const trade = async (price: string): Promise<void> => {
      await ann.limit("SELL", "0.1", price)
      const bid = await bob.limit("BUY", "0.1", price)
      await bob.rests(bid.tradeOrderId, "FILLED")
    }
    await trade("180")
    await bob.limit("BUY", "1", "160")
    const stop = await ann.submit({ orderSide: "SELL", orderType: "STOP", quantity: "0.5", stopPrice: "170" })
    expect(stop.status).toBe("OPEN")
    await trade("169")
    expect(await ann.rests(stop.tradeOrderId, "FILLED")).toMatchObject({ averagePrice: "160" })
    await bob.calls.post("/tradeOrder/cancelAll", { tradingAccountId: bob.tradingAccountId })
    await until("an empty book", async () => (await market.book()).bids.length === 0)
  })

  it("shows trades as tickers and bars", async () => {
    const ann = await market.trader({ BTC: "1" })
    const bob = await market.trader({ USD: "1000" })
    await ann.limit("SELL", "1", "181")
    const bid = await bob.limit("BUY", "1", "181")
    await bob.rests(bid.tradeOrderId, "FILLED")
    const ticker = await until("the ticker", async () => {
      const { record } = await bob.calls.ticker(market.instrumentId)
      return record.lastPrice === "181" && record
    })
    expect(ticker.lastQuantity).toBe("1")
    await until("the bar", async () => {
      const query = { instrumentId: market.instrumentId, interval: "1d", limit: 1 }
      return (await bob.calls.klines(query)).record.candles[0]?.[4] === "181"
    })
  })

  it("lists an instrument once, for admins only", async () => {
    const terms = { baseAsset: "ETH", quoteAsset: "USD", tickSize: "0.1", lotSize: "0.01" }
    const { calls } = await market.trader()
    expect((await calls.post("/market/instrument/create", terms)).envelope.errno).toBe(-102003)
    const made = (await market.admin.post("/market/instrument/create", terms)).record
    expect(made).toMatchObject({ securityId: "INTERNAL:ETH/USD", minQuantity: "0.01", status: "ACTIVE" })
    expect((await market.admin.post("/market/instrument/create", terms)).record).toEqual(made)
    const other = await market.admin.post("/market/instrument/create", { ...terms, lotSize: "0.1" })
    expect(other.envelope.errno).toBe(-104009)
    const fine = await market.admin.post("/market/instrument/create", {
      ...terms,
      quoteAsset: "EUR",
      tickSize: "0.0000000001",
      lotSize: "0.000000001",
    })
    expect(fine.envelope.errno).toBe(-104003)
  })

  it("is retired: nothing comes in, what is open is cancelled, and reads go on", async () => {
    const terms = { baseAsset: "OLD", quoteAsset: "USD", tickSize: "0.01", lotSize: "0.001" }
    const instrumentId = "INTERNAL:OLD/USD"
    const { admin } = market
    const retire = (calls = admin) => calls.post<SecurityRecord>("/market/instrument/retire", { instrumentId })
    expect((await retire()).envelope.errno).toBe(-131001)
    expect((await admin.post("/market/instrument/create", terms)).envelope.errno).toBe(0)
    const [ann, bob] = [await market.trader({ OLD: "5" }), await market.trader({ USD: "1000" })]
    expect((await retire(ann.calls)).envelope.errno).toBe(-102003)
    const bid = await bob.limit("BUY", "1", "10.01", { instrumentId })
    await ann.limit("SELL", "1", "10.01", { instrumentId })
    await bob.rests(bid.tradeOrderId, "FILLED")
    const resting = await ann.limit("SELL", "1", "12.34", { instrumentId })
    const stop = { instrumentId, orderType: "STOP_LIMIT", stopPrice: "9", limitPrice: "9" }
    const armed = await ann.submit({ ...stop, orderSide: "SELL", quantity: "1" })
    const elsewhere = await bob.limit("BUY", "1", "1")
    expect((await retire()).record).toMatchObject({ instrumentId, status: "DELISTED" })
    for (const { tradeOrderId } of [resting, armed])
      expect(await ann.rests(tradeOrderId, "CANCELLED")).toMatchObject({ cancelReason: "ADMIN" })
    expect(await bob.order(elsewhere.tradeOrderId)).toMatchObject({ orderStatus: "ACCEPTED" })
    await bob.calls.cancelled(bob.tradingAccountId, elsewhere.tradeOrderId)
    expect(await ann.wallet()).toMatchObject({ OLD: ["4", "0"] })
    const late = { instrumentId, orderSide: "SELL", orderType: "LIMIT", quantity: "1", limitPrice: "13" }
    const { tradingAccountId } = ann
    expect((await ann.calls.submit({ tradingAccountId, ...late })).envelope.errno).toBe(-131003)
    expect((await retire()).record.status).toBe("DELISTED")
    expect((await ann.calls.orderBook(instrumentId)).record).toMatchObject({ bids: [], asks: [] })
    expect((await ann.calls.ticker(instrumentId)).record.lastPrice).toBe("10.01")
    const listed = async () => (await ann.calls.instruments({ instrumentId })).record
    expect(await listed()).toMatchObject([{ status: "DELISTED", tickSize: "0.01" }])
    const mock = await admin.post("/market/instrument/retire", { instrumentId: "MOCK:BTC/USDT" })
    expect([mock.status, mock.envelope.errno]).toEqual([400, -104003])
  })

  it("comes back as it was, or with other terms once nothing is open there", async () => {
    const terms = { baseAsset: "OLD", quoteAsset: "USD", tickSize: "0.01", lotSize: "0.001" }
    const instrumentId = "INTERNAL:OLD/USD"
    const { admin } = market
    const create = (change: Readonly<Record<string, string>> = {}) =>
      admin.post<SecurityRecord>("/market/instrument/create", { ...terms, ...change })
    const retire = () => admin.post<SecurityRecord>("/market/instrument/retire", { instrumentId })
    const [ann, bob] = [await market.trader({ OLD: "5" }), await market.trader({ USD: "1000" })]
    const socket = await connectClient(gateway, bob.calls.token!)
    const feed = await listen<OrderBookRecord>(socket, `market:orderbook:${instrumentId}`)
    expect((await create()).record).toMatchObject({ instrumentId, status: "ACTIVE" })
    const before = await ann.limit("SELL", "1", "12.01", { instrumentId })
    expect((await create({ tickSize: "0.5" })).envelope.errno).toBe(-104009)
    await retire()
    await ann.rests(before.tradeOrderId, "CANCELLED")
    expect((await create({ tickSize: "0.5" })).record).toMatchObject({
      instrumentId,
      status: "ACTIVE",
      tickSize: "0.5",
    })
    const { tradingAccountId } = ann
    const fine = { instrumentId, orderSide: "SELL", orderType: "LIMIT", quantity: "1", limitPrice: "12.01" }
    expect((await ann.calls.submit({ tradingAccountId, ...fine })).envelope.errno).toBe(-112034)
    const ask = await ann.limit("SELL", "1", "12.5", { instrumentId })
    const bid = await bob.limit("BUY", "1", "12.5", { instrumentId })
    await bob.rests(bid.tradeOrderId, "FILLED")
    await ann.rests(ask.tradeOrderId, "FILLED")
    // The socket that was there before goes on, and the bars have what was traded under both terms.
    await until("the new ask on the old subscription", () =>
      feed.records().some(({ asks }) => asks.some(([price, quantity]) => price === "12.5" && quantity === "1")),
    )
    const { candles } = (await bob.calls.klines({ instrumentId, interval: "1d", limit: 2 })).record
    expect(new Set(candles.flatMap((bar) => bar.slice(1, 5)))).toEqual(new Set(["10.01", "12.5"]))
    await retire()
  })
})

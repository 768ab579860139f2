/** A stop that waits at its venue, and a buy for an amount of quote: the whole gateway, real ccxt, the loopback exchange as the judge. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import { type BinanceExchange, startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { withDatabaseServer } from "../running/database.ts"
import { signUp, type Trader } from "../users/people.ts"

const SYMBOL = "BTCUSDT"
const makeDatabase = withDatabaseServer()
let exchange: BinanceExchange
let gateway: Gateway

beforeAll(async () => {
  exchange = await startBinanceExchange({ market: "still" })
  const { url } = await makeDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: url, VENUE_ROUTES: JSON.stringify(exchange.routes) } })
})
afterAll(async () => {
  await endGateways()
  await exchange?.stop()
})

const trader = async (): Promise<Trader & { readonly apiKey: string }> => {
  const user = await signUp(gateway)
  const key = { apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") }
  exchange.addUser({ ...key, balances: { USDT: "1000000", BTC: "10" } })
  const { credentialId } = (await user.calls.createCredential({ venue: "BINANCE", ...key, name: "main" })).record
  const { tradingAccountId } = (await user.calls.connect({ venue: "BINANCE", credentialIds: [credentialId] })).record
  await until("the account is ACTIVE", async () =>
    (await user.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  return { ...user, tradingAccountId, apiKey: key.apiKey }
}

const reaches = (who: Trader, id: string, wanted: (order: TradeOrderRecord) => boolean) =>
  until("the order is as it should be", async () => {
    const { record } = await who.calls.order(who.tradingAccountId, id)
    return wanted(record) ? record : undefined
  })

const stopLoss = ({ tradingAccountId }: Trader) => ({
  tradingAccountId,
  instrumentId: "BINANCE:BTC/USDT",
  orderSide: "SELL",
  orderType: "STOP_LOSS",
  quantity: "0.002",
})

describe("an order with terms at Binance", () => {
  it("waits there as the venue's own stop, is told to have triggered, and fills", async () => {
    const who = await trader()
    exchange.trade(SYMBOL, "SELL", "0.00001")
    const { bids } = exchange.depth(SYMBOL, 3)
    const stopPrice = Decimal.of(bids.at(-1)?.[0] ?? "").toString()
    const { record } = await who.calls.submit({ ...stopLoss(who), stopPrice })
    const open = await reaches(who, record.tradeOrderId, ({ orderStatus }) => orderStatus === "ACCEPTED")
    expect(open).toMatchObject({ execution: "NATIVE", triggeredAt: null })
    expect(exchange.orders(who.apiKey)).toMatchObject([{ type: "STOP_LOSS", isWorking: false }])
    const quantity = bids.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.ZERO)
    exchange.trade(SYMBOL, "SELL", quantity.toString())
    const done = await reaches(who, record.tradeOrderId, ({ status }) => status === "FILLED")
    expect(done).toMatchObject({ executedQuantity: "0.002", execution: "NATIVE", triggeredBy: "VENUE" })
  })

  it("stands there as the venue's own pair, of which one ends by the other", async () => {
    const who = await trader()
    exchange.trade(SYMBOL, "SELL", "0.00001")
    const { bids, asks } = exchange.depth(SYMBOL, 3)
    const { record } = await who.calls.submit({
      ...stopLoss(who),
      stopPrice: Decimal.of(bids.at(-1)?.[0] ?? "").toString(),
      takeProfitLimitPrice: Decimal.of(asks.at(-1)?.[0] ?? "").toString(),
    })
    const [profit] = (record as { linkedOrders?: ReadonlyArray<TradeOrderRecord> }).linkedOrders ?? []
    if (profit === undefined) throw new Error("a pair has two orders")
    for (const { tradeOrderId } of [record, profit]) {
      const open = await reaches(who, tradeOrderId, ({ orderStatus }) => orderStatus === "ACCEPTED")
      expect(open).toMatchObject({ execution: "NATIVE", contingencyType: "OCO", orderListId: profit.orderListId })
    }
    expect(exchange.orders(who.apiKey).map(({ type, status }) => `${type} ${status}`)).toEqual([
      "LIMIT_MAKER NEW",
      "STOP_LOSS NEW",
    ])
    const quantity = asks.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.of("0.002"))
    exchange.trade(SYMBOL, "BUY", quantity.toString())
    await reaches(who, profit.tradeOrderId, ({ status }) => status === "FILLED")
    const stop = await reaches(who, record.tradeOrderId, ({ orderStatus }) => orderStatus === "CANCELLED")
    expect(stop).toMatchObject({ cancelReason: "OCO_SIBLING", executedQuantity: "0" })
    expect(exchange.counts()["DELETE /api/v3/order"]).toBeUndefined()
  })

  it("leaves its exits there as the venue's own pair when it is over, and they make way for each other without us", async () => {
    const who = await trader()
    exchange.trade(SYMBOL, "SELL", "0.00001")
    const { bids, asks } = exchange.depth(SYMBOL, 3)
    const [below, above] = [bids, asks].map((rows) => Decimal.of(rows.at(-1)?.[0] ?? "").toString())
    const best = Decimal.of(bids[0]?.[0] ?? "")
    const { record } = await who.calls.submit({
      tradingAccountId: who.tradingAccountId,
      instrumentId: "BINANCE:BTC/USDT",
      orderSide: "BUY",
      orderType: "LIMIT",
      quantity: "0.004",
      // Ahead of everybody: it fills as far as is sold.
      limitPrice: best.add(Decimal.of("0.01")).toString(),
      takeProfitLimitPrice: above,
      stopLossPrice: below,
    })
    await reaches(who, record.tradeOrderId, ({ orderStatus }) => orderStatus === "ACCEPTED")
    const exits = () => exchange.orders(who.apiKey).filter(({ side }) => side === "SELL")
    const working = () => exits().filter(({ status }) => status === "NEW")
    exchange.trade(SYMBOL, "SELL", "0.001")
    await until(
      "the take-profit rests there alone",
      () =>
        working()
          .map(({ type }) => type)
          .join() === "LIMIT",
    )
    exchange.trade(SYMBOL, "SELL", "0.003")
    await until(
      "both rest there",
      () =>
        working()
          .map(({ type }) => type)
          .join() === "LIMIT_MAKER,STOP_LOSS",
    )
    const [maker, stop] = working()
    // It made way; before that it may have grown with what was bought, as an order in its own place.
    const before = exits().slice(0, -2)
    expect(before.length).toBeGreaterThan(0)
    for (const { type, status } of before) expect({ type, status }).toEqual({ type: "LIMIT", status: "CANCELED" })
    expect(maker?.orderListId).toBe(stop?.orderListId)
    expect(maker?.orderListId).not.toBe(-1)
    const legs = async () =>
      (
        await who.calls.call<ReadonlyArray<TradeOrderRecord>>(
          "GET",
          `/tradeOrder/list?orderListId=${record.tradeOrderId}&status=OPEN`,
        )
      ).record ?? []
    const open = await until("both are known to rest there", async () => {
      const records = await legs()
      return records.length === 2 ? records : undefined
    })
    for (const leg of open)
      expect(leg).toMatchObject({ execution: "NATIVE", baseQuantity: Decimal.of(maker?.origQty ?? "").toString() })
    const quantity = asks.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.of("0.004"))
    const cancels = exchange.counts()["DELETE /api/v3/order"]
    exchange.trade(SYMBOL, "BUY", quantity.toString())
    const profit = open.find(({ orderType }) => orderType === "LIMIT")!
    const loss = open.find(({ orderType }) => orderType === "STOP_LOSS")!
    await reaches(who, profit.tradeOrderId, ({ status }) => status === "FILLED")
    const ended = await reaches(who, loss.tradeOrderId, ({ orderStatus }) => orderStatus === "CANCELLED")
    expect(ended).toMatchObject({ cancelReason: "OCO_SIBLING", executedQuantity: "0" })
    expect(exchange.counts()["DELETE /api/v3/order"]).toBe(cancels)
  })

  it("buys at market for an amount of quote asset, and spends no more", async () => {
    const who = await trader()
    const { record } = await who.calls.submit({
      tradingAccountId: who.tradingAccountId,
      instrumentId: "BINANCE:BTC/USDT",
      orderSide: "BUY",
      orderType: "MARKET",
      quantity: "100.25",
      quantityType: "QUOTE",
    })
    const done = await reaches(who, record.tradeOrderId, ({ status }) => status === "FILLED")
    expect(Decimal.of(done.executedCost).greaterThan(Decimal.of("100.25"))).toBe(false)
    expect(exchange.orders(who.apiKey)).toMatchObject([{ origQuoteOrderQty: "100.25000000" }])
  })
})

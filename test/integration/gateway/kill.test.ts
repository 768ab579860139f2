/**
 * The short form of `npm run torture -- kill-orders`: a few kills -9 under order load, all of its judgements; and single kills at the
 * moment that hurts most, an order at the exchange whose answer never came.
 */
import { afterAll, describe, expect, it } from "vitest"
import { startBinanceExchange } from "../../exchanges/binance/exchange.ts"
import { api, endGateways, startGateway, until } from "../../kit/gateway.ts"
import { killOrders } from "../../torture/kill-orders.ts"
import { withDatabaseServer } from "./database.ts"
import { signUp } from "./people.ts"

const quiet = (): void => undefined
const KILLS = 5

describe("a gateway that is killed under order load", () => {
  it("keeps every promise on MOCK, with the embedded database dying beside it", { timeout: 900_000 }, async () => {
    const options = { venue: "mock", database: "embedded", kills: KILLS, seed: 11, progress: quiet } as const
    const verdicts = await killOrders(options)
    expect(verdicts.filter(({ passed }) => !passed)).toEqual([])
    expect(verdicts.length).toBeGreaterThan(8)
  })

  it("keeps every promise at the exchange, which is the judge", { timeout: 900_000 }, async () => {
    const options = { venue: "binance", database: "url", kills: KILLS, seed: 12 } as const
    const verdicts = await killOrders({ ...options, progress: quiet })
    expect(verdicts.filter(({ passed }) => !passed)).toEqual([])
    expect(verdicts.length).toBeGreaterThan(10)
  })
})

describe("an order whose answer died with the gateway", () => {
  const makeDatabase = withDatabaseServer()
  const keys = { apiKey: "k".repeat(64), apiSecret: "s".repeat(64) }
  afterAll(endGateways)

  it.each([
    ["filled at once", { orderType: "MARKET" }, "FILLED"],
    ["still resting", { orderType: "LIMIT", limitPrice: "50000" }, "ACCEPTED"],
    ["killed by its time in force", { orderType: "LIMIT", limitPrice: "50000", timeInForce: "IOC" }, "CANCELLED"],
  ] as const)("is found as our own when it was %s meanwhile", async (_, terms, wanted) => {
    const exchange = await startBinanceExchange({
      market: "still",
      users: [{ ...keys, balances: { USDT: "100000", BTC: "1" } }],
    })
    const env = { DATABASE_URL: (await makeDatabase()).url, VENUE_ROUTES: JSON.stringify(exchange.routes) }
    const first = await startGateway({ env })
    const { calls } = await signUp(first)
    const { credentialId } = (await calls.createCredential({ venue: "BINANCE", ...keys })).record
    const { tradingAccountId } = (await calls.connect({ venue: "BINANCE", credentialIds: [credentialId] })).record
    await until("the account takes orders", async () =>
      (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
    await calls.orderBook("BINANCE:BTC/USDT", 1)
    exchange.fault({ fault: "suppressUserEvents", on: true })
    exchange.fault({ fault: "answer", match: "POST /api/v3/order", action: { kind: "apply-then-hang" } })
    const side = { instrumentId: "BINANCE:BTC/USDT", orderSide: "BUY", quantity: "0.5" }
    const { tradeOrderId } = (await calls.submit({ tradingAccountId, ...side, ...terms })).record
    await until("the order at the exchange", () => exchange.placements().some(({ created }) => created === 1))
    first.kill("SIGKILL")
    await first.exited
    exchange.fault({ fault: "clear" })

    const second = await startGateway({ env, dataDir: first.dataDir })
    const again = api(second).as(calls.token)
    const order = await until(wanted, async () => {
      const { data } = (await again.order(tradingAccountId, tradeOrderId)).envelope
      return data?.orderStatus === wanted ? data : undefined
    })
    const fills = exchange.fills(keys.apiKey)
    expect(order.executions.map(({ externalTradeId }) => externalTradeId)).toEqual(fills.map(({ id }) => String(id)))
    expect(order.externalOrderId).toBe(String(exchange.orders(keys.apiKey)[0]?.orderId))
    await until("the account is ACTIVE", async () =>
      (await again.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
    const all = (await again.orders({ tradingAccountId })).record
    expect(all.map((each) => [each.tradeOrderId, each.origin])).toEqual([[tradeOrderId, "GATEWAY"]])
    expect(exchange.placements().map(({ count, created }) => [count, created])).toEqual([[1, 1]])
    expect(await second.stop()).toEqual({ code: 0, signal: null })
    await exchange.stop()
  })
})

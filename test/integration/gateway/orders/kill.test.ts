/**
 * The short form of `npm run torture -- kill-orders`, which `.ci/run` has longer: two kills -9 under order load, all of its judgements; and
 * one at the moment that hurts most, orders at the exchange whose answers never came.
 */
import { afterAll, describe, expect, it } from "vitest"
import { startBinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { api, endGateways, startGateway, until } from "../../../kit/servers/gateway.ts"
import { killOrders } from "../../../torture/kill/kill-orders.ts"
import { withDatabaseServer } from "../running/database.ts"
import { signUp } from "../users/people.ts"

describe("a gateway that is killed under order load", () => {
  it("keeps every promise at the exchange, which is the judge, with the embedded database dying beside it", {
    timeout: 900_000,
  }, async () => {
    const options = { venue: "binance", database: "embedded", kills: 2, seed: 12 } as const
    const verdicts = await killOrders({ ...options, progress: () => undefined })
    expect(verdicts.filter(({ passed }) => !passed)).toEqual([])
    expect(verdicts.length).toBeGreaterThan(10)
  })
})

describe("orders whose answers died with the gateway", () => {
  const makeDatabase = withDatabaseServer()
  const keys = { apiKey: "k".repeat(64), apiSecret: "s".repeat(64) }
  afterAll(endGateways)

  const ORDERS = {
    "filled at once": [{ orderType: "MARKET" }, "FILLED"],
    "still resting": [{ orderType: "LIMIT", limitPrice: "50000" }, "ACCEPTED"],
    "killed by its time in force": [{ orderType: "LIMIT", limitPrice: "50000", timeInForce: "IOC" }, "CANCELLED"],
  } as const

  it("are found as our own, whatever became of them meanwhile", async () => {
    const exchange = await startBinanceExchange({
      market: "still",
      users: [{ ...keys, balances: { USDT: "200000", BTC: "1" } }],
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
    exchange.fault({
      fault: "answer",
      match: "POST /api/v3/order",
      times: "always",
      action: { kind: "apply-then-hang" },
    })
    const side = { instrumentId: "BINANCE:BTC/USDT", orderSide: "BUY", quantity: "0.5" }
    const sent: Array<readonly [what: string, tradeOrderId: string, wanted: string]> = []
    for (const [what, [terms, wanted]] of Object.entries(ORDERS)) {
      const { tradeOrderId } = (await calls.submit({ tradingAccountId, ...side, ...terms })).record
      sent.push([what, tradeOrderId, wanted])
    }
    await until(
      "the orders at the exchange",
      () => exchange.placements().filter(({ created }) => created === 1).length === sent.length,
    )
    first.kill("SIGKILL")
    await first.exited
    exchange.fault({ fault: "clear" })

    const second = await startGateway({ env, dataDir: first.dataDir })
    const again = api(second).as(calls.token)
    for (const [what, tradeOrderId, wanted] of sent) {
      const order = await until(`${wanted} of what is ${what}`, async () => {
        const { data } = (await again.order(tradingAccountId, tradeOrderId)).envelope
        return data?.orderStatus === wanted ? data : undefined
      })
      const there = exchange
        .orders(keys.apiKey)
        .find(({ clientOrderId }) => clientOrderId === tradeOrderId.replaceAll("-", ""))
      expect([what, order.externalOrderId]).toEqual([what, String(there?.orderId)])
      const fills = exchange.fills(keys.apiKey).filter(({ orderId }) => orderId === there?.orderId)
      const ids = order.executions.map(({ externalTradeId }) => externalTradeId)
      expect([what, ids]).toEqual([what, fills.map(({ id }) => String(id))])
    }
    await until("the account is ACTIVE", async () =>
      (await again.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
    const all = (await again.orders({ tradingAccountId })).record
    expect(all.map((each) => [each.tradeOrderId, each.origin]).toSorted()).toEqual(
      sent.map(([, tradeOrderId]) => [tradeOrderId, "GATEWAY"]).toSorted(),
    )
    expect(exchange.placements().map(({ count, created }) => [count, created])).toEqual(sent.map(() => [1, 1]))
    expect(await second.stop()).toEqual({ code: 0, signal: null })
    await exchange.stop()
  })
})

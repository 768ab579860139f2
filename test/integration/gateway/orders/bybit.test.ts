/**
 * An account at BYBIT: 5,000 fills of a time when the gateway was dead are read in pages; answers that are lost, cancels that come too late, orders
 * of other programs and a disconnect end as the exchange has them.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type BybitExchange, startBybitExchange } from "../../../exchanges/bybit/exchange.ts"
import { connectBybit } from "../../../exchanges/ccxt-client.ts"
import { type Api, api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { BTC, BYBIT_SECRETS, CANCEL, PLACE } from "../../venues/bybit/bybit-kit.ts"
import { signUp } from "../users/people.ts"

const TRADES = 5_000
const PAGE = 100
const LIST = "GET /v5/execution/list"
/** Far from any market: nothing but the test fills it. */
const PRICE = "10000"
/** The floors of the audits are 10, 30 and 60 s (contract C3). */
const AUDIT_MILLIS = 120_000
const { apiKey, apiSecret } = BYBIT_SECRETS

describe("an account at BYBIT", { timeout: 300_000 }, () => {
  let exchange: BybitExchange
  let gateway: Gateway
  let calls: Api
  let env: Readonly<Record<string, string>>
  let tradingAccountId: string
  beforeAll(async () => {
    const users = [{ apiKey, apiSecret, balances: { USDT: "1000000", BTC: "5" } }]
    exchange = await startBybitExchange({ users, market: "empty" })
    env = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
    gateway = await startGateway({ env })
    const newcomer = await signUp(gateway)
    calls = newcomer.calls
    const { credentialId } = (await calls.createCredential({ venue: "BYBIT", apiKey, apiSecret })).record
    const account = (await calls.connect({ venue: "BYBIT", credentialIds: [credentialId] })).record
    tradingAccountId = account.tradingAccountId
    await until("the account takes orders", async () =>
      (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
    )
  })
  afterAll(async () => {
    await endGateways()
    await exchange.stop()
  })

  const resting = (quantity: string) => ({
    tradingAccountId,
    instrumentId: "BYBIT:BTC/USDT",
    orderSide: "BUY",
    orderType: "LIMIT",
    limitPrice: PRICE,
    quantity,
  })
  const order = async (tradeOrderId: string) => (await calls.order(tradingAccountId, tradeOrderId)).record
  const reaches = (tradeOrderId: string, status: string) =>
    until(
      `${status} of ${tradeOrderId}`,
      async () => {
        const record = await order(tradeOrderId)
        return record.orderStatus === status && record
      },
      AUDIT_MILLIS,
    )

  it("hears by its audits what a private stream did not say", async () => {
    const { tradeOrderId } = await calls.submitted({ ...resting("0.04"), awaitAccepted: true })
    exchange.fault({ fault: "suppressUserEvents", on: true })
    exchange.trade(BTC, "SELL", "0.04")
    expect(await reaches(tradeOrderId, "FILLED")).toMatchObject({ executedQuantity: "0.04" })
    exchange.fault({ fault: "suppressUserEvents", on: false })
  })

  it("opens, takes orders and says what filled before the last of 5,000 trades is read, each of them once", async () => {
    const { tradeOrderId } = await calls.submitted({ ...resting("10"), awaitAccepted: true })
    gateway.kill("SIGKILL")
    await gateway.exited
    const before = exchange.fills(apiKey).length
    for (let n = 0; n < TRADES; n++) exchange.trade(BTC, "SELL", "0.001")
    expect(exchange.fills(apiKey)).toHaveLength(before + TRADES)
    const asked = exchange.counts()[LIST] ?? 0

    gateway = await startGateway({ env, dataDir: gateway.dataDir })
    calls = api(gateway).as(calls.token)
    const small = await until("an order of the meantime", async () => {
      const answer = await calls.submit(resting("0.01"))
      return answer.status === 200 && answer.record
    })
    const read = await until(
      "all trades of the absence",
      async () => {
        const record = await order(tradeOrderId)
        return record.executions.length >= TRADES && record
      },
      AUDIT_MILLIS,
    )
    expect(read.executedQuantity).toBe("5")
    expect(read.executions.filter(({ inferred }) => inferred)).toEqual([])
    expect(new Set(read.executions.map(({ externalTradeId }) => externalTradeId)).size).toBe(TRADES)
    expect((exchange.counts()[LIST] ?? 0) - asked).toBeLessThan((4 * TRADES) / PAGE)
    for (const id of [small.tradeOrderId, tradeOrderId]) await calls.cancelled(tradingAccountId, id)
    expect(await order(tradeOrderId)).toMatchObject({ orderStatus: "CANCELLED", executedQuantity: "5" })
  })

  it.each(["apply-then-destroy", "apply-then-hang"] as const)(
    "finds its order after an answer that was lost (%s), and has sent it once",
    async (kind) => {
      exchange.fault({ fault: "answer", match: PLACE, action: { kind } })
      const { tradeOrderId } = (await calls.submit(resting("0.02"))).record
      await until("the order, found by our id", async () => (await order(tradeOrderId)).externalOrderId)
      const id = tradeOrderId.replaceAll("-", "")
      expect(exchange.placements().find(({ clientOrderId }) => clientOrderId === id)).toMatchObject({
        count: 1,
        created: 1,
      })
      await calls.cancelled(tradingAccountId, tradeOrderId)
    },
  )

  it("has an order FILLED that filled behind its acknowledged cancel", async () => {
    const { tradeOrderId } = await calls.submitted({ ...resting("0.03"), awaitAccepted: true })
    exchange.fault({ fault: "holdCancels", on: true })
    const sent = exchange.counts()[CANCEL] ?? 0
    await calls.cancel(tradingAccountId, tradeOrderId)
    await until("the cancel at the venue", () => (exchange.counts()[CANCEL] ?? 0) > sent)
    exchange.trade(BTC, "SELL", "0.03")
    expect(await reaches(tradeOrderId, "FILLED")).toMatchObject({ executedQuantity: "0.03" })
    exchange.fault({ fault: "holdCancels", on: false })
  })

  it("shows the order of another program, and disconnects so that nothing stays open at the exchange", async () => {
    const mine = await calls.submitted({ ...resting("0.05"), awaitAccepted: true })
    const elsewhere = await connectBybit(exchange.routes, { apiKey, secret: apiSecret })
    const { id } = await elsewhere.createOrder("BTC/USDT", "limit", "buy", 0.06, 9_000)
    await elsewhere.close()
    const foreign = await until("the foreign order", async () =>
      (await calls.orders({ tradingAccountId })).record.find(({ externalOrderId }) => externalOrderId === id),
    )
    expect(foreign).toMatchObject({ quantity: "0.06", limitPrice: "9000" })
    await calls.disconnect(tradingAccountId).then(({ record }) => record)
    await until("nothing open at the exchange", () =>
      exchange.orders(apiKey).every(({ orderStatus }) => orderStatus !== "New" && orderStatus !== "PartiallyFilled"),
    )
    expect((await order(mine.tradeOrderId)).orderStatus).toBe("CANCELLED")
  })
})

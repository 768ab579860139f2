/** An account at KRAKEN that traded 2,500 times while the gateway was away: it opens while they are read, and within the venue's limits. */
import { afterAll, expect, it } from "vitest"
import { startKrakenExchange } from "../../../exchanges/kraken/exchange.ts"
import { api, endGateways, startGateway, until } from "../../../kit/servers/gateway.ts"
import { KRAKEN_SECRETS } from "../../venues/kraken/kraken-kit.ts"
import { signUp } from "../users/people.ts"

const TRADES = 2_500
const PAGE = 50
const HISTORY = "POST /0/private/TradesHistory"
/** Far from the market, so that nothing but the test fills it. */
const PRICE = "10000"

afterAll(endGateways)

it("opens, takes orders and says what filled before the last trade is read, and is refused no call", {
  timeout: 300_000,
}, async () => {
  const { apiKey, apiSecret } = KRAKEN_SECRETS
  const users = [{ apiKey, apiSecret, balances: { USD: "1000000", BTC: "5" } }]
  const exchange = await startKrakenExchange({ users, market: "empty" })
  const env = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
  const first = await startGateway({ env })
  const { calls } = await signUp(first)
  const { credentialId } = (await calls.createCredential({ venue: "KRAKEN", apiKey, apiSecret })).record
  const { tradingAccountId } = (
    await calls.connect({ venue: "KRAKEN", externalTradingAccountId: "absence", credentialIds: [credentialId] })
  ).record
  await until("the account takes orders", async () =>
    (await calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  const resting = {
    tradingAccountId,
    instrumentId: "KRAKEN:BTC/USD",
    orderSide: "BUY",
    orderType: "LIMIT",
    limitPrice: PRICE,
  }
  const { tradeOrderId } = await calls.submitted({ ...resting, quantity: "10", awaitAccepted: true })
  first.kill("SIGKILL")
  await first.exited

  for (let n = 0; n < TRADES; n++) exchange.trade("BTC/USD", "SELL", "0.001")
  expect(exchange.fills(apiKey)).toHaveLength(TRADES)
  const pagesBefore = exchange.counts()[HISTORY] ?? 0

  const second = await startGateway({ env, dataDir: first.dataDir })
  const again = api(second).as(calls.token)
  await until(
    "an order of the meantime",
    async () => (await again.submit({ ...resting, quantity: "0.01" })).status === 200,
  )
  expect((await again.accounts({ tradingAccountId })).record).toMatchObject([{ status: "ACTIVE" }])
  expect((exchange.counts()[HISTORY] ?? 0) - pagesBefore).toBeLessThan(TRADES / PAGE)
  const order = await until("trades of the absence", async () => {
    const { record } = await again.order(tradingAccountId, tradeOrderId)
    return Number(record.executedQuantity) > 0 && record
  })
  expect(order.executions.filter(({ inferred }) => inferred)).toEqual([])
  expect(exchange.refusedCalls()).toBe(0)
  expect(await second.stop()).toEqual({ code: 0, signal: null })
  await exchange.stop()
})

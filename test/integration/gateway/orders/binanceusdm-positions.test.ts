/** What an account at BINANCEUSDM has open, through a gateway: shown with the currency of its margin, and as the venue says it. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startUsdmExchange, type UsdmExchange } from "../../../exchanges/binance-usdm/exchange.ts"
import { connectUsdm } from "../../../exchanges/ccxt-client.ts"
import { api, endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { BTC } from "../../venues/binanceusdm/usdm-kit.ts"
import { signUp, type Trader } from "../users/people.ts"

/** The floors of the audits are 10, 30 and 60 s (contract C3). */
const AUDIT_MILLIS = 120_000

let exchange: UsdmExchange
let gateway: Gateway
let env: Readonly<Record<string, string>>

beforeAll(async () => {
  exchange = await startUsdmExchange({ market: "still" })
  env = { VENUE_ROUTES: JSON.stringify(exchange.routes) }
  gateway = await startGateway({ env })
})
afterAll(async () => {
  await endGateways()
  await exchange.stop()
})

const keysOf = () => ({ apiKey: randomBytes(32).toString("hex"), apiSecret: randomBytes(32).toString("hex") })

const trader = async (): Promise<Trader & ReturnType<typeof keysOf>> => {
  const user = await signUp(gateway)
  const keys = keysOf()
  exchange.addUser({ ...keys, balances: { USDT: "100000" } })
  const { credentialId } = (await user.calls.createCredential({ venue: "BINANCEUSDM", ...keys })).record
  const connected = (await user.calls.connect({ venue: "BINANCEUSDM", credentialIds: [credentialId] })).record
  const { tradingAccountId } = connected
  await until("the account is ACTIVE", async () =>
    (await user.calls.accounts({ tradingAccountId })).record.find(({ status }) => status === "ACTIVE"),
  )
  return { ...user, tradingAccountId, ...keys }
}

const market = ({ tradingAccountId }: Trader, orderSide: "BUY" | "SELL", quantity: string) => ({
  tradingAccountId,
  instrumentId: "BINANCEUSDM:BTC/USDT",
  orderSide,
  orderType: "MARKET",
  quantity,
  awaitClosed: true,
})

const shown = async ({ calls, tradingAccountId }: Trader) => (await calls.portfolio(tradingAccountId)).record

describe("a position at BINANCEUSDM", () => {
  it("is shown with its margin, never as a balance of its base asset, under the id of its orders, also after a restart", async () => {
    const who = await trader()
    const order = await who.calls.submitted(market(who, "SELL", "0.5"))
    const [row, ...others] = await until("the position", async () => {
      const rows = await shown(who)
      return rows.some(({ contracts }) => contracts !== undefined) && rows
    })
    expect(others).toEqual([])
    const contract = {
      positionId: order.positionId,
      instrumentId: "BINANCEUSDM:BTC/USDT",
      side: "SHORT",
      quantity: "0.5",
      entryPrice: expect.stringMatching(/^59\d{3}/),
      unrealizedProfit: expect.any(String),
    }
    expect(row).toMatchObject({ currency: "USDT", contracts: [contract] })
    // A twentieth of some 30,000 is its margin.
    expect(Number(row?.locked)).toBeGreaterThan(1_400)
    expect(Number(row?.balance)).toBeGreaterThan(99_000)

    gateway.kill("SIGKILL")
    await gateway.exited
    gateway = await startGateway({ env, dataDir: gateway.dataDir })
    const again = { ...who, calls: api(gateway).as(who.calls.token) }
    const rows = await until("the position behind the restart", async () => {
      const answer = await again.calls.portfolio(who.tradingAccountId)
      return answer.status === 200 && answer.record.length > 0 && answer.record
    })
    expect(rows).toMatchObject([{ currency: "USDT", contracts: [contract] }])

    await again.calls.submitted(market(again, "BUY", "0.5"))
    await until("its end", async () => (await shown(again)).every(({ contracts }) => contracts === undefined))
    expect(exchange.position(who.apiKey, BTC)).toMatchObject({ positionAmt: "0" })
  })

  it("is closed by orders that name it, which never open or turn one", async () => {
    const who = await trader()
    const bought = await who.calls.submitted(market(who, "BUY", "0.5"))
    const { positionId } = bought
    const errnoOf = async (body: object) =>
      (await who.calls.submit({ ...market(who, "SELL", "0.5"), ...body })).envelope.errno
    // Before the venue is asked again: its own execution is counted.
    expect(await errnoOf({ positionId, quantity: "0.501" })).toBe(-112033)
    expect(await errnoOf({ positionId, orderSide: "BUY" })).toBe(-112033)
    const half = { positionId, quantity: "0.5", quantityType: "POSITION_RATIO" }
    const sold = await who.calls.submitted({ ...market(who, "SELL", "0.5"), ...half })
    expect(sold).toMatchObject({
      baseQuantity: "0.25",
      executedQuantity: "0.25",
      orderStatus: "FILLED",
      reduceOnly: true,
    })
    expect(bought).not.toHaveProperty("reduceOnly")
    expect(exchange.orders(who.apiKey).map(({ reduceOnly }) => reduceOnly)).toEqual([false, true])
    const rest = await who.calls.submitted({ ...market(who, "SELL", "0.25"), positionId })
    expect(rest.orderStatus).toBe("FILLED")
    expect(exchange.position(who.apiKey, BTC)).toMatchObject({ positionAmt: "0" })
    expect(await errnoOf({ positionId, quantity: "0.001" })).toBe(-110016)
  })

  it("that another program opens is told on the stream's word, and on an audit's where the stream is silent", {
    timeout: 180_000,
  }, async () => {
    const who = await trader()
    const elsewhere = await connectUsdm(exchange.routes, { apiKey: who.apiKey, secret: who.apiSecret })
    const opened = (quantity: string) =>
      until(
        `a position of ${quantity}`,
        async () => (await shown(who)).some(({ contracts = [] }) => contracts[0]?.quantity === quantity),
        AUDIT_MILLIS,
      )
    try {
      await elsewhere.createOrder("BTC/USDT:USDT", "market", "buy", 0.1)
      await opened("0.1")
      exchange.fault({ fault: "suppressUserEvents", on: true })
      await elsewhere.createOrder("BTC/USDT:USDT", "market", "buy", 0.2)
      await opened("0.3")
    } finally {
      exchange.fault({ fault: "clear" })
      await elsewhere.close()
    }
  })

  it("that the venue liquidates is gone, and its executions are those of the venue's list, each once", async () => {
    const who = await trader()
    await who.calls.submitted(market(who, "BUY", "0.4"))
    exchange.liquidate(who.apiKey, BTC)
    const order = await until("the venue's order and its trades", async () => {
      const { record } = await who.calls.orders({ tradingAccountId: who.tradingAccountId })
      return record.find(({ origin, orderStatus }) => origin === "EXTERNAL" && orderStatus === "FILLED")
    })
    expect(order).toMatchObject({ orderSide: "SELL", quantity: "0.4", executedQuantity: "0.4" })
    const trades = exchange.fills(who.apiKey).filter(({ side }) => side === "SELL")
    expect(order.executions.map(({ externalTradeId, inferred }) => [externalTradeId, inferred])).toEqual(
      trades.map(({ id }) => [String(id), false]),
    )
    await until("its end", async () => (await shown(who)).every(({ contracts }) => contracts === undefined))
  })

  it.each(["is open", "was closed meanwhile"])(
    "whose stop fires is closed where it %s, and never opened the other way",
    async (state) => {
      const who = await trader()
      const { positionId } = await who.calls.submitted(market(who, "BUY", "0.4"))
      const { tradingAccountId, instrumentId } = market(who, "SELL", "0.4")
      const stop = {
        tradingAccountId,
        instrumentId,
        orderSide: "SELL",
        orderType: "STOP_LOSS",
        quantity: "0.4",
        positionId,
      }
      // Without a price the first trade would decide whether it is refused.
      await until("the price above the stop", async () => {
        const { status, record } = await who.calls.ticker(instrumentId)
        return status === 200 && Number(record.lastPrice) > 59_000
      })
      const { tradeOrderId } = (await who.calls.submit({ ...stop, stopPrice: "59000" })).record
      const order = async () => (await who.calls.order(tradingAccountId, tradeOrderId)).record
      await until("the stop is armed", async () => (await order()).orderStatus === "ACCEPTED")
      if (state !== "is open") await who.calls.submitted({ ...market(who, "SELL", "0.4"), positionId })
      exchange.setLevel(BTC, "bids", "58900", "5")
      for (const { price } of exchange.levels(BTC, "bids"))
        if (Number(price) > 58_900) exchange.setLevel(BTC, "bids", price, "0")
      const end = await until("its end", async () => {
        // The first may come before the gateway hears the market's trades.
        exchange.trade(BTC, "SELL", "0.001")
        const record = await order()
        return ["FILLED", "REJECTED"].includes(record.orderStatus) && record
      })
      expect(end).toMatchObject(
        state === "is open"
          ? { orderStatus: "FILLED", reduceOnly: true }
          : { orderStatus: "REJECTED", executedQuantity: "0" },
      )
      expect(exchange.position(who.apiKey, BTC)).toMatchObject({ positionAmt: "0" })
    },
  )

  it("of an account in hedge mode is none: it is not connected, and the answer says the way out", async () => {
    const user = await signUp(gateway)
    const keys = keysOf()
    exchange.addUser({ ...keys, balances: { USDT: "100000" } })
    exchange.setDualSide(keys.apiKey, true)
    const answer = await user.calls.createCredential({ venue: "BINANCEUSDM", ...keys })
    expect([answer.status, answer.envelope.errno]).toEqual([400, -130005])
    expect(JSON.stringify(answer.envelope)).toContain("one-way")
  })
})

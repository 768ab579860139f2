/** Maps of a real gateway on MOCK: what they show is what HTTP answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PositionRecord } from "../../../../src/domain/account/trading-account.ts"
import type { TradeOrderRecord } from "../../../../src/domain/order/trade-order-record.ts"
import { cutProxy } from "../../../kit/proxies/cut-proxy.ts"
import { type MapReader, readMap } from "../../../kit/readers/map-reader.ts"
import { endGateways, type Gateway, startGateway, until } from "../../../kit/servers/gateway.ts"
import { signUp, signUpWithMock, type Trader } from "../users/people.ts"
import { closeClients, connectClient, pairs } from "./socket.ts"

const INSTRUMENT = "MOCK:BTC/USDT"
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway({ env: { MOCK_TICK_MS: "50" } })
})
afterAll(async () => {
  closeClients()
  await endGateways()
})

const resting = (trader: Trader, fields: Readonly<Record<string, unknown>> = {}) => ({
  tradingAccountId: trader.tradingAccountId,
  instrumentId: INSTRUMENT,
  orderSide: "BUY",
  orderType: "LIMIT",
  quantity: "0.01",
  limitPrice: "1000",
  ...fields,
})

const subscribed = async (read: MapReader): Promise<MapReader> => {
  await read.subscription.ready(45_000)
  return read
}

const ordersOf = async (trader: Trader, at = gateway): Promise<MapReader> => {
  const client = await connectClient(at, trader.session.accessToken)
  return subscribed(readMap(client, `tradingAccount:${trader.tradingAccountId}:orders`))
}

const positionsOf = async (trader: Trader): Promise<MapReader> => {
  const client = await connectClient(gateway, trader.session.accessToken)
  return subscribed(readMap(client, `tradingAccount:${trader.tradingAccountId}:positions`))
}

const shows = (read: MapReader, what: string, records: () => Promise<ReadonlyMap<string, unknown>>) =>
  until(
    () => `${what}: ${JSON.stringify([...read.map])}`,
    async () => {
      const expected = await records()
      return read.map.size === expected.size && [...expected].every(([key, record]) => equal(read.map.get(key), record))
    },
    45_000,
  )
const equal = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const openOrders = async (trader: Trader): Promise<ReadonlyMap<string, TradeOrderRecord>> => {
  const { tradingAccountId } = trader
  const all = (await trader.calls.orders({ tradingAccountId, limit: 100 })).record
  const isOpen = ({ orderStatus }: TradeOrderRecord) =>
    !["FILLED", "CANCELLED", "REJECTED", "EXPIRED", "REVOKED"].includes(orderStatus)
  return new Map(all.filter(isOpen).map((order) => [order.tradeOrderId, order]))
}
const portfolio = async (trader: Trader): Promise<ReadonlyMap<string, PositionRecord>> =>
  new Map((await trader.calls.portfolio(trader.tradingAccountId)).record.map((each) => [each.currency, each]))

describe("the map of open orders", () => {
  it("has each order from its submit to its end, as HTTP shows it", async () => {
    const trader = await signUpWithMock(gateway)
    const before = (await trader.calls.submit(resting(trader))).record
    const read = await ordersOf(trader)
    expect([...read.map.keys()]).toEqual([before.tradeOrderId])
    const { tradeOrderId } = (await trader.calls.submit(resting(trader, { limitPrice: "1001" }))).record
    await until("the new order", () => read.map.has(tradeOrderId))
    await shows(read, "two open orders", () => openOrders(trader))
    await trader.calls.cancelled(trader.tradingAccountId, before.tradeOrderId)
    await shows(read, "one open order", () => openOrders(trader))
    const market = { orderType: "MARKET", limitPrice: undefined, awaitClosed: true }
    const filled = await trader.calls.submitted(resting(trader, market))
    expect(filled.status).toBe("FILLED")
    await until("the fill", () => read.updates.includes(`-${filled.tradeOrderId}`))
    await shows(read, "the order that rests", () => openOrders(trader))
    expect([...read.map.keys()]).toEqual([tradeOrderId])
    const late = await ordersOf(trader)
    expect([...late.map]).toEqual([...read.map])
  })

  it("is brought up to date after a cut", async () => {
    const trader = await signUpWithMock(gateway)
    const { hostname, port } = new URL(gateway.ws)
    const proxy = await cutProxy({ host: hostname, port: Number(port) })
    try {
      const read = await ordersOf(trader, { ...gateway, ws: gateway.ws.replace(`:${port}`, `:${proxy.port}`) })
      const first = (await trader.calls.submit(resting(trader))).record
      await shows(read, "the first order", () => openOrders(trader))
      proxy.cut()
      await trader.calls.cancelled(trader.tradingAccountId, first.tradeOrderId)
      const second = (await trader.calls.submit(resting(trader))).record
      proxy.mend()
      await until("the second order", () => read.map.has(second.tradeOrderId), 45_000)
      await shows(read, "the second order alone", () => openOrders(trader))
      expect(read.told.filter((each) => each !== "subscribing 0" && !/^subscribing/.test(each))).toEqual([
        "subscribed",
        "sync 0",
        "recovered",
      ])
    } finally {
      await proxy.close()
    }
  })

  it("is nobody else's", async () => {
    const trader = await signUpWithMock(gateway)
    const stranger = await signUp(gateway)
    const client = await connectClient(gateway, stranger.session.accessToken)
    for (const part of ["orders", "positions"]) {
      const read = readMap(client, `tradingAccount:${trader.tradingAccountId}:${part}`)
      await until("a refusal", () => read.told.includes("unsubscribed 103"))
    }
  })

  it("ends with the account", async () => {
    const trader = await signUpWithMock(gateway)
    const { tradeOrderId } = (await trader.calls.submit(resting(trader))).record
    const read = await ordersOf(trader)
    expect([...read.map.keys()]).toEqual([tradeOrderId])
    await trader.calls.disconnect(trader.tradingAccountId)
    await until("the end", () => read.told.at(-1) === "unsubscribed 2000", 45_000)
    expect(read.map.size).toBe(0)
  })
})

describe("the map of positions", () => {
  it("is the portfolio, before and after trades", async () => {
    const trader = await signUpWithMock(gateway)
    const read = await positionsOf(trader)
    await shows(read, "the starting balances", () => portfolio(trader))
    const market = { orderType: "MARKET", limitPrice: undefined, awaitClosed: true }
    await trader.calls.submit(resting(trader, market))
    await trader.calls.submit(resting(trader))
    await shows(read, "what was bought, and what is held for the order", () => portfolio(trader))
    const late = await positionsOf(trader)
    await shows(late, "the same to a late reader", () => portfolio(trader))
  })
})

describe("the map of an order book", () => {
  it("is the book that HTTP answers, at the same sequence", async () => {
    const user = await signUp(gateway)
    const client = await connectClient(gateway, user.session.accessToken)
    const read = readMap(client, `market:orderbook:${INSTRUMENT}`)
    interface Level {
      readonly side: "bids" | "asks"
      readonly price: string
      readonly quantity: string
    }
    const states = new Map<number, ReadonlySet<string>>()
    const look = (): void => {
      const book = read.map.get("book") as { readonly sequence: number } | undefined
      if (book === undefined) return
      const levels = [...read.map.entries()].filter(([key]) => key !== "book").map(([, level]) => level as Level)
      states.set(book.sequence, new Set(levels.map(({ side, price, quantity }) => `${side} ${price} ${quantity}`)))
    }
    read.subscription.on("sync", look)
    read.subscription.on("update", ({ key }) => {
      if (key === "book") look()
    })
    await subscribed(read)
    await until("ten updates", () => states.size > 10, 45_000)
    for (let reads = 0; reads < 5; reads++) {
      const { sequence, bids, asks } = (await user.calls.orderBook(INSTRUMENT)).record
      const found = await until(`sequence ${sequence}`, () => states.get(sequence), 45_000)
      const levels = [
        ...pairs(bids).map(([price, quantity]) => `bids ${price} ${quantity}`),
        ...pairs(asks).map(([price, quantity]) => `asks ${price} ${quantity}`),
      ]
      expect(found).toEqual(new Set(levels))
    }
  })
})

describe("the map of a venue's tickers", () => {
  it("has the newest ticker of each instrument", async () => {
    const user = await signUp(gateway)
    const client = await connectClient(gateway, user.session.accessToken)
    const read = await subscribed(readMap(client, "market:ticker:MOCK"))
    const instruments = (await user.calls.instruments({ venue: "MOCK", limit: 100 })).record
    await until("a ticker of every instrument", () => read.map.size === instruments.length, 45_000)
    expect(new Set(read.map.keys())).toEqual(new Set(instruments.map(({ instrumentId }) => instrumentId)))
    const asked = (await user.calls.ticker(INSTRUMENT)).record
    await until("a newer one", () => (read.map.get(INSTRUMENT) as typeof asked).timestamp >= asked.timestamp, 45_000)
  })
})

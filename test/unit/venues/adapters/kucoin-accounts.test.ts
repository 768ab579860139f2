/** What KuCoin is asked for its two kinds of accounts: unmodified ccxt behind a session, whose HTTP answers are the test's own. */
import { afterEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import { type Asked, type Scripted, scripted, TRADE_ORDER_ID } from "../../../kit/worlds/scripted-session.ts"

const AT = 1_774_455_603_156
const PAGE = 200

let world: Scripted | undefined
afterEach(async () => {
  await world?.session.stop()
  world = undefined
})

const order = (id: number) => ({
  ...{ orderId: String(id), symbol: "BTC-USDT", orderType: "LIMIT", side: "BUY", size: "1", price: "50000" },
  ...{
    timeInForce: "GTC",
    orderTime: AT * 1_000_000,
    filledSize: "0.25",
    avgPrice: "50000",
    fee: "0",
    feeCurrency: "USDT",
  },
  ...{ updatedTime: AT * 1_000_000, clientOid: `c${id}`, status: 2, sizeUnit: "BASECCY", postOnly: false },
})
const execution = (id: number) => ({
  ...{
    orderId: "7",
    symbol: "BTC-USDT",
    orderType: "LIMIT",
    side: "BUY",
    tradeId: String(id),
    size: "0.01",
    price: "50000.5",
  },
  ...{ value: "500.005", executionTime: AT * 1_000_000 + id, fee: "0.5", feeCurrency: "USDT", liquidityRole: "TAKER" },
})
const upTo = <A>(count: number, from: number, of: (id: number) => A): ReadonlyArray<A> =>
  Array.from({ length: Math.max(0, Math.min(PAGE, count - from)) }, (_, nth) => of(1000 + from + nth))

/** It has so many of each, page by page; a silent one does not say where the next page begins. */
const unified =
  (count: number, isSilent = false) =>
  ({ url }: Asked) => {
    const { pathname, searchParams } = new URL(url)
    const data = (): unknown => {
      if (pathname.endsWith("/account/mode")) return { selfAccountMode: "UNIFIED" }
      if (pathname.endsWith("/unified/account/balance")) {
        const usdt = { currency: "USDT", equity: "10", hold: "3", balance: "10", available: "7", liability: "0" }
        return { accountType: "UNIFIED", ts: AT, accounts: [{ currencies: [usdt] }] }
      }
      if (pathname.endsWith("/order/open-list")) {
        const page = Number(searchParams.get("pageNumber"))
        const items = upTo(count, (page - 1) * PAGE, order)
        const totalPage = isSilent ? null : Math.ceil(count / PAGE)
        return { pageNumber: page, pageSize: PAGE, totalNum: count, totalPage, items }
      }
      const from = Number(searchParams.get("lastId") ?? 0)
      const isOver = pathname.endsWith("/order/history")
      const items = isOver ? upTo(count, from, (id) => ({ ...order(id), status: 5 })) : upTo(count, from, execution)
      return { tradeType: "SPOT", lastId: isSilent ? null : Math.min(count, from + PAGE), items }
    }
    return { code: "200000", data: data() }
  }

const paths = ({ asked }: Scripted): ReadonlyArray<string> =>
  asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`).filter((it) => !it.endsWith("/account/mode"))

describe("a unified account", () => {
  it("tells its balances, and the open orders of all markets to the last page", async () => {
    world = await scripted("KUCOIN", "BTC-USDT", unified(450))
    const { questions } = world.session
    expect((await questions.balances()).balances).toEqual([{ asset: "USDT", available: "7", locked: "3" }])
    const open = await questions.openOrders()
    expect(open.map(({ externalOrderId }) => externalOrderId)).toEqual(
      Array.from({ length: 450 }, (_, nth) => String(1000 + nth)),
    )
    expect(open[0]).toMatchObject({ clientId: "c1000", status: "OPEN", quantity: "1", executedQuantity: "0.25" })
    expect(world.asked.filter(({ url }) => url.includes("open-list")).length).toBe(3)
    expect(world.asked.filter(({ url }) => url.includes("symbol=")).length).toBe(0)
  })

  it("tells its executions and the orders that are over to the last of them", async () => {
    world = await scripted("KUCOIN", "BTC-USDT", unified(730))
    const { questions } = world.session
    const since = AT - 1000
    const { fills, next } = await questions.fills(since, [world.instrumentId], null)
    expect(new Set(fills.map(({ externalTradeId }) => externalTradeId)).size).toBe(730)
    expect(fills[0]).toMatchObject({ price: "50000.5", quantity: "0.01", externalOrderId: "7" })
    const markets = [{ instrumentId: world.instrumentId, since, oldestId: null }]
    const over = await questions.ended(markets, null)
    expect(new Set(over.orders.map(({ externalOrderId }) => externalOrderId)).size).toBe(730)
    // A list of more rows than a page has is asked for once more, and that costs no request.
    const asked = world.asked.length
    expect(next).not.toBeNull()
    expect((await questions.fills(since, [world.instrumentId], next)).fills).toEqual([])
    expect(world.asked.length).toBe(asked)
  })

  it("has its lists read to the end, or not at all, when the venue does not say what is behind a page", async () => {
    for (const count of [150, 250]) {
      world = await scripted("KUCOIN", "BTC-USDT", unified(count, true))
      const { questions } = world.session
      const since = AT - 1000
      const lists = await Promise.allSettled([
        questions.openOrders(),
        questions.fills(since, [world.instrumentId], null).then(({ fills }) => fills),
        questions
          .ended([{ instrumentId: world.instrumentId, since, oldestId: null }], null)
          .then(({ orders }) => orders),
      ])
      const read = lists.map((list) => (list.status === "fulfilled" ? list.value.length : String(list.reason)))
      const cut = "BadResponse: a full page of a list does not say how to continue"
      expect(read).toEqual(count < PAGE ? [count, count, count] : [cut, cut, cut])
      await world.session.stop()
    }
  })

  it("has an order looked up by our id", async () => {
    world = await scripted("KUCOIN", "BTC-USDT", (asked) =>
      asked.url.includes("/order/detail") ? { code: "200000", data: order(7) } : unified(0)(asked),
    )
    const { instrumentId } = world
    const state = await world.session.questions.order({
      tradeOrderId: TRADE_ORDER_ID,
      externalOrderId: null,
      instrumentId,
    })
    expect(state).toMatchObject({ externalOrderId: "7", status: "OPEN" })
    expect(world.asked.at(-1)?.url).toContain(`clientOid=${venueClientId(TRADE_ORDER_ID)}`)
  })
})

describe("a classic account", () => {
  it("has an order looked up by our id, which ccxt refuses to do without the venue's", async () => {
    const found = {
      ...{ id: "7", symbol: "BTC-USDT", type: "limit", side: "buy", price: "50000", size: "1", dealSize: "0" },
      ...{ dealFunds: "0", isActive: true, cancelExist: false, createdAt: AT },
    }
    world = await scripted("KUCOIN", "BTC-USDT", () => ({ code: "200000", data: found }), {
      options: { uta: false, hf: false },
    })
    const { instrumentId } = world
    const state = await world.session.questions.order({
      tradeOrderId: TRADE_ORDER_ID,
      externalOrderId: null,
      instrumentId,
    })
    expect(state).toMatchObject({ externalOrderId: "7", status: "OPEN" })
    expect(paths(world)).toEqual([`GET /api/v1/order/client-order/${venueClientId(TRADE_ORDER_ID)}`])
  })
})

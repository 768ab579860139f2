/** Vega's 0014-ORDT over HTTP at MOCK: each criterion bound to a test with its own numbers, or told why it cannot apply to a spot gateway. */
import { afterAll, beforeAll, describe, expect } from "vitest"
import { type OwnDatabase, withDatabaseServer } from "../integration/gateway/running/database.ts"
import { api, endGateways, until } from "../kit/servers/gateway.ts"
import { type Desk, deskOf, type QuietMarket, quietGateway, quietMarket, SOL, type Submitted } from "./quiet-market.ts"
import { criteriaOf, documentOf, VectorTable } from "./vector-table.ts"

const text = documentOf("vega-specs/0014-ORDT-order_types.md")

describe.skipIf(text === null)("0014-ORDT", () => {
  const table = new VectorTable("0014-ORDT", criteriaOf(text ?? ""), "0014-ORDT-")
  const makeDatabase = withDatabaseServer()
  let database: OwnDatabase
  let market: QuietMarket
  let ada: Desk

  beforeAll(async () => {
    database = await makeDatabase()
    market = await quietMarket(await quietGateway({ DATABASE_URL: database.url }))
    ada = await market.desk()
  })
  afterAll(endGateways)

  const stop = async (orderSide: "BUY" | "SELL", fields: object): Promise<Submitted> => {
    const answer = await ada.submit({ orderSide, orderType: "STOP", quantity: "1", awaitAccepted: true, ...fields })
    expect(await ada.rests(answer.record.tradeOrderId, "OPEN", "REJECTED")).toMatchObject({
      status: "OPEN",
      execution: "EMULATED",
      triggeredAt: null,
    })
    return answer.record
  }
  /** Of an order that ends in a second; asked again where the machine took longer than that to place it. */
  const ending = (fields: object): Promise<Submitted> =>
    until("an order that is placed before its end", async () => {
      const terms = { quantity: "1", timeInForce: "GTD", expireAt: Date.now() + 1_000, ...fields }
      const answer = await ada.submit(terms)
      if (answer.envelope.success) return answer.record
      expect(answer.envelope.errno).toBe(-112023)
      return undefined
    })
  const refusal = async (fields: object): Promise<number> =>
    (await ada.submit({ orderSide: "SELL", orderType: "STOP", quantity: "1", ...fields })).envelope.errno

  /** Trades at these prices; what remains at the last one is there for the order, which must fire at just that price. */
  const firesAt = async (side: "BUY" | "SELL", fields: object, ...prices: ReadonlyArray<number>): Promise<void> => {
    await market.moveTo(50)
    const { tradeOrderId } = await stop(side, fields)
    for (const [index, price] of prices.entries()) {
      const isLast = index === prices.length - 1
      await market.trade(price, side === "SELL" ? "BUY" : "SELL", isLast ? 1 : 0)
      if (!isLast) expect(await ada.order(tradeOrderId)).toMatchObject({ status: "OPEN", triggeredAt: null })
    }
    const fired = await ada.rests(tradeOrderId, "FILLED")
    expect([fired.triggeredBy, Number(fired.triggerPrice)]).toEqual(["TRADE", prices.at(-1)])
    expect([fired.executedQuantity, Number(fired.averagePrice)]).toEqual(["1", prices.at(-1)])
  }

  describe("orders that work at once", () => {
    table.proved("001 081", "a limit that does not cross rests at the back of its price", async () => {
      await market.moveTo(50)
      const [first, second] = [await market.desk(), await market.desk()]
      const expireAt = Date.now() + 3_600_000
      const ahead = await first.limit("BUY", "1", "49")
      const behind = await second.limit("BUY", "2", "49", { timeInForce: "GTD", expireAt })
      expect(await market.book()).toEqual({ bids: [[49, 3]], asks: [] })
      expect([ahead, behind]).toMatchObject([{ status: "OPEN" }, { status: "OPEN" }])
      await ada.limit("SELL", "1", "49")
      await first.rests(ahead.tradeOrderId, "FILLED")
      expect((await second.order(behind.tradeOrderId)).executedQuantity).toBe("0")
      await second.cancelAll()
    })
    table.proved("002 082", "a limit that crosses enough is filled whole and is not in the book", async () => {
      await market.moveTo(50)
      const other = await market.desk()
      for (const price of ["50", "51"]) await other.limit("SELL", "1", price)
      for (const fields of [{}, { timeInForce: "GTD", expireAt: Date.now() + 3_600_000 }]) {
        const { tradeOrderId } = await ada.limit("BUY", "1", "51", fields)
        expect((await ada.rests(tradeOrderId, "FILLED")).executions).toHaveLength(1)
      }
      expect(await market.book()).toEqual({ bids: [], asks: [] })
    })
    table.proved("003 083", "what a crossing limit cannot trade rests behind others at its price", async () => {
      await market.moveTo(50)
      const other = await market.desk()
      await other.limit("SELL", "1", "50")
      const { tradeOrderId } = await ada.limit("BUY", "3", "50")
      expect((await ada.rests(tradeOrderId, "PARTIALLY_FILLED")).executedQuantity).toBe("1")
      expect(await market.book()).toEqual({ bids: [[50, 2]], asks: [] })
      await ada.cancelAll()
    })
    table.proved("004 084", "a limit with an end is expired and out of the book", async () => {
      const { tradeOrderId } = await ending({ orderSide: "BUY", orderType: "LIMIT", limitPrice: "49" })
      await ada.rests(tradeOrderId, "EXPIRED")
      await until("an empty book", async () => (await market.book()).bids.length === 0)
    })
    table.proved("005 085", "an end that has passed is refused", async () => {
      const fields = { orderType: "LIMIT", limitPrice: "49", timeInForce: "GTD", expireAt: Date.now() - 1 }
      expect(await refusal(fields)).toBe(-112023)
    })
    table.proved("006 086", "a type of order that is the venue's own is refused", async () => {
      const answer = await ada.submit({ orderSide: "SELL", orderType: "NETWORK", quantity: "1" })
      expect([answer.status, answer.envelope.success]).toEqual([400, false])
    })
    table.notApplicable("039", "no pegged orders")
    table.notApplicable("007..038 069 070 087..119", "no iceberg orders")
  })

  describe("stops", () => {
    table.proved("041 124", "a stop that fired is over: later trades beyond it do nothing", async () => {
      await market.moveTo(50)
      const { tradeOrderId } = await stop("SELL", { stopPrice: "45" })
      await market.trade(45, "BUY", 2)
      const fired = await ada.rests(tradeOrderId, "FILLED")
      const other = await market.desk()
      await other.limit("SELL", "1", "45")
      await market.trade(44)
      expect(await ada.order(tradeOrderId)).toEqual(fired)
    })
    table.proved("125", "a stop of an account that holds its assets and has no orders is taken", async () => {
      await market.moveTo(50)
      const fresh = await market.desk()
      const { record } = await fresh.submit({ orderSide: "SELL", orderType: "STOP", quantity: "1", stopPrice: "40" })
      await fresh.rests(record.tradeOrderId, "OPEN")
      await fresh.cancelAll()
    })
    table.proved("044 126", "one stop too many is refused", async () => {
      const limits = { openOrders: 2, http: { perSecond: 10_000, burst: 10_000 } }
      const small = await quietGateway({ RATE_LIMITS: JSON.stringify(limits) })
      const someone = api(small).as((await api(small).signup("ada@example.com")).record.accessToken)
      const desk = deskOf(someone, (await someone.connectMock()).record.tradingAccountId, SOL)
      const order = { orderSide: "SELL", orderType: "STOP", quantity: "1", stopPrice: "80", awaitAccepted: true }
      for (let i = 0; i < 2; i++) await desk.rests((await desk.submit(order)).record.tradeOrderId, "OPEN")
      expect((await desk.submit(order)).envelope.errno).toBe(-103005)
      await small.stop()
    })
    table.proved("045 167", "a stop with a limit becomes that limit order", async () => {
      await market.moveTo(50)
      const { tradeOrderId } = await stop("SELL", { orderType: "STOP_LIMIT", stopPrice: "45", limitPrice: "48" })
      await market.trade(45)
      await until("the limit order in the book", async () => (await market.book()).asks[0]?.[0] === 48)
      expect(await ada.order(tradeOrderId)).toMatchObject({ status: "OPEN", triggerPrice: "45" })
      await ada.cancelAll()
    })
    table.proved("046 168", "a stop without a limit takes what the book has", () =>
      firesAt("SELL", { stopPrice: "45" }, 45),
    )
    table.proved("047 169", "50, a rise to 75: fires at 75, not at 74.99", () =>
      firesAt("BUY", { stopPrice: "75" }, 74.99, 75),
    )
    table.proved("049 171", "50, a fall to 25: fires at 25, not at 25.01", () =>
      firesAt("SELL", { stopPrice: "25" }, 40, 30, 25.01, 25),
    )
    table.proved("055 177", "fires at the first trade at or above the price", () =>
      firesAt("BUY", { stopPrice: "75" }, 60, 76),
    )
    table.proved("051", "a trade alone fires it", () => firesAt("SELL", { stopPrice: "49.99" }, 49.99))
    table.proved(
      "048 050 170 172",
      "one that the market has passed is refused, not fired (contract C5)",
      async () => {
        await market.moveTo(50)
        expect(await refusal({ orderSide: "BUY", stopPrice: "25" })).toBe(-112011)
        expect(await refusal({ orderSide: "SELL", stopPrice: "75" })).toBe(-112011)
      },
      "a stop that the market has passed is refused at submission (contract C5)",
    )
    table.proved("052 173", "a stop with an end expires when it has not fired", async () => {
      const { tradeOrderId } = await ending({ orderSide: "SELL", orderType: "STOP", stopPrice: "30" })
      expect(await ada.rests(tradeOrderId, "EXPIRED")).toMatchObject({ triggeredAt: null, executedQuantity: "0" })
    })
    table.notApplicable("053 054 130 131 165 174..176", "a stop ends at its expireAt, it never fires because of it")
    table.proved("056 166", "one exit of a pair fires and the other is cancelled, both ways", async () => {
      for (const price of [60, 40]) {
        await market.moveTo(50)
        const other = await market.desk()
        await other.limit("SELL", "2", "50")
        const exits = { takeProfitPrice: "60", stopLossPrice: "40" }
        const { record } = await ada.submit({
          ...{ orderSide: "BUY", orderType: "LIMIT", quantity: "2", limitPrice: "50", ...exits },
        })
        await ada.rests(record.tradeOrderId, "FILLED")
        const legs = record.linkedOrders ?? []
        expect(legs.map(({ stopPrice }) => stopPrice).sort()).toEqual(["40", "60"])
        for (const { tradeOrderId } of legs) await ada.rests(tradeOrderId, "OPEN")
        await market.trade(price, "BUY", 2)
        for (const { tradeOrderId, stopPrice } of legs)
          await ada.rests(tradeOrderId, Number(stopPrice) === price ? "FILLED" : "CANCELLED")
        for (const { tradeOrderId, stopPrice } of legs)
          expect(await ada.order(tradeOrderId)).toMatchObject(
            Number(stopPrice) === price
              ? { triggerPrice: stopPrice }
              : { cancelReason: "OCO_SIBLING", executedQuantity: "0", triggeredAt: null },
          )
      }
    })
    table.notApplicable(
      "042 043 058 067 068 127..129 137..139 162",
      "no positions: a stop spends what the account holds, and its size is its own",
    )
    table.notApplicable("065 066 132..136 147..153", "no auctions")
    table.notApplicable("120..123", "no perpetual markets")
  })

  describe("trailing stops", () => {
    const trailing = (trailingDelta: number) => ({ orderType: "TRAILING_STOP", trailingDelta })
    table.proved("059 141", "5 % below 50, 60: fires at 57", () => firesAt("SELL", trailing(500), 60, 57))
    table.proved("060 142", "5 % below 50, 60: not at 58", () => firesAt("SELL", trailing(500), 60, 58, 57))
    table.proved("061 143", "5 % above 50, 40: fires at 42", () => firesAt("BUY", trailing(500), 40, 42))
    table.proved("062 144", "5 % above 50, 40: not at 41", () => firesAt("BUY", trailing(500), 40, 41, 42))
    table.proved("063 145", "25 % below 50, 60, 50, 57: fires at 45", () =>
      firesAt("SELL", trailing(2_500), 60, 50, 57, 45),
    )
    table.proved("064 146", "25 % below 50, 60, 50, 57: not at 46", () =>
      firesAt("SELL", trailing(2_500), 60, 50, 57, 46, 45),
    )
  })

  describe("cancels, refusals and holds", () => {
    table.proved("071 154", "a stop that has not fired is cancelled", async () => {
      await market.moveTo(50)
      const { tradeOrderId } = await stop("SELL", { stopPrice: "40" })
      await ada.cancel(tradeOrderId)
      expect(await ada.rests(tradeOrderId, "CANCELLED")).toMatchObject({ cancelReason: "USER_REQUEST" })
    })
    table.proved("072 073 155 156", "one call cancels all stops, of an instrument or of all", async () => {
      await market.moveTo(50)
      const here = [await stop("SELL", { stopPrice: "40" }), await stop("BUY", { stopPrice: "60" })]
      const elsewhere = await stop("SELL", { instrumentId: "MOCK:BTC/USDT", stopPrice: "40000", quantity: "0.01" })
      await ada.cancelAll(SOL)
      for (const { tradeOrderId } of here) await ada.rests(tradeOrderId, "CANCELLED")
      expect((await ada.order(elsewhere.tradeOrderId)).status).toBe("OPEN")
      await ada.cancelAll()
      await ada.rests(elsewhere.tradeOrderId, "CANCELLED")
    })
    table.proved("074 157", "post-only is refused", async () => {
      expect(await refusal({ stopPrice: "40", timeInForce: "GTX" })).toBe(-112025)
    })
    table.proved("075 158", "prices and distances of zero and less are refused", async () => {
      for (const stopPrice of ["0", "-1"]) expect(await refusal({ stopPrice })).toBeLessThan(0)
      for (const trailingDelta of [0, -1])
        expect(await refusal({ orderType: "TRAILING_STOP", trailingDelta })).toBe(-112014)
    })
    table.proved("076 159", "an end that has passed is refused", async () => {
      expect(await refusal({ stopPrice: "40", timeInForce: "GTD", expireAt: Date.now() - 1 })).toBe(-112023)
    })
    table.proved("077 160", "GFA is refused", async () => {
      expect(await refusal({ stopPrice: "40", timeInForce: "GFA" })).toBe(-112021)
    })
    table.proved("078 161", "a stop that has fired and traded cannot be cancelled", async () => {
      await market.moveTo(50)
      const { tradeOrderId } = await stop("SELL", { stopPrice: "45" })
      await market.trade(45, "BUY", 1)
      await ada.rests(tradeOrderId, "FILLED")
      expect((await ada.cancel(tradeOrderId)).envelope.errno).toBe(-110011)
    })
    table.proved("163 164", "a stop with a limit holds the quote of a buy, the base of a sell", async () => {
      await market.moveTo(50)
      const fresh = await market.desk()
      const locked = async () => {
        const positions = (await fresh.calls.portfolio(fresh.tradingAccountId)).record
        return Object.fromEntries(positions.map((it) => [it.currency, Number(it.locked)]))
      }
      const common = { orderType: "STOP_LIMIT", quantity: "2", awaitAccepted: true }
      await fresh.submit({ ...common, orderSide: "BUY", stopPrice: "60", limitPrice: "61" })
      await until("122 USDT held", async () => (await locked()).USDT === 122)
      await fresh.submit({ ...common, orderSide: "SELL", stopPrice: "40", limitPrice: "39" })
      await until("2 SOL held", async () => (await locked()).SOL === 2)
      await fresh.cancelAll()
      await until("nothing held", async () => Object.values(await locked()).every((it) => it === 0))
    })
    table.proved("079 080", "a stop is read with all its fields, and fires after a restart", async () => {
      await market.moveTo(50)
      const fields = { orderType: "TRAILING_STOP", trailingDelta: 1_000 }
      const { tradeOrderId } = await stop("SELL", fields)
      await market.trade(60)
      const before = await until("the moved stop", async () => {
        const order = await ada.order(tradeOrderId)
        return order.highWaterMark === "60" && order
      })
      expect(before).toMatchObject({ orderType: "TRAILING_STOP", stopPrice: "54", trailingDelta: 1_000 })
      expect(before).toMatchObject({ triggerSource: "LAST_TRADE", execution: "EMULATED", triggerHealth: "LIVE" })
      const { gateway } = market
      await gateway.stop()
      const again = await quietGateway({ DATABASE_URL: database.url }, gateway.dataDir)
      const calls = api(again).as(ada.calls.token)
      const desk = deskOf(calls, ada.tradingAccountId, SOL)
      // MOCK begins at its anchor of 150 again, with its ladder; selling that away goes no lower than 149.
      const restored = await quietMarket(again)
      expect(await desk.order(tradeOrderId)).toMatchObject({ status: "OPEN", triggeredAt: null })
      await restored.trade(100, "BUY", 1)
      const fired = await desk.rests(tradeOrderId, "FILLED")
      expect(fired).toMatchObject({ triggeredBy: "TRADE", triggerPrice: "100", executedQuantity: "1" })
      expect(Number(fired.highWaterMark)).toBeGreaterThan(150)
    })
  })

  table.close()
})

/** An order that is built while it is being stored: nothing of it leaves before it is submitted, and what is not submitted never does. */
import { afterEach, describe, expect, it, vi } from "vitest"
import { ownership } from "../../../../src/ports/ownership.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { Budgets } from "../../../../src/venues/worker/budget/budgets.ts"
import type { CcxtExchange } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { Gate } from "../../../../src/venues/worker/gate.ts"
import { Departures } from "../../../../src/venues/worker/session/departures.ts"
import { behind, doingFor } from "../../../../src/venues/worker/work.ts"
import {
  type Asked,
  type Scripted,
  scripted,
  TRADE_ORDER_ID,
  VENUE_ORDER_ID,
} from "../../../kit/worlds/scripted-session.ts"

const ANSWER = { symbol: "BTCUSDT", orderId: Number(VENUE_ORDER_ID), status: "NEW", side: "BUY", type: "LIMIT" }

interface Ahead extends Scripted {
  readonly order: VenueOrder
  /** How often something was signed. */
  readonly signed: () => number
  readonly prepare: (order?: VenueOrder) => Promise<void>
  readonly submit: (order?: VenueOrder) => Promise<void>
}

const ahead = async (
  answer: (asked: Asked) => unknown = () => ANSWER,
  venue = "BINANCE",
  id = "BTCUSDT",
): Promise<Ahead> => {
  const world = await scripted(venue, id, answer)
  await world.session.ready()
  Object.assign(world.exchange.markets?.["BTC/USDT"]?.info as object, { orderTypes: ["LIMIT"] })
  const order: VenueOrder = {
    tradeOrderId: TRADE_ORDER_ID,
    instrumentId: world.instrumentId,
    orderSide: "BUY",
    orderType: "LIMIT",
    timeInForce: "GTC",
    quantity: "0.01",
    limitPrice: "50000",
    notAfter: Date.now() + 2_000,
  }
  const signs = vi.spyOn(world.exchange, "sign")
  const signed = (): number => signs.mock.calls.length
  return {
    ...world,
    order,
    signed,
    prepare: async (it = order) => {
      const before = signed()
      doingFor("submit", it.notAfter, () => world.session.prepare(it))
      await vi.waitFor(() => expect(signed()).toBe(before + 1))
    },
    submit: (it = order) => doingFor("submit", it.notAfter, () => world.session.submit(it)),
  }
}

/** As many turns as ccxt needs from the gate to the request, and more. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next))
}

afterEach(() => void vi.restoreAllMocks())

describe("an order that was prepared", () => {
  it("is signed and has sent nothing until it is submitted, and is then sent once, as it was signed", async () => {
    const { session, asked, reports, prepare, submit, signed } = await ahead()
    await prepare()
    await turns()
    expect([asked, reports]).toEqual([[], []])
    await submit()
    expect(asked.map(({ method }) => method)).toEqual(["POST"])
    expect(signed()).toBe(1)
    expect(reports).toMatchObject([{ _tag: "Accepted", externalOrderId: VENUE_ORDER_ID }, { _tag: "OrderSeen" }])
    await session.stop()
  })

  // Coinbase's keys sign tokens: its own tests have some.
  it.each([
    ["OKX", "BTC-USDT", { code: "0", data: [{ ordId: VENUE_ORDER_ID, sCode: "0" }] }],
    ["BYBIT", "BTCUSDT", { retCode: 0, result: { orderId: VENUE_ORDER_ID } }],
    ["KUCOIN", "BTC-USDT", { code: "200000", data: { orderId: VENUE_ORDER_ID } }],
    ["GATE", "BTC_USDT", { id: VENUE_ORDER_ID, currency_pair: "BTC_USDT", side: "buy", status: "open" }],
    ["BITSTAMP", "btcusdt", { id: VENUE_ORDER_ID, market: "BTC/USDT", type: "0", price: "50000", amount: "0.01" }],
  ])("is signed before it is submitted at %s as well, and sent as it was signed", async (venue, id, answer) => {
    const { session, asked, prepare, submit, signed } = await ahead(() => answer, venue, id)
    await prepare()
    await turns()
    const before = [asked.length, signed()]
    await submit()
    expect([before, asked.filter(({ method }) => method === "POST").length, signed()]).toEqual([[0, 1], 1, 1])
    await session.stop()
  })

  it("never leaves once it is given up, and is built anew where it is submitted all the same", async () => {
    const { session, asked, prepare, submit, signed } = await ahead()
    await prepare()
    session.forgo(TRADE_ORDER_ID)
    await turns()
    expect(asked).toEqual([])
    await submit()
    expect([asked.length, signed()]).toEqual([1, 2])
    await session.stop()
  })

  it("never leaves once the session ends", async () => {
    const { session, asked, prepare } = await ahead()
    await prepare()
    await session.stop()
    await turns()
    expect(asked).toEqual([])
  })

  it("is not sent as it was prepared where something else is submitted", async () => {
    const { session, asked, order, prepare, submit } = await ahead()
    await prepare()
    await submit({ ...order, limitPrice: "49000" })
    await turns()
    expect(asked.map(({ body }) => new URLSearchParams(body).get("price"))).toEqual(["49000"])
    await session.stop()
  })

  it("has not left when its time is over as it is released", async () => {
    const { session, asked, order, reports, prepare, submit } = await ahead()
    await prepare()
    vi.spyOn(Date, "now").mockReturnValue(order.notAfter + 1)
    await submit()
    expect(asked).toEqual([])
    expect(reports).toMatchObject([{ _tag: "NotSent", tradeOrderId: TRADE_ORDER_ID }])
    await session.stop()
  })

  it("is given up when its time is over and nobody has released it", async () => {
    const { session, asked, order, prepare, submit, signed } = await ahead()
    const soon = { ...order, notAfter: Date.now() + 30 }
    await prepare(soon)
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(soon.notAfter + 20))
    expect(asked).toEqual([])
    await submit()
    expect([asked.length, signed()]).toEqual([1, 2])
    await session.stop()
  })

  it("is in doubt when it fails after its release, as any order that was signed", async () => {
    const { session, reports, prepare, submit } = await ahead(() => {
      throw new Error("the connection broke")
    })
    await prepare()
    await submit()
    expect(reports).toMatchObject([{ _tag: "InDoubt", tradeOrderId: TRADE_ORDER_ID }])
    await session.stop()
  })

  it("gives back what it took of the venue's budget when it is given up", async () => {
    const { session, exchange, profile, prepare } = await ahead()
    const budgets = new Budgets(profile)
    budgets.install(exchange, true)
    await prepare()
    expect([budgets.load().sent.submit, budgets.load().used > 0]).toEqual([0, true])
    session.forgo(TRADE_ORDER_ID)
    expect([budgets.load().sent.submit, budgets.load().used]).toEqual([0, 0])
    budgets.close()
    await session.stop()
  })

  it("is counted as sent when it leaves: what is counted never becomes less", async () => {
    const { session, exchange, profile, prepare, submit } = await ahead()
    const budgets = new Budgets(profile)
    budgets.install(exchange, true)
    await prepare()
    expect(budgets.load().sent.submit).toBe(0)
    await submit()
    expect(budgets.load().sent.submit).toBe(1)
    budgets.close()
    await session.stop()
  })

  it.each([
    ["the venue bans this address", 418, "{}"],
    ["the venue wants fewer requests", 429, "{}"],
    ["the venue takes no more orders of the account for a while", 429, '{"code":-1015,"msg":"Too many new orders."}'],
  ])("does not leave where %s before it is released, and waits as any other", async (_, status, body) => {
    const { session, exchange, profile, asked, order, reports, prepare, submit } = await ahead()
    const budgets = new Budgets(profile)
    budgets.install(exchange, true)
    const soon = { ...order, notAfter: Date.now() + 200 }
    await prepare(soon)
    doingFor("submit", soon.notAfter, () =>
      exchange.onRestResponse(status, "", "https://venue/order", "POST", { "retry-after": "60" }, body),
    )
    await submit(soon)
    expect(asked).toEqual([])
    expect(reports).toMatchObject([{ _tag: "NotSent", tradeOrderId: TRADE_ORDER_ID }])
    budgets.close()
    await session.stop()
  })
})

describe("a gate", () => {
  const held = (owned = ownership()) => {
    const fetch = vi.fn(async () => ({}))
    const exchange = { sign: () => ({}), fetch } as unknown as CcxtExchange
    new Departures(exchange, owned.shared)
    const gate = new Gate()
    const ask = () => behind(gate, () => exchange.fetch("https://venue/order", "POST"))
    return { fetch, gate, left: doingFor("submit", Date.now() + 60_000, ask) }
  }

  it("lets nothing pass once the process does not own its database any more", async () => {
    const owned = ownership()
    owned.until(60_000)
    const { fetch, gate, left } = held(owned)
    owned.until(0)
    gate.open()
    await expect(left).rejects.toThrow("lease")
    expect([fetch.mock.calls.length, gate.hasLeft]).toEqual([0, false])
  })

  it("stays shut when it was dropped before it was to open, and open when it is to be dropped after that", async () => {
    const owned = ownership()
    owned.until(60_000)
    const dropped = held(owned)
    dropped.gate.drop()
    expect(dropped.gate.open()).toBe(false)
    await expect(dropped.left).rejects.toThrow("not released")
    const opened = held(owned)
    expect(opened.gate.open()).toBe(true)
    opened.gate.drop()
    await opened.left
    expect([dropped.fetch.mock.calls.length, opened.fetch.mock.calls.length]).toEqual([0, 1])
  })
})

/** KuCoin's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback KuCoin. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { refOf } from "../loopback-session.ts"
import { stopAt } from "../order-terms-kit.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  ACCOUNTS,
  BALANCE_TOPIC,
  BEST_BID,
  BTC,
  CANCEL,
  CANCEL_OURS,
  FILLS,
  KUCOIN_BTC,
  KUCOIN_ETH,
  KucoinSession,
  type KucoinUnderTest,
  kucoinOrder,
  ORDER_TOPIC,
  PLACE,
  SHOW,
  startKucoin,
} from "./kucoin-kit.ts"

const DAY_MILLIS = 86_400_000
/** An id of no order. */
const UNKNOWN = "6717422bd51c290070000099"

describe("an order at KUCOIN", () => {
  let at: KucoinUnderTest
  let my: KucoinSession
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeAll(async () => {
    at = await startKucoin({ clockAheadMillis: () => ahead }, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await KucoinSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(kucoinOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any pair", async () => {
    const order = kucoinOrder({ quantity: "0.00123456", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([
      { clientOid: venueClientId(order.tradeOrderId), price: "50000.1", size: "0.00123456", timeInForce: "GTC" },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.id })
    const other = await accepted({ instrumentId: KUCOIN_ETH, limitPrice: "2000.01", quantity: "0.0100001" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50000.1", quantity: "0.00123456" }],
        [other.tradeOrderId, { status: "OPEN", limitPrice: "2000.01", quantity: "0.0100001" }],
      ]),
    )
  })

  it("has every fill told with its own id, digit by digit, and fee, and its states by the stream alone", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    const asked = my.count(SHOW)
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003", quantity: "0.003" })
    await filled(6)
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: KUCOIN_BTC, orderSide: "BUY" })
      // 0.1 % of 30.00005, in the quote asset.
      expect(fill.fees).toEqual([{ asset: "USDT", quantity: "0.03000005" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(new Set(executed)).toEqual(new Set(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"]))
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.003" && limitPrice === BEST_BID)).toBe(true)
    expect(await at.run(my.open.session.fetchFills(Date.now() - 600_000, [KUCOIN_BTC]))).toEqual(my.fills)
    expect(my.count(SHOW)).toBe(asked)
  })

  it("has fills of two pairs told although the venue counts the trades of each anew, from one number on", async () => {
    const fresh = await startKucoin()
    try {
      const one = await KucoinSession.start(fresh)
      const market = { orderType: "MARKET", limitPrice: null } as const
      const btc = await one.accepted(kucoinOrder({ ...market, quantity: "0.00001" }))
      const eth = await one.accepted(kucoinOrder({ ...market, quantity: "0.001", instrumentId: KUCOIN_ETH }))
      await until(() => one.fills.length === 2, "both trades")
      expect(new Set(one.tradeIds).size).toBe(1)
      expect(new Set(one.fills.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
        new Set([btc.tradeOrderId, eth.tradeOrderId]),
      )
    } finally {
      await fresh.stop()
    }
  })

  it("has its fee in KCS where the user pays so", async () => {
    const other = await KucoinSession.start(at, { paysInKcs: true, balances: { USDT: "1000", KCS: "100" } })
    await other.accepted(kucoinOrder({ limitPrice: BEST_BID, quantity: "0.001" }))
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => other.fills.length === 1, "the trade")
    expect(other.fills[0]?.fees).toEqual([{ asset: "KCS", quantity: "0.00600001" }])
  })

  it("has the trades that a list is late with, once it has them", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.002" })
    at.exchange.fault({ fault: "holdFills", on: true })
    const asked = my.count(FILLS)
    at.exchange.trade(BTC, "SELL", "0.001")
    await until(() => my.count(FILLS) >= asked + 2, "a second look at the list")
    expect(my.fills).toEqual([])
    at.exchange.fault({ fault: "holdFills", on: false })
    await filled(1)
    expect(my.fills).toMatchObject([{ tradeOrderId: order.tradeOrderId, quantity: "0.001" }])
  })

  it("says what is free and what is held with each event of its balances, and of nothing that another account has", async () => {
    await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    // 0.1 % of a buy are put aside for its fee.
    const usdt = { asset: "USDT", available: "99819.8196997", locked: "120.1202002" }
    await until(
      () => my.balances.some(({ balances }) => JSON.stringify(balances) === JSON.stringify([usdt])),
      `the balance after the fill: ${JSON.stringify(my.balances.at(-1))}`,
    )
    const fetched = await at.run(my.open.session.fetchBalances)
    expect(fetched.balances.find(({ asset }) => asset === "USDT")).toEqual(usdt)
    my.open.reports.length = 0
    const eth = { currency: "ETH", total: "2", available: "1.5", hold: "0.5", time: "1700000000123" }
    const event = { topic: BALANCE_TOPIC, type: "message", subject: "account.balance" }
    my.push({ ...event, data: { ...eth, available: "9", relationEvent: "main.deposit" } })
    my.push({ ...event, data: { ...eth, relationEvent: "trade_hf.transfer" } })
    await until(() => my.balances.length > 0, "the balance of one asset")
    const balances = [{ asset: "ETH", available: "1.5", locked: "0.5" }]
    expect(my.balances).toEqual([{ complete: false, at: 1_700_000_000_123, balances }])
  })

  it("has all pages of its fills, and is open among as many orders as a pair may have", {
    timeout: 120_000,
  }, async () => {
    const filling = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
    for (let i = 0; i < 260; i++) at.exchange.trade(BTC, "SELL", "0.0001")
    const all = await at.run(my.open.session.fetchFills(Date.now() - 600_000, [KUCOIN_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    expect(all).toHaveLength(260)
    const resting = Array.from({ length: 120 }, (_, i) =>
      kucoinOrder({ limitPrice: `${40_000 + i}`, quantity: "0.00001", notAfter: Date.now() + 60_000 }),
    )
    for (const order of resting) my.open.session.submit(order)
    await until(() => resting.every((order) => my.open.about(order.tradeOrderId).includes("Accepted")), "all orders")
    const found = await at.run(my.open.session.fetchOpenOrders)
    expect(new Set(found.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
      new Set([filling, ...resting].map(({ tradeOrderId }) => tradeOrderId)),
    )
    at.exchange.cancelAll(my.secrets.apiKey)
    const over = await my.endedSince({ instrumentId: KUCOIN_BTC, since: Date.now() - 600_000, oldestId: null })
    expect(new Set(over.map(({ externalOrderId }) => externalOrderId)).size).toBe(121)
    expect(at.exchange.refusedCalls()).toBe(0)
  })

  it("has filled and ended weeks ago and is in both lists, of which the venue answers for seven days", async () => {
    const began = Date.now() - 20 * DAY_MILLIS
    const days = [-19, -12, -4, 0]
    for (const _ of days) await accepted({ limitPrice: BEST_BID })
    // Told of a trade the session would ask for it, by a clock that is days away by then.
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    for (const day of days) {
      ahead = day * DAY_MILLIS
      at.exchange.trade(BTC, "SELL", "0.001")
    }
    ahead = 0
    const fills = await at.run(my.open.session.fetchFills(began, [KUCOIN_BTC]))
    expect(fills.map(({ externalTradeId }) => externalTradeId)).toEqual(my.tradeIds)
    const over = await my.endedSince({ instrumentId: KUCOIN_BTC, since: began, oldestId: null })
    expect(over.map(({ externalOrderId }) => externalOrderId)).toEqual(my.rows.map(({ id }) => id))
  })

  it.each<[string, Partial<VenueOrder>, object]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, { ending: "REMAINDER", timeInForce: "IOC" }],
    ["a FOK that cannot be filled", { timeInForce: "FOK" }, { ending: "REMAINDER", timeInForce: "FOK" }],
    [
      "a post-only order that would match",
      { orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" },
      // Contract C1: it never worked.
      { status: "REJECTED", ending: "WOULD_TAKE", orderType: "LIMIT_MAKER", timeInForce: "GTX" },
    ],
  ])("is accepted as %s and says how the venue ended it", async (_, change, end) => {
    const order = await accepted(change)
    const whole = { status: "CANCELLED", executedQuantity: "0", quantity: "0.001", ...end }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("of a post-only kind that rested ends CANCELLED, also behind another stream than it began with", async () => {
    const maker = { orderType: "LIMIT_MAKER", timeInForce: "GTX" } as const
    const [first, second] = [await accepted(maker), await accepted(maker)]
    my.open.session.cancel(refOf(first))
    expect(await ended(first)).toMatchObject({ status: "CANCELLED", ending: null })
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the next stream")
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(second)).toMatchObject({ status: "CANCELLED", ending: null })
    expect(await my.lookup(second)).toMatchObject({ state: { status: "CANCELLED", ending: null } })
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part and its whole quantity", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const whole = { status: "CANCELLED", ending: null, executedQuantity: "0.001", quantity: "0.003" }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("still works although the venue shows that a cancel of it was asked for", async () => {
    const order = await accepted()
    const row = { ...my.rows[0], cancelExist: true }
    const body = JSON.stringify({ code: "200000", data: row })
    const action = { kind: "status", status: 200, body } as const
    at.exchange.fault({ fault: "answer", match: `${SHOW}${row.id}`, action })
    const byVenue = refOf(order, row.id ?? "")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "OPEN" } })
  })

  it("that an update of the venue leaves nothing of is looked at, and ends as the venue lists it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    await until(() => my.states.length > 1, "its place in the book")
    const [row] = my.rows
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.cancelAll(my.secrets.apiKey)
    const named = { symbol: BTC, orderId: row?.id, clientOid: row?.clientOid, side: "buy", orderType: "limit" }
    const update = { type: "update", status: "done", size: "0", oldSize: "0.003", originSize: "0.003", filledSize: "0" }
    const data = { ...named, ...update, price: BEST_BID, ts: Date.now() * 1e6, orderTime: Date.now() }
    my.push({ topic: ORDER_TOPIC, type: "message", subject: "orderChange", channelType: "private", data })
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", quantity: "0.003" })
  })

  it.each<VenueOrder["orderSide"]>(["BUY", "SELL"])(
    "without a limit is sized in base and fills: %s",
    async (orderSide) => {
      const order = await accepted({ orderSide, orderType: "MARKET", limitPrice: null, quantity: "0.002" })
      expect(await ended(order)).toMatchObject({
        orderType: "MARKET",
        limitPrice: null,
        quantity: "0.002",
        status: "FILLED",
      })
      expect(my.rows).toMatchObject([{ type: "market", size: "0.002", dealSize: "0.002" }])
    },
  )

  it("by cost spends what it was given, fees included: its quantity is what it bought", async () => {
    const order = await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120.123456" })
    const end = await ended(order)
    expect(my.rows).toMatchObject([{ type: "market", funds: "120.123456" }])
    expect(end).toMatchObject({ orderType: "MARKET", status: "FILLED", quantity: end?.executedQuantity })
    await filled(1)
    const bought = my.fills.reduce((sum, { quantity }) => sum + Number(quantity), 0)
    expect(bought).toBeCloseTo(Number(end?.executedQuantity), 12)
    expect(Number(my.rows[0]?.dealFunds) + Number(my.rows[0]?.fee)).toBeLessThanOrEqual(120.123456)
  })

  it("is cancelled by our id and by the venue's, in one request each; what the venue does not know is said", async () => {
    const [first, second] = [kucoinOrder(), kucoinOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const sent = [my.count(CANCEL_OURS), my.count(CANCEL)]
    const asked = my.count(SHOW)
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect([my.count(CANCEL_OURS), my.count(CANCEL)]).toEqual(sent.map((it) => it + 1))
    // Nothing stands before a cancel, and behind it at most the look at its end.
    expect(my.count(SHOW)).toBeLessThanOrEqual(asked + 2)
    expect(my.rows.map(({ active, cancelExist }) => [active, cancelExist])).toEqual([
      [false, true],
      [false, true],
    ])
    my.open.session.cancel(refOf(kucoinOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "The order does not exist." })
  })

  it("has a cancel refused as unknown to the venue where it had ended: its end is looked at", async () => {
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    my.open.session.cancel(refOf(order, my.rows[0]?.id))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({
      unknownOrder: true,
      text: "order_not_exist_or_not_allow_to_cancel",
    })
  })

  it("never takes the acknowledgement of a cancel for the end of the order, and tells a fill that comes after it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    at.exchange.trade(BTC, "SELL", "0.003")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003" })
    await filled(1)
  })

  it("is found by our id: working, cancelled, filled; of an id that was used again the newest one", async () => {
    const [working, cancelled, done] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(done)
    for (const [order, status] of [
      [working, "OPEN"],
      [cancelled, "CANCELLED"],
      [done, "FILLED"],
    ] as const)
      expect(await my.lookup(order)).toMatchObject({
        _tag: "Found",
        state: { status, tradeOrderId: order.tradeOrderId },
      })
    const byVenue = { ...refOf(done, my.rows[2]?.id ?? "") }
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
  })

  it("answers NotFound, never proof, for an order that the venue does not know, whichever way it says so", async () => {
    expect(await my.lookup(kucoinOrder())).toEqual({ _tag: "NotFound", definite: false })
    const byVenue = refOf(kucoinOrder(), UNKNOWN)
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
    const body = JSON.stringify({ code: "200000", data: null })
    at.exchange.fault({ fault: "answer", match: `${SHOW}${UNKNOWN}`, action: { kind: "status", status: 200, body } })
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
  })

  it("is not changed in place: the venue would place another one under the same id of ours", () => {
    expect(my.open.session.amend).toBeUndefined()
  })

  it("never leaves with a trigger: the gateway watches it", async () => {
    const sent = my.count(PLACE)
    const trigger = stopAt("STOP", "FALL", "51000")
    expect(await my.outcomeOf(kucoinOrder({ orderSide: "SELL", trigger }))).toMatchObject({
      _tag: "Refused",
      code: "NOT_SUPPORTED",
    })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("is paid from the trading account alone, whatever the user's other accounts hold", async () => {
    const asked = my.count(ACCOUNTS)
    const { balances } = await at.run(my.open.session.fetchBalances)
    expect(new Map(balances.map(({ asset, available }) => [asset, available]))).toEqual(
      new Map([
        ["USDT", "100000"],
        ["BTC", "5"],
        ["ETH", "50"],
      ]),
    )
    expect(my.count(ACCOUNTS)).toBe(asked + 1)
  })
})

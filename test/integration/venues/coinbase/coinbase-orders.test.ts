/** Coinbase's orders, fills, balances and cancels: real ccxt in a real worker, judged by the loopback Coinbase. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { answering, refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { profileOf, SOON_LATE, until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  CANCEL,
  COINBASE_BTC,
  CoinbaseSession,
  type CoinbaseUnderTest,
  coinbaseOrder,
  EDIT,
  PLACE,
  SHOW,
  startCoinbase,
  WALLETS,
} from "./coinbase-kit.ts"

describe("an order at COINBASE", () => {
  let at: CoinbaseUnderTest
  let my: CoinbaseSession
  beforeAll(async () => {
    const { endedOrders } = profileOf("COINBASE")
    if (endedOrders?.paging.way !== "CURSOR") throw new Error("Coinbase's orders go by a cursor")
    const small = { ...endedOrders, paging: { ...endedOrders.paging, size: 3 } }
    at = await startCoinbase({}, { change: { waits: SOON_LATE, endedOrders: small } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await CoinbaseSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(coinbaseOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const elsewhere = (side: "BUY" | "SELL", price: string) =>
    at.exchange.placeElsewhere(my.secrets.apiKey, { product: BTC, side, size: "0.001", price })
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)

  it("is placed under our own id with the digits it was given, and is in the list of open orders", async () => {
    const order = coinbaseOrder({ quantity: "0.00123456", limitPrice: "50000.01" })
    const outcome = await my.outcomeOf(order)
    const terms = { base_size: "0.00123456", limit_price: "50000.01", post_only: false }
    expect(my.rows).toMatchObject([
      { client_order_id: order.tradeOrderId, order_configuration: { limit_limit_gtc: terms } },
    ])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.order_id })
    expect(await at.run(my.open.session.fetchOpenOrders)).toMatchObject([
      { tradeOrderId: order.tradeOrderId, status: "OPEN", limitPrice: "50000.01", quantity: "0.00123456" },
    ])
  })

  it("has every fill told with its own id and fee, and its states by the stream alone", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    const asked = my.count(SHOW)
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003", quantity: "0.003" })
    await filled(6)
    expect(new Set(my.fills.map((fill) => fill.externalTradeId))).toEqual(
      new Set(my.fillRows.map(({ trade_id }) => trade_id)),
    )
    expect(my.fills).toHaveLength(6)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: COINBASE_BTC, orderSide: "BUY" })
      // 0.4 % of 30.000005, in the quote asset.
      expect(fill.fees).toEqual([{ asset: "USD", quantity: "0.12000002" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"])
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.003" && limitPrice === BEST_BID)).toBe(true)
    const listed = await at.run(my.open.session.fetchFills(Date.now() - 600_000, [COINBASE_BTC]))
    expect(new Set(listed.map(({ externalTradeId }) => externalTradeId))).toEqual(
      new Set(my.fills.map(({ externalTradeId }) => externalTradeId)),
    )
    expect(my.count(SHOW)).toBe(asked)
  })

  it("asks for what is free and what is held when an order moved it, all pages of it", async () => {
    const wallets = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`COIN${i}`, `${i + 1}`]))
    at.exchange.addUser({ ...my.secrets, balances: { ...wallets, USD: "1000", BTC: "0" } })
    const asked = my.count(WALLETS)
    await accepted({ limitPrice: "50000", quantity: "0.01" })
    await until(() => my.balances.length > 0, "the balances")
    const balances = my.balances.at(-1)?.balances ?? []
    expect(balances).toHaveLength(301)
    // 500 of it, and 0.6 % for the fee.
    expect(balances.find(({ asset }) => asset === "USD")).toEqual({ asset: "USD", available: "497", locked: "503" })
    expect(my.count(WALLETS)).toBeGreaterThan(asked + 1)
  })

  it("has all pages of its fills and of the open orders", async () => {
    const filling = await accepted({ limitPrice: BEST_BID, quantity: "0.1" })
    for (let i = 0; i < 560; i++) at.exchange.trade(BTC, "SELL", "0.0001")
    const all = await at.run(my.open.session.fetchFills(Date.now() - 600_000, [COINBASE_BTC]))
    expect(new Set(all.map((fill) => fill.externalTradeId)).size).toBe(560)
    expect(my.fillRows).toHaveLength(560)
    for (let i = 0; i < 210; i++) elsewhere("BUY", `${40_000 + i}`)
    const found = await at.run(my.open.session.fetchOpenOrders)
    expect(new Set(found.map(({ externalOrderId }) => externalOrderId))).toEqual(
      new Set(my.rows.map(({ order_id }) => order_id)),
    )
    expect(found.some(({ tradeOrderId }) => tradeOrderId === filling.tradeOrderId)).toBe(true)
    expect(at.exchange.refusedCalls()).toBe(0)
  })

  it("is in the list of what ended, whichever page it is on", async () => {
    for (let i = 0; i < 7; i++) elsewhere("BUY", `${40_000 + i}`)
    at.exchange.cancelAll(my.secrets.apiKey)
    const over = await my.endedSince({ instrumentId: COINBASE_BTC, since: Date.now() - 60_000, oldestId: null })
    expect(new Set(over.map(({ externalOrderId }) => externalOrderId))).toEqual(
      new Set(my.rows.map(({ order_id }) => order_id)),
    )
    expect(new Set(over.map(({ status }) => status))).toEqual(new Set(["CANCELLED"]))
  })

  it.each<[string, Partial<VenueOrder>, object]>([
    ["the rest of an IOC", { timeInForce: "IOC" }, { ending: "REMAINDER", timeInForce: "IOC" }],
    ["a FOK that cannot be filled", { timeInForce: "FOK" }, { ending: "REMAINDER", timeInForce: "FOK" }],
  ])("is accepted as %s and says how the venue ended it", async (_, change, end) => {
    const order = await accepted(change)
    const whole = { status: "CANCELLED", executedQuantity: "0", quantity: "0.001", limitPrice: "50000", ...end }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("is refused as a post-only order that would match, and never was one", async () => {
    const order = coinbaseOrder({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "WOULD_TAKE" })
    expect(my.rows).toEqual([])
    const resting = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(await my.lookup(resting)).toMatchObject({ state: { orderType: "LIMIT_MAKER", timeInForce: "GTX" } })
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

  it("is known whole by its end although the stream began behind its acceptance", async () => {
    const order = await accepted({ quantity: "0.003" })
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    at.exchange.fault({ fault: "refuseWebSockets", on: true })
    await until(() => my.open.last("StreamDown") !== undefined, "the end of the stream")
    at.exchange.fault({ fault: "refuseWebSockets", on: false })
    my.open.reports.length = 0
    await until(() => my.open.last("StreamUp") !== undefined, "the next stream")
    // The snapshot of the channel says what works.
    expect(my.states).toMatchObject([{ tradeOrderId: order.tradeOrderId, status: "OPEN", quantity: "0.003" }])
    at.exchange.cancelAll(my.secrets.apiKey)
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", quantity: "0.003" })
  })

  it("without a limit sells a quantity, and is no order of the venue when it is to buy one", async () => {
    const market = { orderType: "MARKET", limitPrice: null, quantity: "0.002" } as const
    const order = await accepted({ ...market, orderSide: "SELL" })
    expect(await ended(order)).toMatchObject({
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      status: "FILLED",
    })
    const sent = my.count(PLACE)
    expect(await my.outcomeOf(coinbaseOrder(market))).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("by cost spends what it was given, fees included: its quantity is what it bought", async () => {
    const order = await accepted({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "120" })
    const end = await ended(order)
    expect(my.rows).toMatchObject([{ order_configuration: { market_market_ioc: { quote_size: "120" } } }])
    expect(end).toMatchObject({ orderType: "MARKET", quantity: end?.executedQuantity })
    await filled(1)
    const bought = my.fills.reduce((sum, { quantity }) => sum + Number(quantity), 0)
    expect(bought).toBeCloseTo(Number(end?.executedQuantity), 12)
    expect(Number(my.rows[0]?.total_value_after_fees)).toBeLessThanOrEqual(120)
  })

  it("is cancelled by our id and by the venue's; what the venue does not know is said", async () => {
    const [first, second] = [coinbaseOrder(), coinbaseOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const sent = my.count(CANCEL)
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(my.count(CANCEL)).toBe(sent + 2)
    expect(my.rows.map(({ status, cancel_message }) => [status, cancel_message])).toEqual([
      ["CANCELLED", "User requested cancel"],
      ["CANCELLED", "User requested cancel"],
    ])
    my.open.session.cancel(refOf(coinbaseOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it("has a cancel refused as unknown to the venue where it had ended: its end is looked at", async () => {
    const order = await accepted({ limitPrice: BEST_BID })
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(order)
    my.open.session.cancel(refOf(order, my.rows[0]?.order_id))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "ORDER_IS_FULLY_FILLED" })
  })

  it("never takes the acknowledgement of a cancel for the end of the order, and tells a fill that comes after it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "holdCancels", on: true })
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(my.open.last("CancelAccepted")).toBeUndefined()
    // Still under way by the venue's own word.
    expect(await my.lookup(order)).toMatchObject({ state: { status: "OPEN" } })
    my.open.reports.length = 0
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the doubt of the second cancel")
    at.exchange.trade(BTC, "SELL", "0.003")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.003" })
  })

  it("is found by our id: working, cancelled, filled, and behind more orders than a page has", async () => {
    const [working, cancelled, done] = [
      await accepted(),
      await accepted(),
      await accepted({ limitPrice: BEST_BID, quantity: "0.001" }),
    ]
    my.open.session.cancel(refOf(cancelled))
    await ended(cancelled)
    at.exchange.trade(BTC, "SELL", "0.001")
    await ended(done)
    for (let i = 0; i < 220; i++) elsewhere("SELL", `${70_000 + i}`)
    for (const [order, status] of [
      [working, "OPEN"],
      [cancelled, "CANCELLED"],
      [done, "FILLED"],
    ] as const)
      expect(await my.lookup(order)).toMatchObject({
        _tag: "Found",
        // The venue does not say when an order last changed.
        state: { status, tradeOrderId: order.tradeOrderId, updatedAt: null },
      })
    const byVenue = { ...refOf(done, my.rows[2]?.order_id ?? "") }
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toMatchObject({ state: { status: "FILLED" } })
    expect(at.exchange.refusedCalls()).toBe(0)
  })

  it("answers NotFound, never proof, for an order that the venue does not know", async () => {
    expect(await my.lookup(coinbaseOrder())).toEqual({ _tag: "NotFound", definite: false })
    const byVenue = refOf(coinbaseOrder(), "0c0b0a5e-0000-4000-8000-ffffffffffff")
    expect(await at.run(my.open.session.fetchOrder(byVenue))).toEqual({ _tag: "NotFound", definite: false })
  })

  it("is amended where it stands: the same order, its new price and total, seen before it is told", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    const id = my.rows[0]?.order_id
    expect(await terms.amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: id,
    })
    expect(my.rows).toMatchObject([{ order_id: id, edit_history: [{ price: "50000", size: "0.002" }] }])
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.002", executedQuantity: "0.001" })
    my.open.session.cancel(refOf(order))
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", quantity: "0.002", executedQuantity: "0.001" })
  })

  it("whose change was answered and not carried out is in doubt, and never told as changed", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.fault({ fault: "answer", match: EDIT, action: answering(200, '{"success":true,"errors":[]}') })
    expect(await new TermsSession(at, my.open).amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendInDoubt",
    })
  })

  it("that has ended is not amended: look before believing anything; an unanswered change is in doubt", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    const asked = my.count(EDIT)
    at.exchange.fault({ fault: "answer", match: EDIT, action: { kind: "apply-then-hang" } })
    expect(await terms.amend(order, change("0.002", BEST_BID))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(my.count(EDIT)).toBe(asked + 1)
    at.exchange.trade(BTC, "SELL", "0.0015")
    await filled(1)
    expect(await terms.amend(order, change("0.001", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: false,
      text: "CANNOT_EDIT_TO_BELOW_FILLED_SIZE",
    })
    at.exchange.trade(BTC, "SELL", "0.0005")
    expect(await ended(order)).toMatchObject({ status: "FILLED", quantity: "0.002" })
    expect(await terms.amend(order, change("0.003", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
  })

  it("never leaves with a trigger: the gateway watches it", async () => {
    const sent = my.count(PLACE)
    const trigger = stopAt("STOP", "FALL", "51000")
    expect(await my.outcomeOf(coinbaseOrder({ orderSide: "SELL", trigger }))).toMatchObject({
      _tag: "Refused",
      code: "NOT_SUPPORTED",
    })
    expect(my.count(PLACE)).toBe(sent)
  })

  it("is not mixed up with contracts of the same account, whose orders share its stream and its lists", async () => {
    await accepted()
    await until(() => my.states.length > 0, "its own event")
    const [row] = my.rows
    my.open.reports.length = 0
    const contract = {
      order_id: "9",
      client_order_id: "theirs",
      product_id: "BIT-28NOV26-CDE",
      product_type: "FUTURE",
      status: "OPEN",
      order_side: "BUY",
      order_type: "Limit",
      cumulative_quantity: "0",
      leaves_quantity: "1",
      limit_price: "1",
    }
    my.push({ channel: "user", events: [{ type: "update", orders: [contract] }] })
    at.exchange.cancelAll(my.secrets.apiKey)
    await until(() => my.states.some(({ status }) => status === "CANCELLED"), "the end of its own order")
    expect(new Set(my.states.map(({ externalOrderId }) => externalOrderId))).toEqual(new Set([row?.order_id]))
  })
})

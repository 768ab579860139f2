/** Orders, fills, positions and cancels of Deribit: real ccxt in a real worker, judged by its loopback exchange. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import { connectDeribit } from "../../../exchanges/ccxt-client.ts"
import { refOf } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { until } from "../venue-kit.ts"
import {
  BEST_BID,
  BTC,
  BUY,
  BY_LABEL,
  CANCEL,
  DERIBIT_BTC,
  DERIBIT_ETH,
  DeribitSession,
  type DeribitUnderTest,
  deribitOrder,
  EDIT,
  HISTORY,
  labelOf,
  ORDERS_CHANNEL,
  POSITIONS,
  STATE,
  SUMMARIES,
  startDeribit,
  TRADES,
} from "./deribit-kit.ts"

const QUESTIONS = [STATE, BY_LABEL, HISTORY, TRADES]
const MARKET = { orderType: "MARKET", limitPrice: null } as const

describe("an order at DERIBIT", () => {
  let at: DeribitUnderTest
  let my: DeribitSession
  beforeAll(async () => {
    // What the venue lets an account do in a second is not what is looked at here.
    const change = { waits: { requestMillis: 5000 }, privatePace: { burst: 10_000, perSecond: 10_000 } }
    at = await startDeribit({ isLimited: false }, { change })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await DeribitSession.start(at)
  })
  afterEach(async () => {
    at.exchange.cancelAll(my.secrets.apiKey)
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const accepted = (change: Partial<VenueOrder> = {}) => my.accepted(deribitOrder(change))
  const ended = (order: VenueOrder) => my.ended(order)
  const filled = (trades: number) => until(() => my.fills.length >= trades, `${trades} trades`)
  const asked = () => QUESTIONS.map((what) => my.count(what))
  const elsewhere = () =>
    connectDeribit(at.exchange.routes, { apiKey: my.secrets.apiKey, secret: my.secrets.apiSecret })

  it("is placed under our own id with the digits it was given, and is in the list of open orders of any contract", async () => {
    const order = deribitOrder({ quantity: "0.1234", limitPrice: "50000.1" })
    const outcome = await my.outcomeOf(order)
    expect(my.rows).toMatchObject([{ label: labelOf(order), price: "50000.1", amount: "0.1234", order_type: "limit" }])
    expect(outcome).toMatchObject({ _tag: "Accepted", externalOrderId: my.rows[0]?.order_id })
    const other = await accepted({ instrumentId: DERIBIT_ETH, limitPrice: "2000.1", quantity: "0.01" })
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(new Map(open.map((it) => [it.tradeOrderId, it]))).toMatchObject(
      new Map([
        [order.tradeOrderId, { status: "OPEN", limitPrice: "50000.1", quantity: "0.1234", instrumentId: DERIBIT_BTC }],
        [other.tradeOrderId, { status: "OPEN", limitPrice: "2000.1", quantity: "0.01", instrumentId: DERIBIT_ETH }],
      ]),
    )
  })

  it("has every fill told with its own id and the fee that the venue says, and every state, by the stream alone", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.06" })
    const before = asked()
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.01")
    expect(await ended(order)).toMatchObject({ status: "FILLED", executedQuantity: "0.06", quantity: "0.06" })
    await filled(6)
    expect(my.fills.map((fill) => fill.externalTradeId)).toEqual(my.tradeIds)
    for (const fill of my.fills) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: DERIBIT_BTC, orderSide: "BUY" })
      expect(fill.fees).toEqual([{ asset: "USDC", quantity: "0.1200002" }])
    }
    const executed = my.states.flatMap((state) => (state.executedQuantity === "0" ? [] : [state.executedQuantity]))
    expect(executed).toEqual(["0.01", "0.02", "0.03", "0.04", "0.05", "0.06"])
    expect(my.states.every(({ quantity, limitPrice }) => quantity === "0.06" && limitPrice === BEST_BID)).toBe(true)
    expect(asked()).toEqual(before)
    expect(await at.run(my.open.session.fetchFills(Date.now() - 600_000, [DERIBIT_BTC]))).toEqual(my.fills)
  })

  it("has the fee of a small fill and of a maker's rebate in plain digits", async () => {
    await accepted({ limitPrice: "50000" })
    const { order_id } = my.rows[0]!
    const trade = { instrument_name: BTC, order_id, direction: "buy", price: 60_000.1, amount: 1e-7, timestamp: 1 }
    const fees = [2.5e-7, -2.1e-7].map((fee, at) => ({ ...trade, trade_id: `USDC-${at}`, fee, fee_currency: "USDC" }))
    const params = { channel: "user.trades.any.any.raw", data: fees }
    my.push({ jsonrpc: "2.0", method: "subscription", params })
    await filled(2)
    expect(my.fills.map(({ quantity, fees }) => [quantity, fees])).toEqual([
      ["0.0000001", [{ asset: "USDC", quantity: "0.00000025" }]],
      ["0.0000001", [{ asset: "USDC", quantity: "-0.00000021" }]],
    ])
  })

  it("has its fills in its answer where no stream tells them", async () => {
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    const order = await accepted({ ...MARKET, quantity: "0.5" })
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its state")
    expect(my.fills.map(({ externalTradeId }) => externalTradeId)).toEqual(my.tradeIds)
    expect(my.tradeIds.length).toBeGreaterThan(1)
    expect(my.states.at(-1)).toMatchObject({ status: "FILLED", executedQuantity: "0.5" })
  })

  it("leaves its margin behind in the balances, by the stream's word", async () => {
    const usdc = () =>
      my.balances.flatMap(({ balances }) => balances.find(({ asset }) => asset === "USDC") ?? []).at(-1)
    // A twentieth.
    const order = await accepted({ limitPrice: "50000", quantity: "0.1" })
    await until(() => usdc()?.locked === "250", "the margin of the order")
    expect(usdc()?.available).toBe("99750")
    my.open.session.cancel(refOf(order))
    await until(() => usdc()?.available === "100000", "the margin given back")
    const all = await at.run(my.open.session.fetchBalances)
    expect(all.balances).toEqual([
      { asset: "USDC", available: "100000", locked: "0" },
      { asset: "BTC", available: "1", locked: "0" },
    ])
    at.exchange.moveWallet(my.secrets.apiKey, "USDC", "11")
    await until(() => usdc()?.available === "100011", "what a transfer moved")
  })

  it("has of each currency no more than there is, where the collateral of all is one", async () => {
    const cross = await DeribitSession.start(at, { isCrossCollateral: true })
    const { balances } = await at.run(cross.open.session.fetchBalances)
    expect(balances).toEqual([
      { asset: "USDC", available: "100000", locked: "0" },
      { asset: "BTC", available: "1", locked: "0" },
    ])
  })

  it.each<[VenueOrder["orderSide"], VenueOrder["orderSide"], string]>([
    ["BUY", "SELL", "0.25"],
    ["SELL", "BUY", "-0.25"],
  ])("has its position told, at the price of its entry, until it is closed: %s", async (opens, closes, quantity) => {
    const contracts = () => my.balances.findLast((it) => it.contracts !== undefined)?.contracts
    await accepted({ ...MARKET, quantity: "0.25", orderSide: opens })
    await until(() => contracts()?.length === 1, "the position")
    const { average_price, floating_profit_loss } = at.exchange.position(my.secrets.apiKey, BTC)!
    expect(contracts()).toEqual([
      {
        instrumentId: DERIBIT_BTC,
        asset: "USDC",
        quantity,
        entryPrice: String(average_price),
        unrealizedProfit: String(floating_profit_loss),
      },
    ])
    await accepted({ ...MARKET, quantity: "0.25", orderSide: closes })
    await until(() => contracts()?.length === 0, "its end")
  })

  it.each([POSITIONS, SUMMARIES])("says nothing of the account where an answer leaves it out: %s", async (match) => {
    const body = '{"jsonrpc":"2.0","result":{}}'
    at.exchange.fault({ fault: "answer", match, action: { kind: "status", status: 200, body } })
    await expect(at.run(my.open.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect((await at.run(my.open.session.fetchBalances)).contracts).toEqual([])
  })

  it.each<[string, Partial<VenueOrder>]>([
    ["the rest of an IOC", { timeInForce: "IOC", limitPrice: "60005", quantity: "9" }],
    ["an IOC that finds nothing", { timeInForce: "IOC" }],
    ["a FOK that cannot be filled", { timeInForce: "FOK", limitPrice: "60005", quantity: "9" }],
    ["what a market order found no counterpart for within the venue's price", { ...MARKET, quantity: "90" }],
  ])("is accepted and says how the venue ended it: %s", async (_, change) => {
    at.exchange.moveWallet(my.secrets.apiKey, "USDC", "9000000")
    const order = await accepted(change)
    const [row] = my.rows
    const { quantity = "0.001" } = change
    const whole = { status: "CANCELLED", ending: "REMAINDER", executedQuantity: row?.filled, quantity }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
    at.exchange.fault({ fault: "forgetEnded" })
    expect(await my.lookup(order)).toMatchObject({ state: whole })
    // It took what was there.
    at.exchange.setLevel(BTC, "asks", "60000.5", "5")
  })

  it("to be filled or killed fills", async () => {
    const order = await accepted({ timeInForce: "FOK", limitPrice: "60005", quantity: "0.002" })
    expect(my.rows).toMatchObject([{ time_in_force: "fill_or_kill" }])
    expect(await ended(order)).toMatchObject({ status: "FILLED", timeInForce: "FOK", executedQuantity: "0.002" })
  })

  it("that is cancelled after a part of it was filled ends CANCELLED with that part and its whole quantity", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
    at.exchange.trade(BTC, "SELL", "0.01")
    await filled(1)
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    const whole = { status: "CANCELLED", ending: null, executedQuantity: "0.01", quantity: "0.03" }
    expect(await ended(order)).toMatchObject(whole)
    expect(await my.lookup(order)).toMatchObject({ state: whole })
  })

  it("says what was executed before it says that the cancel was carried out, though no event has told it", async () => {
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.03" })
    at.exchange.fault({ fault: "suppressUserEvents", on: true })
    at.exchange.trade(BTC, "SELL", "0.01")
    my.open.session.cancel(refOf(order))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    expect(my.open.about(order.tradeOrderId).slice(-2)).toEqual(["OrderSeen", "CancelAccepted"])
    expect(my.states.at(-1)).toMatchObject({ status: "CANCELLED", executedQuantity: "0.01", quantity: "0.03" })
  })

  it.each(["user_request", "autoliquidation", "settlement", "something_new"])(
    "that stood has ended without more where its event says %s",
    async (cancel_reason) => {
      const order = await accepted()
      const { order_id, label, creation_timestamp, last_update_timestamp, filled_amount } = my.rows[0]!
      const told = { order_id, label, creation_timestamp, last_update_timestamp, filled_amount }
      const terms = { instrument_name: BTC, direction: "buy", order_type: "limit", time_in_force: "good_til_cancelled" }
      const data = { ...told, ...terms, price: 50_000, amount: 0.001, order_state: "cancelled", cancel_reason }
      my.push({ jsonrpc: "2.0", method: "subscription", params: { channel: ORDERS_CHANNEL, data } })
      const whole = { status: "CANCELLED", ending: null, executedQuantity: "0", quantity: "0.001", limitPrice: "50000" }
      expect(await ended(order)).toMatchObject(whole)
    },
  )

  it("of a post-only kind that rested is CANCELLED when it is cancelled, and never changes its price by itself", async () => {
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(my.rows).toMatchObject([{ post_only: true }])
    my.open.session.cancel(refOf(order))
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null, timeInForce: "GTX" })
  })

  it.each<VenueOrder["orderSide"]>(["BUY", "SELL"])("without a limit fills: %s", async (orderSide) => {
    const order = await accepted({ ...MARKET, orderSide, quantity: "0.002" })
    expect(await ended(order)).toMatchObject({
      ...MARKET,
      quantity: "0.002",
      status: "FILLED",
      executedQuantity: "0.002",
    })
    await filled(1)
    expect(new Set(my.fills.map(({ externalTradeId }) => externalTradeId))).toEqual(new Set(my.tradeIds))
  })

  it("is cancelled by the venue's id in one request, and by ours in two; what the venue does not know is said", async () => {
    const [first, second] = [deribitOrder(), deribitOrder()]
    const outcomes = [await my.outcomeOf(first), await my.outcomeOf(second)]
    const [sent, before] = [my.count(CANCEL), my.count(BY_LABEL)]
    my.open.session.cancel(refOf(first))
    const known = outcomes[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    my.open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => my.open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect([my.count(CANCEL), my.count(BY_LABEL)]).toEqual([sent + 2, before + 1])
    expect(my.rows.map(({ order_state }) => order_state)).toEqual(["cancelled", "cancelled"])
    my.open.session.cancel(refOf(deribitOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true })
  })

  it.each(["filled", "cancelled"])("has a cancel refused as of an order that is over where it was %s", async (how) => {
    const order = await accepted({ limitPrice: BEST_BID })
    if (how === "filled") at.exchange.trade(BTC, "SELL", "0.001")
    else at.exchange.cancelAll(my.secrets.apiKey)
    await ended(order)
    my.open.session.cancel(refOf(order, my.rows[0]?.order_id ?? ""))
    await until(() => my.open.last("CancelRefused") !== undefined, "the refusal")
    expect(my.open.last("CancelRefused")).toMatchObject({ unknownOrder: true, text: "not_open_order" })
  })

  it("is never placed as a trigger, or with leverage: nothing of it leaves", async () => {
    const sent = my.count(BUY)
    const trigger = stopAt("STOP", "FALL", "51000")
    for (const change of [{ orderSide: "SELL" as const, trigger }, { leverage: 5 }])
      expect(await my.outcomeOf(deribitOrder(change))).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(my.count(BUY)).toBe(sent)
  })

  it("that is reduce-only makes its position smaller and never opens or turns one", async () => {
    await accepted({ ...MARKET, quantity: "0.01" })
    const more = deribitOrder({ orderSide: "SELL", limitPrice: "70000", quantity: "0.02", reduceOnly: true })
    expect(await my.outcomeOf(more)).toMatchObject({ _tag: "Refused", code: "REJECTED" })
    const order = await accepted({ orderSide: "SELL", limitPrice: "70000", quantity: "0.01", reduceOnly: true })
    expect(my.rows.at(-1)).toMatchObject({ label: labelOf(order), reduce_only: true })
    const closing = await accepted({ ...MARKET, orderSide: "SELL", quantity: "0.01", reduceOnly: true })
    expect(await ended(closing)).toMatchObject({ status: "FILLED" })
    expect(at.exchange.position(my.secrets.apiKey, BTC)).toMatchObject({ direction: "zero" })
    // What is left to reduce nothing is ended by the venue.
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null })
  })

  it("is shown as another program placed it, and its triggers are not taken for orders", async () => {
    const other = await elsewhere()
    const { id: waiting } = await other.createOrder("BTC/USDC:USDC", "market", "sell", 0.01, undefined, {
      stopLossPrice: 2228,
    })
    const { id } = await other.createOrder("BTC/USDC:USDC", "limit", "sell", 0.002, 70_000, { label: "theirs" })
    await other.close()
    await until(() => my.states.some(({ externalOrderId }) => externalOrderId === id), "the foreign order")
    expect(my.states.find(({ externalOrderId }) => externalOrderId === id)).toMatchObject({
      tradeOrderId: null,
      clientId: "theirs",
      instrumentId: DERIBIT_BTC,
      orderSide: "SELL",
      quantity: "0.002",
      limitPrice: "70000",
      status: "OPEN",
    })
    expect(my.states.some(({ externalOrderId }) => externalOrderId === waiting)).toBe(false)
    const open = await at.run(my.open.session.fetchOpenOrders)
    expect(open.map(({ externalOrderId }) => externalOrderId)).toEqual([id])
  })

  it("is amended where it stands to its whole quantity, of which a part is filled; by the venue's id and by ours", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await filled(1)
    const id = my.rows[0]?.order_id
    expect(await terms.amend(order, change("0.002", "50000"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: id,
    })
    expect(my.rows).toMatchObject([{ order_id: id, price: "50000", amount: "0.002", filled: "0.001" }])
    await until(() => my.states.at(-1)?.limitPrice === "50000", "its event")
    expect(my.states.at(-1)).toMatchObject({ status: "OPEN", quantity: "0.002", executedQuantity: "0.001" })
    my.open.session.amend?.(refOf(order), { ...change("0.004", "51000"), askedAt: 2 })
    await until(() => my.rows[0]?.amount === "0.004", "the change by our id")
    await until(() => my.open.last("AmendAccepted")?.askedAt === 2, "its answer")
  })

  it("that is post-only and amended into the market is looked at: the venue ends it, and says so of the change alone", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ orderType: "LIMIT_MAKER", timeInForce: "GTX" })
    expect(await terms.amend(order, { ...change("0.001", "60500"), postOnly: true })).toMatchObject({
      _tag: "AmendInDoubt",
    })
    expect(await my.lookup(order)).toMatchObject({
      state: { status: "CANCELLED", ending: null, executedQuantity: "0" },
    })
    expect(my.fills).toEqual([])
  })

  it("that has ended is not amended; an unanswered change is in doubt, and sent once", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await accepted({ limitPrice: BEST_BID, quantity: "0.001" })
    const sent = my.count(EDIT)
    at.exchange.fault({ fault: "answer", match: EDIT, action: { kind: "apply-then-hang" } })
    expect(await terms.amend(order, change("0.002", BEST_BID))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(my.count(EDIT)).toBe(sent + 1)
    at.exchange.trade(BTC, "SELL", "0.002")
    expect(await ended(order)).toMatchObject({ status: "FILLED", quantity: "0.002" })
    expect(await terms.amend(order, change("0.003", BEST_BID))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: true,
    })
  })
})

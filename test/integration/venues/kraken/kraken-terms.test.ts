/** Kraken's own stops, expiries, amends and market buys by cost: real ccxt in a real worker, judged by the loopback Kraken. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { KrakenExchange } from "../../../exchanges/kraken/exchange.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { restingOrder, SOON_LATE, until } from "../venue-kit.ts"
import { BTC, KRAKEN_BTC, KRAKEN_SECRETS, type KrakenUnderTest, startKraken } from "./kraken-kit.ts"

const PLACE = "POST /0/private/AddOrder"
const AMEND = "POST /0/private/AmendOrder"

const krakenOrder = (terms: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: KRAKEN_BTC, ...terms })

describe("an order with terms at Kraken", () => {
  let at: KrakenUnderTest
  let my: TermsSession<KrakenExchange>
  const { apiKey } = KRAKEN_SECRETS
  /** The venue's clock before ours, ms. */
  let ahead = 0
  beforeEach(async () => {
    ahead = 0
    at = await startKraken({ isLimited: false, clockAheadMillis: () => ahead }, { waits: SOON_LATE })
    my = new TermsSession(at, await at.openSession())
    await until(() => my.open.last("StreamUp") !== undefined, "the private stream")
    // Prices of triggers are compared with the last trade: there must be one, in the middle.
    at.exchange.trade(BTC, "SELL", "0.0001")
  })
  afterEach(() => at.stop())

  const row = ({ tradeOrderId }: VenueOrder) =>
    at.exchange.orders(apiKey).find(({ cl_ord_id }) => cl_ord_id === venueClientId(tradeOrderId))

  const placed = async (terms: Partial<VenueOrder> = {}): Promise<VenueOrder> => {
    const order = krakenOrder(terms)
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    return order
  }

  /** The price of the third level of a side, and a trade that reaches it. */
  const reach = (side: "bids" | "asks") => {
    const levels = at.exchange.depth(BTC, 3)[side]
    const quantity = levels.reduce((sum, [, each]) => sum.add(Decimal.of(each)), Decimal.ZERO)
    return {
      price: Decimal.of(levels.at(-1)?.[0] ?? "").toString(),
      go: () => at.exchange.trade(BTC, side === "bids" ? "SELL" : "BUY", quantity.toString()),
    }
  }

  it("waits at the venue as a stop at market, triggers there, and fills", async () => {
    const { price, go } = reach("bids")
    const order = await placed({
      orderSide: "SELL",
      orderType: "MARKET",
      limitPrice: null,
      quantity: "0.002",
      trigger: stopAt("STOP", "FALL", price),
    })
    expect(row(order)?.descr).toMatchObject({ ordertype: "stop-loss", price2: "0" })
    expect(row(order)?.oflags).toBe("fciq")
    const waiting = { tradeOrderId: order.tradeOrderId, status: "OPEN", orderType: "MARKET", limitPrice: null }
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: waiting })
    const [open] = await my.openOrders()
    expect(open).toMatchObject(waiting)
    expect(open).not.toHaveProperty("isTriggered")
    await until(() => my.states(order).length > 0, "the stream's word on the stop")
    expect(my.states(order).every((state) => state.orderType === "MARKET" && state.isTriggered === undefined)).toBe(
      true,
    )
    go()
    const done = await my.seen(order, ({ status }) => status === "FILLED", "the end of the stop")
    expect(done).toMatchObject({ isTriggered: true })
    expect(my.states(order).find(({ isTriggered }) => isTriggered)).toMatchObject({ status: "OPEN" })
    expect(my.fills(order).length).toBeGreaterThan(0)
    expect(await my.lookup(order)).toMatchObject({ state: { status: "FILLED", isTriggered: true } })
  })

  it("waits as a take-profit with a limit, rests where its trigger leaves it, and is cancelled", async () => {
    const { price, go } = reach("asks")
    const limitPrice = Decimal.of(price).add(Decimal.of("900")).toString()
    const order = await placed({ orderSide: "SELL", limitPrice, trigger: stopAt("TAKE_PROFIT", "RISE", price) })
    expect(row(order)?.descr).toMatchObject({ ordertype: "take-profit-limit" })
    const waiting = { status: "OPEN", orderType: "LIMIT" }
    const [before] = await my.openOrders()
    expect(before).toMatchObject(waiting)
    expect(Decimal.of(before?.limitPrice ?? "0").toString()).toBe(limitPrice)
    go()
    await my.seen(order, ({ isTriggered }) => isTriggered === true, "the trigger")
    expect(await my.openOrders()).toMatchObject([{ ...waiting, isTriggered: true }])
    expect((await my.cancel(order))._tag).toBe("CancelAccepted")
    expect(await my.lookup(order)).toMatchObject({ state: { status: "CANCELLED", ending: null } })
  })

  it("is cancelled before it has triggered, without a word of a rest or a trigger", async () => {
    const order = await placed({
      orderType: "MARKET",
      limitPrice: null,
      trigger: stopAt("STOP", "RISE", reach("asks").price),
    })
    expect((await my.cancel(order))._tag).toBe("CancelAccepted")
    const state = await my.seen(order, ({ status }) => status === "CANCELLED", "its end")
    const found = await my.lookup(order)
    for (const each of [state, found._tag === "Found" ? found.state : undefined]) {
      expect(each).toMatchObject({ status: "CANCELLED", ending: null, orderType: "MARKET" })
      expect(each).not.toHaveProperty("isTriggered")
    }
  })

  it("is found as the stop it is when the answer was lost", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-destroy" } })
    const order = krakenOrder({ orderSide: "SELL", limitPrice: "50000", trigger: stopAt("STOP", "FALL", "51000") })
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(await my.lookup(order)).toMatchObject({ state: { status: "OPEN", orderType: "LIMIT" } })
  })

  it("ends a GTD order by its time, at the venue", async () => {
    const expireAt = Date.now() + 60_000
    const order = await placed({ timeInForce: "GTD", expireAt })
    expect(row(order)?.expiretm).toBe(Math.ceil(expireAt / 1000))
    expect(await my.openOrders()).toMatchObject([{ timeInForce: "GTD", status: "OPEN" }])
    ahead = 61_000
    const state = await my.seen(order, ({ status }) => status !== "OPEN", "its end")
    expect(state).toMatchObject({ status: "EXPIRED", ending: null })
    expect(await my.lookup(order)).toMatchObject({ state: { status: "EXPIRED", timeInForce: "GTD" } })
  })

  it.each([
    ["too near", 3000],
    ["too far", 40 * 86_400_000],
  ])("rests without an expiry that is %s for the venue", async (_, ahead) => {
    const order = await placed({ timeInForce: "GTD", expireAt: Date.now() + ahead })
    expect(row(order)).toMatchObject({ expiretm: 0, status: "open" })
  })

  it("buys at market for an amount of quote asset", async () => {
    const order = await placed({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "100.25" })
    expect(row(order)).toMatchObject({ oflags: "fciq,viqc" })
    const state = await my.seen(order, ({ status }) => status === "FILLED", "its end")
    const sum = (of: (fill: { readonly price: string; readonly quantity: string }) => Decimal) =>
      my.fills(order).reduce((total, fill) => total.add(of(fill)), Decimal.ZERO)
    const bought = sum(({ quantity }) => Decimal.of(quantity))
    const spent = sum(({ price, quantity }) => Decimal.of(price).multiply(Decimal.of(quantity)))
    expect(spent.greaterThan(Decimal.of("100.25"))).toBe(false)
    expect(spent.greaterThan(Decimal.of("99"))).toBe(true)
    // Quote must never be taken for base, wherever the order is read.
    const found = await my.lookup(order)
    for (const each of [state, found._tag === "Found" ? found.state : undefined]) {
      expect(Decimal.of(each?.executedQuantity ?? "0").toString()).toBe(bought.toString())
      expect(Decimal.of(each?.quantity ?? "0").toString()).toBe(bought.toString())
    }
    // A trade says no more than that something was bought; only the report of the end says that it was all.
    expect(my.states(order).filter(({ status }) => status === "FILLED").length).toBe(1)
  })

  it("is amended where it stands: the same order, its new price and total, in time or not at all", async () => {
    const order = await placed({ limitPrice: "50000", quantity: "0.003" })
    expect(await my.amend(order, change("0.0025", "50000.5"))).toMatchObject({
      _tag: "AmendAccepted",
      externalOrderId: row(order)?.txid,
    })
    expect(row(order)).toMatchObject({ vol: "0.00250000", status: "open" })
    expect(row(order)?.descr.price).toBe("50000.5")
    const changed = await my.seen(order, ({ quantity }) => Decimal.of(quantity).toString() === "0.0025", "the change")
    expect(Decimal.of(changed.limitPrice ?? "0").toString()).toBe("50000.5")
    expect(at.exchange.placements().length).toBe(1)
  })

  it("is amended by our own id while the venue's is not known", async () => {
    const order = await placed()
    const ref = { tradeOrderId: order.tradeOrderId, instrumentId: order.instrumentId, externalOrderId: null }
    const outcome = await my.amend(order, change("0.002", "50000"), ref)
    expect(outcome).toMatchObject({ _tag: "AmendAccepted", externalOrderId: row(order)?.txid })
  })

  it("has its trigger moved while it waits", async () => {
    const order = await placed({ orderSide: "SELL", limitPrice: "50000", trigger: stopAt("STOP", "FALL", "51000") })
    expect((await my.amend(order, change("0.001", "50000", "52000")))._tag).toBe("AmendAccepted")
    expect(row(order)?.descr).toMatchObject({ price: "52000.0", price2: "50000.0" })
  })

  it("is refused in the venue's words, and nothing has changed", async () => {
    const order = await placed({ orderType: "LIMIT_MAKER" })
    expect(await my.amend(order, change("3", "50000"))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: false,
      text: "EOrder:Insufficient funds",
    })
    const taking = { ...change("0.001", "70000"), postOnly: true }
    expect(await my.amend(order, taking)).toMatchObject({ _tag: "AmendRefused", text: "EOrder:Post only order" })
    expect(row(order)).toMatchObject({ vol: "0.00100000", status: "open", vol_exec: "0.00000000" })
  })

  it("is refused for an order that has ended before: look before believing anything", async () => {
    const order = await placed()
    expect((await my.cancel(order))._tag).toBe("CancelAccepted")
    expect(await my.amend(order, change("0.002", "50000"))).toMatchObject({ _tag: "AmendRefused", unknownOrder: true })
  })

  it.each([
    ["no answer before the venue changed it", "hang", "0.001"],
    ["a cut connection before the venue changed it", "destroy", "0.001"],
    ["no answer after the venue changed it", "apply-then-hang", "0.002"],
    ["a cut connection after the venue changed it", "apply-then-destroy", "0.002"],
  ] as const)("is in doubt after %s, is not asked for again, and the order says what is true", async (_, kind, vol) => {
    const order = await placed()
    at.exchange.fault({ fault: "answer", match: AMEND, action: { kind } })
    expect((await my.amend(order, change("0.002", "50000")))._tag).toBe("AmendInDoubt")
    expect(at.exchange.counts()[AMEND]).toBe(1)
    const found = await my.lookup(order)
    expect(found._tag === "Found" && Decimal.of(found.state.quantity).toString()).toBe(vol)
  })
})

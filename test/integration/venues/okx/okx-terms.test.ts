/** OKX's amends in place and its market buys by cost: real ccxt in a real worker, judged by the loopback OKX. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { Decimal } from "../../../../src/domain/decimal.ts"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { OkxExchange } from "../../../exchanges/okx/exchange.ts"
import { answering } from "../loopback-session.ts"
import { change, stopAt, TermsSession } from "../order-terms-kit.ts"
import { SOON_LATE } from "../venue-kit.ts"
import { BTC, OkxSession, type OkxUnderTest, okxOrder, operation, PLACE, refOf, startOkx } from "./okx-kit.ts"

const AMEND = "POST /api/v5/trade/amend-order"

describe("an order with terms at OKX", () => {
  let at: OkxUnderTest
  let account: OkxSession
  let my: TermsSession<OkxExchange>
  beforeAll(async () => {
    at = await startOkx({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    account = await OkxSession.start(at)
    my = new TermsSession(at, account.open)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  const row = (order: VenueOrder) => account.rows.find(({ clOrdId }) => clOrdId === venueClientId(order.tradeOrderId))

  const placed = async (terms: Partial<VenueOrder> = {}): Promise<VenueOrder> => {
    const order = okxOrder(terms)
    expect((await my.outcomeOf(order))._tag).toBe("Accepted")
    return order
  }

  it("is amended where it stands: the same order, its new price and total", async () => {
    const order = await placed({ limitPrice: "60000.1", quantity: "0.003" })
    at.exchange.trade(BTC, "SELL", "0.001")
    await my.seen(order, ({ executedQuantity }) => executedQuantity === "0.001", "the first fill")
    expect(await my.amend(order, change("0.0025", "50000.5"))).toEqual({
      _tag: "AmendAccepted",
      tradeOrderId: order.tradeOrderId,
      askedAt: 1,
      externalOrderId: row(order)?.ordId,
      at: expect.any(Number),
    })
    expect(row(order)).toMatchObject({ px: "50000.5", sz: "0.0025", accFillSz: "0.001", state: "partially_filled" })
    expect(await my.openOrders()).toMatchObject([
      { tradeOrderId: order.tradeOrderId, limitPrice: "50000.5", quantity: "0.0025", executedQuantity: "0.001" },
    ])
    expect(account.judged(order)?.created).toBe(1)
  })

  it("is not amended after its time: nothing is asked of the venue, and the order stays as it was", async () => {
    const order = await placed()
    const [asked, price] = [account.count(AMEND), row(order)?.px]
    const late = { ...change("0.002", "50000"), notAfter: Date.now() - 1 }
    expect(await my.amend(order, late)).toMatchObject({ _tag: "AmendRefused", unknownOrder: false })
    expect([account.count(AMEND), row(order)?.px]).toEqual([asked, price])
  })

  it("is amended by our own id while the venue's is not known", async () => {
    const order = await placed()
    const outcome = await my.amend(order, change("0.002", "50000"), refOf(order))
    expect(outcome).toMatchObject({ _tag: "AmendAccepted", externalOrderId: row(order)?.ordId })
  })

  it("trades at once where its new price reaches, and is as it was asked to be", async () => {
    const order = await placed()
    const outcome = await my.amend(order, change("0.001", "70000"))
    expect(outcome._tag).toBe("AmendAccepted")
    await my.seen(order, ({ status }) => status === "FILLED", "its end")
    expect(my.fills(order).length).toBeGreaterThan(0)
  })

  it("is refused in the venue's words, and nothing has changed", async () => {
    const order = await placed()
    at.exchange.fault({
      fault: "answer",
      match: AMEND,
      action: operation("51008", "Order failed. Insufficient balance"),
    })
    expect(await my.amend(order, change("0.5", "50000"))).toMatchObject({
      _tag: "AmendRefused",
      unknownOrder: false,
      text: "Order failed. Insufficient balance",
    })
    expect(row(order)?.sz).toBe("0.001")
  })

  it("stays post-only: a price that would take is refused", async () => {
    const order = await placed({ orderType: "LIMIT_MAKER" })
    const outcome = await my.amend(order, { ...change("0.001", "70000"), postOnly: true })
    expect(outcome).toMatchObject({ _tag: "AmendRefused", unknownOrder: false })
    expect(row(order)).toMatchObject({ px: "50000", state: "live" })
  })

  it("is refused for an order that has ended before: look before believing anything", async () => {
    const order = await placed()
    expect((await my.cancel(order))._tag).toBe("CancelAccepted")
    expect(await my.amend(order, change("0.002", "50000"))).toMatchObject({ _tag: "AmendRefused", unknownOrder: true })
  })

  it("is in doubt where its change was answered and not carried out, and never told as changed", async () => {
    const order = await placed()
    const data = [{ clOrdId: "", ordId: row(order)?.ordId, sCode: "0", sMsg: "" }]
    at.exchange.fault({
      fault: "answer",
      match: AMEND,
      action: answering(200, JSON.stringify({ code: "0", data, msg: "" })),
    })
    expect(await my.amend(order, change("0.002", "50000"))).toMatchObject({ _tag: "AmendInDoubt" })
    expect(row(order)?.sz).toBe("0.001")
  })

  it.each([
    ["no answer before the venue changed it", "hang", "0.001"],
    ["a cut connection before the venue changed it", "destroy", "0.001"],
    ["no answer after the venue changed it", "apply-then-hang", "0.002"],
    ["a cut connection after the venue changed it", "apply-then-destroy", "0.002"],
  ] as const)("is in doubt after %s, is not asked for again, and the order says what is true", async (_, kind, sz) => {
    const order = await placed()
    const before = account.count(AMEND)
    at.exchange.fault({ fault: "answer", match: AMEND, action: { kind } })
    expect((await my.amend(order, change("0.002", "50000")))._tag).toBe("AmendInDoubt")
    expect(account.count(AMEND)).toBe(before + 1)
    expect(await my.lookup(order)).toMatchObject({ _tag: "Found", state: { quantity: sz, status: "OPEN" } })
  })

  it("buys at market for an amount of quote asset", async () => {
    const order = await placed({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "100.25" })
    expect(row(order)).toMatchObject({ sz: "100.25", tgtCcy: "quote_ccy", ordType: "market" })
    const state = await my.seen(order, ({ status }) => status !== "OPEN", "its end")
    const executed = my.fills(order).reduce((sum, { quantity }) => sum.add(Decimal.of(quantity)), Decimal.ZERO)
    expect(state).toMatchObject({ status: "FILLED", quantity: executed.toString() })
    expect(await my.lookup(order)).toMatchObject({ state: { executedQuantity: executed.toString() } })
  })

  it("is found by our id when the answer to a buy by cost is lost", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-destroy" } })
    const order = okxOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002", cost: "100" })
    expect((await my.outcomeOf(order))._tag).toBe("InDoubt")
    expect(await my.lookup(order)).toMatchObject({ state: { status: "FILLED" } })
  })

  it("never leaves with a trigger: the gateway watches it", async () => {
    const order = okxOrder({ orderSide: "SELL", trigger: stopAt("STOP", "FALL", "51000") })
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "Refused", code: "NOT_SUPPORTED" })
    expect(at.venue.venue.capabilities.triggers.stop).toBe("EMULATED")
    expect(row(order)).toBeUndefined()
  })

  // The last one: nobody has a session after it.
  it("is in doubt when its connector dies with it, and was not changed where there is none", async () => {
    const order = await placed()
    at.exchange.fault({ fault: "answer", match: AMEND, action: { kind: "hang" } })
    const amending = my.amend(order, change("0.002", "50000"))
    at.venue.supervisor.break("exit")
    expect((await amending)._tag).toBe("AmendInDoubt")
    const outcome = await my.amend(order, change("0.002", "50000"))
    expect(outcome).toMatchObject({ _tag: "AmendRefused", unknownOrder: false, text: "no connector is running" })
  })
})

/** Kraken's private side: real ccxt in a real worker, the loopback Kraken behind it, which is the judge of what arrived. */
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { SessionReport, VenueOrder, VenueOrderRef } from "../../../../src/ports/venue-session.ts"
import type { VenueWaits } from "../../../../src/venues/adapters/profile.ts"
import { endedSince } from "../loopback-session.ts"
import { laterInstant, type OpenSession, restingOrder, SOON_LATE, until } from "../venue-kit.ts"
import { BTC, KRAKEN_BTC, KRAKEN_SECRETS, type KrakenUnderTest, startKraken } from "./kraken-kit.ts"

const PLACE = "POST /0/private/AddOrder"
const CANCEL = "POST /0/private/CancelOrder"
/** No test lasts so long. */
const LONG_LIMITED = { limitedMillis: 600_000 }
const OPEN = "POST /0/private/OpenOrders"

const krakenOrder = (change: Partial<VenueOrder> = {}): VenueOrder =>
  restingOrder({ instrumentId: KRAKEN_BTC, ...change })

const refOf = (order: VenueOrder, externalOrderId: string | null = null): VenueOrderRef => ({
  tradeOrderId: order.tradeOrderId,
  instrumentId: order.instrumentId,
  externalOrderId,
})

describe("Kraken's orders", () => {
  let at: KrakenUnderTest
  let open: OpenSession
  const { apiKey } = KRAKEN_SECRETS

  const isUp = (): boolean => open.reports.findLast(({ _tag }) => /^Stream/.test(_tag))?._tag === "StreamUp"

  const begin = async (
    options: Parameters<typeof startKraken>[0] = {},
    waits: Partial<VenueWaits> = {},
  ): Promise<void> => {
    at = await startKraken({ isLimited: false, ...options }, { waits: { ...SOON_LATE, ...waits } })
    open = await at.openSession()
    await until(isUp, "the private stream")
  }
  beforeEach(() => begin())
  afterEach(() => at.stop())

  const outcomeOf = async (order: VenueOrder): Promise<SessionReport> => {
    const find = () =>
      open.reports.find(
        (said) =>
          "tradeOrderId" in said &&
          said.tradeOrderId === order.tradeOrderId &&
          /^(Accepted|Refused|NotSent|InDoubt)$/.test(said._tag),
      )
    open.session.submit(order)
    await until(() => find() !== undefined, "an outcome of the submit")
    return find() as SessionReport
  }

  const rows = () => at.exchange.orders(apiKey)
  const timesPlaced = ({ tradeOrderId }: VenueOrder): number =>
    rows().filter((row) => row.cl_ord_id === venueClientId(tradeOrderId)).length
  const states = () => open.reports.flatMap((report) => (report._tag === "OrderSeen" ? [report.state] : []))
  const fills = () => open.reports.flatMap((report) => (report._tag === "Filled" ? [report.fill] : []))
  const lookup = (order: VenueOrder) => at.run(open.session.fetchOrder(refOf(order)))
  const ended = async (order: VenueOrder) => {
    const last = () => states().findLast(({ tradeOrderId }) => tradeOrderId === order.tradeOrderId)
    await until(() => (last()?.status ?? "OPEN") !== "OPEN", "the end of the order")
    return last()
  }

  it("places a limit order under our own id, with the digits it was given and a deadline", async () => {
    const order = krakenOrder({ quantity: "0.00123456", limitPrice: "50000.1" })
    expect(await outcomeOf(order)).toMatchObject({ _tag: "Accepted", externalOrderId: rows()[0]?.txid })
    expect(rows()).toMatchObject([{ cl_ord_id: venueClientId(order.tradeOrderId), vol: "0.00123456", oflags: "fciq" }])
    expect(rows()[0]?.descr).toMatchObject({ price: "50000.1", ordertype: "limit", type: "buy" })
    expect(at.exchange.placements().length).toBe(1)
    expect(await at.run(open.session.fetchOpenOrders)).toMatchObject([
      { tradeOrderId: order.tradeOrderId, status: "OPEN", limitPrice: "50000.1", quantity: "0.00123456" },
    ])
  })

  it.each([[false], [true]])("reports every fill and state of a burst (batched: %s)", async (isBatched) => {
    await at.stop()
    await begin({ isBatched })
    const order = krakenOrder({ limitPrice: "60000", quantity: "0.003" })
    at.exchange.setLevel(BTC, "asks", "60000", "0")
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    for (let i = 0; i < 6; i++) at.exchange.trade(BTC, "SELL", "0.0005")
    await until(() => states().some(({ status }) => status === "FILLED"), "the last fill")
    expect(fills().map(({ externalTradeId }) => externalTradeId)).toEqual(
      at.exchange.fills(apiKey).map(({ execId }) => execId),
    )
    for (const fill of fills()) {
      expect(fill).toMatchObject({ tradeOrderId: order.tradeOrderId, instrumentId: KRAKEN_BTC, orderSide: "BUY" })
      expect(fill.fees.map(({ asset }) => asset)).toEqual(["USD"])
    }
    const history = await at.run(open.session.fetchFills(0, [KRAKEN_BTC]))
    expect(history.map(({ externalTradeId }) => externalTradeId)).toEqual(
      fills().map(({ externalTradeId }) => externalTradeId),
    )
  })

  it("fetches all pages of fills", async () => {
    at.exchange.setLevel(BTC, "asks", "60000", "0")
    expect((await outcomeOf(krakenOrder({ limitPrice: "60000", quantity: "0.00120" })))._tag).toBe("Accepted")
    for (let i = 0; i < 120; i++) at.exchange.trade(BTC, "SELL", "0.00001")
    const all = await at.run(open.session.fetchFills(0, [KRAKEN_BTC]))
    expect(all.map((fill) => fill.externalTradeId)).toEqual(at.exchange.fills(apiKey).map(({ execId }) => execId))
    expect(all.length).toBe(120)
  })

  it("fetches all pages of what ended", async () => {
    const began = Date.now() - 60_000
    const orders = Array.from({ length: 51 }, () => krakenOrder({ timeInForce: "IOC", notAfter: Date.now() + 60_000 }))
    for (const order of orders) open.session.submit(order)
    await until(() => orders.every((order) => open.about(order.tradeOrderId).includes("Accepted")), "all orders")
    const since = { instrumentId: KRAKEN_BTC, since: began, oldestId: null }
    const over = await endedSince(at, open, since)
    expect(new Set(over.map(({ tradeOrderId }) => tradeOrderId))).toEqual(
      new Set(orders.map(({ tradeOrderId }) => tradeOrderId)),
    )
  })

  it("says that the rest of an IOC order was cancelled, and fills a market order", async () => {
    const ioc = krakenOrder({ timeInForce: "IOC" })
    expect((await outcomeOf(ioc))._tag).toBe("Accepted")
    expect(await ended(ioc)).toMatchObject({ status: "CANCELLED", ending: "REMAINDER", timeInForce: "IOC" })
    const market = krakenOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" })
    expect((await outcomeOf(market))._tag).toBe("Accepted")
    expect(await ended(market)).toMatchObject({ status: "FILLED", orderType: "MARKET", executedQuantity: "0.00200000" })
  })

  it("says that a post-only order which would have taken never worked", async () => {
    const order = krakenOrder({ orderType: "LIMIT_MAKER", timeInForce: "GTX", limitPrice: "60500" })
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    expect(await ended(order)).toMatchObject({ status: "REJECTED", ending: "WOULD_TAKE" })
    expect(await lookup(order)).toMatchObject({ state: { status: "REJECTED", ending: "WOULD_TAKE" } })
  })

  it("cancels by our id and by the venue's, and says when the venue does not know the order", async () => {
    const [first, second] = [krakenOrder(), krakenOrder()]
    const accepted = [await outcomeOf(first), await outcomeOf(second)]
    const known = accepted[1]
    if (known?._tag !== "Accepted") throw new Error("the second order was not accepted")
    await laterInstant()
    const asked = Date.now()
    open.session.cancel(refOf(first))
    open.session.cancel(refOf(second, known.externalOrderId))
    await until(
      () => [first, second].every((order) => open.about(order.tradeOrderId).includes("CancelAccepted")),
      "both cancels",
    )
    expect(rows().map(({ status }) => status)).toEqual(["canceled", "canceled"])
    expect((await ended(first))?.updatedAt).toBeGreaterThanOrEqual(asked)
    const stranger = krakenOrder()
    open.session.cancel(refOf(stranger))
    await until(() => open.last("CancelRefused") !== undefined, "the refusal")
    expect(open.last("CancelRefused")).toMatchObject({ tradeOrderId: stranger.tradeOrderId, unknownOrder: true })
    const found = await lookup(second)
    expect(found).toMatchObject({ state: { status: "CANCELLED", tradeOrderId: second.tradeOrderId } })
    expect(found._tag === "Found" && found.state.updatedAt).toBeGreaterThanOrEqual(asked)
    expect((await lookup(stranger))._tag).toBe("NotFound")
  })

  it.each<[string, Partial<VenueOrder>, string]>([
    ["too little money", { quantity: "100", limitPrice: "50000" }, "INSUFFICIENT_BALANCE"],
    ["too small a quantity", { quantity: "0.00001" }, "INVALID_ORDER"],
    ["a price beside the steps", { limitPrice: "50000.15" }, "INVALID_ORDER"],
  ])("is refused for %s, definitely", async (_, change, code) => {
    expect(await outcomeOf(krakenOrder(change))).toMatchObject({ _tag: "Refused", code })
    expect(rows()).toEqual([])
  })

  it.each([
    ["hang", 0],
    ["destroy", 0],
    ["apply-then-hang", 1],
    ["apply-then-destroy", 1],
  ] as const)("is in doubt when the answer is lost (%s), and the venue's word settles it", async (kind, placed) => {
    at.exchange.fault({ fault: "answer", match: PLACE, times: 1, action: { kind } })
    const order = krakenOrder()
    expect((await outcomeOf(order))._tag).toBe("InDoubt")
    expect(timesPlaced(order)).toBe(placed)
    const found = await lookup(order)
    if (placed === 0) expect(found._tag).toBe("NotFound")
    else expect(found).toMatchObject({ state: { tradeOrderId: order.tradeOrderId, status: "OPEN" } })
  })

  it("is in doubt about a cancel whose answer is lost, and sees how it ended", async () => {
    const order = krakenOrder()
    await outcomeOf(order)
    at.exchange.fault({ fault: "answer", match: CANCEL, times: 1, action: { kind: "apply-then-destroy" } })
    open.session.cancel(refOf(order))
    await until(() => open.last("CancelInDoubt") !== undefined, "the doubt")
    expect(await ended(order)).toMatchObject({ status: "CANCELLED", ending: null })
  })

  it("never makes two orders of one id while the first is open", async () => {
    const order = krakenOrder()
    expect((await outcomeOf(order))._tag).toBe("Accepted")
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).includes("InDoubt"), "the second outcome")
    expect(timesPlaced(order)).toBe(1)
  })

  it.each([[3_600_000], [-3_600_000]])("counts deadlines by the venue's clock, %d ms ahead of ours", async (ahead) => {
    await at.stop()
    await begin({ clockAheadMillis: ahead })
    expect((await outcomeOf(krakenOrder()))._tag).toBe("Accepted")
    const said = open.last("Accepted")?.at ?? 0
    expect(Math.abs(said - (Date.now() + ahead))).toBeLessThan(60_000)
  })

  it("sends nothing whose time has passed", async () => {
    const order = krakenOrder({ notAfter: Date.now() - 1 })
    expect((await outcomeOf(order))._tag).toBe("NotSent")
    expect(at.exchange.placements()).toEqual([])
  })

  it("places many orders at once, whatever their nonces do on the way", async () => {
    const orders = Array.from({ length: 30 }, (_, i) =>
      krakenOrder({ limitPrice: `${40_000 + i}`, quantity: "0.0001" }),
    )
    const outcomes = await Promise.all(orders.map((order) => outcomeOf({ ...order, notAfter: Date.now() + 60_000 })))
    expect(new Set(outcomes.map(({ _tag }) => _tag))).toEqual(new Set(["Accepted"]))
    expect(orders.map(timesPlaced)).toEqual(orders.map(() => 1))
    expect((await at.run(open.session.fetchOpenOrders)).length).toBe(30)
  })

  it.each(["EOrder:Rate limit exceeded", "EAPI:Rate limit exceeded", "EGeneral:Temporary lockout"])(
    "waits with its orders when the venue says %s, and its cancels go on",
    async (error) => {
      await at.stop()
      await begin({}, LONG_LIMITED)
      const resting = krakenOrder()
      expect((await outcomeOf(resting))._tag).toBe("Accepted")
      const action = { kind: "status", status: 200, body: JSON.stringify({ error: [error] }) } as const
      at.exchange.fault({ fault: "answer", match: PLACE, action })
      expect(await outcomeOf(krakenOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
      const placed = at.exchange.counts()[PLACE]
      expect((await outcomeOf(krakenOrder({ notAfter: Date.now() + 1000 })))._tag).toBe("NotSent")
      expect(at.exchange.counts()[PLACE]).toBe(placed)
      open.session.cancel(refOf(resting))
      await until(() => open.last("CancelAccepted") !== undefined, "the cancel")
    },
  )

  it("asks nothing while the venue counts its questions out, and its orders go on", async () => {
    await at.stop()
    await begin({}, LONG_LIMITED)
    const action = { kind: "status", status: 200, body: '{"error":["EAPI:Rate limit exceeded"]}' } as const
    at.exchange.fault({ fault: "answer", match: OPEN, action })
    await expect(at.run(open.session.fetchOpenOrders)).rejects.toThrow("Venue unavailable")
    const asked = at.exchange.counts()[OPEN]
    const waiting = at.run(open.session.fetchOpenOrders).catch(() => "never answered")
    expect((await outcomeOf(krakenOrder()))._tag).toBe("Accepted")
    expect(at.exchange.counts()[OPEN]).toBe(asked)
    await at.stop()
    expect(await waiting).toBe("never answered")
  })

  it("leaves a submit in doubt when its worker dies with it; the order is found by our id, and sent once", async () => {
    await at.stop()
    at = await startKraken({ isLimited: false }, {}, { times: { restartFirstMillis: 1, restartMaxMillis: 1 } })
    open = await at.openSession()
    await until(isUp, "the private stream")
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-hang" } })
    const order = krakenOrder()
    open.session.submit(order)
    await until(() => timesPlaced(order) === 1, "the order at the venue")
    open.reports.length = 0
    at.venue.supervisor.break("exit")
    await until(() => open.about(order.tradeOrderId).includes("InDoubt"), "the doubt")
    await until(isUp, "the stream of the next worker")
    expect(await lookup(order)).toMatchObject({ _tag: "Found", state: { status: "OPEN" } })
    expect(timesPlaced(order)).toBe(1)
  })

  it("goes up again after its stream was cut, after a hole in it, and with a new token", async () => {
    const downs = () => open.reports.filter(({ _tag }) => _tag === "StreamDown").length
    at.exchange.fault({ fault: "forgetTokens" })
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => downs() === 1 && isUp(), "the stream after the cut")
    at.exchange.fault({ fault: "dropNextPrivate", channel: "executions", count: 1 })
    await outcomeOf(krakenOrder())
    await outcomeOf(krakenOrder())
    await until(() => downs() === 2 && isUp(), "the stream after the hole")
    const order = krakenOrder()
    await outcomeOf(order)
    await until(() => open.about(order.tradeOrderId).includes("OrderSeen"), "the order on the new stream")
  })

  it("has what is free and what is held, and hears of money that comes from elsewhere", async () => {
    await outcomeOf(krakenOrder({ quantity: "0.01", limitPrice: "50000" }))
    const { complete, balances } = await at.run(open.session.fetchBalances)
    expect(complete).toBe(true)
    const usd = balances.find(({ asset }) => asset === "USD")
    // The fee is held, too.
    expect(Number(usd?.locked)).toBeGreaterThanOrEqual(500)
    expect(Number(usd?.available) + Number(usd?.locked)).toBe(100_000)
    at.exchange.deposit(apiKey, "USD", "1000")
    await until(
      () =>
        open.reports.some(
          (said) =>
            said._tag === "BalancesSeen" &&
            said.balances.balances.some(
              ({ asset, available }) => asset === "USD" && Number(available) === Number(usd?.available) + 1000,
            ),
        ),
      "the deposit",
    )
  })

  it("ends the session once the key is refused", async () => {
    at.exchange.removeUser(apiKey)
    expect(await outcomeOf(krakenOrder())).toMatchObject({ _tag: "Refused", code: "VENUE_AUTHENTICATION" })
    await until(() => open.last("SessionRefused") !== undefined, "the end of the session")
  })

  it.each([
    ["an unknown key", { apiKey: "x".repeat(56) }],
    ["a wrong secret", { apiSecret: Buffer.from("another secret").toString("base64") }],
    ["a secret that is none", { apiSecret: "not base64!" }],
  ])("does not verify %s", async (_, change) => {
    const failure = await at.run(Effect.flip(at.venue.verify({ ...KRAKEN_SECRETS, ...change })))
    expect(failure._tag).toBe("CredentialsInvalid")
  })

  it("verifies a good key", async () => {
    await expect(at.run(at.venue.verify(KRAKEN_SECRETS))).resolves.toBeDefined()
  })
})

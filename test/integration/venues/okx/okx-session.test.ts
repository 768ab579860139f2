/** The private stream of OKX, its keys, its demo trading and its clock: real ccxt in a real worker, the loopback OKX behind it. */
import { randomUUID } from "node:crypto"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { InstrumentId, TradeOrderId } from "../../../../src/domain/ids.ts"
import { describeAhead, describeDeath } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import {
  answering,
  CANCEL,
  OKX_SECRETS,
  OkxSession,
  type OkxUnderTest,
  okxOrder,
  operation,
  PLACE,
  refOf,
  SHOW,
  startOkx,
  TIME,
} from "./okx-kit.ts"

describe("a session at OKX", () => {
  let at: OkxUnderTest
  let my: OkxSession
  beforeAll(async () => {
    at = await startOkx({}, { change: { waits: SOON_LATE } })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await OkxSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it.each([
    ["passphrase", { apiPassphrase: "another" }],
    ["secret", { apiSecret: "X".repeat(32) }],
    ["key", { apiKey: "nobody" }],
  ])("refuses a session whose %s is wrong, and asks nothing with it", async (_, change) => {
    const wrong = await at.openSession({ ...my.secrets, ...change })
    await until(() => wrong.last("SessionRefused") !== undefined, "the refusal")
    expect(wrong.last("SessionRefused")?.reason).toMatch(/^VENUE_AUTHENTICATION/)
    expect(wrong.reports.some((report) => report._tag === "StreamUp")).toBe(false)
    const asked = at.exchange.counts()["GET /api/v5/account/balance"] ?? 0
    await expect(at.run(wrong.session.fetchBalances)).rejects.toThrow("Venue unavailable")
    expect(at.exchange.counts()["GET /api/v5/account/balance"] ?? 0).toBe(asked)
  })

  const downAndUp = async (): Promise<void> => {
    await until(() => my.open.reports.some((report) => report._tag === "StreamUp"), "the stream to come back")
    expect(my.open.reports.map((report) => report._tag).filter((tag) => tag.startsWith("Stream"))).toEqual([
      "StreamDown",
      "StreamUp",
    ])
    const order = okxOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  }

  it("says that the private stream is down and up again after its socket was cut", async () => {
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await downAndUp()
  })

  it("moves to a new connection when the venue says that it will close this one", async () => {
    my.open.reports.length = 0
    at.exchange.fault({ fault: "announceUpgrade" })
    await downAndUp()
  })

  it.each(["orders", "account"])("is up only once the venue has taken the channel %s", async (channel) => {
    at.exchange.fault({ fault: "loseSubscribe", channel, count: 1 })
    const later = await at.openSession(my.secrets)
    const before = at.exchange.counts()[`WS subscribe ${channel}`] ?? 0
    await until(() => at.exchange.counts()[`WS subscribe ${channel}`] === before + 1 || later.reports.length > 0, "it")
    expect(later.last("StreamUp")).toBeUndefined()
    await until(() => later.last("StreamUp") !== undefined, "the stream, once the subscription was sent again")
    expect(later.reports.map((report) => report._tag).slice(0, 2)).toContain("StreamDown")
  })

  it("logs in again after a login that was never answered", async () => {
    at.exchange.fault({ fault: "answer", match: "WS login", action: { kind: "hang" } })
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")?.reason).toContain("not acknowledged")
  })

  it("logs in again by the venue's clock after a login that came too late for it", async () => {
    const action = answering(0, '{"code":"60006","msg":"Timestamp request expired"}')
    at.exchange.fault({ fault: "answer", match: "WS login", action })
    const before = my.count(TIME)
    const later = await at.openSession(my.secrets)
    await until(() => later.last("StreamUp") !== undefined, "the stream")
    expect(later.last("StreamDown")?.reason).toMatch(/^CLOCK_SKEW/)
    expect(my.count(TIME)).toBe(before + 1)
  })

  it("tries again when too many connections have a channel", async () => {
    const before = my.count("WS subscribe orders")
    my.open.reports.length = 0
    at.exchange.fault({ fault: "limitConnections", channel: "orders", count: 1 })
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.count("WS subscribe orders") >= before + 2, "another try")
    await until(
      () => my.open.reports.findLast(({ _tag }) => _tag.startsWith("Stream"))?._tag === "StreamUp",
      "the stream",
    )
    const order = okxOrder()
    my.open.session.submit(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "its event")
  })

  it("loses no order of a frame that has one of an instrument listed since", async () => {
    const before = okxOrder()
    await my.outcomeOf(before)
    await until(() => my.open.about(before.tradeOrderId).includes("OrderSeen"), "its event")
    const [row] = my.rows
    my.open.reports.length = 0
    const data = [
      { ...row, instId: "NEW-USDT", ordId: "1", clOrdId: "" },
      { ...row, ordId: "2", clOrdId: "" },
    ]
    const event = { arg: { channel: "orders", instType: "SPOT", uid: "1" }, data }
    my.push(event)
    await until(() => my.states.length > 0, "the order that is known")
    expect(my.states).toMatchObject([{ externalOrderId: "2", tradeOrderId: null, clientId: null }])
    const order = okxOrder()
    await my.outcomeOf(order)
    await until(() => my.open.about(order.tradeOrderId).includes("OrderSeen"), "the next event")
    expect(my.open.reports.some((report) => report._tag === "StreamDown")).toBe(false)
  })

  it("says nothing secret, whatever goes wrong", async () => {
    at.exchange.fault({ fault: "answer", match: SHOW, action: { kind: "destroy" }, times: 8 })
    const failed = await at.run(my.open.session.fetchOrder(refOf(okxOrder()))).catch((error: unknown) => error)
    at.exchange.fault({ fault: "answer", match: CANCEL, action: { kind: "destroy" } })
    my.open.session.cancel({ ...refOf(okxOrder()), tradeOrderId: randomUUID() as TradeOrderId })
    await until(() => my.open.last("CancelInDoubt") !== undefined, "the cancel's doubt")
    const args = [{ apiKey: my.secrets.apiKey, passphrase: my.secrets.apiPassphrase, sign: "x".repeat(44) }]
    const event = { event: "error", code: "60012", msg: `Invalid request: ${JSON.stringify({ op: "login", args })}` }
    my.push(event)
    await until(() => my.open.last("StreamDown") !== undefined, "the end of the stream")
    const said = JSON.stringify([my.open.reports, at.notices, failed, String(failed)])
    for (const secret of Object.values(my.secrets)) expect(said).not.toContain(JSON.stringify(secret).slice(1, -1))
    expect(said).not.toMatch(/https?:/)
    expect(said).toContain("VENUE_NETWORK")
  })
})

describe("an account of OKX", () => {
  it("waits with its orders while the venue counts them, and its cancels and another account's orders go on", async () => {
    const at = await startOkx({}, { change: { waits: { limitedMillis: 600_000 } } })
    const my = await OkxSession.start(at)
    const other = await OkxSession.start(at)
    const [mine, theirs] = [okxOrder(), okxOrder()]
    expect([(await my.outcomeOf(mine))._tag, (await other.outcomeOf(theirs))._tag]).toEqual(["Accepted", "Accepted"])
    const action = operation("50061", "You've reached the maximum order rate limit for this account.")
    at.exchange.fault({ fault: "answer", match: PLACE, action })
    expect(await my.outcomeOf(okxOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
    expect(await my.outcomeOf(okxOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    expect((await other.outcomeOf(okxOrder()))._tag).toBe("Accepted")
    my.open.session.cancel(refOf(mine))
    await until(() => my.open.last("CancelAccepted") !== undefined, "the cancel")
    await at.stop()
  })
})

const ANY = { venue: "OKX", start: startOkx, enter: OkxSession.start, order: okxOrder, place: PLACE }

describeDeath(ANY)
describeAhead(ANY)

describe("a key of OKX", () => {
  let at: OkxUnderTest
  afterEach(() => at.stop())

  it("is proved with its passphrase, and names the account behind it", async () => {
    at = await startOkx()
    expect(await at.run(at.venue.verify(OKX_SECRETS))).toEqual({ externalAccountId: expect.stringMatching(/^\d{15}$/) })
  })

  it.each([
    ["an unknown key", { apiKey: "nobody" }],
    ["a wrong secret", { apiSecret: "x".repeat(32) }],
    ["a wrong passphrase", { apiPassphrase: "wrong" }],
    ["no passphrase", { apiPassphrase: null }],
  ])("is invalid credentials with %s", async (_, change) => {
    at = await startOkx()
    await expect(at.run(at.venue.verify({ ...OKX_SECRETS, ...change }))).rejects.toThrow(/credentials/i)
  })

  it("is told from a venue that is down", async () => {
    at = await startOkx()
    const action = answering(
      503,
      '{"code":"50001","data":[],"msg":"Service temporarily unavailable. Please try again later."}',
    )
    at.exchange.fault({ fault: "answer", match: "GET /api/v5/account/balance", action, times: "always" })
    await expect(at.run(at.venue.verify(OKX_SECRETS))).rejects.toThrow("Venue unavailable")
  })

  it("of demo trading works for OKX_UAT and its hosts alone", async () => {
    at = await startOkx({}, { venue: "OKX_UAT" })
    const uat = await at.openSession()
    await until(() => uat.last("StreamUp") !== undefined, "the private stream")
    const instrumentId = "OKX_UAT:BTC/USDT" as InstrumentId
    const order = okxOrder({ instrumentId })
    uat.session.submit(order)
    await until(() => uat.last("Accepted") !== undefined && uat.last("OrderSeen") !== undefined, "an order")
    expect(uat.last("OrderSeen")?.state).toMatchObject({ instrumentId, tradeOrderId: order.tradeOrderId })
    at.source.open("book", instrumentId)
    await until(() => at.sink.book.isWhole, "the book")
    await at.stop()
    // A key of trading is not one of demo trading, and the header makes the difference.
    at = await startOkx(
      { users: [{ ...OKX_SECRETS, apiPassphrase: OKX_SECRETS.apiPassphrase ?? "", balances: {} }] },
      { venue: "OKX_UAT" },
    )
    await expect(at.run(at.venue.verify(OKX_SECRETS))).rejects.toThrow(/credentials/i)
  })
})

describe.each([
  ["ahead of", 90_000],
  ["behind", -90_000],
])("OKX with a clock %s ours", (_, clockAheadMillis) => {
  let at: OkxUnderTest
  beforeAll(async () => {
    at = await startOkx({ clockAheadMillis })
  })
  afterAll(() => at.stop())

  it("takes our login and our orders, and has fills, balances and outcomes on one time line, its own", async () => {
    const open = await at.openSession()
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
    const began = Date.now() + clockAheadMillis
    const latest = () => Date.now() + clockAheadMillis
    open.session.submit(okxOrder({ orderType: "MARKET", limitPrice: null, quantity: "0.002" }))
    await until(() => {
      const fill = open.last("Filled")?.fill
      const balances = open.last("BalancesSeen")?.balances
      return fill !== undefined && balances !== undefined && balances.at >= fill.executedAt
    }, "the balances after the fill")
    const executedAt = open.last("Filled")?.fill.executedAt ?? 0
    expect(executedAt).toBeGreaterThanOrEqual(began)
    expect(open.last("BalancesSeen")?.balances.at).toBeLessThanOrEqual(latest())
    const resting = okxOrder()
    open.session.submit(resting)
    await until(() => open.about(resting.tradeOrderId).includes("Accepted"), "the acceptance")
    open.session.cancel(refOf(resting))
    open.session.submit(okxOrder({ quantity: "4000" }))
    await until(() => open.last("CancelAccepted") !== undefined && open.last("Refused") !== undefined, "the outcomes")
    const fetched = await at.run(open.session.fetchBalances)
    for (const instant of [open.last("CancelAccepted")?.at, open.last("Refused")?.at, fetched.at]) {
      // Late by the way of one answer at most, and nowhere near our clock.
      expect(instant).toBeGreaterThan(executedAt - 45_000)
      expect(instant).toBeLessThanOrEqual(latest())
    }
  })
})

/** Orders over Bybit's trade socket (SOCKET_ORDERS), which has a login and a life of its own beside the private stream. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { BybitExchange } from "../../../exchanges/bybit/exchange.ts"
import { refOf } from "../loopback-session.ts"
import { describeOrderSocket } from "../order-socket-scenarios.ts"
import { change, TermsSession } from "../order-terms-kit.ts"
import { describeAhead, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import { BybitSession, type BybitUnderTest, bybitOrder, saying, startBybit, WAYS } from "./bybit-kit.ts"

const [[, , REQUEST], [, OVER_SOCKET, SOCKET]] = WAYS

const ANY: SessionAt<BybitExchange> = {
  venue: "BYBIT over its trade socket",
  start: (exchangeOptions, options) => startBybit(exchangeOptions, { ...OVER_SOCKET, ...options }),
  enter: (at) => BybitSession.startBy(at, SOCKET),
  order: bybitOrder,
  place: SOCKET.place,
}

const isBack = async (my: BybitSession): Promise<void> => {
  for (let before = my.count(SOCKET.cancel); my.count(SOCKET.cancel) === before; ) await my.asksInVain()
}
const hasGone = async (my: BybitSession): Promise<void> => {
  for (let before = my.count(REQUEST.cancel); my.count(REQUEST.cancel) === before; ) await my.asksInVain()
}

describeOrderSocket({
  ...ANY,
  venue: "BYBIT",
  doors: [REQUEST, SOCKET],
  away: (at, isAway) => {
    at.exchange.fault({ fault: "refuseTradeSockets", on: isAway })
    if (isAway) at.exchange.fault({ fault: "closeTradeSockets" })
  },
  known: (my, isAway) => (isAway ? hasGone : isBack)(my as BybitSession),
  cut: (at) => at.exchange.fault({ fault: "closeTradeSockets" }),
  foreign: { reqId: "another", retCode: 0, retMsg: "OK", op: "order.create", data: { orderId: "1", orderLinkId: "" } },
  idOf: ({ at, secrets }, order) => {
    const id = venueClientId(order.tradeOrderId)
    return at.exchange.orders(secrets.apiKey).find(({ orderLinkId }) => orderLinkId === id)?.orderId
  },
})
describeDeath(ANY)
describeAhead(ANY)

describe("the trade socket of a session at BYBIT", () => {
  let at: BybitUnderTest
  beforeAll(async () => {
    at = await startBybit({}, { change: { waits: SOON_LATE }, ...OVER_SOCKET })
  })
  afterAll(() => at.stop())
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it("takes changes, too", async () => {
    const my = await BybitSession.startBy(at, SOCKET)
    const terms = new TermsSession(at, my.open)
    const order = await my.accepted(bybitOrder())
    const [before, requests] = [my.count(SOCKET.amend), my.count(REQUEST.amend)]
    expect(await terms.amend(order, change("0.002", "49000"))).toMatchObject({ _tag: "AmendAccepted" })
    expect(my.rows).toMatchObject([{ price: "49000", qty: "0.002" }])
    expect([my.count(SOCKET.amend), my.count(REQUEST.amend)]).toEqual([before + 1, requests])
  })

  it("outlives the private stream: what is under way on it is answered", async () => {
    const my = await BybitSession.startBy(at, SOCKET)
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action: { kind: "delay", millis: 300 } })
    const [order, before, dials] = [bybitOrder(), my.count(SOCKET.place), my.count("WS connect trade")]
    my.open.session.submit(order)
    await until(() => my.count(SOCKET.place) === before + 1, "its arrival")
    my.open.reports.length = 0
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => my.open.last("StreamUp") !== undefined, "the next stream")
    await until(() => my.open.about(order.tradeOrderId).includes("Accepted"), "its answer")
    expect((await my.outcomeOf(bybitOrder()))._tag).toBe("Accepted")
    expect([my.count(SOCKET.place), my.count("WS connect trade")]).toEqual([before + 2, dials])
  })

  it.each([
    ["refused for another session's sake", saying(10003, "Too many sessions under the same UID")],
    ["never answered", { kind: "hang" } as const],
    ["cut", { kind: "destroy" } as const],
  ])("whose login is %s is dialled again, while orders are requests and the key stays good", async (_, action) => {
    const login = "WS trade auth"
    at.exchange.fault({ fault: "answer", match: login, action })
    const logins = at.exchange.counts()[login] ?? 0
    const my = await BybitSession.start(at)
    await until(() => my.count(login) === logins + 1, "the login")
    const requests = my.count(REQUEST.place)
    expect((await my.outcomeOf(bybitOrder()))._tag).toBe("Accepted")
    expect(my.count(REQUEST.place)).toBe(requests + 1)
    await until(() => my.count(login) === logins + 2, "the next login")
    await isBack(my)
    expect(my.open.last("SessionRefused") ?? my.open.last("StreamDown")).toBeUndefined()
  })

  it("that takes no more orders refuses the next one for good, answers those before it, and is followed by another", async () => {
    const my = await BybitSession.startBy(at, SOCKET)
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action: { kind: "delay", millis: 300 } })
    const restarts = saying(10019, "ws trade service is restarting")
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action: restarts })
    const [before, refused, dials] = [bybitOrder(), bybitOrder(), my.count("WS connect trade")]
    my.open.session.submit(before)
    expect(await my.outcomeOf(refused)).toMatchObject({ _tag: "Refused", code: "VENUE_UNAVAILABLE" })
    await until(() => my.open.about(before.tradeOrderId).includes("Accepted"), "the answer to the one before")
    await until(() => my.count("WS connect trade") === dials + 1, "the next socket")
    await isBack(my)
    expect([my.timesPlaced(before), my.timesPlaced(refused)]).toEqual([1, 0])
  })

  it("that has too many beside it leaves the order in doubt, and the key good", async () => {
    const my = await BybitSession.startBy(at, SOCKET)
    const action = saying(10003, "Too many sessions under the same UID")
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action })
    const order = bybitOrder()
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt" })
    expect((await my.outcomeOf(bybitOrder()))._tag).toBe("Accepted")
    expect(my.open.last("SessionRefused")).toBeUndefined()
    expect(my.judged(order)).toMatchObject({ count: 1, created: 0 })
  })

  it("counts what goes over it together with requests, and says until when", async () => {
    const my = await BybitSession.startBy(at, SOCKET)
    const resetAt = String(Date.now() + 60_000)
    const body = JSON.stringify({ retCode: 10006, retMsg: "Too many visits. Exceeded the API Rate Limit." })
    const headers = { "X-Bapi-Limit-Reset-Timestamp": resetAt }
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action: { kind: "status", status: 200, body, headers } })
    expect(await my.outcomeOf(bybitOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
    expect(await my.outcomeOf(bybitOrder({ notAfter: Date.now() + 1000 }))).toMatchObject({ _tag: "NotSent" })
    my.open.session.cancel(refOf(bybitOrder()))
    await until(() => my.open.last("CancelRefused") !== undefined, "the cancel, which is counted apart")
  })
})

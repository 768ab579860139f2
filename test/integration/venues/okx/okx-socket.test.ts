/** Orders over OKX's private socket (SOCKET_ORDERS): in words of its own, by numbers of instruments, without a signature. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { OkxExchange } from "../../../exchanges/okx/exchange.ts"
import { describeOrderSocket } from "../order-socket-scenarios.ts"
import { change, TermsSession } from "../order-terms-kit.ts"
import { describeAhead, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { SOON_LATE, until } from "../venue-kit.ts"
import { answering, OkxSession, type OkxUnderTest, okxOrder, operation, startOkx, WAYS } from "./okx-kit.ts"

const [[, , REQUEST], [, OVER_SOCKET, SOCKET]] = WAYS

const ANY: SessionAt<OkxExchange> = {
  venue: "OKX over its socket",
  start: (exchangeOptions, options) => startOkx(exchangeOptions, { ...OVER_SOCKET, ...options }),
  enter: OkxSession.start,
  order: okxOrder,
  place: SOCKET.place,
}

describeOrderSocket({
  ...ANY,
  venue: "OKX",
  doors: [REQUEST, SOCKET],
  away: (at, isAway) => {
    at.exchange.fault({ fault: "refuseWebSockets", on: isAway })
    if (isAway) at.exchange.fault({ fault: "closeSockets", kind: "user" })
  },
  known: ({ open }, isAway) => until(() => open.last(isAway ? "StreamDown" : "StreamUp") !== undefined, "the stream"),
  cut: (at) => at.exchange.fault({ fault: "closeSockets", kind: "user" }),
  foreign: {
    id: "another1",
    op: "order",
    code: "0",
    msg: "",
    data: [{ ordId: "1", clOrdId: "", sCode: "0", sMsg: "" }],
  },
  idOf: ({ at, secrets }, order) => {
    const id = venueClientId(order.tradeOrderId)
    return at.exchange.orders(secrets.apiKey).find(({ clOrdId }) => clOrdId === id)?.ordId
  },
})
describeDeath(ANY)
describeAhead(ANY)

describe("an order over the private socket of OKX", () => {
  let at: OkxUnderTest
  let my: OkxSession
  beforeAll(async () => {
    at = await startOkx({}, { change: { waits: SOON_LATE }, ...OVER_SOCKET })
  })
  afterAll(() => at.stop())
  beforeEach(async () => {
    my = await OkxSession.start(at)
  })
  afterEach(async () => {
    await at.endSessions()
    at.exchange.fault({ fault: "clear" })
  })

  it("is amended there, too", async () => {
    const terms = new TermsSession(at, my.open)
    const order = await my.accepted(okxOrder())
    const [before, requests] = [my.count(SOCKET.amend), my.count(REQUEST.amend)]
    expect(await terms.amend(order, change("0.002", "49000"))).toMatchObject({ _tag: "AmendAccepted" })
    expect(my.rows).toMatchObject([{ px: "49000", sz: "0.002" }])
    expect([my.count(SOCKET.amend), my.count(REQUEST.amend)]).toEqual([before + 1, requests])
  })

  it("is in doubt when the venue has forgotten the login; the next one goes over a socket that is logged in", async () => {
    at.exchange.fault({
      fault: "answer",
      match: SOCKET.place,
      action: answering(200, '{"code":"60011","msg":"Please log in"}'),
    })
    const [order, logins] = [okxOrder(), my.count("WS login")]
    expect(await my.outcomeOf(order)).toMatchObject({ _tag: "InDoubt" })
    await until(() => my.open.last("StreamDown") !== undefined, "the end of the stream")
    const isUp = () => my.open.reports.findLast(({ _tag }) => _tag.startsWith("Stream"))?._tag === "StreamUp"
    await until(isUp, "the next stream")
    const before = my.count(SOCKET.place)
    expect((await my.outcomeOf(okxOrder()))._tag).toBe("Accepted")
    expect([my.count("WS login"), my.count(SOCKET.place)]).toEqual([logins + 1, before + 1])
    expect(my.timesPlaced(order)).toBe(0)
  })

  it("is refused by a frame that the venue could not read, which names it in its text alone", async () => {
    const action = answering(200, '{"event":"error","code":"60012"}')
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action })
    expect(await my.outcomeOf(okxOrder())).toMatchObject({ _tag: "Refused", code: "INVALID_ARGUMENT" })
    expect(my.open.last("StreamDown")).toBeUndefined()
  })

  it("waits with those that follow while the venue counts them on the socket", async () => {
    const action = operation("50061", "You've reached the maximum order rate limit for this account.")
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action })
    expect(await my.outcomeOf(okxOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
    const tooMany = answering(200, '{"code":"60014","msg":"Requests too frequent"}')
    at.exchange.fault({ fault: "answer", match: SOCKET.place, action: tooMany })
    expect(await my.outcomeOf(okxOrder())).toMatchObject({ _tag: "Refused", code: "RATE_LIMITED" })
    expect((await my.outcomeOf(okxOrder()))._tag).toBe("Accepted")
  })
})

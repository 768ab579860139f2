/** Orders over Binance's own socket (SOCKET_ORDERS): what it takes over, what it leaves to requests, and what its loss leaves in doubt. */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { VenueSecrets } from "../../../../src/domain/account/credential.ts"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueOrder } from "../../../../src/ports/venue-session.ts"
import type { BinanceExchange } from "../../../exchanges/binance/exchange.ts"
import { LoopbackSession, openedSession, refOf } from "../loopback-session.ts"
import { describeAhead, describeDeath, type SessionAt } from "../session-scenarios.ts"
import { type OpenSession, restingOrder, SECRETS, startVenue, until, type VenueUnderTest } from "../venue-kit.ts"

const OVER_SOCKET = { socketOrders: ["BINANCE"] }
const PLACE = "WS order.place"
/** How orders and their cancels are counted by the exchange: as requests, and over the socket. */
const DOORS = [
  ["POST /api/v3/order", "DELETE /api/v3/order"],
  [PLACE, "WS order.cancel"],
]

class SocketSession extends LoopbackSession<BinanceExchange, VenueSecrets> {
  timesPlaced(order: VenueOrder): number {
    const id = venueClientId(order.tradeOrderId)
    return this.at.exchange.orders(this.secrets.apiKey).filter(({ clientOrderId }) => clientOrderId === id).length
  }
}

const ANY: SessionAt<BinanceExchange> = {
  venue: "BINANCE over its socket",
  start: (exchangeOptions, options) =>
    startVenue({ market: "still", ...exchangeOptions }, { ...OVER_SOCKET, ...options }),
  enter: async (at) => {
    const [apiKey, apiSecret] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")]
    const secrets = { apiKey, apiSecret, apiPassphrase: null }
    at.exchange.addUser({ ...secrets, balances: { USDT: "100000", BTC: "5" } })
    return new SocketSession(at, secrets, await openedSession(at, secrets))
  },
  order: restingOrder,
  place: PLACE,
}

describe("a session whose orders go by the venue's socket", () => {
  let at: VenueUnderTest
  let open: OpenSession
  beforeAll(async () => {
    at = await startVenue({ market: "still" }, OVER_SOCKET)
    open = await at.openSession()
    await until(() => open.last("StreamUp") !== undefined, "the private stream")
  })
  afterAll(() => at.stop())
  const counted = () => DOORS.map((doors) => doors.map((door) => at.exchange.counts()[door] ?? 0))
  const submitted = async (order: VenueOrder): Promise<VenueOrder> => {
    open.session.submit(order)
    await until(() => open.about(order.tradeOrderId).includes("Accepted"), "the acceptance")
    return order
  }
  const cancelled = async (order: VenueOrder): Promise<void> => {
    open.session.cancel(refOf(order))
    await until(() => open.about(order.tradeOrderId).includes("CancelAccepted"), "the cancel")
  }

  it("sends them, and their cancels, as requests while the socket is away, and over the next one", async () => {
    await cancelled(await submitted(restingOrder()))
    expect(counted()).toEqual([
      [0, 0],
      [1, 1],
    ])
    at.exchange.fault({ fault: "refuseWebSockets", on: true })
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => open.last("StreamDown") !== undefined, "the loss of the stream")
    await cancelled(await submitted(restingOrder()))
    expect(counted()).toEqual([
      [1, 1],
      [1, 1],
    ])
    open.reports.length = 0
    at.exchange.fault({ fault: "refuseWebSockets", on: false })
    await until(() => open.last("StreamUp") !== undefined, "the next stream")
    await cancelled(await submitted(restingOrder()))
    expect(counted()).toEqual([
      [1, 1],
      [2, 2],
    ])
  })

  it("answers each order with its own answer, in whatever order those come", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "delay", millis: 300 } })
    const [slow, refused, quick] = [
      restingOrder(),
      restingOrder({ quantity: "4", limitPrice: "59000" }),
      restingOrder(),
    ]
    for (const order of [slow, refused, quick]) open.session.submit(order)
    await until(() => open.about(slow.tradeOrderId).includes("Accepted"), "the slow answer")
    expect(open.about(refused.tradeOrderId)).toEqual(["Refused"])
    expect(open.about(quick.tradeOrderId)).toContain("Accepted")
    const ids = at.exchange.orders(SECRETS.apiKey).map((row) => [row.clientOrderId, String(row.orderId)])
    const told = open.reports.flatMap((it) =>
      it._tag === "Accepted" ? [[venueClientId(it.tradeOrderId), it.externalOrderId]] : [],
    )
    for (const one of told.slice(-2)) expect(ids).toContainEqual(one)
  })

  it("gives up a socket that answers nothing: the order is in doubt, found by our id, and never sent again", async () => {
    at.exchange.fault({ fault: "answer", match: PLACE, action: { kind: "apply-then-hang" } })
    const [before, order] = [counted(), restingOrder()]
    open.session.submit(order)
    await until(
      () => at.exchange.orders(SECRETS.apiKey).length > 0 && counted()[1]![0] === before[1]![0]! + 1,
      "its arrival",
    )
    at.exchange.fault({ fault: "closeSockets", kind: "user" })
    await until(() => open.about(order.tradeOrderId).includes("InDoubt"), "the doubt")
    expect(counted()[0]).toEqual(before[0])
    expect(await at.run(open.session.fetchOrder(refOf(order)))).toMatchObject({
      _tag: "Found",
      state: { status: "OPEN" },
    })
  })
})

describeDeath(ANY)
describeAhead(ANY)

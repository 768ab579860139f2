/** What Binance's lists say of orders that are over, read to their end: real ccxt in a real worker, the loopback exchange behind it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BINANCE } from "../../../../src/venues/adapters/binance/profile.ts"
import { LoopbackSession, openedSession, refOf } from "../loopback-session.ts"
import { BTC_USDT, laterInstant, restingOrder, SECRETS, startVenue, type VenueUnderTest } from "../venue-kit.ts"

const PAGE = 3
const ORDERS = 7

describe("an order at Binance that is over", () => {
  let at: VenueUnderTest
  let my: LoopbackSession<VenueUnderTest["exchange"], typeof SECRETS>
  beforeAll(async () => {
    const endedOrders = BINANCE[0]?.endedOrders ?? null
    if (endedOrders?.paging.way !== "AFTER_ID") throw new Error("Binance lists orders by id")
    const change = { endedOrders: { ...endedOrders, paging: { ...endedOrders.paging, size: PAGE } } }
    at = await startVenue({ market: "still" }, { change })
    my = new LoopbackSession(at, SECRETS, await openedSession(at, SECRETS))
  })
  afterAll(() => at.stop())

  it("is in the list of such orders, whichever page it is on", async () => {
    const ids: Array<string> = []
    for (let nth = 0; nth < ORDERS; nth++) {
      const order = await my.accepted(restingOrder())
      my.open.session.cancel(refOf(order))
      await my.ended(order)
      ids.push(order.tradeOrderId)
    }
    const oldestId = String(at.exchange.orders(SECRETS.apiKey)[0]?.orderId)
    const over = await my.endedSince({ instrumentId: BTC_USDT, since: Date.now() - 60_000, oldestId })
    expect(new Set(over.map(({ tradeOrderId }) => tradeOrderId))).toEqual(new Set(ids))
  })

  it("last changed when it ended", async () => {
    const order = await my.accepted(restingOrder())
    await laterInstant()
    my.open.session.cancel(refOf(order))
    await my.ended(order)
    const found = await my.lookup(order)
    if (found._tag !== "Found") throw new Error("the venue knows the order")
    const row = at.exchange.orders(SECRETS.apiKey).at(-1)
    expect(found.state.updatedAt).toBe(row?.updateTime)
    expect(row?.updateTime).toBeGreaterThan(row?.time ?? Number.POSITIVE_INFINITY)
  })
})

/** Of BITFINEX: what is told that its nonce is too small may be a copy of what was taken. Nothing that was taken is sent again. */
import { afterEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import type { VenueAmend, VenueOrder } from "../../../../src/ports/venue-session.ts"
import { bitfinexError } from "../../../../src/venues/adapters/bitfinex/codes.ts"
import { spelled } from "../../../../src/venues/worker/session/client-ids.ts"
import { doingFor } from "../../../../src/venues/worker/work.ts"
import { type Asked, type Scripted, scripted, TRADE_ORDER_ID } from "../../../kit/worlds/scripted-session.ts"

const CID = spelled(venueClientId(TRADE_ORDER_ID), "number")
const SMALL = "nonce: small"

/** As it is read: with its numbers as texts. */
const row = (status: string, at = Date.now()): ReadonlyArray<unknown> => {
  const cells: Array<unknown> = Array.from({ length: 32 }, () => null)
  const said = { 0: "1001", 2: CID, 3: "tBTCUST", 4: `${at}`, 5: `${at}`, 6: "0.01", 7: "0.01", 8: "EXCHANGE LIMIT" }
  for (const [place, cell] of Object.entries(said)) cells[Number(place)] = cell
  cells[13] = status
  cells[16] = "50000"
  return cells
}
const notified = (data: unknown) => ["1", "on-req", null, null, data, null, "SUCCESS", "Submitting."]

interface Venue {
  /** Answers to submits, in turn. */
  readonly submits: ReadonlyArray<unknown>
  /** What works once the first submit has arrived. */
  readonly working?: ReadonlyArray<unknown>
  /** Another call of the key is signed while a submit is on its way. */
  readonly isOvertaken?: boolean
}

let world: Scripted | undefined
afterEach(async () => {
  await world?.session.stop()
  world = undefined
})

const count = (what: string): number => world?.asked.filter(({ url }) => url.endsWith(what)).length ?? 0

const start = async ({ submits, working = [], isOvertaken = false }: Venue) => {
  const left = [...submits]
  world = await scripted("BITFINEX", "tBTCUST", async ({ url }: Asked) => {
    if (url.endsWith("/order/submit") || url.endsWith("/order/update")) {
      if (isOvertaken) await world?.session.questions.balances().catch(() => undefined)
      const answer = left.shift()
      if (answer === SMALL) throw bitfinexError("10114", SMALL)
      return answer
    }
    if (url.endsWith("/wallets") || url.endsWith("/hist")) return []
    return working
  })
  await world.session.ready()
  return world
}

const submit = async (): Promise<unknown> => {
  const { session, instrumentId, reports } = world!
  const order: VenueOrder = {
    tradeOrderId: TRADE_ORDER_ID,
    instrumentId,
    orderSide: "BUY",
    orderType: "LIMIT",
    timeInForce: "GTC",
    quantity: "0.01",
    limitPrice: "50000",
    notAfter: Date.now() + 2_000,
  }
  await doingFor("submit", order.notAfter, () => session.submit(order))
  return reports.find(({ _tag }) => _tag !== "OrderSeen" && _tag !== "BalancesSeen")
}

describe("a submit to BITFINEX whose nonce is refused", () => {
  it("is in doubt, and sent once, where nothing of ours overtook it", async () => {
    await start({ submits: [SMALL, notified([row("ACTIVE")])] })
    expect(await submit()).toMatchObject({ _tag: "InDoubt", reason: "CLOCK_SKEW" })
    expect(count("/order/submit")).toBe(1)
  })

  it("is the order that is there, where it was overtaken and taken all the same", async () => {
    await start({ submits: [SMALL], working: [row("ACTIVE")], isOvertaken: true })
    expect(await submit()).toMatchObject({ _tag: "Accepted", externalOrderId: "1001" })
    expect(count("/order/submit")).toBe(1)
  })

  it("is sent again where it was overtaken, once the venue has no such order", async () => {
    await start({ submits: [SMALL, notified([row("ACTIVE")])], isOvertaken: true })
    expect(await submit()).toMatchObject({ _tag: "Accepted", externalOrderId: "1001" })
    expect([count("/order/submit"), count("/orders/tBTCUST"), count("/hist")]).toEqual([2, 1, 1])
  })
})

it("a change at BITFINEX whose nonce is refused is in doubt, and not asked for again: it would be put on the order twice", async () => {
  const { session, ref } = await start({ submits: [SMALL, notified(row("ACTIVE"))], working: [row("ACTIVE")] })
  const to: VenueAmend = {
    quantity: "0.02",
    limitPrice: "50000",
    stopPrice: null,
    askedAt: 1,
    notAfter: Date.now() + 2_000,
  }
  await doingFor("submit", to.notAfter, () => session.amend(ref, to))
  expect(world?.reports.map(({ _tag }) => _tag)).toContain("AmendInDoubt")
  expect(count("/order/update")).toBe(1)
})

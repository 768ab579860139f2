/** Bitfinex's own rows of orders and a trade, as users of the venue printed them (issues 6729 and 6743 of ccxt, its own pages), in a session's words. */
import { afterEach, describe, expect, it } from "vitest"
import { venueClientId } from "../../../../src/domain/ids.ts"
import { bitfinexError } from "../../../../src/venues/adapters/bitfinex/codes.ts"
import { spelled } from "../../../../src/venues/worker/session/client-ids.ts"
import { type Asked, type Scripted, scripted, TRADE_ORDER_ID } from "../../../kit/worlds/scripted-session.ts"

const PARTLY = [
  ...[43195507095, null, 1586185179821, "tBTCUST", 1586185180000, 1586185191000, 0.00341485, 0.03140717],
  ...["EXCHANGE LIMIT", null, null, null, "0", "CANCELED was: PARTIALLY FILLED @ 6600.2(0.02799232)", null, null],
  ...[6600.2, 6600.2, 0, 0, null, null, null, 0, 0, null, null, null, "API>BFX", null, null, null],
]
const STARVED = [
  ...[42983437698, null, 1585851923453, "tBTCUST", 1585851923000, 1585851924000, -5e-8, -0.00588782],
  ...["EXCHANGE LIMIT", null, null, null, "0", "INSUFFICIENT BALANCE (G1) was: PARTIALLY FILLED @ 6402.7(-0.00588777)"],
  ...[null, null, 6402.7, 6402.7, 0, 0, null, null, null, 0, 0, null, null, null, "API>BFX", null, null, null],
]
const KILLED = [
  ...[95412102131, null, 1653325121798, "tBTCUST", 1653325122000, 1653325122000, -10, -10, "EXCHANGE LIMIT", null],
  ...[null, null, "4096", "POSTONLY CANCELED", null, null, 0.071, 0, 0, 0, null, null, null, 0, 0, null, null, null],
  ...["API>BFX", null, null, { _$F7: 1 }],
]
const IMMEDIATE = [
  ...[
    244611273982,
    null,
    28639263577008,
    "tBTCUST",
    1790000000000,
    1790000000100,
    0.00034291,
    0.000465,
    "EXCHANGE IOC",
  ],
  ...[null, null, null, 0, "IOC CANCELED was: PARTIALLY FILLED @ 81889.0(0.00012209)", null, null, 81889, 81889, 0, 0],
  ...[null, null, null, 0, 0, null, null, null, "API>BFX", null, null, {}],
]

let world: Scripted | undefined
afterEach(async () => {
  await world?.session.stop()
  world = undefined
})

/** As it is read: with its numbers as texts. */
const quoted = (row: ReadonlyArray<unknown>) => row.map((cell) => (typeof cell === "number" ? String(cell) : cell))

const history =
  (row: ReadonlyArray<unknown>) =>
  ({ url }: Asked) =>
    url.endsWith("/hist") ? [quoted(row)] : []

describe("a row of BITFINEX", () => {
  it.each<[string, ReadonlyArray<unknown>, object]>([
    [
      "of an order that was cancelled after a part",
      PARTLY,
      { status: "CANCELLED", ending: null, orderSide: "BUY", quantity: "0.03140717", executedQuantity: "0.02799232" },
    ],
    [
      "of an order whose balance ended before it did",
      STARVED,
      { status: "CANCELLED", ending: "REMAINDER", orderSide: "SELL", executedQuantity: "0.00588777" },
    ],
    [
      "of a post-only order that would have taken",
      KILLED,
      { status: "REJECTED", ending: "WOULD_TAKE", orderType: "LIMIT_MAKER", executedQuantity: "0" },
    ],
    [
      "of an IOC that took a part",
      IMMEDIATE,
      { status: "CANCELLED", ending: "REMAINDER", timeInForce: "IOC", executedQuantity: "0.00012209" },
    ],
  ])("%s is what it was", async (_, row, state) => {
    world = await scripted("BITFINEX", "tBTCUST", history(row))
    const ref = { ...world.ref, externalOrderId: String(row[0]) }
    expect(await world.session.questions.order(ref)).toMatchObject({
      externalOrderId: String(row[0]),
      clientId: String(row[2]),
      createdAt: row[4],
      updatedAt: row[5],
      ...state,
    })
  })

  it("of a trade has its fee as what was paid", async () => {
    const row = [1133411090, "tBTCUST", 1655110144598, 97084883506, 0.1, 42.821, "EXCHANGE MARKET", 42.799, -1]
    world = await scripted("BITFINEX", "tBTCUST", () => [quoted([...row, -0.0002, "BTC", 1655110144596])])
    const { instrumentId, session } = world
    const { fills } = await session.questions.fills(1_655_110_000_000, [instrumentId], null)
    expect(fills).toMatchObject([
      { externalTradeId: "1133411090", quantity: "0.1", price: "42.821", fees: [{ asset: "BTC", quantity: "0.0002" }] },
    ])
  })
})

const CID = spelled(venueClientId(TRADE_ORDER_ID), "number")
const FULL = 2500

describe("a list of what ended at BITFINEX", () => {
  it("is read in halves where one answer has no room for all of it, and each row of it once", async () => {
    const began = Date.now() - 1_000_000
    const at = (i: number): number => began + i * 150
    const all = Array.from({ length: 6000 }, (_, i) => {
      const row = quoted([...PARTLY])
      row[0] = String(1000 + i)
      row[4] = String(at(i))
      return row
    })
    world = await scripted("BITFINEX", "tBTCUST", ({ body }) => {
      const { start, end } = JSON.parse(body)
      return all.filter((_, i) => at(i) >= start && at(i) <= end).slice(-FULL)
    })
    const { asked, instrumentId, session } = world
    const page = await session.questions.ended([{ instrumentId, since: began, oldestId: null }], null)
    expect(page.next).toBeNull()
    expect(new Set(page.orders.map(({ externalOrderId }) => externalOrderId)).size).toBe(6000)
    expect(page.orders).toHaveLength(6000)
    expect(asked.length).toBeLessThan(20)
  })

  it.each([
    ["that ended at once", () => 1, 4],
    // By its creation a list leads no further where all of it ended together.
    ["that ended together", (i: number) => (6000 - i) * 150, 40],
  ])(
    "has an order found by our id behind pages of newer ones %s: absent is what no page has",
    async (_, lived, most) => {
      const began = Date.now() - 1_000_000
      const at = (i: number): number => began + i * 150
      const all = Array.from({ length: 6000 }, (_, i) => {
        const row = quoted([...PARTLY])
        row[0] = String(1000 + i)
        row[2] = i === 7 ? CID : String(i)
        row[4] = String(at(i))
        row[5] = String(at(i) + lived(i))
        return row
      })
      world = await scripted("BITFINEX", "tBTCUST", ({ url, body }) => {
        if (!url.endsWith("/hist")) return []
        const { start = 0, end = Date.now() } = JSON.parse(body)
        return all.filter((_, i) => at(i) >= start && at(i) <= end).slice(-FULL)
      })
      const ref = { ...world.ref, externalOrderId: null }
      expect(await world.session.questions.order(ref)).toMatchObject({
        externalOrderId: "1007",
        clientId: venueClientId(TRADE_ORDER_ID),
      })
      expect(world.asked.length).toBeLessThanOrEqual(most)
    },
  )
})

it("an order at BITFINEX that was made yesterday, of which our id alone is known, is cancelled by the venue's", async () => {
  const working = quoted([...PARTLY])
  Object.assign(working, { 2: CID, 13: "ACTIVE" })
  world = await scripted("BITFINEX", "tBTCUST", ({ url, body }) => {
    if (!url.endsWith("/order/cancel")) return url.endsWith("/hist") ? [] : [working]
    if (JSON.parse(body).id === undefined) throw bitfinexError("10001", "Order not found.")
    return ["1", "oc-req", null, null, working, null, "SUCCESS", "Submitted for cancellation."]
  })
  await world.session.ready()
  await world.session.cancel({ ...world.ref, externalOrderId: null })
  const asked = world.asked.filter(({ url }) => url.endsWith("/order/cancel")).map(({ body }) => JSON.parse(body))
  const cid_date = new Date().toISOString().slice(0, 10)
  expect(asked).toEqual([{ cid: Number(CID), cid_date }, { id: Number(PARTLY[0]) }])
})

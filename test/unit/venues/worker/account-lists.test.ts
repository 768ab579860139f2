/** An account's lists read to their end at venues whose pages are short, and what becomes of a venue that does not page. */
import { Effect, Exit } from "effect"
import { describe, expect, it } from "vitest"
import { VenueUnavailable } from "../../../../src/domain/errors/venue.ts"
import type { InstrumentId } from "../../../../src/domain/ids.ts"
import type { FillsPage, VenueFill } from "../../../../src/ports/venue-session.ts"
import type { PageCursor, Paging } from "../../../../src/venues/adapters/profile.ts"
import { PROFILES } from "../../../../src/venues/adapters/registry.ts"
import { allFills } from "../../../../src/venues/connector/ccxt-venue.ts"
import type { CcxtTrade } from "../../../../src/venues/worker/exchange/ccxt.ts"
import { firstPage, type PageRequest, readPage } from "../../../../src/venues/worker/session/pages.ts"
import { type Asked, type Scripted, scripted, VENUE_ORDER_ID } from "../../../kit/worlds/scripted-session.ts"

const START = 1_700_000_000_000
const NOW = START + 86_400_000

interface Row {
  readonly id: string
  readonly timestamp: number
}

/** Oldest first, a second apart. */
const history = (count: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, i) => ({ id: String(1000 + i), timestamp: START + i * 1000 }))

const asTrade = (row: Row, info: Record<string, unknown> = {}): CcxtTrade => ({
  ...row,
  order: "1",
  symbol: "BTC/USDT",
  side: "buy",
  price: "1",
  amount: "1",
  fee: undefined,
  fees: undefined,
  info,
})

const readAll = async (
  paging: Paging,
  ask: (request: PageRequest) => ReadonlyArray<CcxtTrade>,
  since: number | null = START,
): Promise<{ readonly ids: ReadonlyArray<string>; readonly pages: number }> => {
  const ids: Array<string> = []
  let pages = 0
  for (let cursor: PageCursor | null = firstPage(since); cursor !== null; ) {
    const page: Awaited<ReturnType<typeof readPage<CcxtTrade>>> = await readPage(paging, cursor, NOW, async (request) =>
      ask(request),
    )
    pages++
    if (pages > 100) throw new Error("it never ends")
    ids.push(...page.rows.map(({ id }) => String(id)))
    cursor = page.next
  }
  return { ids: [...new Set(ids)].sort(), pages }
}

/** How a venue answers each way of paging. */
const venue =
  (paging: Paging, rows: ReadonlyArray<Row>) =>
  (request: PageRequest): ReadonlyArray<CcxtTrade> => {
    if (paging.way === "WHOLE") return rows.map((row) => asTrade(row))
    const { size } = paging
    const { since, params } = request
    const until = typeof params["until"] === "number" ? params["until"] : Number.POSITIVE_INFINITY
    const from = rows.filter(({ timestamp }) => timestamp >= (since ?? 0) && timestamp <= until)
    const newest = [...from].reverse()
    switch (paging.way) {
      case "AFTER_ID": {
        const id = params[paging.param]
        return (id === undefined ? from : rows.filter((it) => BigInt(it.id) >= BigInt(String(id))))
          .slice(0, size)
          .map((row) => asTrade(row))
      }
      case "AFTER_TIME":
        return from.slice(0, size).map((row) => asTrade(row))
      case "BEFORE_ID": {
        const id = params[paging.param]
        const older = id === undefined ? newest : newest.filter((it) => BigInt(it.id) < BigInt(String(id)))
        return older
          .slice(0, size)
          .map((row) => asTrade(row, paging.field === undefined ? {} : { [paging.field]: row.id }))
      }
      case "BEFORE_TIME": {
        const at = params[paging.param]
        const end =
          at === undefined ? Number.POSITIVE_INFINITY : paging.as === "ISO" ? Date.parse(String(at)) : Number(at)
        return newest
          .filter((it) => it.timestamp < end)
          .slice(0, size)
          .map((row) => asTrade(row))
      }
      case "CURSOR": {
        const at = Number(params[paging.param] ?? 0)
        const more = at + size < newest.length
        return newest
          .slice(at, at + size)
          .map((row, i) => asTrade(row, i === 0 && more ? { [paging.field]: String(at + size) } : {}))
      }
      case "OFFSET": {
        const at = Number(params[paging.param] ?? 0)
        return newest.slice(at, at + size).map((row) => asTrade(row))
      }
      case "NUMBER": {
        const page = Number(params[paging.param] ?? 1) - 1
        return newest.slice(page * size, (page + 1) * size).map((row) => asTrade(row))
      }
    }
  }

const lists = PROFILES.filter(({ sandbox }) => !sandbox).flatMap(({ venue: name, fills, openOrders, endedOrders }) => [
  [`fills of ${name}`, fills.paging] as const,
  [`open orders of ${name}`, openOrders] as const,
  ...(endedOrders === null ? [] : [[`ended orders of ${name}`, endedOrders.paging] as const]),
])

describe("a list by its venue's way of paging", () => {
  it.each(lists)("%s is read to its end, two pages and a row, and exactly two pages", async (_, paging) => {
    const size = paging.way === "WHOLE" ? 100 : paging.size
    for (const count of [2 * size + 1, 2 * size, size, 1, 0]) {
      const rows = history(count)
      const { ids } = await readAll(paging, venue(paging, rows))
      expect(ids).toEqual(rows.map(({ id }) => id).sort())
    }
  })

  it.each(lists.filter(([, { way }]) => way !== "WHOLE"))(
    "%s that gives one page again and again is a failure",
    async (_, paging) => {
      const size = paging.way === "WHOLE" ? 100 : paging.size
      const rows = history(size)
      const page = rows.map((row) =>
        asTrade({ ...row, timestamp: START + 5 }, { nextPageCursor: "c", cursor: "c", lastId: "c", billId: row.id }),
      )
      await expect(readAll(paging, () => page)).rejects.toThrow(
        /cannot be read completely|more rows with one timestamp/,
      )
    },
  )

  it("goes on in the next window where a venue answers for a week only", async () => {
    const paging: Paging = {
      way: "CURSOR",
      param: "cursor",
      field: "next",
      size: 10,
      windowMillis: 3_600_000,
    }
    // Nothing in the first hours.
    const rows = history(30).map((row) => ({ ...row, timestamp: row.timestamp + 5 * 3_600_000 }))
    const { ids } = await readAll(paging, venue(paging, rows))
    expect(ids).toHaveLength(30)
  })

  it.each(lists.filter(([, paging]) => paging.way !== "WHOLE" && paging.windowMillis !== undefined))(
    "%s has what happened since the venue's clock was read, which is late by the way of an answer",
    async (_, paging) => {
      const rows = history(3).map((row, nth) => ({ ...row, timestamp: NOW - 50 + nth * 50 }))
      expect((await readAll(paging, venue(paging, rows), NOW - 1000)).ids).toHaveLength(3)
    },
  )

  it("is not read past a full page without ids", async () => {
    const paging: Paging = { way: "AFTER_ID", param: "fromId", size: 2, last: "SHORT" }
    const rows = history(2).map((row) => asTrade({ ...row, id: `x${row.id}` }))
    await expect(readAll(paging, () => rows)).rejects.toThrow(/no id to continue from/)
  })
})

const INSTRUMENT = "BYBIT:BTC/USDT" as InstrumentId

/** All pages of fills of one market, as a session gives them. */
const fillsOf = async ({ session, instrumentId }: Scripted): Promise<ReadonlyArray<VenueFill>> => {
  const fills: Array<VenueFill> = []
  for (let cursor: string | null = null, more = true; more; ) {
    const page: FillsPage = await session.questions.fills(START, [instrumentId], cursor)
    fills.push(...page.fills)
    cursor = page.next
    more = cursor !== null
  }
  return fills
}

const queryOf = ({ url }: Asked): URLSearchParams => new URL(url).searchParams

describe("at BYBIT", () => {
  const execution = (i: number) => ({
    symbol: "BTCUSDT",
    orderId: "1",
    execId: `e${i}`,
    side: "Buy",
    execPrice: "50000",
    execQty: "0.1",
    execFee: "0",
    execTime: String(Date.now() - 3_600_000 + i),
    execType: "Trade",
  })

  it("more fills than a page of 100 holds are all read", async () => {
    const all = Array.from({ length: 230 }, (_, i) => execution(i)).reverse()
    const at = await scripted("BYBIT", "BTCUSDT", (asked) => {
      const from = Number(queryOf(asked).get("cursor") ?? 0)
      const next = from + 100 < all.length ? String(from + 100) : ""
      return { retCode: 0, result: { list: all.slice(from, from + 100), nextPageCursor: next } }
    })
    const page = { since: Date.now() - 7_200_000 }
    const fills: Array<VenueFill> = []
    for (let cursor: string | null = null, more = true; more; ) {
      const read: FillsPage = await at.session.questions.fills(page.since, [INSTRUMENT], cursor)
      fills.push(...read.fills)
      cursor = read.next
      more = cursor !== null
    }
    expect(new Set(fills.map(({ externalTradeId }) => externalTradeId)).size).toBe(230)
    await at.session.stop()
  })

  it("more open orders than a page of 50 holds are all read", async () => {
    const order = (i: number) => ({
      orderId: `o${i}`,
      symbol: "BTCUSDT",
      side: "Buy",
      orderType: "Limit",
      timeInForce: "GTC",
      price: "50000",
      qty: "1",
      cumExecQty: "0",
      orderStatus: "New",
      createdTime: String(START + i),
      updatedTime: String(START + i),
    })
    const at = await scripted("BYBIT", "BTCUSDT", (asked) => {
      const from = Number(queryOf(asked).get("cursor") ?? 0)
      const size = Number(queryOf(asked).get("limit") ?? 20)
      const all = Array.from({ length: 120 }, (_, i) => order(i))
      const next = from + size < all.length ? String(from + size) : ""
      return { retCode: 0, result: { list: all.slice(from, from + size), nextPageCursor: next } }
    })
    expect(await at.session.questions.openOrders()).toHaveLength(120)
    await at.session.stop()
  })
})

describe("at GEMINI", () => {
  it("more fills than a page of 500 holds are all read, by milliseconds", async () => {
    const all = Array.from({ length: 1_200 }, (_, i) => ({
      tid: 5_000 + i,
      order_id: "1",
      symbol: "BTCUSDT",
      type: "Buy",
      price: "50000",
      amount: "0.1",
      fee_amount: "0",
      fee_currency: "USDT",
      // Four in a second.
      timestampms: START + i * 250,
    }))
    const at = await scripted("GEMINI", "btcusdt", ({ headers }) => {
      const { timestamp, limit_trades } = payloadOf(headers)
      return all.filter((it) => it.timestampms >= timestamp).slice(0, limit_trades)
    })
    const fills = await fillsOf(at)
    expect(new Set(fills.map(({ externalTradeId }) => externalTradeId)).size).toBe(1_200)
    await at.session.stop()
  })

  /** Its requests are a header. */
  const payloadOf = (headers: Asked["headers"]): { readonly timestamp: number; readonly limit_trades: number } =>
    JSON.parse(Buffer.from(headers["X-GEMINI-PAYLOAD"] ?? "", "base64").toString())
})

describe("a view of an order", () => {
  const order = {
    order_id: "1",
    symbol: "btcusdt",
    side: "buy",
    type: "exchange limit",
    timestampms: START,
    is_live: true,
    is_cancelled: false,
    executed_amount: "0.5",
    original_amount: "1",
    remaining_amount: "0.5",
    price: "50000",
    options: [],
  }

  it("of a venue that gives only the order's creation has no time of its own", async () => {
    const at = await scripted("GEMINI", "btcusdt", () => order)
    expect(await at.session.questions.order(at.ref)).toMatchObject({ createdAt: START, updatedAt: null })
    await at.session.stop()
  })

  it("of BITFINEX has its own two, of which ccxt takes the one for the other", async () => {
    const row: Array<unknown> = [Number(VENUE_ORDER_ID), null, 7, "tBTCUST", START, START + 9, 1, 1, "EXCHANGE LIMIT"]
    row[13] = "ACTIVE"
    row[16] = 50_000
    const at = await scripted("BITFINEX", "tBTCUST", () => [[...row, 0, 0, 0]])
    expect(await at.session.questions.order(at.ref)).toMatchObject({ createdAt: START, updatedAt: START + 9 })
    await at.session.stop()
  })
})

describe("all pages of fills", () => {
  const fill = (n: number): VenueFill => ({
    tradeOrderId: null,
    externalOrderId: "1",
    externalTradeId: `t${n}`,
    instrumentId: INSTRUMENT,
    orderSide: "BUY",
    quantity: "1",
    price: "1",
    fees: [],
    executedAt: START + n,
  })

  it("are asked for once each, however often the question fails in between", async () => {
    const asked: Array<string | null> = []
    let failing = false
    const read = allFills((since, _, cursor) => {
      // Of the time since the first page there is nothing.
      if (since > START) return Effect.succeed({ fills: [], next: null })
      asked.push(cursor)
      const at = Number(cursor ?? 0)
      failing = !failing && cursor !== null
      if (failing) return Effect.fail(new VenueUnavailable({ reason: "no answer" }))
      return Effect.succeed({ fills: [fill(at)], next: at < 5 ? String(at + 1) : null })
    }, false)
    let answer: ReadonlyArray<VenueFill> | undefined
    let failures = 0
    while (answer === undefined) {
      const exit = await Effect.runPromiseExit(read(START, [INSTRUMENT]))
      if (Exit.isSuccess(exit)) answer = exit.value
      else if (++failures > 20) throw new Error("it is never read to its end")
    }
    expect(answer.map(({ externalTradeId }) => externalTradeId)).toEqual(["t0", "t1", "t2", "t3", "t4", "t5"])
    expect(failures).toBeGreaterThan(2)
    // A page that failed is asked for again, no other.
    expect(asked.length).toBe(6 + failures)
  })
})

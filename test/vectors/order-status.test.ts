/** Vega's 0024-OSTA over HTTP at MOCK: every row of its tables (time in force, fills, how it ended) must end in the state that its last cell names. */
import { afterAll, beforeAll, beforeEach, describe, expect } from "vitest"
import type { TradeOrderRecord } from "../../src/domain/order/trade-order-record.ts"
import { endGateways, until } from "../kit/servers/gateway.ts"
import { type Desk, type QuietMarket, quietGateway, quietMarket } from "./quiet-market.ts"
import { criteriaOf, documentOf, VectorTable } from "./vector-table.ts"

const text = documentOf("vega-specs/0024-OSTA-order_status.md")

interface Row {
  readonly name: string
  readonly cells: Readonly<Record<string, string>>
  /** The last cell. */
  readonly status: string
}

/** The rows of the tables of states, below the headline of the acceptance criteria. */
const rowsOf = (document: string): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let heads: ReadonlyArray<string> = []
  for (const line of document.split("## Acceptance Criteria")[1]?.split("\n") ?? []) {
    const cells = /^\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split("|")
      .map((cell) => cell.trim())
    if (cells === undefined || cells.every((cell) => /^-+$/.test(cell))) continue
    if (cells[0] === "Time In Force") heads = cells
    else {
      const named = Object.fromEntries(cells.map((cell, index) => [heads[index] ?? "", cell]))
      rows.push({ name: cells.slice(0, -1).join(" "), cells: named, status: cells.at(-1) ?? "" })
    }
  }
  return rows
}

/** The document's states in our words. "Stopped", "Rejected" after it worked: ended by the system, so CANCELLED for a reason not the user's. */
const OURS: Readonly<Record<string, ReadonlyArray<string>>> = {
  Active: ["OPEN", "PARTIALLY_FILLED"],
  Stopped: ["CANCELLED"],
  Rejected: ["CANCELLED"],
  Cancelled: ["CANCELLED"],
  Expired: ["EXPIRED"],
  Filled: ["FILLED"],
  // Of an IOC order: what it traded stays, the remainder is cancelled.
  "Partially Filled": ["CANCELLED"],
}

/** Where our word says something else than the document's. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  Rejected: "what has worked is never REJECTED: it is CANCELLED, with the reason",
  "Partially Filled": "an order that is over is CANCELLED, with its fills and the reason",
}

describe.skipIf(text === null)("0024-OSTA", () => {
  const rows = rowsOf(text ?? "")
  const criteria = new VectorTable("0024-OSTA criteria", criteriaOf(text ?? ""), "0024-OSTA-")
  const states = new VectorTable(
    "0024-OSTA states",
    rows.map((row) => row.name),
  )
  let market: QuietMarket
  let ada: Desk
  let bob: Desk

  beforeAll(async () => {
    market = await quietMarket(await quietGateway())
    ada = await market.desk()
    bob = await market.desk()
  })
  afterAll(endGateways)
  beforeEach(async () => {
    await Promise.all([ada.cancelAll(), bob.cancelAll()])
    await until("an empty book", async () => {
      const { bids, asks } = await market.book()
      return bids.length + asks.length === 0
    })
  })

  const refusal = async (fields: object): Promise<number> =>
    (await ada.submit({ orderSide: "BUY", orderType: "LIMIT", quantity: "2", limitPrice: "150", ...fields })).envelope
      .errno

  /** An order for 2 meets `there`, and what is to end it does. */
  const ended = async ({ cells }: Row): Promise<TradeOrderRecord> => {
    const timeInForce = cells["Time In Force"] === "GTT" ? "GTD" : cells["Time In Force"]
    const isStopped = cells["Stopped by system"] === "Yes"
    const isExpired = cells.Expired === "Yes"
    const there = cells.Filled === "Yes" ? 2 : cells.Filled === "Partial" ? 1 : 0
    if (there > 0) await bob.limit("SELL", `${there}`, "150")
    // FOK: too little is there, so nothing may trade.
    if (timeInForce === "FOK" && there === 0) await bob.limit("SELL", "1", "150")
    // The venue ends an order that would trade with its own account's.
    if (isStopped) await ada.limit("SELL", "1", "151")
    const order = await ada.limit("BUY", "2", isStopped ? "151" : "150", {
      timeInForce,
      ...(timeInForce === "GTD" && { expireAt: Date.now() + (isExpired ? 2_000 : 3_600_000) }),
    })
    const { tradeOrderId } = order
    if (cells["Cancelled by user"] === "Yes") {
      await ada.rests(tradeOrderId, there === 0 ? "OPEN" : "PARTIALLY_FILLED")
      await ada.cancel(tradeOrderId)
    }
    return order
  }

  for (const row of rows) {
    if (row.status.startsWith("not possible")) {
      states.notApplicable([row.name], "the document's own note: not possible")
      continue
    }
    states.proved(
      [row.name],
      row.status,
      async () => {
        const { tradeOrderId } = await ended(row)
        const expected = OURS[row.status] ?? []
        const there = row.cells.Filled === "Yes" ? "2" : row.cells.Filled === "Partial" ? "1" : "0"
        const active = there === "0" ? "OPEN" : "PARTIALLY_FILLED"
        const order = await ada.rests(tradeOrderId, ...(row.status === "Active" ? [active] : expected))
        expect(expected).toContain(order.status)
        expect(order.executedQuantity).toBe(there)
        if (row.cells["Stopped by system"] === "Yes") expect(order.cancelReason).toBe("SELF_TRADE_PREVENTION")
        else if (row.status === "Cancelled") expect(order.cancelReason).toBe("USER_REQUEST")
        else if (order.status === "CANCELLED") expect(order.cancelReason).not.toBe("USER_REQUEST")
      },
      OTHER_WORDS[row.status] ?? null,
    )
  }

  // The criteria 001 to 004 are the tables; their rows are proved above.
  for (const [word, ids] of [
    ["FOK", "001 030"],
    ["IOC", "002 031"],
    ["GTC", "003 032"],
    ["GTT", "004 033"],
  ] as const)
    criteria.proved(ids, `the table of ${word}`, () => {
      const names = rows.filter((row) => row.name.startsWith(`${word} `)).map((row) => row.name)
      expect(names.length).toBeGreaterThan(0)
      expect(states.unproved(names)).toEqual([])
    })

  criteria.proved(
    "005 029 034 048",
    "an order that would trade with its own account's is ended, and says why",
    async () => {
      await ada.limit("SELL", "2", "150")
      const { tradeOrderId } = await ada.limit("BUY", "2", "150")
      const order = await ada.rests(tradeOrderId, "CANCELLED")
      expect(order).toMatchObject({ cancelReason: "SELF_TRADE_PREVENTION", executedQuantity: "0" })
    },
  )
  criteria.proved(
    "006 035",
    "what it traded before that is kept",
    async () => {
      await bob.limit("SELL", "1", "150")
      await ada.limit("SELL", "1", "151")
      const { tradeOrderId } = await ada.limit("BUY", "2", "151")
      const order = await ada.rests(tradeOrderId, "CANCELLED")
      expect(order).toMatchObject({ cancelReason: "SELF_TRADE_PREVENTION", executedQuantity: "1" })
    },
    OTHER_WORDS.Rejected,
  )
  criteria.proved(
    "007 036",
    "a FOK order that would meet its own account's trades nothing",
    async () => {
      const other = await bob.limit("SELL", "1", "150")
      await ada.limit("SELL", "1", "151")
      const { tradeOrderId } = await ada.limit("BUY", "2", "151", { timeInForce: "FOK" })
      expect(await ada.rests(tradeOrderId, "CANCELLED")).toMatchObject({ executedQuantity: "0", executions: [] })
      expect((await bob.order(other.tradeOrderId)).executedQuantity).toBe("0")
    },
    OTHER_WORDS.Rejected,
  )
  criteria.proved("017 043", "an end before the creation is refused", async () => {
    expect(await refusal({ timeInForce: "GTD", expireAt: Date.now() - 1 })).toBe(-112023)
  })
  criteria.proved("016 042", "GFA is refused", async () => {
    expect(await refusal({ timeInForce: "GFA" })).toBe(-112021)
  })
  criteria.proved("020 044 046", "an instrument that there is not is refused", async () => {
    const { status, envelope } = await ada.submit({
      ...{ instrumentId: "MOCK:NONE/USDT", orderSide: "BUY", orderType: "LIMIT", quantity: "1", limitPrice: "1" },
    })
    expect([status >= 400, envelope.success, envelope.errno < 0]).toEqual([true, false, true])
  })
  criteria.proved("027 047", "more than the account has is refused", async () => {
    expect(await refusal({ orderSide: "SELL", quantity: "899999" })).toBe(-111000)
  })
  criteria.notApplicable("008 013..015 037 039..041", "no auctions (GFA, GFN and IOC or FOK in them)")
  criteria.notApplicable("009 010 011", "no positions, margin or close-outs on spot")
  criteria.notApplicable("012 038", "no price bounds of a market: the price collar is proved in the rules of orders")
  criteria.notApplicable("018", "no markets that close")
  criteria.notApplicable("021..026", "no pegged orders")

  states.close()
  criteria.close()
})

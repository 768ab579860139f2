/** What an account's events change in the maps of its open orders and of its positions. */
import { describe, expect, it } from "vitest"
import { type AccountEventKind, accountEventText } from "../../../src/domain/account/event.ts"
import type { TradingAccountId } from "../../../src/domain/ids.ts"
import { isTerminal, OrderStatus } from "../../../src/domain/order/status.ts"
import { accountEventExample, ORDER_EXAMPLE, POSITION_EXAMPLE } from "../../../src/ws/docs/channel-examples.ts"
import { orderChanges, orderState, positionChanges, positionState } from "../../../src/ws/maps/maps.ts"

const ACCOUNT = "0198f3a2-5b1c-7c3e-9d2f-6a1b0c2d3e4f" as TradingAccountId
const event = (kind: AccountEventKind, record: unknown): string =>
  accountEventText(ACCOUNT, 7, { eventId: "e7", kind, at: 1, payload: JSON.stringify(record) })

const order = ORDER_EXAMPLE as Readonly<Record<string, unknown>>
const position = POSITION_EXAMPLE as Readonly<Record<string, unknown>>

describe("the map of open orders", () => {
  it.each(OrderStatus.literals.map((status) => [status, isTerminal(status) ? "removed" : "set"] as const))(
    "has an order that is %s %s",
    (orderStatus, how) => {
      const record = { ...order, orderStatus }
      const entry = {
        key: order["tradeOrderId"],
        json: how === "set" ? JSON.stringify(record) : null,
        tags: { tradeOrderId: order["tradeOrderId"], instrumentId: order["instrumentId"] },
      }
      expect(orderChanges(event(`TRADE_ORDER.${orderStatus}`, record))).toEqual([entry])
      expect(orderState([{ json: JSON.stringify(record) }])).toEqual([entry])
    },
  )

  it("removes an order that a late execution filled", () => {
    expect(orderChanges(event("TRADE_ORDER.LATE_FILL", { ...order, orderStatus: "FILLED" }))).toMatchObject([
      { key: order["tradeOrderId"], json: null },
    ])
  })

  it.each(["EXECUTION.CREATED", "PORTFOLIO.UPDATED", "TRADING_ACCOUNT.UPDATED", "TRADING_ACCOUNT.ALERT"] as const)(
    "is not changed by %s",
    (kind) => {
      expect(orderChanges(JSON.stringify(accountEventExample(kind)))).toEqual([])
    },
  )
})

describe("the map of positions", () => {
  it("has every balance that is told, but none of nothing", () => {
    const held = { ...position, currency: "BTC", balance: "0.5" }
    const nothing = { ...position, currency: "ETH", balance: "0" }
    const changes = [
      { key: "BTC", json: JSON.stringify(held), tags: { currency: "BTC" } },
      { key: "ETH", json: null, tags: { currency: "ETH" } },
    ]
    expect(positionChanges(event("PORTFOLIO.UPDATED", [held, nothing]))).toEqual(changes)
    expect(positionState([held, nothing].map((each) => ({ json: JSON.stringify(each) })))).toEqual(changes)
  })

  it.each(["EXECUTION.CREATED", "TRADE_ORDER.FILLED", "TRADING_ACCOUNT.RECONCILED"] as const)(
    "is not changed by %s",
    (kind) => {
      expect(positionChanges(JSON.stringify(accountEventExample(kind)))).toEqual([])
    },
  )
})

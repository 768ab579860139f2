/** What the indexes of orders go by follows from the status of the image that is stored, however many are written at once. */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { QuoteId } from "../../../src/domain/ids.ts"
import { OrderStatus } from "../../../src/domain/order/status.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { commit, newOrder, orderRow, query, type Rig, sqlRig } from "../store/account-store-rig.ts"

const database = withTestDatabase()
let rig: Rig
beforeAll(async () => {
  rig = await sqlRig(database())
})
afterAll(() => rig.close())

const OVER = ["FILLED", "CANCELLED", "REJECTED", "EXPIRED", "REVOKED"]

const stored = async ({ tradeOrderId }: TradeOrder) =>
  (
    await query(
      database().url,
      "SELECT open, ended_as, over_since, claimed_quote_id FROM trade_order WHERE trade_order_id = $1",
      [tradeOrderId],
    )
  )[0]

const follows = ({ orderStatus, updatedAt, quoteId }: TradeOrder) => {
  const isOver = OVER.includes(orderStatus)
  return {
    open: !isOver,
    ended_as: isOver ? orderStatus : null,
    over_since: isOver ? `${updatedAt}` : null,
    claimed_quote_id: orderStatus === "REJECTED" ? null : quoteId,
  }
}

it.each([1, 3, 26])("for %i orders of one statement, each status, and a later image of each other", async (count) => {
  const account = await rig.account()
  const accountId = account.tradingAccountId
  const put = (orders: ReadonlyArray<TradeOrder>) =>
    commit(rig.store(), { accountId, rows: orders.map(orderRow), events: [] })
  const statuses = OrderStatus.literals
  for (let from = 0; from < statuses.length; from += count) {
    const first = Array.from({ length: count }, (_, n) => {
      const quoteId = n % 2 === 0 ? (randomUUID() as QuoteId) : null
      return newOrder(account, { orderStatus: statuses[(from + n) % statuses.length]!, quoteId, updatedAt: 1_000 + n })
    })
    expect(await put(first)).toMatchObject({ _tag: "Committed" })
    for (const order of first) expect(await stored(order)).toEqual(follows(order))
    const later = first.map((order, n) => ({
      ...order,
      version: order.version + 1,
      updatedAt: order.updatedAt + 5_000,
      orderStatus: statuses[(from + n * 5 + 4) % statuses.length]!,
    }))
    expect(await put(later)).toMatchObject({ _tag: "Committed" })
    for (const order of later) expect(await stored(order)).toEqual(follows(order))
  }
})

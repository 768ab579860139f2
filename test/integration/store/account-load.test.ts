/** Accounts' states that are read together: what cannot be read of one is its own trouble. */
import { Effect, Exit } from "effect"
import { expect, it } from "vitest"
import { commit, newOrder, orderRow, query, withStore } from "./account-store-rig.ts"

const rig = withStore()

it("loads the others of a batch when a row of one cannot be read", async () => {
  const accounts = [await rig.account(), await rig.account(), await rig.account()]
  const orders = accounts.map((account) => newOrder(account))
  for (const [n, { tradingAccountId }] of accounts.entries())
    await commit(rig.store, { accountId: tradingAccountId, rows: [orderRow(orders[n]!)], events: [] })
  await query(rig.database.url, "UPDATE trade_order SET quantity = 'NaN' WHERE trade_order_id = $1", [
    orders[1]?.tradeOrderId,
  ])
  const load = Effect.forEach(accounts, ({ tradingAccountId }) => Effect.exit(rig.store.load(tradingAccountId)), {
    concurrency: "unbounded",
  })
  const found = (await Effect.runPromise(load)).map((exit) =>
    Exit.isSuccess(exit) ? exit.value.openOrders.map(({ tradeOrderId }) => tradeOrderId) : "a defect",
  )
  expect(found).toEqual([[orders[0]?.tradeOrderId], "a defect", [orders[2]?.tradeOrderId]])
})

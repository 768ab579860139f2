/** Accounts' states that are read together: what cannot be read of one is its own trouble. */
import { Effect, Exit, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { AccountStore } from "../../../src/ports/account-store.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { commit, newOrder, orderRow, query, type Store, storeAccount, storeLayer } from "./account-store-rig.ts"

const database = withTestDatabase()
const services = () => ManagedRuntime.make(storeLayer(database().url))
let runtime: ReturnType<typeof services>
let store: Store
beforeAll(async () => {
  runtime = services()
  store = await runtime.runPromise(AccountStore)
})
afterAll(() => runtime.dispose())

it("loads the others of a batch when a row of one cannot be read", async () => {
  const accounts = [await storeAccount(runtime), await storeAccount(runtime), await storeAccount(runtime)]
  const orders = accounts.map((account) => newOrder(account))
  for (const [n, { tradingAccountId }] of accounts.entries())
    await commit(store, { accountId: tradingAccountId, rows: [orderRow(orders[n]!)], events: [] })
  await query(database().url, "UPDATE trade_order SET quantity = 'NaN' WHERE trade_order_id = $1", [
    orders[1]?.tradeOrderId,
  ])
  const load = Effect.forEach(accounts, ({ tradingAccountId }) => Effect.exit(store.load(tradingAccountId)), {
    concurrency: "unbounded",
  })
  const found = (await Effect.runPromise(load)).map((exit) =>
    Exit.isSuccess(exit) ? exit.value.openOrders.map(({ tradeOrderId }) => tradeOrderId) : "a defect",
  )
  expect(found).toEqual([[orders[0]?.tradeOrderId], "a defect", [orders[2]?.tradeOrderId]])
})

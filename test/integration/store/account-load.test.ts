/** Accounts' states that are read together: what cannot be read of one is its own trouble. */
import { randomUUID } from "node:crypto"
import { Effect, Exit } from "effect"
import pg from "pg"
import { expect, it, vi } from "vitest"
import { commit, newOrder, orderRow, query, withStore } from "./account-store-rig.ts"

const asked = vi.spyOn(pg.Client.prototype, "query")
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

it("loads a thousand accounts, some hundred at a time, in a few dozen batches", async () => {
  const { tradingAccountId, userId } = await rig.account()
  const ids = Array.from({ length: 1_000 }, () => randomUUID() as typeof tradingAccountId)
  await query(
    rig.database.url,
    `INSERT INTO trading_account (trading_account_id, tenant_id, user_id, version, venue, external_trading_account_id, nickname, status, initial_balances,
       channel_epoch, created_at, updated_at)
     SELECT n.id, tenant_id, user_id, version, venue, n.id, nickname, status, initial_balances, channel_epoch, created_at, updated_at
     FROM trading_account CROSS JOIN unnest($1::uuid[]) AS n(id) WHERE trading_account_id = $2`,
    [ids, tradingAccountId],
  )
  asked.mockClear()
  const load = Effect.forEach(ids, (id) => rig.store.load(id), { concurrency: 400 })
  const states = await Effect.runPromise(load)
  expect(states.map(({ account }) => [account.tradingAccountId, account.userId])).toEqual(ids.map((id) => [id, userId]))
  const batches = asked.mock.calls.filter(([text]) => /FROM trading_account a WHERE/.test(String(text))).length
  expect(batches).toBeLessThanOrEqual(24)
})

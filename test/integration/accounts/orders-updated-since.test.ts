/** The list of orders by when they changed last (`updatedSince`), for programs that poll: each change is found, whatever changes meanwhile. */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { archiveOrders } from "../../../src/store/orders/archive.ts"
import { type OrderQuery, orderListSql, TradeOrders } from "../../../src/store/orders/trade-orders.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { commit, event, newOrder, orderRow, query, withStore } from "../store/account-store-rig.ts"

const rig = withStore()
const open = () => ManagedRuntime.make(TradeOrders.Default.pipe(Layer.provideMerge(sqlLayer(rig.database.url))))
let runtime: ReturnType<typeof open>
beforeAll(() => {
  runtime = open()
})
afterAll(() => runtime.dispose())

const put = async (...orders: ReadonlyArray<TradeOrder>) => {
  const accountId = orders[0]!.tradingAccountId
  expect(await commit(rig.store, { accountId, rows: orders.map(orderRow), events: [event()] })).toMatchObject({
    _tag: "Committed",
  })
}
const list = (accounts: ReadonlyArray<TradingAccount>, more: Partial<OrderQuery>) =>
  runtime.runPromise(
    Effect.flatMap(TradeOrders, (orders) =>
      orders.list({
        tradingAccountIds: accounts.map(({ tradingAccountId }) => tradingAccountId),
        limit: 100,
        offset: 0,
        ...more,
      }),
    ),
  )
const ids = (orders: ReadonlyArray<TradeOrder>) => orders.map(({ tradeOrderId }) => tradeOrderId)

/** Placed at 1,001, 1,002, … and changed at `updatedAt`. */
const placed = (account: TradingAccount, ...changes: ReadonlyArray<Partial<TradeOrder>>) =>
  changes.map((change, n) => newOrder(account, { createdAt: 1_001 + n, updatedAt: 1_001 + n, ...change }))

it("has what changed at that instant or later, open or over, archived too, in the order of the list", async () => {
  const [mine, other] = [await rig.account(), await rig.account()]
  const orders = placed(
    mine,
    { updatedAt: 5_000, orderStatus: "FILLED" },
    { updatedAt: 4_999, orderStatus: "CANCELLED" },
    { updatedAt: 5_000, orderStatus: "ACCEPTED" },
    { updatedAt: 4_999, orderStatus: "ACCEPTED" },
    { updatedAt: 6_000, orderStatus: "PARTIALLY_FILLED" },
    { updatedAt: 7_000, orderStatus: "EXPIRED" },
  )
  const [theirs] = placed(other, { createdAt: 1_004, updatedAt: 6_500, orderStatus: "REJECTED" })
  await put(...orders)
  await put(theirs!)
  const changed = [orders[5]!, orders[4]!, theirs!, orders[2]!, orders[0]!]
  const look = async () => {
    const newestFirst = await list([mine, other], { updatedSince: 5_000 })
    expect(ids(newestFirst.orders)).toEqual(ids(changed))
    expect(newestFirst).toMatchObject({ total: 5, totalIsLowerBound: false, hasNext: false })
    const oldestFirst = await list([mine, other], { updatedSince: 5_000, ascending: true })
    expect(ids(oldestFirst.orders)).toEqual(ids(changed.toReversed()))
    const over = await list([mine, other], { updatedSince: 5_000, orderStatus: ["FILLED", "EXPIRED"] })
    expect(ids(over.orders)).toEqual(ids([orders[5]!, orders[0]!]))
    expect((await list([mine, other], { updatedSince: 7_001 })).orders).toEqual([])
  }
  await look()
  expect(await runtime.runPromise(archiveOrders({ before: 6_999 }))).toMatchObject({ orders: 3 })
  await look()
})

it("goes through the pages without a gap or a repeat while orders of them change and others come", async () => {
  const mine = await rig.account()
  const orders = placed(
    mine,
    ...Array.from({ length: 9 }, () => ({ updatedAt: 2_000, orderStatus: "ACCEPTED" as const })),
  )
  await put(...orders)
  const seen: Array<string> = []
  let cursor: OrderQuery["cursor"]
  for (let page = 1; ; page++) {
    const {
      orders: found,
      hasNext,
      total,
    } = await list([mine], {
      updatedSince: 2_000,
      limit: 4,
      ...(cursor === undefined ? {} : { cursor, counted: false }),
    })
    seen.push(...ids(found))
    expect(total).toBe(page === 1 ? 9 : 0)
    cursor = found.at(-1)
    if (!hasNext) break
    // One of the next page ends, one of this page changes, another comes.
    const change = (order: TradeOrder, next: Partial<TradeOrder>) => put({ ...order, version: 1 + page, ...next })
    await change(orders[5 - page]!, { updatedAt: 3_000 + page, orderStatus: "FILLED" })
    await change(orders[8]!, { updatedAt: 3_000 + page })
    await put(newOrder(mine, { createdAt: 4_000 + page, updatedAt: 4_000 + page }))
  }
  expect(seen).toEqual(ids(orders.toReversed()))
})

const MIGRATION = new URL("../../../src/store/migrations/0042_orders_by_change.sql", import.meta.url)

const COPIED = `INSERT INTO %T (%C) SELECT %V FROM trade_order o, generate_series(1, 5000) AS n WHERE o.trade_order_id = $1`

/** Copies of an order that ended long ago, in the table of commits and in the archive. */
const manyOf = async (order: TradeOrder) => {
  const columns = await query(
    rig.database.url,
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'trade_order'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
  )
  const names = columns.map(({ name }) => String(name))
  const values = names.map((name) =>
    name === "trade_order_id" ? "gen_random_uuid()" : ["created_at", "updated_at"].includes(name) ? "n" : `o.${name}`,
  )
  for (const table of ["trade_order", "trade_order_archive"])
    await query(
      rig.database.url,
      COPIED.replace("%T", table).replace("%C", names.join(", ")).replace("%V", values.join(", ")),
      [order.tradeOrderId],
    )
}

interface Plan {
  readonly "Node Type": string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}
const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

it("reads no more than what changed, whatever the number of orders, from the upgrade on", async () => {
  const mine = await rig.account()
  const [old, recent, working] = placed(
    mine,
    { orderStatus: "FILLED" },
    { updatedAt: 9_000, orderStatus: "CANCELLED" },
    { updatedAt: 9_500, orderStatus: "ACCEPTED" },
  )
  await put(old!, recent!, working!)
  // As it is found by the first start with that migration: all else has its statistics.
  await query(rig.database.url, "ALTER TABLE trade_order DROP COLUMN over_since")
  await manyOf(old!)
  await query(rig.database.url, "VACUUM (ANALYZE) trade_order, trade_order_archive")
  await query(rig.database.url, readFileSync(MIGRATION, "utf8"))
  // As migration 50 leaves it: the writer writes it.
  await query(rig.database.url, "ALTER TABLE trade_order ALTER over_since DROP EXPRESSION")
  const asked = { tradingAccountIds: [mine.tradingAccountId], limit: 50, offset: 0 }
  const planned = async ({ text, values }: { readonly text: string; readonly values: ReadonlyArray<unknown> }) => {
    const [row] = await query(rig.database.url, `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values)
    const nodes = nodesOf((row!["QUERY PLAN"] as ReadonlyArray<{ readonly Plan: Plan }>)[0]!.Plan)
    const reads = nodes.map((it) => (it["Actual Rows"] + (it["Rows Removed by Filter"] ?? 0)) * it["Actual Loops"])
    return { indexes: nodes.flatMap((node) => node["Index Name"] ?? []), read: Math.max(...reads) }
  }
  for (const [what, statement] of Object.entries(orderListSql({ ...asked, updatedSince: 9_000 }))) {
    const { indexes, read } = await planned(statement)
    for (const index of ["trade_order_over", "trade_order_archive_over", "trade_order_open"])
      expect([what, indexes]).toEqual([what, expect.arrayContaining([index])])
    expect([what, read < 100]).toEqual([what, true])
  }
  // Of all of them, no more than the page.
  for (const ascending of [false, true]) {
    const { page } = orderListSql({ ...asked, updatedSince: 0, ascending })
    expect([ascending, (await planned(page)).read]).toEqual([ascending, expect.toSatisfy((read: number) => read < 500)])
  }
  expect(ids((await list([mine], { updatedSince: 9_000 })).orders)).toEqual(ids([working!, recent!]))
})

it("costs the images of an open order no index: they stay beside it on its page", async () => {
  const order = newOrder(await rig.account(), { clientOrderId: randomUUID() })
  await put(order)
  const client = new pg.Client({ connectionString: rig.database.url })
  await client.connect()
  try {
    await client.query("BEGIN")
    await client.query(
      "UPDATE trade_order SET version = 2, order_status = 'ACCEPTED', updated_at = updated_at + 1 WHERE trade_order_id = $1",
      [order.tradeOrderId],
    )
    const hot = "SELECT pg_stat_get_xact_tuples_hot_updated('trade_order'::regclass)::int AS updates"
    expect((await client.query(hot)).rows).toEqual([{ updates: 1 }])
    await client.query("COMMIT")
  } finally {
    await client.end()
  }
})

/** Orders that are long over leave the tables that commits write, with nothing lost: by every name they are what they were. */
import { randomUUID } from "node:crypto"
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import type { DealerAccountId, VenueId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Row } from "../../../src/ports/account-store.ts"
import { archiveOrders, archiveRound } from "../../../src/store/orders/archive.ts"
import { TradeOrders } from "../../../src/store/orders/trade-orders.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { makeHedgeHistory } from "../../kit/records/hedge-history.ts"
import { until } from "../../kit/servers/gateway.ts"
import {
  commit,
  event,
  executionRow,
  filled,
  newExecution,
  newOrder,
  orderRow,
  plain,
  query,
  withStore,
} from "../store/account-store-rig.ts"

const rig = withStore()
const open = () => ManagedRuntime.make(TradeOrders.Default.pipe(Layer.provideMerge(sqlLayer(rig.database.url))))
let runtime: ReturnType<typeof open>
beforeAll(() => {
  runtime = open()
})
afterAll(() => runtime.dispose())

const LATER = () => Date.now() + 10 * 86_400_000
const archive = (before = LATER()) => runtime.runPromise(archiveOrders({ before }))
const put = ({ tradingAccountId }: TradingAccount, ...rows: ReadonlyArray<Row>) =>
  commit(rig.store, { accountId: tradingAccountId, rows, events: [event()] })
const whole = (order: TradeOrder) =>
  runtime.runPromise(Effect.flatMap(TradeOrders, (orders) => orders.whole(order.tradeOrderId)))
const list = (account: TradingAccount, more: object = {}) =>
  runtime.runPromise(
    Effect.flatMap(TradeOrders, (orders) =>
      orders.list({ tradingAccountIds: [account.tradingAccountId], limit: 100, offset: 0, ...more }),
    ),
  )
/** How many rows of an account stand in a table itself. */
const standing = async (account: TradingAccount, table: string): Promise<number> =>
  Number(
    (
      await query(rig.database.url, `SELECT count(*) AS n FROM ONLY ${table} WHERE trading_account_id = $1`, [
        account.tradingAccountId,
      ])
    )[0]!["n"],
  )
const places = async (account: TradingAccount) => ({
  hot: [await standing(account, "trade_order"), await standing(account, "execution")],
  cold: [await standing(account, "trade_order_archive"), await standing(account, "execution_archive")],
})

const ended = async (account: TradingAccount, changes: Partial<TradeOrder> = {}) => {
  const created = newOrder(account, { clientOrderId: randomUUID(), externalOrderId: randomUUID(), ...changes })
  const execution = newExecution(created)
  const done = { ...filled(created, execution), orderStatus: "FILLED" as const }
  expect(await put(account, orderRow(created))).toMatchObject({ _tag: "Committed" })
  expect(await put(account, executionRow(execution), orderRow(done))).toMatchObject({ _tag: "Committed" })
  return { created, done, execution }
}
const { account } = rig

/** Indexes of the tables of commits that their archives need not have, and why. */
const ONLY_HOT: Readonly<Record<string, string>> = {
  trade_order_open: "no archived order is open",
  trade_order_hedge: "no archived order hedges",
  trade_order_hedge_newest: "no archived order hedges",
  trade_order_hedge_open: "no archived order hedges",
  trade_order_hedge_intent: "no archived order hedges",
}

it.each(["trade_order", "execution"])("has each index of %s, also those of later migrations", async (table) => {
  const indexes = async (of: string) =>
    (
      await query(rig.database.url, "SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE tablename = $1", [
        of,
      ])
    )
      .filter(({ name }) => ONLY_HOT[String(name)] === undefined)
      .map(({ text }) => String(text).replace(/INDEX \S+ ON \S+/, "INDEX"))
      .sort()
  const hot = await indexes(table)
  expect(hot.length).toBeGreaterThan(5)
  expect(await indexes(`${table}_archive`)).toEqual(hot)
})

describe("the archive of orders", () => {
  it("has what ended before the instant, found by each of its names and listed as before", async () => {
    const mine = await account({ venue: "BINANCE" as VenueId })
    const first = await ended(mine, { idempotencyKey: randomUUID() })
    const second = await ended(mine)
    const working = newOrder(mine, { orderStatus: "ACCEPTED" })
    await put(mine, orderRow(working))
    const changes = () => rig.balanceChanges(mine)
    const before = { whole: plain(await whole(first.done)), list: plain(await list(mine)), changes: await changes() }
    const filledOnes = { orderStatus: ["FILLED" as const], limit: 1 }
    const page = plain(await list(mine, filledOnes))

    expect(await archive(second.done.updatedAt)).toMatchObject({ orders: 1, executions: 1 })
    expect(await places(mine)).toEqual({ hot: [2, 1], cold: [1, 1] })
    expect(plain(await whole(first.done))).toEqual(before.whole)
    expect(plain(await list(mine))).toEqual(before.list)
    // Balances of simulated venues are sums of all executions.
    expect(await changes()).toEqual(before.changes)
    expect(plain(await list(mine, filledOnes))).toEqual(page)

    const { clientOrderId, externalOrderId, idempotencyKey, instrumentId, orderSide, tradeOrderId } = first.done
    const names = await Effect.runPromise(
      rig.store.names(mine.tradingAccountId, {
        tradeOrderIds: [tradeOrderId],
        keys: [idempotencyKey!],
        clientOrderIds: [clientOrderId!],
        venueOrders: [{ instrumentId, externalOrderId: externalOrderId! }],
        trades: [{ instrumentId, orderSide, externalTradeId: first.execution.externalTradeId }],
      }),
    )
    expect([...names.tradeOrderIds, ...names.keys.values(), ...names.clientOrderIds.values()]).toEqual(
      Array(3).fill(tradeOrderId),
    )
    expect([...names.venueOrders.values(), ...names.trades.values()]).toEqual(Array(2).fill(tradeOrderId))
    expect((await Effect.runPromise(rig.store.load(mine.tradingAccountId))).openOrders).toHaveLength(1)
  })

  it("answers a used key and a used client order id with the archived order", async () => {
    const mine = await account()
    const { done } = await ended(mine, { idempotencyKey: randomUUID() })
    await archive()
    const { clientOrderId, idempotencyKey } = done
    const again = { _tag: "KeyUsed", order: { tradeOrderId: done.tradeOrderId } }
    expect(await put(mine, orderRow(newOrder(mine, { idempotencyKey })))).toMatchObject({
      ...again,
      by: "idempotencyKey",
    })
    expect(await put(mine, orderRow(newOrder(mine, { clientOrderId })))).toMatchObject({
      ...again,
      by: "clientOrderId",
    })
    expect(await places(mine)).toEqual({ hot: [0, 0], cold: [1, 1] })
  })

  it("answers a key with the order that is on its way to the archive", async () => {
    const mine = await account()
    const { done } = await ended(mine, { idempotencyKey: randomUUID() })
    const { url } = rig.database
    await query(
      url,
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
       CREATE TRIGGER slow AFTER INSERT ON execution_archive FOR EACH ROW EXECUTE FUNCTION slow()`,
    )
    const run = archive()
    await until("the page to be under way", async () => {
      const rows = await query(
        url,
        "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()",
      )
      return rows.length > 0
    })
    const { idempotencyKey, tradeOrderId } = done
    expect(await put(mine, orderRow(newOrder(mine, { idempotencyKey })))).toMatchObject({
      _tag: "KeyUsed",
      order: { tradeOrderId },
    })
    await run
    await query(url, "DROP FUNCTION slow CASCADE")
    expect(await places(mine)).toEqual({ hot: [0, 0], cold: [1, 1] })
  })

  it("gives an order back when a later image of it comes, and takes no older one, nor one of another account", async () => {
    const mine = await account()
    const { created, done, execution } = await ended(mine)
    await archive()
    expect(await put(mine, executionRow(execution), orderRow(done))).toMatchObject({ _tag: "Committed" })
    expect(await put(mine, orderRow(created))).toMatchObject({ _tag: "Committed" })
    expect(await places(mine)).toEqual({ hot: [0, 0], cold: [1, 1] })

    const other = await account()
    const taken = newOrder(other, { tradeOrderId: done.tradeOrderId, version: 99 })
    expect(await put(other, orderRow(taken))).toMatchObject({ _tag: "Refused" })
    const twice = newOrder(mine)
    const sameTrade = newExecution(twice, { externalTradeId: execution.externalTradeId })
    expect(await put(mine, executionRow(sameTrade), orderRow(filled(twice, sameTrade)))).toMatchObject({
      _tag: "Refused",
    })

    const late = newExecution(done)
    const more = { ...filled(done, late), orderStatus: "FILLED" as const }
    expect(await put(mine, executionRow(late), orderRow(more))).toMatchObject({ _tag: "Committed" })
    expect(await places(mine)).toEqual({ hot: [1, 1], cold: [0, 1] })
    expect(plain((await whole(more))!.executions)).toEqual(plain([execution, late]))
    expect(await archive()).toEqual({ orders: 1, executions: 1 })
    expect(await places(mine)).toEqual({ hot: [0, 0], cold: [1, 2] })
  })

  it("passes over open orders, hedges, lists with an open order and what a commit has locked", async () => {
    const mine = await account()
    await put(mine, orderRow(newOrder(mine, { orderStatus: "ACCEPTED" })))
    await put(mine, orderRow(newOrder(mine, { orderStatus: "CANCELLED", dealerAccountId: randomUUID() as never })))
    const orderListId = randomUUID() as never
    await put(mine, orderRow(newOrder(mine, { orderStatus: "ACCEPTED", orderListId })))
    await put(mine, orderRow(newOrder(mine, { orderStatus: "CANCELLED", orderListId })))
    const { done } = await ended(mine)
    const commits = new pg.Client({ connectionString: rig.database.url })
    await commits.connect()
    try {
      await commits.query("BEGIN")
      await commits.query("SELECT FROM trade_order WHERE trade_order_id = $1 FOR UPDATE", [done.tradeOrderId])
      await archive()
      expect(await places(mine)).toEqual({ hot: [5, 1], cold: [0, 0] })
    } finally {
      await commits.end()
    }
    await archive()
    expect(await places(mine)).toEqual({ hot: [4, 0], cold: [1, 1] })
  })

  it("does not look each hour at hedges, which stay, and looks at all of them each day", async () => {
    const mine = await account()
    const client = new pg.Client({ connectionString: rig.database.url })
    await client.connect()
    const { tradingAccountId } = mine
    await makeHedgeHistory(client, {
      dealerAccountId: randomUUID() as DealerAccountId,
      tradingAccountId,
      from: 1,
      to: 250,
    })
    await client.end()
    const working = newOrder(mine, { orderStatus: "ACCEPTED" })
    await put(mine, orderRow(working))
    await ended(mine)
    let now = LATER()
    const round = archiveRound(() => now, 1)
    const hour = async () => {
      now += 3_600_000
      await runtime.runPromise(round)
      return (await places(mine)).cold[0]
    }
    expect(await hour()).toBe(1)
    await ended(mine)
    expect(await hour()).toBe(2)
    // It is older than two hundred hedges, and came back to life.
    const { done } = await ended(mine)
    await query(rig.database.url, "UPDATE trade_order SET created_at = 1 WHERE trade_order_id = $1", [
      done.tradeOrderId,
    ])
    expect(await hour()).toBe(2)
    now += 86_400_000
    expect(await hour()).toBe(3)
    expect((await places(mine)).hot[0]).toBe(251)
  })

  it("loses and doubles nothing where a run is ended in the middle of a page, and the next one goes on", async () => {
    const mine = await account()
    for (let i = 0; i < 3; i++) await ended(mine)
    const { url } = rig.database
    await query(
      url,
      `CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
       CREATE TRIGGER killed AFTER INSERT ON execution_archive FOR EACH ROW EXECUTE FUNCTION killed()`,
    )
    const run = await runtime.runPromiseExit(archiveOrders({ before: LATER() }))
    expect(Exit.isFailure(run)).toBe(true)
    await query(url, "DROP FUNCTION killed CASCADE")
    expect(await places(mine)).toEqual({ hot: [3, 3], cold: [0, 0] })
    await archive()
    expect(await places(mine)).toEqual({ hot: [0, 0], cold: [3, 3] })
  })

  it("is not touched by a look for open orders or for hedges", async () => {
    const plans = await Promise.all(
      ["open", "dealer_account_id = gen_random_uuid() AND order_type <> 'QUOTED'"].map(async (where) =>
        JSON.stringify(await query(rig.database.url, `EXPLAIN SELECT FROM trade_order WHERE ${where}`)),
      ),
    )
    for (const plan of plans) expect(plan).not.toContain("trade_order_archive")
  })
})

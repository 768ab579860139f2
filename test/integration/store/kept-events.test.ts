/** The journal over PostgreSQL keeps little of a fill and tells all of it again, also of an order that has moved on since. */

import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TradeOrders } from "../../../src/store/orders/trade-orders.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { life, live } from "../../kit/worlds/filled-lives.ts"
import { countedExecutions } from "../../kit/worlds/memory-account-store.ts"
import { ACCOUNT } from "../../sim/world.ts"
import { commit, executionRow, orderRow, query, withStore } from "./account-store-rig.ts"

const rig = withStore()

describe("events of fills", () => {
  it("are told as they were published, from less than was published", async () => {
    const lives = fc.sample(life(30, 40, 30), { numRuns: 10, seed: 11 }).map((one) => live(one))
    const { world, end } = lives.reduce((a, b) =>
      b.world.database.executions.size > a.world.database.executions.size ? b : a,
    )
    const all = [...world.database.executions.values()]
    expect(all.some(({ replaces }) => replaces !== null)).toBe(true)
    expect(end.executionCount).toBeGreaterThan(12)
    await rig.account({ tradingAccountId: ACCOUNT })
    const order = { ...world.database.orders.get(end.tradeOrderId)!.order, tradingAccountId: ACCOUNT }
    const events = world.database.events.get(ACCOUNT)!
    const rows = [orderRow(order), ...all.map(executionRow)]
    expect(await commit(rig.store, { accountId: ACCOUNT, rows, events })).toMatchObject({ _tag: "Committed" })
    const read = await Effect.runPromise(rig.store.events(ACCOUNT, 0, events.length))
    expect(read?.map(({ sequence, payload }) => [sequence, payload])).toEqual(
      events.map(({ payload }, index) => [index + 1, payload]),
    )
    const [sums] = await query(rig.database.url, "SELECT sum(octet_length(payload))::int AS bytes FROM account_event")
    expect(sums!["bytes"]).toBeLessThan(0.4 * events.reduce((sum, { payload }) => sum + payload.length, 0))

    // What an actor, a list and a reader of one order get.
    const found = await Effect.runPromise(rig.store.find(ACCOUNT, { tradeOrderId: order.tradeOrderId }))
    expect(found).toMatchObject({ executionCount: end.executionCount, unexplained: null })
    expect(found?.executions.map((it) => it.executionId)).toEqual(end.executions.map((it) => it.executionId))
    expect([...found!.olderTradeIds!].sort()).toEqual(
      countedExecutions(world.database)
        .map((it) => it.externalTradeId)
        .sort(),
    )
    const whole = Effect.flatMap(TradeOrders, (it) => it.whole(order.tradeOrderId))
    const orders = await Effect.runPromise(
      whole.pipe(Effect.provide(TradeOrders.Default), Effect.provide(sqlLayer(rig.database.url))),
    )
    expect(orders?.executions.map((it) => it.executionId)).toEqual(
      countedExecutions(world.database).map((it) => it.executionId),
    )
  })
})

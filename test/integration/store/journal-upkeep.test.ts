/** What keeps the journal sound beside the writer: one owner with its epoch, the daily partitions of the events, the reads of lists. */
import { randomUUID } from "node:crypto"
import { Effect, Either, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import type { OrderStatus } from "../../../src/domain/order-status.ts"
import { AccountStore } from "../../../src/ports/account-store.ts"
import { ownDatabase } from "../../../src/store/node.ts"
import { maintainPartitions } from "../../../src/store/partitions.ts"
import { sqlLayer } from "../../../src/store/sql.ts"
import { type OrderQuery, TradeOrders } from "../../../src/store/trade-orders.ts"
import { testDatabase, withTestDatabase } from "../../kit/database.ts"
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
  storeAccount,
  storedEvents,
  storeLayer,
} from "./account-store-rig.ts"

const DAY = 86_400_000
const layerOf = (url: string) =>
  Layer.mergeAll(storeLayer(url), TradeOrders.Default.pipe(Layer.provide(sqlLayer(url))), sqlLayer(url))

describe("the owner of a database", () => {
  const database = withTestDatabase()
  const own = (nodeId?: string) =>
    ownDatabase(database().url, { now: Date.now, attempts: 2, ...(nodeId === undefined ? {} : { nodeId }) })
  const nodes = () => query(database().url, "SELECT node_id, epoch::int FROM gateway_node ORDER BY node_id")

  it("refuses a second process and gives each owner a newer epoch", async () => {
    const first = await Effect.runPromise(Scope.make())
    const node = await Effect.runPromise(Scope.extend(own(), first))
    expect(node.epoch).toBe(1)
    const refused = await Effect.runPromise(Effect.either(Effect.scoped(own())))
    expect(Either.isLeft(refused) && refused.left).toMatchObject({
      _tag: "DatabaseOwned",
      message: expect.stringMatching(/^another gateway process owns this database/),
    })
    expect(await nodes()).toEqual([{ node_id: "gateway", epoch: 1 }])
    await Effect.runPromise(Scope.close(first, Exit.void))
    expect((await Effect.runPromise(Effect.scoped(own()))).epoch).toBe(2)
    expect((await Effect.runPromise(Effect.scoped(own("another")))).epoch).toBe(1)
    expect(await nodes()).toEqual([{ node_id: "another", epoch: 1 }])
  })

  it("waits for a predecessor that is just ending", async () => {
    const first = await Effect.runPromise(Scope.make())
    await Effect.runPromise(Scope.extend(own(), first))
    const second = Effect.runPromise(Effect.scoped(ownDatabase(database().url, { now: Date.now })))
    await Effect.runPromise(Scope.close(first, Exit.void))
    expect((await second).nodeId).toBe("gateway")
  })

  it("learns that it owns nothing any more when its session is lost", async () => {
    const reason = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const node = yield* own()
          yield* Effect.promise(() =>
            query(
              database().adminUrl,
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'venue-gateway owner'",
            ),
          )
          return yield* Effect.promise(() => node.lost)
        }),
      ),
    )
    expect(reason).toBe("the session that owns the database was lost")
  })
})

describe("the partitions of the account events", () => {
  it("are made ahead, dropped after two days, and never cost a number", async () => {
    const database = await testDatabase()
    const runtime = ManagedRuntime.make(layerOf(database.url))
    try {
      const now = Date.UTC(2026, 0, 10, 12)
      const account = await storeAccount(runtime)
      const accountId = account.tradingAccountId
      const store = await runtime.runPromise(AccountStore)
      const put = (...days: ReadonlyArray<number>) =>
        commit(store, { accountId, rows: [], events: days.map((day) => ({ ...event(), at: now + day * DAY })) })
      const numbers = async () => (await storedEvents(database.url, accountId)).map((stored) => stored.sequence)
      // Before the first upkeep, and outside what it covers: the default partition takes everything.
      await put(-5, 0, 1, 30)
      const first = await runtime.runPromise(maintainPartitions(now))
      expect(first.created).toEqual(
        ["08", "09", "10", "11", "12", "13", "14", "15", "16", "17"].map((day) => `account_event_202601${day}`),
      )
      expect(await numbers()).toEqual([2, 3, 4])
      expect(await runtime.runPromise(maintainPartitions(now + 3_600_000))).toEqual({ created: [], dropped: [] })
      const inDefault = await query(database.url, "SELECT sequence::int FROM account_event_default")
      expect(inDefault).toEqual([{ sequence: 4 }])

      await put(2)
      const later = await runtime.runPromise(maintainPartitions(now + 4 * DAY))
      expect(later.created).toEqual(["18", "19", "20", "21"].map((day) => `account_event_202601${day}`))
      expect(later.dropped).toEqual(["08", "09", "10", "11"].map((day) => `account_event_202601${day}`))
      expect(await numbers()).toEqual([4, 5])

      // Everything is gone, and a new process goes on numbering.
      await runtime.runPromise(maintainPartitions(now + 40 * DAY))
      expect(await numbers()).toEqual([])
      expect((await runtime.runPromise(store.load(accountId))).lastSequence).toBe(5)
      await runtime.dispose()
      const again = ManagedRuntime.make(layerOf(database.url))
      const fresh = await again.runPromise(AccountStore)
      expect(await commit(fresh, { accountId, rows: [], events: [{ ...event(), at: now + 40 * DAY }] })).toEqual({
        _tag: "Committed",
        firstSequence: 6,
      })
      await again.dispose()
    } finally {
      await runtime.dispose()
      await database.drop()
    }
  })
})

describe("lists of orders", () => {
  it("filter, sort, count and page like a plain sorted array", async () => {
    const database = await testDatabase()
    const runtime = ManagedRuntime.make(layerOf(database.url))
    try {
      const accounts = [await storeAccount(runtime), await storeAccount(runtime), await storeAccount(runtime)]
      const store = await runtime.runPromise(AccountStore)
      const orders = await runtime.runPromise(TradeOrders)
      const statuses: ReadonlyArray<OrderStatus> = ["ACCEPTED", "CANCELLED", "PENDING_CANCEL", "PENDING_CANCEL"]
      const rows = Array.from({ length: 60 }, (_, i) => {
        const account = accounts[i % 3]!
        const order = newOrder(account, {
          clientOrderId: `c-${i}`,
          orderStatus: statuses[i % 4]!,
          instrumentId: (i % 5 === 0 ? "MOCK:ETH/USDT" : "MOCK:BTC/USDT") as InstrumentId,
          // Several orders of one millisecond: only the id tells their order.
          createdAt: 1_000 + Math.floor(i / 4),
        })
        if (i % 4 !== 3) return { order, executions: [] }
        const execution = newExecution(order, { executedQuantity: Decimal.of("0.001") })
        return { order: { ...filled(order, execution), orderStatus: order.orderStatus }, executions: [execution] }
      })
      for (const { order, executions } of rows)
        await commit(store, {
          accountId: order.tradingAccountId,
          rows: [orderRow(order), ...executions.map(executionRow)],
          events: [],
        })
      const newestFirst = rows
        .map(({ order }) => order)
        .sort((a, b) => b.createdAt - a.createdAt || (a.tradeOrderId < b.tradeOrderId ? 1 : -1))
      const list = (changes: Partial<OrderQuery>) =>
        runtime.runPromise(
          orders.list({
            tradingAccountIds: accounts.slice(0, 2).map((account) => account.tradingAccountId),
            limit: 1_000,
            offset: 0,
            ...changes,
          }),
        )
      const mine = newestFirst.filter((order) => order.tradingAccountId !== accounts[2]!.tradingAccountId)
      const expectList = async (changes: Partial<OrderQuery>, expected: typeof mine) => {
        const page = await list(changes)
        expect(page.orders.map(plain)).toEqual(expected.map(plain))
        expect(page).toMatchObject({ total: expected.length, totalIsLowerBound: false, hasNext: false })
        expect(expected.length).toBeGreaterThan(0)
      }
      await expectList({}, mine)
      await expectList({ ascending: true }, mine.toReversed())
      await expectList(
        { orderStatus: ["CANCELLED"] },
        mine.filter((order) => order.orderStatus === "CANCELLED"),
      )
      await expectList(
        { orderStatus: ["ACCEPTED", "PENDING_CANCEL"], hasFills: false },
        mine.filter((order) => order.orderStatus !== "CANCELLED" && order.executions.length === 0),
      )
      await expectList(
        { instrumentId: "MOCK:ETH/USDT" as InstrumentId },
        mine.filter((order) => order.instrumentId === "MOCK:ETH/USDT"),
      )
      await expectList(
        { startTime: 1_003, endTime: 1_005 },
        mine.filter((order) => order.createdAt >= 1_003 && order.createdAt <= 1_005),
      )
      await expectList({ tradeOrderId: mine[7]!.tradeOrderId }, [mine[7]!])
      await expectList({ clientOrderId: mine[9]!.clientOrderId! }, [mine[9]!])
      expect(await list({ tradingAccountIds: [] })).toMatchObject({ orders: [], total: 0, hasNext: false })

      const pages: Array<string> = []
      let cursor: OrderQuery["cursor"]
      for (let more = true; more; ) {
        const page = await list({
          limit: 7,
          ...(cursor === undefined ? {} : { cursor }),
          counted: cursor === undefined,
        })
        expect(page.total).toBe(cursor === undefined ? mine.length : 0)
        pages.push(...page.orders.map((order) => order.tradeOrderId))
        cursor = page.orders.at(-1)
        more = page.hasNext
      }
      expect(pages).toEqual(mine.map((order) => order.tradeOrderId))
      const third = await list({ limit: 7, offset: 14 })
      expect(third.orders.map((order) => order.tradeOrderId)).toEqual(pages.slice(14, 21))
      expect(third).toMatchObject({ total: mine.length, hasNext: true })

      const [account] = accounts
      const one = mine.find(
        (order) => order.tradingAccountId === account!.tradingAccountId && order.executions.length > 0,
      )!
      expect(plain(await runtime.runPromise(orders.get(account!.tradingAccountId, one.tradeOrderId)))).toEqual(
        plain(one),
      )
      expect(
        plain(await runtime.runPromise(orders.getByClientOrderId(account!.tradingAccountId, one.clientOrderId!))),
      ).toEqual(plain(one))
      expect(await runtime.runPromise(orders.get(accounts[1]!.tradingAccountId, one.tradeOrderId))).toBe(null)
      expect(await runtime.runPromise(orders.get(account!.tradingAccountId, randomUUID() as TradeOrderId))).toBe(null)
    } finally {
      await runtime.dispose()
      await database.drop()
    }
  })

  it("stop counting at 10,000", async () => {
    const database = await testDatabase()
    const runtime = ManagedRuntime.make(layerOf(database.url))
    try {
      const account = await storeAccount(runtime)
      const store = await runtime.runPromise(AccountStore)
      const order = newOrder(account)
      await commit(store, { accountId: account.tradingAccountId, rows: [orderRow(order)], events: [] })
      const columns = (
        await query(
          database.url,
          `SELECT string_agg(column_name, ', ') AS names FROM information_schema.columns
           WHERE table_name = 'trade_order' AND column_name <> 'trade_order_id' AND is_generated = 'NEVER' AND table_schema = 'public'`,
        )
      )[0]!["names"]
      const copy = (count: number) =>
        query(
          database.url,
          `INSERT INTO trade_order (trade_order_id, ${columns})
           SELECT gen_random_uuid(), ${columns} FROM (SELECT * FROM trade_order LIMIT 1) o, generate_series(1, ${count})`,
        )
      const orders = await runtime.runPromise(TradeOrders)
      const first = { tradingAccountIds: [account.tradingAccountId], limit: 1, offset: 0 }
      await copy(9_999)
      expect(await runtime.runPromise(orders.list(first))).toMatchObject({ total: 10_000, totalIsLowerBound: false })
      await copy(1)
      expect(await runtime.runPromise(orders.list(first))).toMatchObject({ total: 10_000, totalIsLowerBound: true })
    } finally {
      await runtime.dispose()
      await database.drop()
    }
  })
})

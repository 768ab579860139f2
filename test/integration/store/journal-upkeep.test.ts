/** What keeps the journal sound beside the writer: one owner with its epoch, the daily partitions of the events, the reads of lists. */
import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { Cause, Effect, Either, Exit, Layer, Logger, ManagedRuntime, Scope } from "effect"
import pg from "pg"
import { describe, expect, it } from "vitest"
import { keepJournal } from "../../../src/composition/database.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TradeOrderId } from "../../../src/domain/ids.ts"
import type { OrderStatus } from "../../../src/domain/order/status.ts"
import { AccountStore, type CommitOutcome } from "../../../src/ports/account-store.ts"
import { maintainPartitions, type Upkeep } from "../../../src/store/orders/partitions.ts"
import { type OrderQuery, TradeOrders } from "../../../src/store/orders/trade-orders.ts"
import { ownDatabase } from "../../../src/store/postgres/node.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { testDatabase, withTestDatabase } from "../../kit/servers/database.ts"
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
  const own = () => ownDatabase(database().url, { now: Date.now, attempts: 2 })
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
  })

  it("waits for a predecessor that is just ending", async () => {
    const first = await Effect.runPromise(Scope.make())
    await Effect.runPromise(Scope.extend(own(), first))
    const second = Effect.runPromise(Effect.scoped(ownDatabase(database().url, { now: Date.now })))
    await Effect.runPromise(Scope.close(first, Exit.void))
    expect((await second).nodeId).toBe("gateway")
  })

  it("hears the bell for news of users and tenants, and for another trading mode, whoever commits them", async () => {
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const { bell } = yield* own()
          for (const change of [
            "INSERT INTO user_news (tenant_id) VALUES ('default')",
            "UPDATE trading_mode SET mode = 'cancel_only'",
          ]) {
            const rung = new Promise<void>((ring) => bell.onRing(ring))
            yield* Effect.promise(() => query(database().url, change))
            yield* Effect.promise(() => rung)
          }
        }),
      ),
    )
  })

  it("learns that it owns nothing any more when its session is lost", async () => {
    const reason = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const node = yield* own()
          yield* Effect.promise(() =>
            query(
              database().adminUrl,
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'venue-gateway owner' AND datname = current_database()",
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
      expect(await runtime.runPromise(maintainPartitions(now + 3_600_000))).toEqual({
        created: [],
        dropped: [],
        postponed: [],
      })
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

/** A gateway's store with one account, an event a day, and a second session that may hold locks, as pg_dump does. */
const withJournal = async (
  work: (journal: {
    readonly url: string
    readonly put: (...at: ReadonlyArray<number>) => Promise<CommitOutcome>
    readonly upkeep: (now: number) => Promise<Upkeep>
    readonly numbers: () => Promise<ReadonlyArray<number>>
    /** Of a process that starts now. */
    readonly nextNumber: () => Promise<number>
    readonly run: <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) => Promise<A>
    readonly dump: pg.Client
  }) => Promise<void>,
): Promise<void> => {
  const database = await testDatabase()
  const runtime = ManagedRuntime.make(layerOf(database.url))
  const dump = new pg.Client({ connectionString: database.url })
  try {
    await dump.connect()
    const account = await storeAccount(runtime)
    const accountId = account.tradingAccountId
    const store = await runtime.runPromise(AccountStore)
    await work({
      url: database.url,
      put: (...at) => commit(store, { accountId, rows: [], events: at.map((it) => ({ ...event(), at: it })) }),
      upkeep: (now) => runtime.runPromise(maintainPartitions(now)),
      numbers: async () => (await storedEvents(database.url, accountId)).map((stored) => stored.sequence),
      nextNumber: async () => (await runtime.runPromise(store.load(accountId))).lastSequence + 1,
      run: (effect) => runtime.runPromise(effect),
      dump,
    })
  } finally {
    await dump.end()
    await runtime.dispose()
    await database.drop()
  }
}

const TODAY = Date.UTC(2026, 0, 10, 12)
const HELD = "BEGIN; LOCK TABLE account_event IN ACCESS SHARE MODE"

describe("the upkeep of the journal", () => {
  it("leaves for later what a reader of the whole journal holds, and no commit waits for the reader", async () => {
    await withJournal(async ({ put, upkeep, numbers, dump, nextNumber }) => {
      await upkeep(TODAY - 4 * DAY)
      await put(TODAY - 4 * DAY, TODAY)
      await dump.query(HELD)
      const first = await upkeep(TODAY)
      expect(first.dropped).toEqual([])
      expect(first.postponed).toEqual(expect.arrayContaining(["account_event_20260106", "account_event_20260117"]))
      expect(await put(TODAY)).toEqual({ _tag: "Committed", firstSequence: 3 })
      await dump.query("COMMIT")
      const second = await upkeep(TODAY)
      expect(second).toMatchObject({ postponed: [] })
      expect(second.dropped).toContain("account_event_20260106")
      expect(await numbers()).toEqual([2, 3])
      expect(await nextNumber()).toBe(4)
    })
  })

  it("keeps the numbers of a day that goes, also of events that a wrong clock has put there meanwhile", async () => {
    await withJournal(async ({ put, upkeep, numbers, dump, nextNumber, run }) => {
      const old = TODAY - 4 * DAY
      await upkeep(old)
      await put(old, old)
      // Its newest numbers are read, and it cannot be dropped: a process that ends here has lost nothing, nor have those that go on.
      await dump.query(HELD)
      await upkeep(TODAY)
      expect(await nextNumber()).toBe(3)
      await put(old + 1)
      await dump.query("COMMIT")
      expect((await upkeep(TODAY)).dropped).toContain("account_event_20260106")
      expect(await numbers()).toEqual([])
      expect(await nextNumber()).toBe(4)
      // Of many accounts, in pages.
      await run(eventsOf(1_700, TODAY - 2 * DAY))
      expect((await upkeep(TODAY + DAY)).dropped).toContain("account_event_20260108")
      expect(
        await run(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`SELECT count(*)::int AS accounts FROM account_sequence WHERE last_sequence = 7`,
          ),
        ),
      ).toEqual([{ accounts: 1_700 }])
    })
  })

  it("goes on beside a default partition that has grown, and empties it in pages", async () => {
    await withJournal(async ({ url, upkeep, nextNumber, put, run }) => {
      await put(TODAY)
      // 16 MB of today, and as much of a day that is to go.
      await run(eventsOf(2_000, TODAY, "x".repeat(1_000)))
      await run(eventsOf(2_000, TODAY - 5 * DAY, "x".repeat(1_000)))
      const { created, postponed } = await upkeep(TODAY)
      expect([created, postponed]).toEqual([
        ["12", "13", "14", "15", "16", "17"].map((day) => `account_event_202601${day}`),
        [],
      ])
      expect(
        await query(url, "SELECT at, count(*)::int AS events FROM account_event_default GROUP BY at ORDER BY at"),
      ).toEqual([{ at: String(TODAY), events: 14_001 }])
      expect(await query(url, "SELECT conname FROM pg_constraint WHERE conname LIKE '%upkeep%'")).toEqual([])
      expect(await query(url, "SELECT count(*)::int AS kept FROM account_sequence WHERE last_sequence = 7")).toEqual([
        { kept: 2_000 },
      ])
      expect(await put(TODAY + DAY, TODAY + 2 * DAY)).toEqual({ _tag: "Committed", firstSequence: 2 })
      expect(await query(url, "SELECT sequence::int FROM account_event_20260112")).toEqual([{ sequence: 3 }])
      await upkeep(TODAY + 3 * DAY)
      expect(await query(url, "SELECT at FROM account_event_default GROUP BY at")).toEqual([
        { at: String(TODAY + DAY) },
      ])
      expect(await nextNumber()).toBe(4)
    })
  })

  it("lets the server's own upkeep of a partition make way, which no commit waits for", async () => {
    await withJournal(async ({ upkeep, put, dump }) => {
      await upkeep(TODAY - 4 * DAY)
      await put(TODAY - 4 * DAY)
      // As a vacuum holds what it works on, until it hears of the one that waits.
      for (const table of ["account_event_20260106", "account_event_default"]) {
        await dump.query(`BEGIN; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`)
        const makesWay = dump.query("SELECT pg_sleep(0.5); COMMIT")
        const done = await upkeep(table.endsWith("default") ? TODAY + DAY : TODAY)
        expect([table, done.postponed, done.dropped.length > 0, done.created.length > 0]).toEqual([
          table,
          [],
          true,
          true,
        ])
        await makesWay
      }
    })
  })

  it("neither fails nor holds up a start, says once that it is tried again, and when it is done", async () => {
    await withJournal(async ({ upkeep, put, dump, run, url }) => {
      await upkeep(TODAY - 4 * DAY)
      await put(TODAY - 4 * DAY)
      await dump.query(HELD)
      const told: Array<string> = []
      const log = Logger.make(({ message, cause }) => {
        told.push(`${[message].flat().join(" ")}${Cause.isEmpty(cause) ? "" : `: ${Cause.squash(cause)}`}`)
      })
      const scope = await Effect.runPromise(Scope.make())
      const kept = Effect.provide(
        keepJournal(() => TODAY),
        Logger.replace(Logger.defaultLogger, log),
      )
      await run(kept.pipe(Scope.extend(scope)))
      expect(await put(TODAY)).toMatchObject({ _tag: "Committed" })
      await expect
        .poll(() => told, { timeout: 10_000 })
        .toEqual([expect.stringMatching(/^a loop failed: Postponed: not locked in time: account_event_/)])
      await dump.query("COMMIT")
      await expect.poll(() => told.slice(1), { timeout: 20_000 }).toEqual(["a loop recovered"])
      expect(
        await query(
          url,
          "SELECT to_regclass('account_event_20260106') AS gone, to_regclass('account_event_20260117')::text AS made",
        ),
      ).toEqual([{ gone: null, made: "account_event_20260117" }])
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })
  })
})

/** Seven events of so many accounts each, which no gateway has numbered. */
const eventsOf = (accounts: number, at: number, payload = "{}") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`INSERT INTO account_event (trading_account_id, sequence, at, event_id, tenant_id, kind, payload)
      SELECT a, n, ${at}, gen_random_uuid(), 'default', 'TRADE_ORDER.CREATED', ${payload}
      FROM (SELECT gen_random_uuid() AS a FROM generate_series(1, ${accounts}::int)), generate_series(1, 7) AS n`,
  )

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

/** The contract of AccountStore and JournalPort, held by both implementations: memory (for simulation) and PostgreSQL. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, QuoteId, TradeOrderId, TradingAccountId, VenueId } from "../../../src/domain/ids.ts"
import { NEVER_PLACED, type TradeOrder } from "../../../src/domain/order/trade-order.ts"
import {
  type AskedNames,
  type CommitOutcome,
  NEWEST_ENDED,
  type Row,
  USED_NAMES_PAGE,
} from "../../../src/ports/account-store.ts"
import {
  commit,
  event,
  executionRow,
  filled,
  image,
  newExecution,
  newOrder,
  orderRow,
  plain,
  type Rig,
} from "./account-store-rig.ts"
import { implementations } from "./account-store-rigs.ts"

describe.each(implementations)("the account store %s", (_name, open) => {
  let rig: Rig
  beforeAll(async () => {
    rig = await open()
  })
  afterAll(() => rig.close())
  const load = (id: TradingAccountId) => Effect.runPromise(rig.store().load(id))

  it("settles units in the order in which they were handed over, each once, never within commit", async () => {
    const accounts = [await rig.account(), await rig.account()]
    const settled: Array<number> = []
    await new Promise<void>((resolve) => {
      for (let i = 0; i < 600; i++) {
        const account = accounts[i % 2]!
        rig.store().commit({
          accountId: account.tradingAccountId,
          rows: [orderRow(newOrder(account))],
          events: [event()],
          settled: (outcome) => {
            expect(outcome._tag).toBe("Committed")
            settled.push(i)
            if (settled.length === 600) resolve()
          },
        })
      }
      expect(settled).toEqual([])
    })
    expect(settled).toEqual(Array.from({ length: 600 }, (_, i) => i))
  })

  it("numbers an account's events from 1 without a gap and keeps their bytes", async () => {
    const account = await rig.account()
    const other = await rig.account()
    const drafts = Array.from({ length: 5 }, (_, i) => event(`{"n":${i},"text":"\\u0000 é ',\\"{}"}`))
    const outcomes = await Promise.all([
      commit(rig.store(), { accountId: account.tradingAccountId, rows: [], events: drafts.slice(0, 2) }),
      commit(rig.store(), { accountId: other.tradingAccountId, rows: [], events: [event()] }),
      commit(rig.store(), { accountId: account.tradingAccountId, rows: [], events: drafts.slice(2) }),
    ])
    expect(outcomes).toEqual([
      { _tag: "Committed", firstSequence: 1 },
      { _tag: "Committed", firstSequence: 1 },
      { _tag: "Committed", firstSequence: 3 },
    ])
    expect(await rig.events(account.tradingAccountId)).toEqual(
      drafts.map((draft, i) => ({ ...draft, sequence: i + 1 })),
    )
  })

  it("gives back every field of an order and its executions as they were", async () => {
    const account = await rig.account()
    const bare = newOrder(account)
    const first = newExecution(bare)
    const second = newExecution(bare, {
      executedQuantity: Decimal.of("0.000000000000000001"),
      inferred: true,
      fees: [],
    })
    const full = filled(
      filled(
        newOrder(account, {
          tradeOrderId: bare.tradeOrderId,
          orderSide: "SELL",
          orderType: "MARKET",
          timeInForce: "IOC",
          limitPrice: null,
          quantityRounding: "HALF_EVEN",
          clientOrderId: 'a,"b"\\c{}',
          idempotencyKey: "NULL",
          statusBeforeCancel: "ACCEPTED",
          rejectReason: "X: 'venue' says \"no\", NULL",
          cancelReason: "USER_REQUEST",
          externalOrderId: "",
          doubt: { kind: "SUBMIT", notFounds: 2, knownMillis: 1_700 },
          cancelRequested: true,
          evidence: [{ at: 5, what: 'timeout "quoted", \\' }],
          overfillQuantity: Decimal.of("0.1"),
          expireAt: 1,
          canceledAt: 2,
          venueUpdatedAt: 3,
        }),
        first,
      ),
      second,
    )
    await commit(rig.store(), {
      accountId: account.tradingAccountId,
      rows: [executionRow(first), executionRow(second), orderRow(full)],
      events: [],
    })
    const state = await load(account.tradingAccountId)
    expect(state.openOrders.map(plain)).toEqual([plain(full)])
    expect(plain(state.account)).toEqual(plain(account))
    // What is inferred may have no time of the venue's.
    expect([first.inferred, second.inferred, state.lastExecutionAt]).toEqual([false, true, first.executedAt])
  })

  it("keeps the newest image of an order, within a batch and between batches", async () => {
    const account = await rig.account()
    const order = newOrder(account)
    const submitted = image(order, { orderStatus: "SUBMITTED" })
    const accepted = image(submitted, { orderStatus: "ACCEPTED", externalOrderId: "77" })
    const unit = (row: typeof order) => ({ accountId: account.tradingAccountId, rows: [orderRow(row)], events: [] })
    await Promise.all([commit(rig.store(), unit(order)), commit(rig.store(), unit(accepted))])
    await commit(rig.store(), unit(submitted))
    expect((await load(account.tradingAccountId)).openOrders.map(plain)).toEqual([plain(accepted)])
  })

  it("answers KeyUsed with the older order, stores nothing of that unit and leaves no gap", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const created = newOrder(account, { idempotencyKey: "key-1", clientOrderId: "mine-1" })
    const execution = newExecution(created)
    const older = filled(created, execution)
    await commit(rig.store(), { accountId, rows: [executionRow(execution), orderRow(older)], events: [event()] })

    const units = [
      newOrder(account, { idempotencyKey: "key-2" }),
      newOrder(account, { idempotencyKey: "key-1" }),
      newOrder(account, { clientOrderId: "mine-2" }),
      newOrder(account, { idempotencyKey: "key-3", clientOrderId: "mine-1" }),
      newOrder(account, { clientOrderId: "mine-1" }),
      newOrder(account, { clientOrderId: "key-1" }),
      newOrder(account, { idempotencyKey: "key-4" }),
    ]
    const outcomes = await Promise.all(
      units.map((order) => commit(rig.store(), { accountId, rows: [orderRow(order)], events: [event()] })),
    )
    const keyUsed = (by: "idempotencyKey" | "clientOrderId") => ({ _tag: "KeyUsed", by, order: plain(older) })
    expect(outcomes.map(plain)).toEqual([
      { _tag: "Committed", firstSequence: 2 },
      keyUsed("idempotencyKey"),
      { _tag: "Committed", firstSequence: 3 },
      keyUsed("clientOrderId"),
      keyUsed("clientOrderId"),
      keyUsed("clientOrderId"),
      { _tag: "Committed", firstSequence: 4 },
    ])
    const stored = (await load(accountId)).openOrders.map((order) => order.tradeOrderId)
    expect(stored).toEqual([older, units[0]!, units[2]!, units[6]!].map((order) => order.tradeOrderId))
    expect((await rig.events(accountId)).map((stored) => stored.sequence)).toEqual([1, 2, 3, 4])
  })

  it("lets the first of two orders with one key win when both are in one batch", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const first = newOrder(account, { clientOrderId: "twice" })
    const outcomes = await Promise.all(
      [first, newOrder(account, { clientOrderId: "twice" })].map((order) =>
        commit(rig.store(), { accountId, rows: [orderRow(order)], events: [event()] }),
      ),
    )
    expect(outcomes.map(plain)).toEqual([
      { _tag: "Committed", firstSequence: 1 },
      { _tag: "KeyUsed", by: "clientOrderId", order: plain(first) },
    ])
  })

  it("answers QuoteUsed to a second order of a quote, stores nothing of that unit, and goes on", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const quoteId = randomUUID() as QuoteId
    const first = newOrder(account, { quoteId, orderStatus: "CREATED" })
    const units = [first, newOrder(account, { quoteId }), newOrder(account)]
    const outcomes = await Promise.all(
      units.map((order) => commit(rig.store(), { accountId, rows: [orderRow(order)], events: [event()] })),
    )
    expect(outcomes).toEqual([
      { _tag: "Committed", firstSequence: 1 },
      { _tag: "QuoteUsed" },
      { _tag: "Committed", firstSequence: 2 },
    ])
    // A rejected order gives its quote back.
    const rejected = image(first, { orderStatus: "REJECTED", rejectReason: "NOT_SETTLED" })
    await commit(rig.store(), { accountId, rows: [orderRow(rejected)], events: [] })
    const again = { accountId, rows: [orderRow(newOrder(account, { quoteId }))], events: [] }
    expect(await commit(rig.store(), again)).toMatchObject({ _tag: "Committed" })
  })

  it("lets two accounts use the same keys", async () => {
    const outcomes: Array<CommitOutcome> = []
    for (const account of [await rig.account(), await rig.account()])
      outcomes.push(
        await commit(rig.store(), {
          accountId: account.tradingAccountId,
          rows: [orderRow(newOrder(account, { idempotencyKey: "same", clientOrderId: "same" }))],
          events: [],
        }),
      )
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Committed", "Committed"])
  })

  it("refuses a unit whose execution counts a venue's trade a second time, and goes on with what comes later", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const order = newOrder(account)
    const execution = newExecution(order)
    const again = newExecution(order, { externalTradeId: execution.externalTradeId })
    const put = (rows: ReadonlyArray<Row>) => commit(rig.store(), { accountId, rows, events: [event()] })
    const units = [
      [executionRow(execution), orderRow(order)],
      [executionRow(again), orderRow(order), orderRow(newOrder(account))],
    ]
    expect((await Promise.all(units.map(put))).map((outcome) => outcome._tag)).toEqual(["Committed", "Refused"])
    expect(await put([orderRow(order)])).toEqual({ _tag: "Committed", firstSequence: 2 })
    expect((await rig.events(accountId)).map((stored) => stored.sequence)).toEqual([1, 2])
    expect((await load(accountId)).openOrders.map((open) => open.tradeOrderId)).toEqual([order.tradeOrderId])
  })

  it("refuses with a unit whatever its account has handed over after it, and nothing of other accounts", async () => {
    const [account, other] = [await rig.account(), await rig.account()]
    const accountId = account.tradingAccountId
    const first = newExecution(newOrder(account))
    const order = filled(newOrder(account, { tradeOrderId: first.tradeOrderId }), first)
    const refused = newExecution(order, { externalTradeId: first.externalTradeId })
    const next = newExecution(order)
    const settled: Array<string> = []
    const put = (name: string, of: typeof account, rows: ReadonlyArray<Row>, then: () => void = () => undefined) =>
      rig.store().commit({
        accountId: of.tradingAccountId,
        rows,
        events: [event()],
        settled: (outcome) => {
          settled.push(`${name} ${outcome._tag === "Committed" ? outcome.firstSequence : outcome._tag}`)
          then()
        },
      })
    const done = new Promise<void>((resolve) => {
      // A unit that is handed over before the refusal is known, in another batch: its maker did not know either.
      put("first", account, [executionRow(first), orderRow(order)], () =>
        put("late", account, [], () => put("fresh", account, [], resolve)),
      )
      put("refused", account, [executionRow(refused), orderRow(filled(order, refused))])
      put("other", other, [])
      put("next", account, [executionRow(next), orderRow(filled(filled(order, refused), next))])
    })
    await done
    expect(settled).toEqual(["first 1", "refused Refused", "other 1", "next Refused", "late Refused", "fresh 2"])
    const { openOrders } = await load(accountId)
    expect(openOrders.map(({ version, executions }) => [version, executions.length])).toEqual([[2, 1]])
    expect((await rig.events(accountId)).map((stored) => stored.sequence)).toEqual([1, 2])
  })

  it("refuses nothing more after a key that is used: the actor undoes just that unit", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const keyed = () => orderRow(newOrder(account, { idempotencyKey: "k" }))
    const units = [[keyed()], [keyed()], [orderRow(newOrder(account))]]
    const outcomes = await Promise.all(units.map((rows) => commit(rig.store(), { accountId, rows, events: [event()] })))
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Committed", "KeyUsed", "Committed"])
    expect(outcomes[2]).toEqual({ _tag: "Committed", firstSequence: 2 })
  })

  it("takes an execution that it has already as the same one", async () => {
    const account = await rig.account()
    const order = newOrder(account)
    const rows = [executionRow(newExecution(order)), orderRow(order)]
    for (let i = 0; i < 2; i++)
      expect(await commit(rig.store(), { accountId: account.tradingAccountId, rows, events: [] })).toEqual({
        _tag: "Committed",
        firstSequence: 1,
      })
  })

  it("refuses units of an account that does not exist, and goes on", async () => {
    const account = await rig.account()
    const stranger = crypto.randomUUID() as TradingAccountId
    const outcomes = await Promise.all(
      [account.tradingAccountId, stranger, account.tradingAccountId].map((accountId) =>
        commit(rig.store(), { accountId, rows: [], events: [event()] }),
      ),
    )
    expect(outcomes).toEqual([
      { _tag: "Committed", firstSequence: 1 },
      { _tag: "Refused", reason: "no such trading account" },
      { _tag: "Committed", firstSequence: 2 },
    ])
  })

  it("runs `after` once everything that the account handed over is settled", async () => {
    const account = await rig.account()
    const order: Array<string> = []
    await new Promise<void>((resolve) => {
      const accountId = account.tradingAccountId
      for (const name of ["first", "second"])
        rig.store().commit({ accountId, rows: [], events: [event()], settled: () => order.push(name) })
      rig.store().after(accountId, () => order.push("after"))
      rig.store().commit({
        accountId,
        rows: [],
        events: [event()],
        settled: () => {
          order.push("third")
          resolve()
        },
      })
      expect(order).toEqual([])
    })
    expect(order).toEqual(["first", "second", "after", "third"])
  })

  it("runs `after` at once, but not within the call, when nothing of the account is in flight", async () => {
    const account = await rig.account()
    let within = true
    await new Promise<void>((resolve) => {
      rig.store().after(account.tradingAccountId, () => {
        expect(within).toBe(false)
        resolve()
      })
      within = false
    })
  })

  it("loads open orders with what is over of their lists, oldest first, and finds any of them", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    // The first four are a list: what is closed of it is loaded for its open orders.
    const orderListId = crypto.randomUUID()
    const orders = Array.from({ length: 6 }, (_, i) =>
      newOrder(account, {
        clientOrderId: `c-${i}`,
        orderStatus: i % 2 === 0 ? "ACCEPTED" : "CANCELLED",
        orderListId: i < 4 ? orderListId : null,
      }),
    )
    await commit(rig.store(), { accountId, rows: orders.map(orderRow), events: [event(), event()] })
    const state = await load(accountId)
    expect(state.openOrders.map((order) => order.clientOrderId)).toEqual(["c-0", "c-2", "c-4"])
    expect(state.listOrders.map((order) => order.clientOrderId)).toEqual(["c-1", "c-3"])
    expect(state.lastSequence).toBe(2)
    expect(state.lastExecutionAt).toBe(null)
    const find = (by: Parameters<ReturnType<Rig["store"]>["find"]>[1]) =>
      Effect.runPromise(rig.store().find(accountId, by))
    expect(plain(await find({ clientOrderId: "c-3" }))).toEqual(plain(orders[3]))
    expect(plain(await find({ tradeOrderId: orders[4]!.tradeOrderId }))).toEqual(plain(orders[4]))
    expect(await find({ clientOrderId: "c-9" })).toBe(null)
    const stranger = await rig.account()
    expect(
      await Effect.runPromise(rig.store().find(stranger.tradingAccountId, { tradeOrderId: orders[4]!.tradeOrderId })),
    ).toBe(null)
  })

  it("loads of closed orders from when trades may be missing, their instruments, and which were never placed", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const over = (createdAt: number, updatedAt: number, changes: Partial<TradeOrder> = {}) =>
      newOrder(account, { orderStatus: "CANCELLED", createdAt, updatedAt, ...changes })
    const hour = 3_600_000
    const eth = { instrumentId: "MOCK:ETH/USDT" as InstrumentId }
    const unplaced = over(20 * hour, 20 * hour, { orderStatus: "REJECTED", rejectReason: NEVER_PLACED.proven })
    const appeared = over(20 * hour - 1, 20 * hour, {
      orderStatus: "REJECTED",
      rejectReason: NEVER_PLACED.restarted,
      externalOrderId: "X1",
      orderSide: "SELL",
      limitPrice: Decimal.of("90.5"),
      cancelRequested: true,
    })
    const orders = [
      over(1 * hour, 19 * hour, eth),
      // Created too long ago to say more than an hour.
      over(2 * hour, 20 * hour + 1_000),
      unplaced,
      appeared,
      over(20 * hour - 5_000, 20 * hour),
    ]
    await commit(rig.store(), { accountId, rows: orders.map(orderRow), events: [] })
    const state = await load(accountId)
    expect(state.ended).toEqual({
      newestAt: 20 * hour + 1_000,
      since: 19 * hour + 1_000,
      instruments: ["MOCK:BTC/USDT", "MOCK:ETH/USDT"],
    })
    // As they were sent: what the venue shows is compared with it.
    expect(state.unplacedOrders.map(plain)).toEqual([unplaced, appeared].map(plain))
    const later = Array.from({ length: NEWEST_ENDED }, (_, i) => over(30 * hour + i, 30 * hour + i))
    await commit(rig.store(), { accountId, rows: later.map(orderRow), events: [] })
    expect((await load(accountId)).ended).toEqual({
      newestAt: 30 * hour + NEWEST_ENDED - 1,
      since: 30 * hour,
      instruments: ["MOCK:BTC/USDT"],
    })
    expect((await load((await rig.account()).tradingAccountId)).ended).toBe(null)
  })

  it("loads many accounts at once, each with what is its own", async () => {
    const accounts = await Promise.all(Array.from({ length: 120 }, () => rig.account()))
    const orders = accounts.map((account, i) =>
      newOrder(account, { clientOrderId: `own-${i}`, orderStatus: "ACCEPTED" }),
    )
    for (const [i, account] of accounts.entries())
      await commit(rig.store(), {
        accountId: account.tradingAccountId,
        rows: [orderRow(orders[i]!)],
        events: [event()],
      })
    const states = await Promise.all(accounts.map((account) => load(account.tradingAccountId)))
    expect(states.map((state) => state.account.tradingAccountId)).toEqual(accounts.map((it) => it.tradingAccountId))
    expect(states.map((state) => state.openOrders.map((order) => order.clientOrderId))).toEqual(
      orders.map((order) => [order.clientOrderId]),
    )
    expect(new Set(states.map((state) => state.lastSequence))).toEqual(new Set([1]))
  })

  it("says whose the names are, all of them at once and only the account's own", async () => {
    const [account, stranger] = [
      await rig.account({ venue: "BINANCE" as VenueId }),
      await rig.account({ venue: "BINANCE" as VenueId }),
    ]
    const accountId = account.tradingAccountId
    const order = newOrder(account, { clientOrderId: "c", idempotencyKey: "k", externalOrderId: "7" })
    const other = newOrder(account, {
      clientOrderId: "k2",
      externalOrderId: "7",
      instrumentId: "BINANCE:ETH/USDT" as InstrumentId,
    })
    const theirs = newOrder(stranger, { clientOrderId: "theirs", externalOrderId: "9" })
    const execution = newExecution(order)
    await commit(rig.store(), { accountId, rows: [order, other].map(orderRow), events: [] })
    const renamed = image(filled(order, execution), { externalOrderId: "8" })
    await commit(rig.store(), { accountId, rows: [orderRow(renamed), executionRow(execution)], events: [] })
    await commit(rig.store(), { accountId: stranger.tradingAccountId, rows: [orderRow(theirs)], events: [] })
    const { instrumentId } = order
    const asked: AskedNames = {
      tradeOrderIds: [order.tradeOrderId, theirs.tradeOrderId, crypto.randomUUID() as TradeOrderId],
      keys: ["k", "c", "k2", "theirs", "none"],
      clientOrderIds: ["c", "k", "theirs"],
      venueOrders: [
        { instrumentId, externalOrderId: "7" },
        { instrumentId, externalOrderId: "8" },
        { instrumentId, externalOrderId: "9" },
        { instrumentId: other.instrumentId, externalOrderId: "7" },
        { instrumentId: other.instrumentId, externalOrderId: "8" },
      ],
      trades: [execution, { ...execution, orderSide: "SELL" }, { ...execution, externalTradeId: "none" }],
    }
    const found = await Effect.runPromise(rig.store().names(accountId, asked))
    expect(found).toEqual({
      tradeOrderIds: new Set([order.tradeOrderId]),
      keys: new Map([
        ["k", order.tradeOrderId],
        ["k2", other.tradeOrderId],
      ]),
      clientOrderIds: new Map([["c", order.tradeOrderId]]),
      venueOrders: new Map([
        [`${instrumentId}|7`, order.tradeOrderId],
        [`${instrumentId}|8`, order.tradeOrderId],
        [`${other.instrumentId}|7`, other.tradeOrderId],
      ]),
      trades: new Map([[`${instrumentId}|BUY|${execution.externalTradeId}`, order.tradeOrderId]]),
    })
    const nothing: AskedNames = { tradeOrderIds: [], keys: [], clientOrderIds: [], venueOrders: [], trades: [] }
    expect((await Effect.runPromise(rig.store().names(accountId, nothing))).keys.size).toBe(0)
  })

  it("pages through the names that an account's orders have, and only the account's own", async () => {
    const account = await rig.account()
    const stranger = await rig.account()
    const accountId = account.tradingAccountId
    const named = Array.from({ length: USED_NAMES_PAGE + 2 }, (_, n) =>
      newOrder(account, { idempotencyKey: `key ${n}`, clientOrderId: n % 2 === 0 ? `Ä-${n}` : null }),
    )
    const orders = [...named, newOrder(account, { clientOrderId: "alone" }), newOrder(account)]
    await commit(rig.store(), { accountId, rows: orders.map(orderRow), events: [] })
    const theirs = newOrder(stranger, { clientOrderId: "theirs" })
    await commit(rig.store(), { accountId: stranger.tradingAccountId, rows: [orderRow(theirs)], events: [] })
    const read = async (kind: "keys" | "clientOrderIds") => {
      const sizes: Array<number> = []
      const found: Array<string> = []
      do {
        const page = await Effect.runPromise(rig.store().usedNames(accountId, kind, found.at(-1) ?? ""))
        found.push(...page)
        sizes.push(page.length)
      } while (sizes.at(-1) === USED_NAMES_PAGE)
      return { found: new Set(found), sizes }
    }
    const keys = await read("keys")
    expect(keys.sizes).toEqual([USED_NAMES_PAGE, 3])
    expect(keys.found).toEqual(new Set([...named.map(({ idempotencyKey }) => idempotencyKey), "alone"]))
    const clientOrderIds = await read("clientOrderIds")
    expect(clientOrderIds.sizes).toEqual([USED_NAMES_PAGE / 2 + 2])
    expect(clientOrderIds.found).toEqual(
      new Set([...named.flatMap(({ clientOrderId }) => clientOrderId ?? []), "alone"]),
    )
  })

  it("goes on numbering where it stopped when the process starts again", async () => {
    const account = await rig.account()
    const unit = { accountId: account.tradingAccountId, rows: [], events: [event(), event()] }
    await commit(rig.store(), unit)
    await rig.restart()
    expect(await commit(rig.store(), { ...unit, events: [event()] })).toEqual({ _tag: "Committed", firstSequence: 3 })
    expect((await load(account.tradingAccountId)).lastSequence).toBe(3)
  })

  it("gives an in-process venue its orders in the order in which they were accepted, also over a restart", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const venue = "QUEUE" as VenueId
    const [a, b, c, d, e] = Array.from({ length: 5 }, () => newOrder(account, { venue }))
    const put = (...orders: ReadonlyArray<ReturnType<typeof newOrder>>) =>
      commit(rig.store(), { accountId, rows: orders.map(orderRow), events: [] })
    const accepted = (order: typeof a) => image(order!, { orderStatus: "ACCEPTED" })
    await put(a!, b!, c!, d!, e!)
    // One batch: c is accepted first; a second image of it must not move it back.
    const c1 = accepted(c)
    await Promise.all([put(c1), put(accepted(a)), put(filled(c1, newExecution(c1)))])
    await rig.restart()
    const b1 = accepted(b)
    await put(b1)
    await put(accepted(e), image(b1, { orderStatus: "PENDING_CANCEL", statusBeforeCancel: "ACCEPTED" }))
    const ids = (await Effect.runPromise(rig.journal().restingOrders(venue))).map((order) => order.tradeOrderId)
    expect(ids).toEqual([c, a, b, e].map((order) => order!.tradeOrderId))
  })

  it("gives an image that comes too late no place in that order, also within one batch", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const venue = "LATE" as VenueId
    const leaving = newOrder(account, { venue, orderStatus: "PENDING_CANCEL" })
    const resting = newOrder(account, { venue, orderStatus: "PARTIALLY_FILLED" })
    const put = (order: typeof leaving) => commit(rig.store(), { accountId, rows: [orderRow(order)], events: [] })
    await Promise.all([put(leaving), put({ ...leaving, orderStatus: "PARTIALLY_FILLED" }), put(resting)])
    const ids = (await Effect.runPromise(rig.journal().restingOrders(venue))).map((order) => order.tradeOrderId)
    expect(ids).toEqual([resting, leaving].map((order) => order.tradeOrderId))
  })

  it("sums what an account's executions did to its balances, exactly", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const buy = newOrder(account)
    const sell = newOrder(account, { orderSide: "SELL" })
    const bought = newExecution(buy, {
      executedQuantity: Decimal.of("0.3"),
      executedPrice: Decimal.of("0.000000000000000001"),
    })
    const sold = newExecution(sell, {
      executedQuantity: Decimal.of("0.1"),
      executedPrice: Decimal.of("100"),
      fees: [{ asset: "USDT", venue: account.venue, quantity: Decimal.of("0.01") }],
    })
    await commit(rig.store(), {
      accountId,
      rows: [filled(buy, bought), filled(sell, sold)].map(orderRow).concat([bought, sold].map(executionRow)),
      events: [],
    })
    expect(await Effect.runPromise(rig.journal().balanceChanges(accountId))).toEqual([
      ["BTC", "0.199995"],
      ["USDT", "9.9899999999999999997"],
    ])
    expect(await Effect.runPromise(rig.journal().balanceChanges((await rig.account()).tradingAccountId))).toEqual([])
  })

  it("reads events back as they went in, all that are asked for or nothing", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const read = (after: number, upTo: number) => Effect.runPromise(rig.store().events(accountId, after, upTo))
    const last = () => Effect.runPromise(rig.store().lastSequence(accountId))
    expect([await last(), await read(0, 0), await read(0, 1)]).toEqual([0, [], null])
    const odd = ['{"text":"\\u0000\\u0001\\ud800 é🙂\u2028 \\" , {} \\\\N"}', "[]", '"NULL"', "{}"]
    const drafts = Array.from({ length: 1_005 }, (_, i) => event(odd[i % odd.length]))
    const unit = (from: number, to: number) => ({ accountId, rows: [], events: drafts.slice(from, to) })
    await Promise.all([commit(rig.store(), unit(0, 1_000)), commit(rig.store(), unit(1_000, 1_005))])
    const expected = drafts.map((draft, i) => ({ ...draft, sequence: i + 1 }))
    expect(await read(0, 1_000)).toEqual(expected.slice(0, 1_000))
    expect(await read(5, 1_005)).toEqual(expected.slice(5))
    expect(await read(1_004, 1_005)).toEqual(expected.slice(1_004))
    expect(await read(1_005, 1_005)).toEqual([])
    expect([await read(0, 1_001), await read(1_000, 1_006), await read(3, 2)]).toEqual([null, null, null])
    expect(await last()).toBe(1_005)
    await rig.restart()
    expect(await read(5, 1_005)).toEqual(expected.slice(5))
    expect(await last()).toBe(1_005)
  })

  it("reads no more than 4 MiB of events at once", async () => {
    const account = await rig.account()
    const accountId = account.tradingAccountId
    const mebibyte = () => event(JSON.stringify("x".repeat(1_048_574)))
    for (let i = 0; i < 5; i++) await commit(rig.store(), { accountId, rows: [], events: [event(), mebibyte()] })
    const read = (after: number, upTo: number) => Effect.runPromise(rig.store().events(accountId, after, upTo))
    expect((await read(0, 7))?.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect((await read(2, 8))?.map(({ sequence }) => sequence)).toEqual([3, 4, 5, 6, 7, 8])
    expect([await read(0, 10), await read(1, 10)]).toEqual([null, null])
  })

  it("is calm with nothing to do", () => {
    expect(rig.store().pressure()).toBe("calm")
  })
})

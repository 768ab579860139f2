/** A row belongs to its account: whatever a unit holds of another one's refuses the whole unit, in memory as in PostgreSQL. */
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { InstrumentId, TenantId, UserId, VenueId } from "../../../src/domain/ids.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { Row } from "../../../src/ports/account-store.ts"
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

const OTHER_TENANT = "other" as TenantId

describe.each(implementations)("the account store %s", (_name, open) => {
  let rig: Rig
  beforeAll(async () => {
    rig = await open()
  })
  afterAll(() => rig.close())

  const put = ({ tradingAccountId }: TradingAccount, ...rows: ReadonlyArray<Row>) =>
    commit(rig.store(), { accountId: tradingAccountId, rows, events: [event()] })
  const load = ({ tradingAccountId }: TradingAccount) => Effect.runPromise(rig.store().load(tradingAccountId))
  const sequences = async ({ tradingAccountId }: TradingAccount) =>
    (await rig.events(tradingAccountId)).map(({ sequence }) => sequence)
  const two = async () => [await rig.account(), await rig.account()] as const

  /** The order with a fill at version 4, as its own account has stored it. */
  const storedOrder = async (account: TradingAccount) => {
    const created = newOrder(account, { clientOrderId: randomUUID() })
    const execution = newExecution(created)
    const done = { ...filled(image(image(created, {}), {}), execution), orderStatus: "FILLED" as const }
    await put(account, orderRow(created))
    await put(account, executionRow(execution), orderRow(done))
    return { created, done, execution }
  }
  const found = ({ tradingAccountId }: TradingAccount, { tradeOrderId }: TradeOrder) =>
    Effect.runPromise(rig.store().find(tradingAccountId, { tradeOrderId }))
  const isUntouched = async (account: TradingAccount, done: TradeOrder) => {
    expect(plain(await found(account, done))).toEqual(plain(done))
    expect(await sequences(account)).toEqual([1, 2])
  }

  it.each([1, 4, 5, 99])(
    "refuses an order image of version %i under the id of another account's order",
    async (version) => {
      const [mine, theirs] = await two()
      const { done } = await storedOrder(theirs)
      const taken = newOrder(mine, {
        tradeOrderId: done.tradeOrderId,
        version,
        orderStatus: "ACCEPTED",
        quantity: Decimal.of("777"),
        origin: "EXTERNAL",
      })
      expect(await put(mine, orderRow(taken))).toMatchObject({ _tag: "Refused" })
      await isUntouched(theirs, done)
      expect(await put(mine, orderRow(newOrder(mine)))).toEqual({ _tag: "Committed", firstSequence: 1 })
      expect((await load(mine)).openOrders.map((it) => it.tradeOrderId)).not.toContain(done.tradeOrderId)
    },
  )

  it("lets the first of two accounts have an order id that both hand over in one batch", async () => {
    const [first, second] = await two()
    const order = newOrder(first)
    const taken = newOrder(second, { tradeOrderId: order.tradeOrderId, version: 9 })
    const outcomes = await Promise.all([
      put(first, orderRow(order)),
      put(second, orderRow(taken)),
      put(first, orderRow(image(order, { orderStatus: "ACCEPTED" }))),
    ])
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Committed", "Refused", "Committed"])
    expect((await load(first)).openOrders).toMatchObject([{ version: 2, orderStatus: "ACCEPTED" }])
    expect(await sequences(second)).toEqual([])
  })

  it("refuses of many units in one batch just the one, and what its account made on top of it", async () => {
    const [mine, theirs] = await two()
    const { done } = await storedOrder(theirs)
    const own = Array.from({ length: 20 }, () => newOrder(theirs))
    const taken = newOrder(mine, { tradeOrderId: done.tradeOrderId, version: 5 })
    const outcomes = await Promise.all([
      ...own.slice(0, 10).map((order) => put(theirs, orderRow(order))),
      put(mine, orderRow(taken)),
      put(mine, orderRow(image(taken, {}))),
      ...own.slice(10).map((order) => put(theirs, orderRow(order))),
    ])
    const tags = outcomes.map(({ _tag }) => _tag)
    expect([tags.slice(0, 10), tags.slice(10, 12), tags.slice(12)]).toEqual([
      Array(10).fill("Committed"),
      ["Refused", "Refused"],
      Array(10).fill("Committed"),
    ])
    expect(await sequences(theirs)).toEqual(Array.from({ length: 22 }, (_, i) => i + 1))
    expect(plain(await found(theirs, done))).toEqual(plain(done))
  })

  it.each<readonly [string, (order: TradeOrder) => Partial<TradeOrder>]>([
    ["tenant", () => ({ tenantId: OTHER_TENANT })],
    ["venue", () => ({ venue: "OTHER" as VenueId })],
    ["instrument", () => ({ instrumentId: "MOCK:ETH/USDT" as InstrumentId })],
    ["side", () => ({ orderSide: "SELL" })],
    ["type", () => ({ orderType: "LIMIT_MAKER" })],
    ["list", () => ({ orderListId: randomUUID() })],
    ["client order id", () => ({ clientOrderId: null })],
    ["idempotency key", () => ({ idempotencyKey: "another" })],
    ["fingerprint", () => ({ fingerprint: null })],
    ["origin", () => ({ origin: "EXTERNAL" })],
    ["birth", ({ createdAt }) => ({ createdAt: createdAt - 1 })],
  ])("refuses an image of an order with another %s", async (_what, patch) => {
    const account = await rig.account()
    const { done } = await storedOrder(account)
    expect(await put(account, orderRow(image(done, patch(done))))).toMatchObject({ _tag: "Refused" })
    await isUntouched(account, done)
  })

  it("stores what a fired trigger and a change of an order make of its terms", async () => {
    const account = await rig.account()
    const order = newOrder(account, { timeInForce: "GTD", orderQuantityType: "QUOTE", expireAt: 5 })
    await put(account, orderRow(order))
    const fired = image(order, { timeInForce: "IOC", orderQuantityType: "BASE", expireAt: null })
    expect(await put(account, orderRow(fired))).toMatchObject({ _tag: "Committed" })
    expect((await load(account)).openOrders.map(plain)).toEqual([plain(fired)])
  })

  it("refuses rows of another account in a unit, whether they are new or not", async () => {
    const [mine, theirs] = await two()
    const { done, execution } = await storedOrder(theirs)
    const order = newOrder(theirs)
    for (const row of [
      orderRow(order),
      orderRow(image(done, {})),
      executionRow(newExecution(order)),
      executionRow(execution),
      { _tag: "Account", account: { ...theirs, version: 2, status: "LOCKED" } } satisfies Row,
      { _tag: "SubscriptionsEnded", tradingAccountId: theirs.tradingAccountId, at: 1 } satisfies Row,
    ])
      expect([row._tag, (await put(mine, row))._tag]).toEqual([row._tag, "Refused"])
    await isUntouched(theirs, done)
    expect((await load(theirs)).account.status).toBe(theirs.status)
    expect(await sequences(mine)).toEqual([])
  })

  it("refuses an execution under the id of another: of another account, or of the same", async () => {
    const [mine, theirs] = await two()
    const { done, execution } = await storedOrder(theirs)
    const { executionId } = execution
    const order = newOrder(mine)
    const taken = newExecution(order, { executionId })
    expect(await put(mine, orderRow(filled(order, taken)), executionRow(taken))).toMatchObject({ _tag: "Refused" })
    const other = newExecution(done, { executionId })
    expect(await put(theirs, orderRow(done), executionRow(other))).toMatchObject({ _tag: "Refused" })
    const dearer = { ...execution, executedQuantity: Decimal.of("0.006") }
    expect(await put(theirs, orderRow(done), executionRow(dearer))).toMatchObject({ _tag: "Refused" })
    await isUntouched(theirs, done)
    expect(await load(mine)).toMatchObject({ openOrders: [], lastExecutionAt: null })
  })

  it("refuses an execution of another account's order, and one of an order that its unit does not have", async () => {
    const [mine, theirs] = await two()
    const { done } = await storedOrder(theirs)
    const taken = newExecution(done, { tradingAccountId: mine.tradingAccountId })
    expect(await put(mine, executionRow(taken))).toMatchObject({ _tag: "Refused" })
    expect(await put(mine, orderRow(newOrder(mine)), executionRow(taken))).toMatchObject({ _tag: "Refused" })
    expect(await put(theirs, executionRow(newExecution(done)))).toMatchObject({ _tag: "Refused" })
    await isUntouched(theirs, done)
  })

  it("takes one execution twice in one batch for one, and two under one id for a fault", async () => {
    const account = await rig.account()
    const order = newOrder(account)
    const execution = newExecution(order)
    const other = newExecution(order, { executionId: execution.executionId })
    const outcomes = await Promise.all([
      put(account, orderRow(filled(order, execution)), executionRow(execution)),
      put(account, orderRow(filled(order, execution)), executionRow(execution)),
      put(account, orderRow(filled(order, execution)), executionRow(other)),
    ])
    expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Committed", "Committed", "Refused"])
    expect((await load(account)).openOrders[0]?.executions.map(plain)).toEqual([plain(execution)])
  })

  it("lets two accounts of one exchange account have the same trade of the venue", async () => {
    const [mine, theirs] = await two()
    const { execution } = await storedOrder(theirs)
    const order = newOrder(mine)
    const same = newExecution(order, { externalTradeId: execution.externalTradeId })
    expect(await put(mine, orderRow(filled(order, same)), executionRow(same))).toMatchObject({ _tag: "Committed" })
  })

  it.each<readonly [string, Partial<TradingAccount>]>([
    ["tenant", { tenantId: OTHER_TENANT }],
    ["user", { userId: randomUUID() as UserId }],
    ["venue", { venue: "OTHER" as VenueId }],
    ["channel epoch", { channelEpoch: "another" }],
  ])("refuses an image of an account with another %s", async (_what, patch) => {
    const account = await rig.account()
    for (const version of [1, 2])
      expect(
        await put(account, { _tag: "Account", account: { ...account, version, status: "LOCKED", ...patch } }),
      ).toMatchObject({ _tag: "Refused" })
    expect(plain((await load(account)).account)).toEqual(plain(account))
  })

  it("refuses a quarantined report under the id of another account's", async () => {
    const [mine, theirs] = await two()
    const report = { _tag: "Quarantined", id: randomUUID(), tradeOrderId: null, reason: "why", at: 1 } as const
    expect(await put(theirs, { ...report, report: "theirs" })).toMatchObject({ _tag: "Committed" })
    expect(await put(theirs, { ...report, report: "theirs" })).toMatchObject({ _tag: "Committed" })
    expect(await put(mine, { ...report, report: "mine" })).toMatchObject({ _tag: "Refused" })
    expect(await put(mine)).toEqual({ _tag: "Committed", firstSequence: 1 })
  })
})

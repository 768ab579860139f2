/** What is stored of an order, told for people: by every name through an index, with what is left out said, and for each reader what is theirs. */
import { randomUUID } from "node:crypto"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { tellStory } from "../../../src/domain/order/story.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import type { PlacedBy } from "../../../src/domain/user/act.ts"
import { ORDER_BY_NAME, OrderStories, REFUSED_BY_NAME } from "../../../src/store/orders/order-story.ts"
import { RefusedSubmits } from "../../../src/store/orders/refused-submits.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { commit, event, newOrder, orderRow, query, TENANT, withStore } from "../store/account-store-rig.ts"

const rig = withStore()
const open = () =>
  ManagedRuntime.make(
    Layer.mergeAll(OrderStories.Default, RefusedSubmits.Default).pipe(Layer.provideMerge(sqlLayer(rig.database.url))),
  )
let runtime: ReturnType<typeof open>
beforeAll(() => {
  runtime = open()
})
afterAll(() => runtime.dispose())

const requestOf = (userId: string = randomUUID()): PlacedBy =>
  ({ userId, sessionId: randomUUID(), ip: "10.0.0.1", requestId: randomUUID(), clientRequestId: "mine" }) as PlacedBy

const find = (name: string, more: { tradingAccountId?: string; eventsAfter?: number } = {}) =>
  runtime.runPromise(
    Effect.flatMap(OrderStories, (stories) =>
      stories.find({ name, tradingAccountId: null, tenantId: null, eventsAfter: 0, ...more }),
    ),
  )
const told = async (name: string, more: Parameters<typeof find>[1] & { reader?: "ADMIN" } = {}) => {
  const { reader = "OPERATOR", ...asked } = more
  const stored = await find(name, asked)
  if (stored === null) throw new Error(`nothing is kept of ${name}`)
  return tellStory(stored, reader)
}

it("tells of an order in the place of another both requests, and of the other what took its place", async () => {
  const account = await rig.account()
  const [first, second] = [requestOf(), requestOf()]
  const order = newOrder(account)
  const heir = newOrder(account, { replacesTradeOrderId: order.tradeOrderId })
  const own = newOrder(account, { replacesTradeOrderId: heir.tradeOrderId })
  const rows = [
    { _tag: "Order", order, actor: first },
    { _tag: "Order", order: heir, actor: second },
    orderRow(own),
  ] as const
  await commit(rig.store, { accountId: account.tradingAccountId, rows, events: [event()] })
  const request = (await told(heir.tradeOrderId)).steps.find(({ stage }) => stage === "REQUEST")?.what
  expect(request).toContain(`replaces order ${order.tradeOrderId} by request id ${second.requestId}, `)
  expect(request).toContain(`that one was created by request id ${first.requestId}, `)
  const ends = (await told(order.tradeOrderId)).steps.filter(({ stage }) => stage === "END").map(({ what }) => what)
  expect(ends).toContain(`replaced by order ${heir.tradeOrderId}`)
  const gateways = await told(own.tradeOrderId)
  expect(gateways.notKept[0]).toMatch(/^by whose request it replaced the other order: /)
  expect(gateways.steps.find(({ stage }) => stage === "REQUEST")?.what).toContain(
    `replaces order ${heir.tradeOrderId} by no stored request; that one was created by request id ${second.requestId}, `,
  )
})

it("says where more events follow than it tells at once, and tells them when asked for", async () => {
  const account = await rig.account()
  const order = newOrder(account)
  const events = Array.from({ length: 1_100 }, () => ({
    ...event(JSON.stringify({ tradeOrderId: order.tradeOrderId })),
    at: order.createdAt,
  }))
  await commit(rig.store, { accountId: account.tradingAccountId, rows: [orderRow(order)], events })
  const seen: Array<string> = []
  let after = 0
  for (let page = 1; page <= 3; page += 1) {
    const { steps, notKept } = await told(order.tradeOrderId, { eventsAfter: after })
    const mine = steps.filter(({ stage }) => stage === "EVENT").map(({ what }) => what)
    seen.push(...mine)
    const more = notKept.find((what) => what.startsWith("events after number"))
    expect([page, mine.length, more !== undefined]).toEqual([page, page === 3 ? 100 : 500, page !== 3])
    const [, next] = /--events-after (\d+) /.exec(more ?? "") ?? []
    after = Number(next ?? after)
  }
  expect(new Set(seen).size).toBe(1_100)
})

it("keeps from clients why a report of the venue was not applied", async () => {
  const account = await rig.account()
  const order = newOrder(account)
  const id = randomUUID()
  const reason = "Cannot read properties of undefined"
  const report = {
    _tag: "Quarantined",
    id,
    tradeOrderId: order.tradeOrderId,
    report: "{}",
    reason,
    at: order.createdAt,
  } as const
  await commit(rig.store, { accountId: account.tradingAccountId, rows: [orderRow(order), report], events: [event()] })
  expect(JSON.stringify(await told(order.tradeOrderId))).toContain(reason)
  const theirs = JSON.stringify(await told(order.tradeOrderId, { reader: "ADMIN" }))
  expect(theirs).not.toContain(reason)
  expect(theirs).toContain(`a report of the venue was not applied; it is kept for operators under ${id}`)
})

it("finds orders and refusals by each of a client's words through an index, never by reading the account", async () => {
  const account = await rig.account()
  const orders = Array.from({ length: 300 }, (_, n) =>
    newOrder(account, { clientOrderId: `client-${n}`, idempotencyKey: `key-${n}`, externalOrderId: `venue-${n}` }),
  )
  await commit(rig.store, {
    accountId: account.tradingAccountId,
    rows: orders.map((order: TradeOrder) => orderRow(order)),
    events: [event()],
  })
  const asked = { tradingAccountId: account.tradingAccountId }
  for (const name of ["client-7", "key-7"])
    expect([name, (await told(name, asked)).tradeOrder?.tradeOrderId]).toEqual([name, orders[7]?.tradeOrderId])
  await query(rig.database.url, "VACUUM (ANALYZE) trade_order, trade_order_archive, order_at_venue, refused_submit")
  const plans = [
    [ORDER_BY_NAME, [account.tradingAccountId, "client-7"]],
    [REFUSED_BY_NAME, [randomUUID(), account.tradingAccountId, "client-7", null]],
  ] as const
  // The server would read a small table as it is; of one with a year of orders it must have the choice.
  const indexed = new URL(rig.database.url)
  indexed.searchParams.set("options", "-c enable_seqscan=off -c enable_bitmapscan=off")
  for (const [text, values] of plans) {
    const literal = values.reduce<string>(
      (sql, value, n) => sql.replaceAll(`$${n + 1}`, value === null ? "NULL" : `'${value}'`),
      text,
    )
    const plan = (await query(indexed.href, `EXPLAIN ${literal}`)).map((row) => String(row["QUERY PLAN"]))
    // Of an empty archive one index is as good as another.
    const isOfArchive = (n: number) =>
      plan
        .slice(0, n)
        .findLast((line) => line.includes(" Scan "))
        ?.includes("_archive")
    const read = plan.filter((line, n) => /Seq Scan|Filter/.test(line) && isOfArchive(n) !== true)
    expect([plan, read]).toEqual([plan, []])
  }
})

it("keeps no more refusals of a user than so many, whatever the number of accounts, and those of others beside them", async () => {
  const refused = await runtime.runPromise(RefusedSubmits)
  const [stormy, other] = [randomUUID(), randomUUID()]
  const note = (userId: string, clientOrderId: string) =>
    refused.note(
      {
        requestId: randomUUID(),
        at: Date.now(),
        tenantId: TENANT,
        tradingAccountId: randomUUID() as TradeOrder["tradingAccountId"],
        placedBy: requestOf(userId),
        clientOrderId,
        idempotencyKey: null,
        asked: {},
        failure: "InsufficientBalance",
        message: "no",
        figures: {},
      },
      0,
    )
  for (let n = 0; n < 5_000; n += 1) note(stormy, `storm-${n}`)
  note(other, "theirs")
  await runtime.runPromise(refused.write)
  const rows = await query(
    rig.database.url,
    "SELECT placed_by->>'userId' AS who, count(*)::int AS n FROM refused_submit GROUP BY 1",
  )
  expect(new Map(rows.map(({ who, n }) => [who, n]))).toEqual(
    new Map([
      [stormy, 100],
      [other, 1],
    ]),
  )
})

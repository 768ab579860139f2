/** The order writer of a busy process: what its loop keeps waiting, and what is handed to one that is late. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { AccountStore, type CommitOutcome } from "../../../src/ports/account-store.ts"
import { accountStoreLayer, Writer } from "../../../src/store/orders/account-store-sql.ts"
import { type OrderWriter, type OrderWriterOptions, startOrderWriter } from "../../../src/store/orders/order-writer.ts"
import { connectDedicated, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { commit, event, newOrder, orderRow, query, storeAccount, storeLayer } from "./account-store-rig.ts"

const database = withTestDatabase()
let account: TradingAccount
let writer: OrderWriter
const troubles: Array<unknown> = []

const start = (options: Partial<OrderWriterOptions> = {}): OrderWriter =>
  startOrderWriter({
    connect: () => connectDedicated(database().url, { applicationName: "writer under test" }),
    nodeId: "gateway",
    epoch: 1,
    lost: (reason) => troubles.push(reason),
    defect: (error) => troubles.push(error),
    warn: (message) => troubles.push(message),
    ...options,
  })

beforeAll(async () => {
  const runtime = ManagedRuntime.make(storeLayer(database().url))
  account = await storeAccount(runtime)
  await runtime.dispose()
})
beforeEach(async () => {
  await query(database().url, "DELETE FROM trade_order; DELETE FROM account_event")
  await query(database().url, "UPDATE gateway_node SET node_id = 'gateway', epoch = 1")
  writer = start()
})
afterEach(() => {
  vi.restoreAllMocks()
  writer.close()
  expect(troubles.splice(0)).toEqual([])
})

const submit = (): Promise<CommitOutcome> => {
  const order = newOrder(account, { clientOrderId: crypto.randomUUID() })
  return commit(writer, { accountId: account.tradingAccountId, rows: [orderRow(order)], events: [event(), event()] })
}
/** Time stands still for the ages of what waits, but for what is told to pass; timers go on. */
const stoppedClock = (): ((millis: number) => void) => {
  let now = Math.ceil(performance.now())
  vi.spyOn(performance, "now").mockImplementation(() => now)
  return (millis) => {
    now += millis
  }
}
const firsts = (outcomes: ReadonlyArray<CommitOutcome>) =>
  outcomes.map((outcome) => (outcome._tag === "Committed" ? outcome.firstSequence : outcome._tag))

it("is not full by what came while the loop stood still, whose answers were not read yet", async () => {
  const pass = stoppedClock()
  await submit()
  const held = submit()
  pass(3_000)
  expect(writer.stats().oldestMillis).toBe(3_000)
  expect(writer.pressure()).toBe("calm")
  await held
})

it("takes what was begun while calls wait outside for it, though it is late, as long as there is any room", async () => {
  let lived = 0
  let areCallsHeld = true
  writer.close()
  const { url } = database()
  const runtime = ManagedRuntime.make(
    accountStoreLayer({
      url,
      nodeId: "gateway",
      epoch: 1,
      lost: (reason) => troubles.push(reason),
      defect: (error) => troubles.push(error),
      warn: (message) => troubles.push(message),
      lived: () => lived,
      areCallsHeld: () => areCallsHeld,
    }).pipe(Layer.provide(sqlLayer(url))),
  )
  const [store, late] = await runtime.runPromise(Effect.all([AccountStore, Writer]))
  const more = () => commit(store, { accountId: account.tradingAccountId, rows: [], events: [event()] })
  const stored = more()
  lived += 1_500
  expect([late.pressure(), store.pressure()]).toEqual(["full", "calm"])
  areCallsHeld = false
  expect(store.pressure()).toBe("full")
  expect(firsts([await stored])).toEqual([1])
  areCallsHeld = true
  for (let n = 1; n < 4_096; n++) void more()
  expect(store.pressure()).toBe("calm")
  void more()
  expect(store.pressure()).toBe("full")
  await late.drain()
  await runtime.dispose()
})

it("is not further and further behind with what it tells where the loop's turns are long", async () => {
  const pass = stoppedClock()
  await submit()
  let turns = 0
  let settled = 0
  const others = (): void => {
    if (settled > 0) turns++
    pass(30)
    if (settled < 300) setImmediate(others)
  }
  setImmediate(others)
  for (let n = 0; n < 300; n++)
    writer.commit({
      accountId: account.tradingAccountId,
      rows: [],
      events: [event()],
      settled: () => {
        settled++
        pass(1)
      },
    })
  await writer.drain()
  // A few ms of each would be 60.
  expect([settled, turns < 40]).toEqual([300, true])
})

it("is not late by what the database has answered, however long that took, but by what is not told for long", async () => {
  let lived = 0
  writer.close()
  writer = start({ lived: () => lived })
  await submit()
  const said: Array<string> = []
  const unit = { accountId: account.tradingAccountId, rows: [], events: [event()] }
  const told = Promise.all([
    new Promise<void>((resolve) => {
      writer.commit({
        ...unit,
        settled: () => {
          // The second one's answer came with this one's.
          lived += 500
          said.push(writer.pressure())
          lived += 501
          said.push(writer.pressure())
          resolve()
        },
      })
    }),
    commit(writer, unit),
  ])
  lived += 900
  expect(writer.pressure()).toBe("calm")
  await told
  expect([said, writer.pressure()]).toEqual([["calm", "full"], "calm"])
})

it("is behind by how long the oldest has waited to be told", async () => {
  const pass = stoppedClock()
  await submit()
  expect(writer.behindMillis()).toBe(0)
  const stored = submit()
  pass(700)
  expect(writer.behindMillis()).toBe(700)
  await stored
  expect(writer.behindMillis()).toBe(0)
})

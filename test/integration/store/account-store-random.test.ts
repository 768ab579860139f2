/**
 * Random units, batched as they come and with sessions ended meanwhile: PostgreSQL answers and keeps what the store in memory does, whether
 * few rows are written as values or, as many are, by arrays.
 */
import { Effect, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { TradingAccount } from "../../../src/domain/account/trading-account.ts"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { VenueId } from "../../../src/domain/ids.ts"
import type { OrderStatus } from "../../../src/domain/order/status.ts"
import type { TradeOrder } from "../../../src/domain/order/trade-order.ts"
import { AccountStore, type Row, type Unit } from "../../../src/ports/account-store.ts"
import { JournalPort } from "../../../src/ports/journal-port.ts"
import { quoted } from "../../../src/store/orders/order-columns.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { makeMemoryAccountStore, makeMemoryDatabase } from "../../kit/worlds/memory-account-store.ts"
import {
  commit,
  event,
  image,
  newExecution,
  newOrder,
  plain,
  query,
  storeAccount,
  storedEvents,
  storeLayer,
} from "./account-store-rig.ts"

const database = withTestDatabase()
/** What a unit does, with small choices so that keys, orders and trades meet often. */
const step = fc.record({
  account: fc.nat({ max: 1 }),
  order: fc.option(fc.nat({ max: 7 }), { nil: null, freq: 8 }),
  idempotencyKey: fc.option(fc.constantFrom("a", "b", "c"), { nil: null }),
  clientOrderId: fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: null }),
  status: fc.constantFrom<OrderStatus>(
    "CREATED",
    "ACCEPTED",
    "PARTIALLY_FILLED",
    "PENDING_CANCEL",
    "CANCELLED",
    "FILLED",
  ),
  /** An image that comes too late: its version is the last one again. */
  stale: fc.boolean(),
  trade: fc.option(fc.nat({ max: 5 }), { nil: null }),
  events: fc.nat({ max: 3 }),
  payload: fc.string({ unit: "binary-ascii", maxLength: 40 }),
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

/** The steps as units: images of eight orders of each account, whose versions grow. */
const unitsOf = (
  owners: ReadonlyArray<TradingAccount>,
  steps: ReadonlyArray<Step>,
): ReadonlyArray<Omit<Unit, "settled">> => {
  const known = new Map<string, TradeOrder>()
  return steps.map((one) => {
    const account = owners[one.account]!
    const rows: Array<Row> = []
    if (one.order !== null) {
      const slot = `${one.account}/${one.order}`
      const last = known.get(slot)
      const order =
        last === undefined
          ? newOrder(account, {
              idempotencyKey: one.idempotencyKey,
              clientOrderId: one.clientOrderId,
              orderStatus: one.status,
            })
          : image(last, { orderStatus: one.status, evidence: [{ at: 1, what: one.payload }] })
      const executedQuantity = Decimal.of(`0.00${(one.trade ?? 0) + 1}`)
      const stored = {
        ...order,
        // A fill is never part of an image that comes too late: the actor counts it in the same turn.
        version: last !== undefined && one.stale && one.trade === null ? last.version : order.version,
        executedQuantity: one.trade === null ? order.executedQuantity : order.executedQuantity.add(executedQuantity),
        executionCount: order.executionCount + (one.trade === null ? 0 : 1),
      }
      known.set(slot, stored)
      rows.push({ _tag: "Order", order: stored })
      if (one.trade !== null) {
        const execution = newExecution(stored, { externalTradeId: `t${one.trade}`, executedQuantity })
        rows.push({ _tag: "Execution", execution })
      }
    }
    const events = Array.from({ length: one.events }, () => event(JSON.stringify({ text: one.payload })))
    return { accountId: account.tradingAccountId, rows, events }
  })
}

describe.each([
  ["by values", false],
  ["by arrays", true],
])("the account store, %s", (name, arraysOnly) => {
  let runtime: ManagedRuntime.ManagedRuntime<AccountStore | JournalPort, unknown>
  let accounts: (venue: VenueId) => Promise<ReadonlyArray<TradingAccount>>
  beforeAll(() => {
    const opened = ManagedRuntime.make(storeLayer(database().url, undefined, undefined, arraysOnly))
    runtime = opened
    accounts = async (venue) => [await storeAccount(opened, { venue }), await storeAccount(opened, { venue })]
  })
  afterAll(() => runtime.dispose())

  it("is in PostgreSQL what it is in memory, whatever comes together and whatever is cut off", async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (groups, cut) => {
          const venue = `${name} ${++run}` as VenueId
          const owners = await accounts(venue)
          const model = makeMemoryDatabase(owners)
          const modelled = makeMemoryAccountStore(model)
          const services = await runtime.runPromise(Effect.all({ store: AccountStore, journal: JournalPort }))
          const units = unitsOf(owners, groups.flat())
          let from = 0
          for (const group of groups) {
            const batch = units.slice(from, from + group.length)
            from += group.length
            const outcomes = Promise.all(batch.map((unit) => commit(services.store, unit)))
            if (cut)
              await query(
                database().adminUrl,
                `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND application_name = 'venue-gateway writer'`,
              )
            const expected = await Promise.all(batch.map((unit) => commit(modelled.store, unit)))
            // Words of a refusal are each implementation's own.
            const known = (outcome: (typeof expected)[number]) =>
              outcome._tag === "Refused" ? { _tag: "Refused" } : plain(outcome)
            expect((await outcomes).map(known)).toEqual(expected.map(known))
          }
          for (const { tradingAccountId } of owners) {
            const state = await Effect.runPromise(services.store.load(tradingAccountId))
            expect(plain(state)).toEqual(plain(await Effect.runPromise(modelled.store.load(tradingAccountId))))
            expect(await storedEvents(database().url, tradingAccountId)).toEqual(
              model.events.get(tradingAccountId) ?? [],
            )
            const changes = await Effect.runPromise(services.journal.balanceChanges(tradingAccountId))
            expect(changes).toEqual(await Effect.runPromise(modelled.journal.balanceChanges(tradingAccountId)))
          }
          expect(plain(await Effect.runPromise(services.journal.restingOrders(venue)))).toEqual(
            plain(await Effect.runPromise(modelled.journal.restingOrders(venue))),
          )
        },
      ),
      { numRuns: 20 },
    )
  })
})

describe("literals of arrays", () => {
  it("bring any text to the server and back unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\u0000", ""))),
        async (texts) => {
          const literal = `{${texts.map(quoted).join(",")}}`
          const rows = await query(
            database().url,
            "SELECT u.text FROM unnest($1::text[]) WITH ORDINALITY AS u(text, n) ORDER BY n",
            [literal],
          )
          expect(rows.map((row) => row["text"])).toEqual(texts)
        },
      ),
      { numRuns: 20 },
    )
  })
})

// The running sums that a dealer wakes on are what all its executed quotes and hedges come to: of a history of before, whatever comes after it, and
// wherever the connection that writes ends.
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect, Layer, ManagedRuntime } from "effect"
import pg from "pg"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Decimal } from "../../../src/domain/decimal.ts"
import type { DealerAccountId, TradeOrderId, TradingAccountId } from "../../../src/domain/ids.ts"
import { HEDGES_KEPT, HedgeStore, type StoredHedges } from "../../../src/ports/hedge-store.ts"
import { hedgeStoreLayer } from "../../../src/store/dealers/hedge-store-sql.ts"
import { migrate, sqlLayer } from "../../../src/store/postgres/sql.ts"
import { type Everything, hedgeOfHistory, makeHedgeHistory, sumOfEverything } from "../../kit/records/hedge-history.ts"
import { type TestDatabase, testDatabase } from "../../kit/servers/database.ts"

const MIGRATIONS = path.join(import.meta.dirname, "../../../src/store/migrations")
const BEFORE = 29
const COUNT = 3_000

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "migrations-"))
let database: TestDatabase
let client: pg.Client
let runtime: ManagedRuntime.ManagedRuntime<HedgeStore, unknown>

beforeAll(async () => {
  database = await testDatabase({ empty: true })
  for (const file of fs.readdirSync(MIGRATIONS))
    if (Number(file.slice(0, 4)) <= BEFORE) fs.copyFileSync(path.join(MIGRATIONS, file), path.join(folder, file))
  await migrate(database.url, { folder })
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  runtime = ManagedRuntime.make(hedgeStoreLayer.pipe(Layer.provide(sqlLayer(database.url))))
})
afterAll(async () => {
  await runtime.dispose()
  await client.end()
  await database.drop()
  fs.rmSync(folder, { recursive: true })
})

const dealerAccountId = randomUUID() as DealerAccountId
const tradingAccountId = randomUUID() as TradingAccountId

const load = async (): Promise<StoredHedges> => {
  const lines = await runtime.runPromise(Effect.flatMap(HedgeStore, (store) => store.load(dealerAccountId)))
  expect(lines).toHaveLength(1)
  return lines[0]!
}

const plain = ({
  fees,
  ...sums
}: Omit<Everything, "fees"> & { readonly fees: ReadonlyArray<readonly [string, string]> }) => ({
  fees: fees.filter(([, quantity]) => quantity !== "0").toSorted(),
  ...Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, `${Decimal.of(value)}`])),
})

/** What a dealer would wake with is the sum of everything. */
const proven = async (): Promise<StoredHedges> => {
  const line = await load()
  const { baseAsset, fees, ...sums } = line.totals
  const texts = Object.fromEntries(Object.entries(sums).map(([name, value]) => [name, `${value}`])) as Record<
    keyof typeof sums,
    string
  >
  const all = await sumOfEverything(client, dealerAccountId)
  expect([baseAsset, plain({ ...texts, fees: [...fees].map(([asset, quantity]) => [asset, `${quantity}`]) })]).toEqual([
    "BTC",
    plain({ ...all, fees: Object.entries(all.fees) }),
  ])
  return line
}

const history = (from: number, to: number) => makeHedgeHistory(client, { dealerAccountId, tradingAccountId, from, to })

/** A later image of a hedge, as its account stores it. */
const change = (by: pg.Client, n: number, version: number, executed: string, fees: string | null = null) =>
  hedgeOfHistory(client, dealerAccountId, n).then((tradeOrderId) =>
    by.query(
      `UPDATE trade_order SET version = $2, executed_quantity = $3::numeric, executed_cost = $3::numeric * 99, fees = $4
        WHERE trade_order_id = $1`,
      [tradeOrderId, version, executed, fees],
    ),
  )

const before = async (n: number, version: number) => {
  const tradeOrderId = (await hedgeOfHistory(client, dealerAccountId, n)) as TradeOrderId
  const late = { tradeOrderId, version, orderSide: "BUY" } as const
  const found = await runtime.runPromise(Effect.flatMap(HedgeStore, (store) => store.before(late)))
  return found && [`${found.executedQuantity}`, found.fees.map(({ asset, quantity }) => `${quantity} ${asset}`)]
}

test("a history of before is summed up once, and nothing of it is read again", async () => {
  await history(1, COUNT)
  await migrate(database.url)
  const line = await proven()
  expect([line.intents.length, line.hedges.length]).toEqual([1, HEDGES_KEPT])
  expect(line.totals.owed.equals(line.totals.hedged)).toBe(true)
})

test("what comes after it is in the sums with its own transaction", async () => {
  await history(COUNT + 1, COUNT + 200)
  await proven()
  await client.query(
    "UPDATE trade_order SET order_status = 'ACCEPTED', open = true, executed_quantity = 0, executed_cost = 0, version = 4 WHERE created_at > $1",
    [1_000 + COUNT + 180],
  )
  const line = await proven()
  // Twenty are open: of the side that their hedges may leave open, the newest that come to as much.
  expect(line.hedges.filter(({ isOver }) => !isOver)).toHaveLength(20)
  expect(line.intents.length).toBeGreaterThan(10)
  await client.query(
    "UPDATE trade_order SET order_status = 'FILLED', open = false, executed_quantity = quantity, executed_cost = quantity * 100, version = 5 WHERE open",
  )
  await proven()
})

test("a late fill of an old hedge says what it had counted as, until a dealer has woken with it", async () => {
  await load()
  expect(await before(5, 4)).toBeNull()
  // The fifth took a fee; two more images of it, the second with another.
  await change(client, 5, 4, "1.5", '[{"asset":"BNB","venue":"MOCK","quantity":"0.0003"}]')
  await change(client, 5, 6, "1.7", '[{"asset":"BTC","venue":"MOCK","quantity":"0.01"}]')
  expect([await before(5, 4), await before(5, 5), await before(5, 6), await before(5, 7)]).toEqual([
    ["0.006", ["0.0001 BNB"]],
    ["1.5", ["0.0003 BNB"]],
    ["1.5", ["0.0003 BNB"]],
    null,
  ])
  await proven()
  expect([await before(5, 4), await before(5, 6)]).toEqual([null, null])
})

test("an order that names some of its quotes leads to all of them", async () => {
  const [from, to] = [COUNT + 10, COUNT + 20]
  const { rows } = await client.query<{ quote_id: string; order_side: string }>(
    "SELECT quote_id, order_side FROM hedge_intent WHERE created_at BETWEEN $1 AND $2 ORDER BY number",
    [1_000 + from, 1_000 + to],
  )
  const bought = rows.flatMap(({ quote_id, order_side }) => (order_side === "BUY" ? [quote_id] : []))
  const tradeOrderId = await hedgeOfHistory(client, dealerAccountId, to)
  const named = JSON.stringify([bought[0], bought.at(-1)])
  await client.query("UPDATE trade_order SET hedge_for_quote_ids = $2 WHERE trade_order_id = $1", [tradeOrderId, named])
  const all = await client.query<{ quote_id: string }>(
    "SELECT quote_id FROM hedge_quote WHERE trade_order_id = $1 ORDER BY number",
    [tradeOrderId],
  )
  expect(all.rows.map(({ quote_id }) => quote_id)).toEqual(bought)
})

test("where the connection ends before its commit, neither the rows nor their sums are there", async () => {
  const { totals } = await proven()
  const doomed = new pg.Client({ connectionString: database.url })
  doomed.on("error", () => undefined)
  await doomed.connect()
  const { rows } = await doomed.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")
  await doomed.query("BEGIN")
  await makeHedgeHistory(doomed, { dealerAccountId, tradingAccountId, from: COUNT + 1_000, to: COUNT + 1_010 })
  await change(doomed, 7, 9, "3")
  await client.query("SELECT pg_terminate_backend($1)", [rows[0]!.pid])
  await expect(doomed.query("COMMIT")).rejects.toThrow()
  expect((await proven()).totals).toEqual(totals)
  expect(await before(7, 9)).toBeNull()
})

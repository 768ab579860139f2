// The migration books_begin on rows of before: books go on at the next hedge, differences know their loser, mirrors their keeper.
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import pg from "pg"
import { afterAll, expect, test } from "vitest"
import type { DealerAccountId, TradingAccountId } from "../../../src/domain/ids.ts"
import { migrate } from "../../../src/store/postgres/sql.ts"
import { hedgeOfHistory, makeHedgeHistory } from "../../kit/records/hedge-history.ts"
import { testDatabase } from "../../kit/servers/database.ts"

const MIGRATIONS = path.join(import.meta.dirname, "../../../src/store/migrations")

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "migrations-"))
afterAll(() => fs.rmSync(folder, { recursive: true }))

test("what was booked before goes on, and nothing that was read is read again", async () => {
  const files = fs.readdirSync(MIGRATIONS).sort()
  const copied = (some: ReadonlyArray<string>): void => {
    for (const file of some) fs.copyFileSync(path.join(MIGRATIONS, file), path.join(folder, file))
  }
  const at = files.findIndex((file) => file.endsWith("_books_begin.sql"))
  copied(files.slice(0, at))
  const database = await testDatabase({ empty: true })
  await migrate(database.url, { folder })
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  const ask = async (text: string, values: ReadonlyArray<unknown> = []) =>
    (await client.query<Record<string, unknown>>(text, [...values])).rows
  // Rows without those that they refer to: the migration asks for none of them.
  await ask("SET session_replication_role = replica")

  const [first, second] = [randomUUID() as DealerAccountId, randomUUID() as DealerAccountId]
  const [hedged, idle, unlinked] = [randomUUID(), randomUUID(), randomUUID()] as [
    TradingAccountId,
    TradingAccountId,
    TradingAccountId,
  ]
  await makeHedgeHistory(client, { dealerAccountId: first, tradingAccountId: hedged, from: 1, to: 2 })
  const [order, foreign] = [await hedgeOfHistory(client, first, 1), await hedgeOfHistory(client, first, 2)]
  await ask("UPDATE trade_order SET dealer_account_id = NULL WHERE trade_order_id = $1", [foreign])
  const execute = async (account: string, of: string, number: number) =>
    ask(
      `INSERT INTO execution (execution_id, tenant_id, trading_account_id, trade_order_id, venue, external_trade_id, instrument_id, order_side,
         executed_quantity, executed_price, executed_cost, fees, inferred, executed_at, number) OVERRIDING SYSTEM VALUE
       VALUES (gen_random_uuid(), 'default', $1, $2, 'MOCK', $3, 'MOCK:BTC/USDT', 'BUY', 1, 100, 100, '[]', false, 1, $4)`,
      [account, of, `${number}`, number],
    )
  for (const [number, of] of [foreign, foreign, order, foreign, order].entries()) await execute(hedged, of, 10 + number)
  for (const number of [20, 21]) await execute(idle, foreign, number)
  for (const account of [hedged, idle]) await ask("INSERT INTO dealer_book_cursor VALUES ($1, $2, 0)", [first, account])
  await ask("INSERT INTO dealer_book_cursor VALUES ($1, $2, 13)", [second, hedged])

  const wallet = async (type: string, dealer: string | null, purpose: string): Promise<string> => {
    const id = randomUUID()
    await ask(
      `INSERT INTO wallet (wallet_id, tenant_id, wallet_type, status, frozen, allow_negative, user_id, dealer_account_id, metadata, created_at,
         updated_at) VALUES ($1, 'default', $2, 'ACTIVE', false, $2 = 'ACCOUNTING', CASE $2 WHEN 'EXCHANGE' THEN $1::uuid END, $3, $4, 1, 1)`,
      [id, type, dealer, JSON.stringify({ purpose })],
    )
    return id
  }
  const [loss, suspense] = [await wallet("ACCOUNTING", second, "LOSS"), await wallet("ACCOUNTING", null, "SUSPENSE")]
  for (const [account, to] of [
    [hedged, [first, second]],
    [unlinked, []],
  ] as const) {
    await ask("INSERT INTO exchange_mirror VALUES ($1, $2, 0)", [account, await wallet("EXCHANGE", null, account)])
    for (const [index, dealer] of to.entries())
      await ask("INSERT INTO dealer_link VALUES ($1, $2, $3)", [dealer, account, index])
  }
  for (const [index, dealer] of [first, second].entries())
    await ask(
      `INSERT INTO dealer (dealer_account_id, tenant_id, version, name, status, base_currencies, config, owner_user_id, trading_account_id,
         wallet_id, created_at, updated_at) VALUES ($1, 'default', 1, 'Desk', 'ACTIVE', '{USDT}', '{}', $1, gen_random_uuid(),
         gen_random_uuid(), $2, 1)`,
      [dealer, index],
    )
  const mirror = (await ask("SELECT wallet_id FROM exchange_mirror WHERE trading_account_id = $1", [hedged]))[0]![
    "wallet_id"
  ]
  for (const [book, other] of [
    ["LOSS", loss],
    ["SUSPENSE", suspense],
  ] as const) {
    const id = randomUUID()
    await ask(
      `INSERT INTO ledger_transfer (transfer_id, request_id, kind, debit_wallet_id, credit_wallet_id, asset, amount, code, at)
       VALUES ($1, $1, 'single', $2, $3, 'BTC', 1, 'ADJUSTMENT', 1)`,
      [id, mirror, other],
    )
    await ask("INSERT INTO exchange_difference VALUES ($1, $2, $3, -1, $4, 'ADJUSTMENT', 1)", [id, hedged, book, book])
  }

  copied(files.slice(at, at + 1))
  await migrate(database.url, { folder })
  const rows = async (text: string) => (await ask(text)).map((row) => Object.values(row))
  expect(
    await rows("SELECT dealer_account_id, trading_account_id, last_number::int FROM dealer_book_cursor ORDER BY 3"),
  ).toEqual([
    [first, hedged, 11],
    [second, hedged, 14],
    [first, idle, 21],
  ])
  expect(await rows("SELECT asset, dealer_account_id FROM exchange_difference ORDER BY 1")).toEqual([
    ["LOSS", second],
    ["SUSPENSE", null],
  ])
  // The first of its dealers has lost nothing yet: it has no book to lose in.
  expect(await rows("SELECT trading_account_id, dealer_account_id FROM exchange_mirror ORDER BY 2")).toEqual([
    [hedged, second],
    [unlinked, null],
  ])
  await client.end()
  await database.drop()
})

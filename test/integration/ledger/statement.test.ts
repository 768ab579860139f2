/** Statements of a wallet with a long history: a page costs what stands on it, whatever it is filtered by. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { WalletId } from "../../../src/domain/wallet/wallet.ts"
import { LedgerJournal } from "../../../src/store/ledger/journal.ts"
import { Wallets } from "../../../src/store/ledger/wallets.ts"
import { sqlLayer } from "../../../src/store/postgres/sql.ts"
import { withTestDatabase } from "../../kit/servers/database.ts"
import { type LedgerRig, openLedgerRig, WORLD } from "../../kit/worlds/ledger-rig.ts"

const ROWS = 20_000
const database = withTestDatabase()
let rig: LedgerRig
let wallet: WalletId
const open = (url: string) =>
  ManagedRuntime.make(Layer.mergeAll(LedgerJournal.Default, Wallets.Default).pipe(Layer.provideMerge(sqlLayer(url))))
let runtime: ReturnType<typeof open>

beforeAll(async () => {
  rig = await openLedgerRig(database().url)
  runtime = open(database().url)
  wallet = await rig.wallet()
  for (const asset of ["USDT", "BTC", "RARE"]) await rig.fund(wallet, "1", asset)
  // Both sides of a long history: USDT and BTC by turns, in and out; RARE at its beginning only.
  await rig.client.query(
    `INSERT INTO ledger_transfer (transfer_id, request_id, kind, debit_wallet_id, credit_wallet_id, asset, amount, code, at)
     SELECT gen_random_uuid(), gen_random_uuid(), 'single', CASE WHEN n % 3 = 0 THEN $1 ELSE $2 END::uuid, CASE WHEN n % 3 = 0 THEN $2 ELSE $1 END::uuid,
            CASE WHEN n <= 4 THEN 'RARE' WHEN n % 2 = 0 THEN 'USDT' ELSE 'BTC' END, n, 'TRANSFER', 0
     FROM generate_series(1, ${ROWS}) n ORDER BY n`,
    [wallet, WORLD],
  )
  await rig.client.query("ANALYZE ledger_transfer")
})
afterAll(async () => {
  await runtime?.dispose()
  await rig?.close()
})

/** What it answers, and how many rows of the journal were touched for it. */
const read = <A, E>(asked: (journal: LedgerJournal, wallets: Wallets) => Effect.Effect<A, E>) =>
  runtime.runPromise(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const touched = sql<{ rows: number }>`
        SELECT (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'ledger_transfer'`
      const [earlier] = yield* touched
      const answer = yield* asked(yield* LedgerJournal, yield* Wallets)
      const [now] = yield* touched
      return { answer, rows: now!.rows - earlier!.rows }
    }).pipe((it) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(it))),
  )

const page = { limit: 20, offset: 0, before: null, asset: null } as const

it("find a rare asset without walking the history", async () => {
  const found = await read((journal) => journal.statement({ ...page, walletId: wallet, asset: "RARE" }))
  expect(found.answer.map((it) => it.amount.toString())).toEqual(["4", "3", "2", "1", "1"])
  expect(found.rows).toBeLessThan(50)
  const counted = await read((journal) => journal.count(wallet, "RARE"))
  expect(counted.answer).toBe(5)
  expect(counted.rows).toBeLessThan(50)
  const none = await read((journal) => journal.statement({ ...page, walletId: wallet, asset: "NONE" }))
  expect([none.answer, none.rows]).toEqual([[], 0])
})

it("of all assets are in the order of the journal, page by page, and each page costs what stands on it", async () => {
  const amounts: Array<number> = []
  let before: string | null = null
  for (let i = 0; i < 3; i++) {
    const { answer, rows } = await read((journal) =>
      journal.statement({ ...page, walletId: wallet, before, offset: 10 }),
    )
    amounts.push(...answer.map((it) => Number(it.amount.toString())))
    before = answer.at(-1)!.number
    // At most a page of each asset and side.
    expect(rows).toBeLessThanOrEqual(3 * 2 * 30)
  }
  const newest = (skipped: number) => Array.from({ length: 20 }, (_, n) => ROWS - skipped - n)
  expect(amounts).toEqual([...newest(10), ...newest(40), ...newest(70)])
})

it("are not looked into for what a wallet has, which each quote asks, but for when that last moved", async () => {
  const has = await read((_, wallets) => wallets.balances(wallet))
  const moved = await read((_, wallets) => wallets.movedBalances([wallet]))
  expect([has.rows, moved.rows]).toEqual([0, 6])
  expect(has.answer.map(({ asset }) => asset)).toEqual(["BTC", "RARE", "USDT"])
  expect(moved.answer).toMatchObject(has.answer.map((it) => ({ ...it })))
})

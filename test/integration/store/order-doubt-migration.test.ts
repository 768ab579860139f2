// Migration 0014 on rows of before: each doubt gets the kind that its order's state says, and what never left the gateway gets none.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import pg from "pg"
import { afterAll, expect, test } from "vitest"
import { migrate } from "../../../src/store/postgres/sql.ts"
import { testDatabase } from "../../kit/servers/database.ts"

const MIGRATIONS = path.join(import.meta.dirname, "../../../src/store/migrations")
const BEFORE = 13

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "migrations-"))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const copied = (from: number, to: number): void => {
  for (const file of fs.readdirSync(MIGRATIONS)) {
    const number = Number(file.slice(0, 4))
    if (number >= from && number <= to) fs.copyFileSync(path.join(MIGRATIONS, file), path.join(folder, file))
  }
}

const PLAIN = {
  tenant_id: "default",
  trading_account_id: "0aaaaaaa-0000-4000-8000-000000000001",
  version: 3,
  venue: "SIM",
  instrument_id: "SIM:BTC/USDT",
  base_asset: "BTC",
  quote_asset: "USDT",
  order_side: "SELL",
  order_type: "LIMIT",
  time_in_force: "GTC",
  order_status: "ACCEPTED",
  quantity: "1",
  order_quantity_type: "BASE",
  quantity_rounding: "",
  base_quantity: "1",
  executed_quantity: "0",
  executed_cost: "0",
  overfill_quantity: "0",
  origin: "GATEWAY",
  external_order_id: "X1",
  in_doubt: true,
  cancel_requested: false,
  not_after: 1_000,
  held: "1",
  created_at: 1,
  updated_at: 1,
}

type Row = Partial<Record<keyof typeof PLAIN, unknown>> & { readonly terms?: unknown }

const trigger = (patch: object) => ({
  trigger: { kind: "STOP", execution: "EMULATED", armedAt: 1, triggeredAt: null, ...patch },
  change: null,
})

const SUBMIT = { kind: "SUBMIT", notFounds: 0, knownMillis: 0 }

const ROWS: ReadonlyArray<readonly [what: string, row: Row, doubt: unknown]> = [
  ["in no doubt", { in_doubt: false }, null],
  ["no word of its submit", { order_status: "UNKNOWN", external_order_id: null }, SUBMIT],
  [
    "being cancelled before any word of its submit",
    { order_status: "PENDING_CANCEL", external_order_id: null, cancel_requested: true },
    SUBMIT,
  ],
  ["fired, no word of its submit", { external_order_id: null, terms: trigger({ triggeredAt: 2 }) }, SUBMIT],
  [
    "fired, waits for a session",
    { external_order_id: null, not_after: null, terms: trigger({ triggeredAt: 2 }) },
    null,
  ],
  [
    "being changed",
    { order_status: "PENDING_REPLACE", terms: { trigger: null, change: { how: "AMEND" } } },
    { kind: "AMEND" },
  ],
  ["being cancelled", { order_status: "PENDING_CANCEL", cancel_requested: true }, { kind: "CANCEL" }],
  ["at the venue", {}, { kind: "UNREACHABLE" }],
  ["at the venue, partly executed", { executed_quantity: "0.5", external_order_id: null }, { kind: "UNREACHABLE" }],
  ["placed elsewhere", { origin: "EXTERNAL", not_after: null }, { kind: "UNREACHABLE" }],
  ["its trigger at the venue", { terms: trigger({ execution: "NATIVE", armedAt: null }) }, { kind: "UNREACHABLE" }],
  ["armed here", { external_order_id: null, not_after: null, terms: trigger({}) }, null],
  ["armed here again", { external_order_id: null, terms: trigger({}) }, null],
  ["waiting for its parent", { order_status: "CREATED", external_order_id: null, not_after: null }, null],
  ["of a quote", { order_type: "QUOTED", order_status: "CREATED", external_order_id: null }, null],
  ["over", { order_status: "FILLED" }, null],
]

test("tells the doubts of before apart, and drops those of orders that never left", async () => {
  const database = await testDatabase({ empty: true })
  const client = new pg.Client({ connectionString: database.url })
  try {
    copied(1, BEFORE)
    await migrate(database.url, { folder })
    await client.connect()
    const idOf = (index: number): string => `0ddddddd-0000-4000-8000-${index.toString().padStart(12, "0")}`
    for (const [index, [, row]] of ROWS.entries()) {
      const values = Object.entries({ ...PLAIN, ...row, trade_order_id: idOf(index) })
      const names = values.map(([name]) => name).join(", ")
      const places = values.map((_, at) => `$${at + 1}`).join(", ")
      await client.query(
        `INSERT INTO trade_order (${names}) VALUES (${places})`,
        values.map(([, value]) => value),
      )
    }
    copied(BEFORE + 1, BEFORE + 1)
    await expect(migrate(database.url, { folder })).resolves.toEqual({ applied: [BEFORE + 1] })
    const { rows } = await client.query<{ doubt: unknown }>("SELECT doubt FROM trade_order ORDER BY trade_order_id")
    expect(rows.map(({ doubt }, index) => [ROWS[index]![0], doubt])).toEqual(
      ROWS.map(([what, , doubt]) => [what, doubt]),
    )
  } finally {
    await client.end()
    await database.drop()
  }
})

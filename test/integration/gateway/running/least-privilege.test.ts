/** A gateway whose role may neither make nor change tables (ASVS 13.2.2): its database is brought up to date by the owner. */
import { Effect } from "effect"
import pg from "pg"
import { afterAll, describe, expect, it } from "vitest"
import { runMigrate } from "../../../../src/admin/migrate.ts"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import { api, endGateways, launchGateway, startGateway } from "../../../kit/servers/gateway.ts"
import { signUpAdmin, withMock } from "../users/people.ts"
import { withDatabaseServer } from "./database.ts"

const makeDatabase = withDatabaseServer()
afterAll(endGateways)

describe("a gateway without DDL", () => {
  it("is refused before its owner migrated, works after it, and cannot touch the journal", async () => {
    const { url, adminUrl } = await makeDatabase("empty")
    const admin = new pg.Client({ connectionString: adminUrl })
    await admin.connect()
    await admin.query("CREATE ROLE runner LOGIN PASSWORD 'run'")
    const own = new URL(url)
    own.username = "runner"
    own.password = "run"
    const env = { DATABASE_URL: own.toString() }
    const owner = new pg.Client({ connectionString: url })
    await owner.connect()
    try {
      // An older version's database.
      await owner.query(`CREATE TABLE schema_migration (
        id int PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`)
      await owner.query("GRANT SELECT ON schema_migration TO runner")
      const early = launchGateway({ env })
      expect((await early.exited).code).toBe(1)
      expect(early.stderr()).toMatch(/lacks migrations 1 to \d+.*npm run admin -- migrate/)

      const migrated = await Effect.runPromise(
        Effect.scoped(runMigrate({ _tag: "Migrate", role: "runner" }, url, Date.now())),
      )
      expect(migrated.applied.length).toBeGreaterThan(0)

      const gateway = await startGateway({ env })
      const trader = await withMock(await signUpAdmin(gateway))
      const { tradingAccountId } = trader
      const body = { orderSide: "BUY", orderType: "MARKET", quantity: "0.01", awaitClosed: true }
      const order = await trader.calls.submitted({ tradingAccountId, instrumentId: "MOCK:BTC/USDT", ...body })
      expect(order.orderStatus).toBe("FILLED")
      const wallet = (await trader.calls.post<WalletRecord>("/wallet/create", { nickname: "mine" })).record
      const deposit = await trader.calls.post("/wallet/deposit", {
        walletId: wallet.walletId,
        asset: "USDT",
        amount: "5",
      })
      expect(deposit.status, deposit.text).toBe(200)
      await api(gateway).serving()

      const runner = new pg.Client({ connectionString: own.toString() })
      await runner.connect()
      for (const statement of [
        "CREATE TABLE mine (a int)",
        "ALTER TABLE ledger_transfer DISABLE TRIGGER ALL",
        "DELETE FROM ledger_transfer",
        "UPDATE ledger_request SET request_id = request_id",
        "INSERT INTO audit_row SELECT * FROM audit_row",
        "UPDATE audit_head SET number = 0",
        "INSERT INTO schema_migration (id, name, sha256) VALUES (99, '', '')",
        "DROP TABLE trade_order",
      ])
        await expect(runner.query(statement), statement).rejects.toMatchObject({ code: "42501" })
      await runner.end()
      expect((await gateway.stop()).code).toBe(0)
    } finally {
      await owner.end()
      await admin.end()
    }
  })
})

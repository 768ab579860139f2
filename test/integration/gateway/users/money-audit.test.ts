/**
 * An admin who makes money and takes it away, and hides behind request ids of the admin's own: each act has its row in the audit, by whom,
 * from where, how much, and no money moves before its row is there.
 */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import { founder } from "../../../kit/servers/founder.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../../kit/servers/gateway.ts"
import { type OwnDatabase, withDatabaseServer } from "../running/database.ts"

const newDatabase = withDatabaseServer()
let database: OwnDatabase
let gateway: Gateway
let admin: Api
let alice: Api
let sql: pg.Client

beforeAll(async () => {
  database = await newDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: database.url, MOCK_TICK_MS: "0" } })
  admin = await founder(gateway)
  alice = api(gateway).as((await api(gateway).signup(`${randomUUID()}@example.com`)).record.accessToken)
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await endGateways()
})

interface Row {
  readonly action: string
  readonly result: string
  readonly user_id: string
  readonly session_id: string
  readonly ip: string
  readonly user_agent: string
  readonly request_id: string
  readonly client_request_id: string | null
  readonly object_type: string
  readonly object_id: string
  readonly other_id: string | null
  readonly asset: string | null
  readonly amount: string | null
}

const rowsOf = async (objectId: string): Promise<ReadonlyArray<Row>> =>
  (await sql.query<Row>("SELECT * FROM audit_row WHERE object_id = $1 ORDER BY at, number", [objectId])).rows

const wallet = async (as: Api): Promise<string> => (await as.post<WalletRecord>("/wallet/create", {})).record.walletId
const balanceOf = async (walletId: string): Promise<string> =>
  (await admin.get<WalletRecord>("/wallet/get", { walletId })).record.balances[0]?.balance ?? "0"

/** As one who wants to be taken for another: under the id of another's request, and by another's name. */
const DISGUISE = { "x-request-id": "request-of-another", "user-agent": "another", "x-forwarded-for": "203.0.113.9" }
const disguised = <A>(path: string, body: Record<string, unknown>): Promise<Answer<A>> =>
  admin.call("POST", path, body, DISGUISE)

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/
const money = (amount: string) => ({ asset: "USDT", amount })

/** Requests of the ledger that users ask for and rows about them, each of which lacks the other. */
const UNPAIRED = `
  SELECT t.request_id AS id FROM ledger_transfer t
   WHERE t.code IN ('DEPOSIT', 'WITHDRAWAL', 'TRANSFER') AND NOT EXISTS (
     SELECT FROM audit_row r WHERE r.act_id = t.request_id AND r.result = 'ok' AND (r.asset, r.amount) = (t.asset, t.amount))
  UNION ALL
  SELECT r.act_id FROM audit_row r
   WHERE r.action IN ('wallet.deposit', 'wallet.withdraw', 'wallet.transfer') AND r.result = 'ok'
     AND NOT EXISTS (SELECT FROM ledger_transfer t WHERE t.request_id = r.act_id)`

describe("an admin who makes money out of nothing", () => {
  it("has a row for every act: who, by which session, from where, on what, how much, how it ended", async () => {
    const walletId = await wallet(alice)
    const { id: adminId } = (await admin.user()).record
    const sessions = await admin.get<ReadonlyArray<{ sessionId: string; current: boolean }>>("/auth/session/list")
    const { sessionId } = sessions.record.find(({ current }) => current)!
    for (let i = 1; i <= 27; i++)
      expect((await disguised("/wallet/deposit", { walletId, ...money(`${i}`) })).status).toBe(200)
    expect((await disguised("/wallet/withdraw", { walletId, ...money("377") })).status).toBe(200)
    expect((await disguised("/wallet/withdraw", { walletId, ...money("2") })).envelope.errno).toBe(-111000)
    for (const path of ["/wallet/freeze", "/wallet/unfreeze", "/wallet/freeze"])
      expect((await disguised(path, { walletId })).status).toBe(200)
    const rows = await rowsOf(walletId)
    const said = (action: string, amount: string | null = null, result = "ok") => [action, result, amount]
    expect(rows.map(({ action, result, amount }) => [action, result, amount])).toEqual([
      said("wallet.create"),
      ...Array.from({ length: 27 }, (_, i) => said("wallet.deposit", `${i + 1}`)),
      said("wallet.withdraw", "377"),
      said("wallet.withdraw", "2", "InsufficientBalance"),
      said("wallet.freeze"),
      said("wallet.unfreeze"),
      said("wallet.freeze"),
    ])
    const ofAdmin = rows.slice(1)
    for (const row of ofAdmin)
      expect(row).toMatchObject({
        user_id: adminId,
        session_id: sessionId,
        // No proxy is trusted here.
        ip: "127.0.0.1",
        user_agent: "another",
        client_request_id: "request-of-another",
        object_type: "WALLET",
        asset: row.amount === null ? null : "USDT",
      })
    // The gateway's own ids: each request has another, whatever the client calls it.
    for (const { request_id } of ofAdmin) expect(request_id).toMatch(UUID)
    expect(new Set(ofAdmin.map(({ request_id }) => request_id)).size).toBe(ofAdmin.length)
  })

  it("has a row for each dealer made, paused and archived", async () => {
    const ids: Array<string> = []
    for (let i = 0; i < 3; i++) {
      const asked = { name: `Desk ${i}`, baseCurrencies: ["USDT"] }
      ids.push((await disguised<DealerRecord>("/dealer/create", asked)).record.dealerAccountId)
    }
    for (const dealerAccountId of ids)
      for (const act of ["pause", "archive"])
        expect((await disguised(`/dealer/${act}`, { dealerAccountId })).status).toBe(200)
    for (const id of ids)
      expect((await rowsOf(id)).map(({ action, result }) => `${action} ${result}`)).toEqual([
        "dealer.create ok",
        "dealer.pause ok",
        "dealer.archive ok",
      ])
  })

  it("finds no move of money without its row, and no row without its move", async () => {
    const [from, to] = [await wallet(alice), await wallet(alice)]
    await admin.post("/wallet/deposit", { walletId: from, ...money("8") })
    const one = { sourceWalletId: from, destWalletId: to, ...money("1") }
    // Eight of twelve have the funds.
    const answers = await Promise.all(Array.from({ length: 12 }, () => alice.post("/wallet/transfer", one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), ...Array(4).fill(400)])
    const rows = (await rowsOf(from)).filter(({ action }) => action === "wallet.transfer")
    expect(rows.map(({ result }) => result).sort()).toEqual([
      ...Array(4).fill("InsufficientBalance"),
      ...Array(8).fill("ok"),
    ])
    expect(rows.every(({ other_id }) => other_id === to)).toBe(true)
    expect((await sql.query(UNPAIRED)).rows).toEqual([])
    const { rows: counted } = await sql.query("SELECT count(*)::int AS n FROM ledger_transfer WHERE code = 'DEPOSIT'")
    expect(counted[0].n).toBeGreaterThanOrEqual(28)
  })
})

describe("money", () => {
  /** Nobody writes rows of that lane meanwhile. */
  const whileShut = async <A>(lane: string, work: (open: () => Promise<void>) => Promise<A>): Promise<A> => {
    const gate = new pg.Client({ connectionString: database.adminUrl })
    await gate.connect()
    await gate.query("BEGIN")
    await gate.query("SELECT FROM audit_head WHERE lane = $1 FOR UPDATE", [lane])
    return work(async () => {
      await gate.query("COMMIT")
    }).finally(() => gate.end())
  }

  it("does not move before its row is written: both are one commit, also through a kill", async () => {
    const walletId = await wallet(alice)
    expect((await admin.post("/wallet/deposit", { walletId, ...money("5") })).status).toBe(200)
    const applying =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT ledger_apply(%'"
    const waits = `${applying} AND wait_event_type = 'Lock'`
    await whileShut("ledger", async (open) => {
      const sent = admin.post<WalletRecord>("/wallet/deposit", { walletId, ...money("3") })
      await until("the ledger waits for the audit", async () => (await sql.query(waits)).rows.length > 0)
      expect(await balanceOf(walletId)).toBe("5")
      await open()
      expect((await sent).record.balances).toMatchObject([{ balance: "8" }])
    })
    await whileShut("ledger", async () => {
      const sent = admin.post("/wallet/withdraw", { walletId, ...money("8") }).catch(() => "cut off")
      await until("the ledger waits for the audit", async () => (await sql.query(waits)).rows.length > 0)
      gateway.kill("SIGKILL")
      await gateway.exited
      expect(await sent).toBe("cut off")
    })
    // What was sent before the kill goes on in the server, whole.
    await until("its end", async () => (await sql.query(applying)).rows.length === 0)
    expect((await sql.query(UNPAIRED)).rows).toEqual([])
  })
})

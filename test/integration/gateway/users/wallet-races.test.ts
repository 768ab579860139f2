/** Money against acts that forbid it, at the same time, over HTTP: nothing passes between a look and a move. */
import { randomUUID } from "node:crypto"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DealerRecord } from "../../../../src/domain/dealer/dealer.ts"
import type { WalletRecord } from "../../../../src/domain/wallet/wallet.ts"
import { founder } from "../../../kit/servers/founder.ts"
import { type Api, api, endGateways, type Gateway, startGateway, taken } from "../../../kit/servers/gateway.ts"
import { withDatabaseServer } from "../running/database.ts"
import { actsOn } from "./audit-rows.ts"

const newDatabase = withDatabaseServer()
let gateway: Gateway
let admin: Api
let alice: Api
let sql: pg.Client

beforeAll(async () => {
  const database = await newDatabase()
  gateway = await startGateway({ env: { DATABASE_URL: database.url, MOCK_TICK_MS: "0", WALLETS_MAX: "500" } })
  const signed = async (): Promise<Api> =>
    api(gateway).as((await api(gateway).signup(`${randomUUID()}@example.com`)).record.accessToken)
  admin = await founder(gateway)
  alice = await signed()
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await endGateways()
})

const wallet = async (as: Api): Promise<string> => (await as.post<WalletRecord>("/wallet/create", {})).record.walletId
const deposit = (walletId: string, amount: string) =>
  admin.post<WalletRecord>("/wallet/deposit", { walletId, asset: "USDT", amount })
const balanceOf = async (walletId: string): Promise<string> =>
  (await admin.get<WalletRecord>("/wallet/get", { walletId })).record.balances[0]?.balance ?? "0"

/** Until a statement of the gateway waits for a lock, or the answer is there without. */
const untilWaiting = async (answer: Promise<unknown>): Promise<void> => {
  const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
  let isAnswered = false
  void answer.then(() => {
    isAnswered = true
  })
  while (!isAnswered) {
    await sql.query("SELECT pg_stat_clear_snapshot()")
    if ((await sql.query(waiting)).rows.length > 0) return
  }
}

describe("a frozen wallet", () => {
  it("loses nothing to parallel transfers and a close", async () => {
    const home = await wallet(alice)
    const lost: Array<string> = []
    for (let round = 0; round < 50; round++) {
      const walletId = await wallet(alice)
      await deposit(walletId, "10")
      await admin.post("/wallet/freeze", { walletId })
      const body = { sourceWalletId: walletId, destWalletId: home, asset: "USDT", amount: "10" }
      const moves = () => Array.from({ length: 4 }, () => taken(() => alice.post("/wallet/transfer", body)))
      const close = taken(() => alice.post("/wallet/close", { walletId }))
      const [closed, ...answers] = await Promise.all([close, ...moves()])
      expect(closed.status).toBe(200)
      for (const { envelope } of answers) if (envelope.errno !== -150002) lost.push(`${envelope.errno}`)
    }
    expect(lost).toEqual([])
    expect(await balanceOf(home)).toBe("0")
  })
})

describe("an admin's right", () => {
  it("that is taken away while a deposit, a withdrawal and a freeze are on their way moves nothing", async () => {
    const walletId = await wallet(alice)
    await deposit(walletId, "10")
    const { id } = (await admin.user()).record
    for (const [path, fields] of [
      ["/wallet/deposit", { asset: "USDT", amount: "1" }],
      ["/wallet/withdraw", { asset: "USDT", amount: "1" }],
      ["/wallet/freeze", {}],
    ] as const) {
      await sql.query("BEGIN")
      await sql.query("UPDATE app_user SET permissions = '{read,write}' WHERE user_id = $1", [id])
      const answer = admin.post(path, { walletId, ...fields })
      await untilWaiting(answer)
      await sql.query("COMMIT")
      expect([path, (await answer).envelope.errno]).toEqual([path, -102003])
      await sql.query("UPDATE app_user SET permissions = '{read,write,admin}' WHERE user_id = $1", [id])
    }
    expect((await admin.get<WalletRecord>("/wallet/get", { walletId })).record).toMatchObject({
      status: "ACTIVE",
      balances: [{ balance: "10" }],
    })
  })

  it("is taken away although the admin moves money all the time, and nothing moves afterwards", async () => {
    const walletId = await wallet(alice)
    const { id } = (await admin.user()).record
    let isOver = false
    let isRevoked = false
    let late = 0
    const loops = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const wasRevoked = isRevoked
        const { status } = await deposit(walletId, "1")
        if (wasRevoked && status === 200) late++
      }
    })
    await sql.query("UPDATE app_user SET permissions = '{read,write}' WHERE user_id = $1", [id])
    isRevoked = true
    const after = await taken(() => deposit(walletId, "1"))
    isOver = true
    await Promise.all(loops)
    await sql.query("UPDATE app_user SET permissions = '{read,write,admin}' WHERE user_id = $1", [id])
    expect(after.envelope.errno).toBe(-102003)
    expect(late).toBe(0)
  })
})

describe("money that belongs with a dealer", () => {
  it("is not moved to another dealer by way of a wallet that belongs with none", async () => {
    const dealers = await Promise.all(
      ["First", "Second"].map(
        async (name) => (await admin.post<DealerRecord>("/dealer/create", { name, baseCurrencies: ["USDT"] })).record,
      ),
    )
    const [first, second] = await Promise.all(
      dealers.map(async ({ dealerAccountId }) => {
        const { record } = await alice.connect({ venue: "INTERNAL", dealerAccountId })
        return record.walletId!
      }),
    )
    const free = await wallet(alice)
    await deposit(free, "10")
    const move = async (sourceWalletId: string, destWalletId: string): Promise<number> => {
      const body = { sourceWalletId, destWalletId, asset: "USDT", amount: "10" }
      return (await alice.post("/wallet/transfer", body)).envelope.errno
    }
    expect(await move(free, first!)).toBe(0)
    expect(await move(first!, free)).toBe(-150005)
    expect(await move(first!, second!)).toBe(-150005)
    expect(await balanceOf(first!)).toBe("10")
  })
})

describe("an act on a wallet", () => {
  it("leaves one row of the audit, done or refused", async () => {
    const walletId = await wallet(alice)
    await deposit(walletId, "1")
    for (const path of ["/wallet/freeze", "/wallet/unfreeze"])
      expect((await admin.post(path, { walletId })).status).toBe(200)
    expect((await alice.post("/wallet/close", { walletId })).status).toBe(200)
    expect((await admin.post("/wallet/freeze", { walletId })).envelope.errno).toBe(-150004)
    expect(await actsOn(sql, walletId)).toEqual([
      "wallet.close ok",
      "wallet.create ok",
      "wallet.deposit ok",
      "wallet.freeze WalletClosed",
      "wallet.freeze ok",
      "wallet.unfreeze ok",
    ])
  })
})

describe("a move of money", () => {
  it("leaves one row of the audit, done or refused, and none when it is repeated", async () => {
    const [from, to] = [await wallet(alice), await wallet(alice)]
    const key = randomUUID()
    const keyed = (path: string, body: Record<string, unknown>) =>
      (path === "/wallet/transfer" ? alice : admin).call("POST", path, body, { "idempotency-key": key })
    const money = { asset: "USDT", amount: "10" }
    for (let i = 0; i < 2; i++) {
      expect((await keyed("/wallet/deposit", { walletId: from, ...money })).status).toBe(200)
      await sql.query("UPDATE idempotent_answer SET answer = NULL WHERE key = $1", [key])
    }
    const body = { sourceWalletId: from, destWalletId: to, ...money }
    expect((await alice.post("/wallet/transfer", { ...body, amount: "11" })).envelope.errno).toBe(-111000)
    expect((await alice.post("/wallet/transfer", body)).status).toBe(200)
    expect((await admin.post("/wallet/withdraw", { walletId: to, ...money })).status).toBe(200)
    const { rows } = await sql.query(
      `SELECT lane, action, result, object_id, other_id, asset, amount, user_id FROM audit_row
       WHERE object_id IN ($1, $2) AND lane = 'ledger' ORDER BY number`,
      [from, to],
    )
    const [adminId, aliceId] = [(await admin.user()).record.id, (await alice.user()).record.id]
    const row = (action: string, result: string, user_id: string, object_id: string, amount = "10") => {
      const other_id = action === "transfer" ? to : null
      return { lane: "ledger", action: `wallet.${action}`, result, object_id, other_id, asset: "USDT", amount, user_id }
    }
    expect(rows).toEqual([
      row("deposit", "ok", adminId, from),
      row("transfer", "InsufficientBalance", aliceId, from, "11"),
      row("transfer", "ok", aliceId, from),
      row("withdraw", "ok", adminId, to),
    ])
  })
})

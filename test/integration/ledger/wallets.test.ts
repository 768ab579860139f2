/** Wallets over HTTP, in a gateway of their own: who may do what, what a key is worth, and what the audit shows. */

import { randomUUID } from "node:crypto"
import { rmSync } from "node:fs"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WalletRecord } from "../../../src/domain/wallet/wallet.ts"
import type { StatementRow } from "../../../src/http/wallet/endpoints.ts"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { traderOf } from "../../kit/desks/internal-market.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { founder } from "../../kit/servers/founder.ts"
import {
  type Answer,
  type Api,
  api,
  endGateways,
  type Gateway,
  startGateway,
  until,
} from "../../kit/servers/gateway.ts"

const directory = scratchDirectory("wallets")
let server: EmbeddedPostgres
let gateway: Gateway
let admin: Api
let alice: Api
let bob: Api
let sql: pg.Client

beforeAll(async () => {
  // Durable, or the gateway would not take it; ours, so that the journal can be looked at.
  server = await startEmbeddedPostgres({ dataDir: directory })
  gateway = await startGateway({
    env: {
      DATABASE_URL: server.url(),
      MOCK_TICK_MS: "0",
      LEDGER_EXPIRY_MS: "50",
      LEDGER_AUDIT_MS: "200",
      WALLETS_MAX: "60",
      ASSET_DIGITS: '{"EUR":2}',
      METRICS_PORT: "0",
    },
  })
  const signed = async (name: string): Promise<Api> =>
    api(gateway).as((await api(gateway).signup(`${name}@example.com`)).record.accessToken)
  admin = await founder(gateway)
  alice = await signed("alice")
  bob = await signed("bob")
  sql = new pg.Client({ connectionString: server.adminUrl() })
  await sql.connect()
})
afterAll(async () => {
  await sql?.end()
  await endGateways()
  await server?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const create = async (as: Api, nickname?: string): Promise<WalletRecord> =>
  (await as.post<WalletRecord>("/wallet/create", nickname === undefined ? {} : { nickname })).record
const read = async (as: Api, walletId: string): Promise<WalletRecord> =>
  (await as.get<WalletRecord>("/wallet/get", { walletId })).record
const deposit = (walletId: string, amount: string, asset = "USDT"): Promise<Answer<WalletRecord>> =>
  admin.post("/wallet/deposit", { walletId, asset, amount })
const keyed = <A>(as: Api, path: string, body: Record<string, unknown>, key: string): Promise<Answer<A>> =>
  as.call("POST", path, body, { "idempotency-key": key })

describe("a wallet", () => {
  it("is created empty, read by its owner and by admins, and does not exist for others", async () => {
    const wallet = await create(alice, "Savings")
    expect(wallet).toMatchObject({
      walletType: "CLIENT",
      status: "ACTIVE",
      allowNegative: false,
      metadata: { nickname: "Savings" },
      balances: [],
    })
    expect(await read(alice, wallet.walletId)).toEqual(wallet)
    expect(await read(admin, wallet.walletId)).toEqual(wallet)
    for (const walletId of [wallet.walletId, randomUUID()])
      expect((await bob.get("/wallet/get", { walletId })).envelope).toMatchObject({ errno: -150001 })
  })

  it("is listed newest first, page by page, with balances", async () => {
    const mine: Array<string> = []
    for (let i = 0; i < 5; i++) mine.unshift((await create(bob, `n${i}`)).walletId)
    await deposit(mine[0]!, "3")
    const first = await bob.get<ReadonlyArray<WalletRecord>>("/wallet/list", { limit: 2, walletType: "CLIENT" })
    expect(first.envelope.pagination).toMatchObject({ total: 5, hasNext: true })
    expect(first.record[0]?.balances).toEqual([{ asset: "USDT", balance: "3", available: "3", held: "0" }])
    const seen = first.record.map((it) => it.walletId)
    for (let cursor = first.envelope.pagination?.cursor; cursor; ) {
      const page = await bob.get<ReadonlyArray<WalletRecord>>("/wallet/list", { cursor, limit: 2 })
      seen.push(...page.record.map((it) => it.walletId))
      cursor = page.envelope.pagination?.cursor
    }
    expect(seen).toEqual(mine)
    const { id } = (await bob.user()).record
    expect((await alice.get("/wallet/list", { userId: id })).envelope).toMatchObject({ errno: -102002 })
    expect((await admin.get<ReadonlyArray<WalletRecord>>("/wallet/list", { userId: id })).record).toHaveLength(5)
    const ours = await admin.get<ReadonlyArray<WalletRecord>>("/wallet/list", { walletType: "ACCOUNTING" })
    expect(ours.record.map((it) => it.metadata["purpose"]).sort()).toEqual(["CLEARING", "FEES", "SUSPENSE", "WORLD"])
    expect((await alice.get<ReadonlyArray<WalletRecord>>("/wallet/list", { walletType: "ACCOUNTING" })).record).toEqual(
      [],
    )
  })

  it("was changed when its money was, on both sides of a transfer", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    const deposited = await deposit(from.walletId, "5")
    expect(deposited.record.updatedAt).toBeGreaterThan(from.updatedAt)
    await alice.post("/wallet/transfer", {
      sourceWalletId: from.walletId,
      destWalletId: to.walletId,
      asset: "USDT",
      amount: "5",
    })
    const [source, dest] = [await read(alice, from.walletId), await read(alice, to.walletId)]
    expect(source.updatedAt).toBeGreaterThan(deposited.record.updatedAt)
    expect(dest.updatedAt).toBe(source.updatedAt)
    expect(dest.updatedAtDateTime).toBe(new Date(dest.updatedAt).toISOString())
    const listed = (await alice.get<ReadonlyArray<WalletRecord>>("/wallet/list")).record
    expect(listed.find((it) => it.walletId === to.walletId)).toEqual(dest)
  })

  it("is one of so many of its user, closed ones too, however they are made", async () => {
    const carol = api(gateway).as((await api(gateway).signup("carol@example.com")).record.accessToken)
    const first = await create(carol)
    const kept = await keyed<WalletRecord>(carol, "/wallet/create", { nickname: "kept" }, "kept")
    await sql.query(
      `INSERT INTO wallet SELECT gen_random_uuid(), tenant_id, wallet_type, 'CLOSED', frozen, allow_negative, user_id, NULL, '{}', 0, 0
       FROM wallet, generate_series(3, 58) WHERE wallet_id = $1`,
      [first.walletId],
    )
    const last = await Promise.all(Array.from({ length: 4 }, () => carol.post<WalletRecord>("/wallet/create", {})))
    expect(last.map(({ envelope }) => envelope.errno ?? 0).sort()).toEqual([-150000, -150000, 0, 0])
    const connect = (body: Record<string, unknown>) =>
      carol.post("/tradingAccount/connect", { venue: "INTERNAL", ...body })
    expect((await connect({})).envelope.errno).toBe(-150000)
    expect((await connect({ externalTradingAccountId: first.walletId })).status).toBe(200)
    // One that is there already is no new one.
    await sql.query("UPDATE idempotent_answer SET answer = NULL WHERE key = 'kept'")
    const again = await keyed<WalletRecord>(carol, "/wallet/create", { nickname: "kept" }, "kept")
    expect(again.record).toEqual(kept.record)
  })

  it("is funded and emptied by admins only", async () => {
    const { walletId } = await create(alice)
    const body = { walletId, asset: "USDT", amount: "1" }
    for (const path of ["/wallet/deposit", "/wallet/withdraw", "/wallet/freeze", "/wallet/unfreeze"])
      expect((await alice.post(path, body)).envelope).toMatchObject({ errno: -102003 })
    expect((await deposit(walletId, "10.5")).record.balances).toEqual([
      { asset: "USDT", balance: "10.5", available: "10.5", held: "0" },
    ])
    expect((await admin.post<WalletRecord>("/wallet/withdraw", { ...body, amount: "10.5" })).record.balances).toEqual(
      [],
    )
    expect((await admin.post("/wallet/withdraw", body)).envelope).toMatchObject({ errno: -111000 })
  })

  it("that is frozen moves nothing, and does not say whose it is", async () => {
    const [mine, other] = [await create(alice), await create(alice)]
    await deposit(mine.walletId, "10")
    const body = { sourceWalletId: mine.walletId, destWalletId: other.walletId, asset: "USDT", amount: "1" }
    for (let i = 0; i < 2; i++)
      expect((await admin.post<WalletRecord>("/wallet/freeze", { walletId: other.walletId })).record).toMatchObject({
        status: "FROZEN",
        frozen: true,
      })
    const refused = await alice.post("/wallet/transfer", body)
    expect(refused.envelope).toMatchObject({ errno: -150002, details: { metadata: {} } })
    expect(refused.text).not.toContain(other.walletId)
    await admin.post("/wallet/unfreeze", { walletId: other.walletId })
    expect((await alice.post("/wallet/transfer", body)).record).toBe("ok")
  })

  it("that is closed lets its balance go whole; one that was frozen only through an admin", async () => {
    const [first, second, home] = [await create(alice), await create(alice), await create(alice)]
    for (const { walletId } of [first, second]) await deposit(walletId, "10")
    await admin.post("/wallet/freeze", { walletId: second.walletId })
    expect((await bob.post("/wallet/close", { walletId: first.walletId })).envelope).toMatchObject({ errno: -150001 })
    for (const it of [first, second, first])
      expect((await alice.post<WalletRecord>("/wallet/close", { walletId: it.walletId })).record).toMatchObject({
        status: "CLOSED",
        frozen: it === second,
      })
    const leave = (from: string, amount: string) =>
      alice.post("/wallet/transfer", { sourceWalletId: from, destWalletId: home.walletId, asset: "USDT", amount })
    expect((await leave(first.walletId, "9")).envelope).toMatchObject({ errno: -150007 })
    expect((await leave(first.walletId, "10")).record).toBe("ok")
    expect((await leave(second.walletId, "10")).envelope).toMatchObject({ errno: -150002 })
    expect(
      (await admin.post("/wallet/withdraw", { walletId: second.walletId, asset: "USDT", amount: "10" })).status,
    ).toBe(200)
    expect((await deposit(first.walletId, "1")).envelope).toMatchObject({ errno: -150004 })
    expect((await admin.post("/wallet/freeze", { walletId: first.walletId })).envelope).toMatchObject({
      errno: -150004,
    })
  })

  it("that is closed lets go what trades have left in it, with more digits than amounts of the asset may have", async () => {
    const terms = { baseAsset: "BTC", quoteAsset: "EUR", tickSize: "0.01", lotSize: "0.001" }
    const { securityId } = (await admin.post<{ readonly securityId: string }>("/market/instrument/create", terms))
      .record
    const trader = async (calls: Api, asset: string) => {
      const { tradingAccountId, walletId } = (await calls.connect({ venue: "INTERNAL" })).record
      await deposit(walletId!, "10", asset)
      const it = traderOf(calls, tradingAccountId, walletId!, securityId)
      await until("the account sees its money", async () => (await it.portfolio())[asset]?.[0] === "10")
      return it
    }
    const [seller, buyer, home] = [await trader(alice, "BTC"), await trader(bob, "EUR"), await create(alice)]
    await seller.limit("SELL", "0.001", "1.23")
    const bid = await buyer.limit("BUY", "0.001", "1.23")
    await buyer.rests(bid.tradeOrderId, "FILLED")
    const { balances } = await read(alice, seller.walletId)
    const left = balances.find(({ asset }) => asset === "EUR")!.balance
    expect(left).toMatch(/^0\.00\d+$/)
    const leave = () =>
      alice.post("/wallet/transfer", {
        sourceWalletId: seller.walletId,
        destWalletId: home.walletId,
        asset: "EUR",
        amount: left,
      })
    expect((await leave()).envelope).toMatchObject({ errno: -150008 })
    await alice.post("/wallet/close", { walletId: seller.walletId }).then(({ record }) => record)
    expect((await leave()).record).toBe("ok")
    expect((await read(alice, home.walletId)).balances).toMatchObject([{ asset: "EUR", balance: left }])
  })

  it("is not closed over a hold, and names it; one that is due is released on the way", async () => {
    const wallet = await create(alice)
    await deposit(wallet.walletId, "10")
    const hold = async (expiresAt: number): Promise<string> => {
      const id = randomUUID()
      await sql.query(
        `SELECT ledger_apply(jsonb_build_object('id', $1::text, 'node', n.node_id, 'epoch', n.epoch,
           'requests', jsonb_build_array(jsonb_build_array($1::text, $1::text, 0)), 'guards', '[]'::jsonb, 'facts', '{}'::jsonb,
           'transfers', jsonb_build_array(jsonb_build_array(1, 'pending', $1::text, NULL, $2::text, w.wallet_id, 'USDT', '2', 'HOLD', NULL, $3::bigint))))
         FROM gateway_node n, wallet w WHERE w.metadata ->> 'purpose' = 'CLEARING'`,
        [id, wallet.walletId, expiresAt],
      )
      return id
    }
    const live = await hold(Date.now() + 3_600_000)
    expect((await read(alice, wallet.walletId)).balances).toEqual([
      { asset: "USDT", balance: "10", available: "8", held: "2" },
    ])
    const refused = await alice.post("/wallet/close", { walletId: wallet.walletId })
    expect(refused.envelope).toMatchObject({ errno: -150006, details: { metadata: { transferIds: [live] } } })
    await sql.query("UPDATE ledger_hold SET expires_at = 1 WHERE transfer_id = $1", [live])
    const closed = await until("a released hold", async () => {
      const answer = await alice.post<WalletRecord>("/wallet/close", { walletId: wallet.walletId })
      return answer.status === 200 && answer.record
    })
    expect(closed.balances).toEqual([{ asset: "USDT", balance: "10", available: "10", held: "0" }])
    const rows = (await alice.get<ReadonlyArray<StatementRow>>("/wallet/transfer/list", { walletId: wallet.walletId }))
      .record
    expect(rows.map(({ kind, code, pendingId }) => [kind, code, pendingId])).toEqual([
      ["void", "EXPIRY", live],
      ["pending", "HOLD", null],
      ["single", "DEPOSIT", null],
    ])
  })
})

describe("a transfer", () => {
  it("moves money between one's own wallets, exactly", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    await deposit(from.walletId, "1000000000000000000.000000000000000003")
    const body = { sourceWalletId: from.walletId, destWalletId: to.walletId, asset: "USDT" }
    const move = (amount: string) => alice.post("/wallet/transfer", { ...body, amount })
    expect((await move("0.000000000000000001")).record).toBe("ok")
    expect((await read(alice, to.walletId)).balances[0]?.balance).toBe("0.000000000000000001")
    expect((await read(alice, from.walletId)).balances[0]?.balance).toBe("1000000000000000000.000000000000000002")
    for (const amount of ["0", "-1", "1e5", "NaN", " 1", "0.0000000000000000001", `1${"0".repeat(36)}`])
      expect([amount, (await move(amount)).envelope.errno]).toEqual([amount, -104003])
    expect((await alice.post("/wallet/transfer", { ...body, asset: "EUR", amount: "0.001" })).envelope).toMatchObject({
      errno: -150008,
      details: { metadata: { asset: "EUR", digits: 2 } },
    })
    expect((await move(`1${"0".repeat(24)}`)).envelope).toMatchObject({ errno: -111000 })
  })

  it("of more than 10^24 is refused, so that no sum of them ever leaves the ledger's range", async () => {
    const { walletId } = await create(alice)
    const most = `1${"0".repeat(24)}`
    for (const amount of ["9".repeat(36), `${most}.000000000000000001`])
      expect((await deposit(walletId, amount, "BRK")).envelope).toMatchObject({ errno: -150000 })
    for (let i = 0; i < 3; i++) {
      expect((await deposit(walletId, most, "BRK")).record.balances).toMatchObject([{ asset: "BRK", balance: most }])
      const back = await admin.post<WalletRecord>("/wallet/withdraw", { walletId, asset: "BRK", amount: most })
      expect(back.record.balances).toEqual([])
    }
    expect((await deposit(walletId, "1", "BRK")).record.balances).toMatchObject([{ balance: "1" }])
  })

  it("is between two wallets of one user and not of two dealers", async () => {
    const [mine, other, foreign] = [await create(alice), await create(alice), await create(bob)]
    await deposit(mine.walletId, "10")
    const move = (sourceWalletId: string, destWalletId: string) =>
      alice.post("/wallet/transfer", { sourceWalletId, destWalletId, asset: "USDT", amount: "1" })
    expect((await move(mine.walletId, mine.walletId)).envelope.errno).toBe(-150003)
    expect((await move(mine.walletId, foreign.walletId)).envelope.errno).toBe(-150005)
    expect((await move(foreign.walletId, mine.walletId)).envelope.errno).toBe(-150001)
    expect((await move(mine.walletId, randomUUID())).envelope.errno).toBe(-150001)
    await sql.query("UPDATE wallet SET dealer_account_id = gen_random_uuid() WHERE wallet_id = $1", [other.walletId])
    // One's own money of no dealer may go to any, and stays there.
    expect((await move(mine.walletId, other.walletId)).record).toBe("ok")
    expect((await move(other.walletId, mine.walletId)).envelope.errno).toBe(-150005)
    await sql.query("UPDATE wallet SET dealer_account_id = gen_random_uuid() WHERE wallet_id = $1", [mine.walletId])
    expect((await move(mine.walletId, other.walletId)).envelope.errno).toBe(-150005)
  })

  it("with a key is done once, however often and at the same time it is asked for", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    await deposit(from.walletId, "10")
    const body = { sourceWalletId: from.walletId, destWalletId: to.walletId, asset: "USDT", amount: "1" }
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => keyed<string>(alice, "/wallet/transfer", body, key)),
    )
    expect(new Set(answers.map((it) => it.record))).toEqual(new Set(["ok"]))
    expect(answers.filter((it) => it.headers.get("idempotency-replayed") === null)).toHaveLength(1)
    expect((await keyed(alice, "/wallet/transfer", { ...body, amount: "2" }, key)).envelope.errno).toBe(-104011)
    expect((await read(alice, to.walletId)).balances[0]?.balance).toBe("1")
  })

  it("that was refused may be tried again under its key, as it was or corrected, and then is done once", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    const body = { sourceWalletId: from.walletId, destWalletId: to.walletId, asset: "USDT", amount: "5" }
    const [same, corrected] = [randomUUID(), randomUUID()]
    for (const key of [same, same, corrected])
      expect((await keyed(alice, "/wallet/transfer", body, key)).envelope.errno).toBe(-111000)
    await deposit(from.walletId, "20")
    const moved = await keyed(alice, "/wallet/transfer", body, same)
    expect([moved.record, moved.headers.get("idempotency-replayed")]).toEqual(["ok", null])
    expect((await keyed(alice, "/wallet/transfer", { ...body, amount: "6" }, corrected)).record).toBe("ok")
    for (const [key, amount] of [
      [same, "5"],
      [corrected, "6"],
    ] as const) {
      const again = await keyed(alice, "/wallet/transfer", { ...body, amount }, key)
      expect([again.record, again.headers.get("idempotency-replayed")]).toEqual(["ok", "true"])
      expect((await keyed(alice, "/wallet/transfer", { ...body, amount: "7" }, key)).envelope.errno).toBe(-104011)
    }
    expect((await read(alice, to.walletId)).balances[0]?.balance).toBe("11")
  })

  it("whose first call left no answer is made again under its key, and moves nothing twice", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    await deposit(from.walletId, "10")
    const body = { sourceWalletId: from.walletId, destWalletId: to.walletId, asset: "USDT", amount: "1" }
    const key = randomUUID()
    const transfer = () => keyed<string>(alice, "/wallet/transfer", body, key)
    // As a crash between the commit and the answer leaves it.
    const forget = () => sql.query("UPDATE idempotent_answer SET answer = NULL WHERE key = $1", [key])
    expect((await transfer()).record).toBe("ok")
    await forget()
    const again = await transfer()
    expect([again.record, again.headers.get("idempotency-replayed")]).toEqual(["ok", "true"])
    // What the ledger has done it answers as done, although it would refuse it by now.
    await forget()
    await admin.post("/wallet/freeze", { walletId: from.walletId })
    await alice.post("/wallet/close", { walletId: from.walletId })
    expect((await transfer()).record).toBe("ok")
    // Nobody may say that it was not done where it is refused before the ledger is asked.
    await forget()
    await sql.query("UPDATE wallet SET dealer_account_id = gen_random_uuid() WHERE wallet_id = $1", [from.walletId])
    for (let i = 0; i < 2; i++) expect((await transfer()).envelope.errno).toBe(-104012)
    expect((await read(alice, to.walletId)).balances[0]?.balance).toBe("1")
  })

  it("whose refusal nobody heard is refused once more, and then may be tried again", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    const body = { sourceWalletId: from.walletId, destWalletId: to.walletId, asset: "USDT", amount: "1" }
    const transfer = () => keyed<string>(alice, "/wallet/transfer", body, "unheard")
    // As a crash between the ledger's word and the key's release leaves it.
    await sql.query(`
      CREATE FUNCTION keep_claim() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
      CREATE TRIGGER keep_claim BEFORE DELETE ON idempotent_answer FOR EACH ROW WHEN (OLD.key = 'unheard') EXECUTE FUNCTION keep_claim()`)
    expect((await transfer()).envelope.errno).toBe(-111000)
    await sql.query("DROP TRIGGER keep_claim ON idempotent_answer; DROP FUNCTION keep_claim()")
    await deposit(from.walletId, "10")
    expect((await transfer()).envelope.errno).toBe(-111000)
    expect((await transfer()).record).toBe("ok")
    expect((await read(alice, to.walletId)).balances[0]?.balance).toBe("1")
  })

  it("stands on the statements of both, newest first, page by page", async () => {
    const [from, to] = [await create(alice), await create(alice)]
    await deposit(from.walletId, "10")
    await deposit(from.walletId, "10", "BTC")
    for (let i = 1; i <= 5; i++)
      await alice.post("/wallet/transfer", {
        sourceWalletId: from.walletId,
        destWalletId: to.walletId,
        asset: "USDT",
        amount: `0.${i}`,
      })
    const seen: Array<StatementRow> = []
    let cursor: string | null | undefined
    do {
      const page = await alice.get<ReadonlyArray<StatementRow>>("/wallet/transfer/list", {
        walletId: from.walletId,
        asset: "USDT",
        limit: 2,
        ...(cursor ? { cursor } : {}),
      })
      expect(page.envelope.pagination?.total).toBe(6)
      seen.push(...page.record)
      cursor = page.envelope.pagination?.cursor
    } while (cursor)
    expect(seen.map(({ direction, amount }) => [direction, amount])).toEqual([
      ...[5, 4, 3, 2, 1].map((i) => ["DEBIT", `0.${i}`]),
      ["CREDIT", "10"],
    ])
    const far = await alice.get("/wallet/transfer/list", { walletId: from.walletId, offset: 10_001 })
    expect(far.envelope.errno).toBe(-104003)
    // The other side of a deposit is not the client's to know.
    expect(seen.map((it) => it.counterWalletId)).toEqual([...Array(5).fill(to.walletId), null])
    expect((await bob.get("/wallet/transfer/list", { walletId: from.walletId })).envelope.errno).toBe(-150001)
  })
})

describe("the audit", () => {
  it("shows a violation in health and in the metrics until it is gone", async () => {
    const { walletId } = await create(alice)
    await deposit(walletId, "1")
    const ledgerHealth = async () => (await api(gateway).health()).checks["ledger"]
    await until("a healthy ledger", async () => (await ledgerHealth())?.status === "healthy")
    const tamper = (by: string) =>
      sql.query("UPDATE wallet_balance SET credits_posted = credits_posted + $1 WHERE wallet_id = $2", [by, walletId])
    await tamper("1")
    const found = await until("a violation", async () => {
      const health = await ledgerHealth()
      return health?.status === "degraded" && health
    })
    // The balance is not what its transfers say, and the asset's debits are not its credits.
    expect(found.reason).toBe("violations: 2")
    const url = /"url":"(http:[^"]+metrics)"/.exec(gateway.stderr())?.[1] ?? ""
    expect(await (await fetch(url)).text()).toContain("ledger_violations 2\n")
    await tamper("-1")
    await until("a healthy ledger", async () => (await ledgerHealth())?.status === "healthy")
    expect(await (await fetch(url)).text()).toContain("ledger_violations 0\n")
  })
})

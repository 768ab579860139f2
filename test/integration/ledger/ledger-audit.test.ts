/**
 * The ledger's audit in a database that a gateway has worked in: deposits, orders that traded and rest, quotes that were executed and one
 * that binds, hedges, mirrors. It finds nothing there, and each thing that is planted behind its back within one look, by name and place.
 */
import { Effect } from "effect"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { taskOf } from "../../../src/admin/tasks.ts"
import { readSettings } from "../../../src/config.ts"
import { lookAtLedger } from "../../../src/store/ledger/audit-run.ts"
import { internalMarket } from "../../kit/desks/internal-market.ts"
import { openDesk } from "../../kit/desks/quoting.ts"
import { endGateways, startGateway, until } from "../../kit/servers/gateway.ts"
import { OPERATOR } from "../../kit/servers/operator.ts"
import { withDatabaseServer } from "../gateway/running/database.ts"

const makeDatabase = withDatabaseServer()
let world: pg.Client
let worldUrl: string
let logged: string
let copies = 0

/** A wallet transfer, two trades of one order, resting orders, four executed quotes of both sides, one that binds, hedges, a mirror. */
beforeAll(async () => {
  const { url, adminUrl } = await makeDatabase()
  const gateway = await startGateway({
    env: {
      DATABASE_URL: url,
      LEDGER_AUDIT_MS: "100",
      EXCHANGE_MIRROR_MS: "100",
      INTERNAL_MAKER_FEE_BPS: "10",
      INTERNAL_TAKER_FEE_BPS: "20",
    },
  })
  const market = await internalMarket(gateway)
  const seller = await market.trader({ BTC: "5", USD: "7" })
  const buyer = await market.trader({ USD: "1000" })
  await seller.limit("SELL", "1", "100")
  await seller.limit("SELL", "2", "101")
  const taken = await buyer.limit("BUY", "1.5", "101")
  await buyer.rests(taken.tradeOrderId, "FILLED")
  await buyer.limit("BUY", "0.1", "50")
  const cancelled = await buyer.limit("BUY", "0.1", "51")
  await buyer.calls.cancelled(buyer.tradingAccountId, cancelled.tradeOrderId)
  const { walletId } = (await seller.calls.post<{ readonly walletId: string }>("/wallet/create", {})).record
  await seller.calls.post("/wallet/transfer", {
    sourceWalletId: seller.walletId,
    destWalletId: walletId,
    asset: "USD",
    amount: "3",
  })
  await market.admin.post("/wallet/freeze", { walletId })
  const desk = await openDesk(gateway, market.admin)
  const client = await desk.client()
  for (const orderSide of ["BUY", "SELL", "BUY", "SELL"]) {
    const { tradeOrderId } = (await client.execute(await client.quote({ orderSide }))).record
    const order = async () => (await client.calls.order(client.tradingAccountId, tradeOrderId)).record
    await until("the quote to be executed", async () => (await order()).status === "FILLED")
  }
  await client.quote({ ttl: 300 })
  world = new pg.Client({ connectionString: adminUrl })
  await world.connect()
  await until("fills in the mirror", async () => {
    const { rows } = await world.query("SELECT 1 FROM ledger_transfer WHERE code = 'HEDGE'")
    return rows.length >= 2
  })
  await until("books of the dealer", async () => (await world.query("SELECT 1 FROM dealer_book")).rows.length > 0)
  expect((await gateway.stop()).code).toBe(0)
  logged = gateway.stderr()
  await world.query("INSERT INTO tenant VALUES ('other', 0)")
  worldUrl = adminUrl
  await world.end()
})
afterAll(endGateways)

/** Of the same contents, for one test. */
const copy = async (): Promise<{ readonly url: string; readonly client: pg.Client }> => {
  const server = new pg.Client({ connectionString: worldUrl.replace(/\/[^/?]+(\?|$)/, "/postgres$1") })
  await server.connect()
  const name = `copy_${++copies}`
  const template = /\/([^/?]+)(?:\?|$)/.exec(new URL(worldUrl).pathname)![1]!
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`).finally(() => server.end())
  const url = worldUrl.replace(/\/[^/?]+(\?|$)/, `/${name}$1`)
  const client = new pg.Client({ connectionString: url })
  // The server may end before a test that has failed has closed it.
  client.on("error", () => undefined)
  await client.connect()
  return { url, client }
}

const now = Date.now
const look = async (url: string) => (await lookAtLedger({ url, now })).violations

/** `gateway admin ledger verify`: whether it exits with 1, and what it prints. */
const verified = async (url: string) => {
  const settings = readSettings({ DATA_DIR: "/nowhere", DATABASE_URL: url })
  const { records, isBroken } = await Effect.runPromise(
    taskOf(["ledger", "verify"])!.run(settings, url, now(), { actor: OPERATOR, trail: null }),
  )
  const { violations, transfers } = records.at(-1) as { readonly violations: number; readonly transfers: number }
  const said = records.slice(0, -1).map((record) => (record as { readonly what: string }).what)
  expect(said.length).toBe(violations)
  return { isBroken, said, transfers }
}

/** As the owner of the server can: no trigger and no foreign key looks on. */
const planted = async (client: pg.Client, sql: string): Promise<void> => {
  await client.query("SET session_replication_role = replica")
  await client.query(sql)
  await client.query("SET session_replication_role = origin")
}

const NEW = "gen_random_uuid()"
/** A transfer like one that is there, but for some columns. */
const transferLike = (where: string, other: Readonly<Record<string, string>>): string => {
  const columns = {
    transfer_id: NEW,
    request_id: "request_id",
    kind: "kind",
    pending_id: "pending_id",
    debit_wallet_id: "debit_wallet_id",
    credit_wallet_id: "credit_wallet_id",
    asset: "asset",
    amount: "amount",
    code: "code",
    reference: "reference",
    expires_at: "expires_at",
    at: "at",
    ...other,
  }
  return `INSERT INTO ledger_transfer (${Object.keys(columns)}) SELECT ${Object.values(columns)} FROM ledger_transfer
    WHERE ${where} ORDER BY number DESC LIMIT 1`
}
/** A row of another table like one that is there. */
const rowLike = (table: string, key: string, where: string, other: Readonly<Record<string, string>>): string => `
  CREATE TEMP TABLE one AS SELECT * FROM ${table} WHERE ${where} LIMIT 1;
  UPDATE one SET ${Object.entries({ [key]: NEW, ...other })
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ")};
  DO $$ BEGIN EXECUTE (SELECT format('INSERT INTO ${table} (%1$s) SELECT %1$s FROM one', string_agg(attname, ', ')) FROM pg_attribute
    WHERE attrelid = '${table}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity = ''); END $$;
  DROP TABLE one`
const withoutChecks = (table: string): string => `
  DO $$ DECLARE it text; BEGIN
    FOR it IN SELECT conname FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c' LOOP
      EXECUTE format('ALTER TABLE ${table} DROP CONSTRAINT %I', it);
    END LOOP; END $$;`
const ANOTHER_WALLET = (type: string) => `(SELECT wallet_id FROM wallet WHERE wallet_type = '${type}' LIMIT 1)`
const NEWEST_QUOTE = "(SELECT quote_id FROM quote WHERE status = 'EXECUTED' ORDER BY updated_at DESC LIMIT 1)"
const MIRROR = "(SELECT wallet_id FROM exchange_mirror)"

describe("a ledger that is as it must be", () => {
  it("is gone on with past the quotes that are read again, however little time there is, and never back", async () => {
    const { url, client } = await copy()
    const at = async () =>
      (await client.query("SELECT quotes_at FROM ledger_audit_pass WHERE pass = 'CHECKED'")).rows[0].quotes_at
    expect(await look(url)).toEqual([])
    const reached = await at()
    const briefly = () => lookAtLedger({ url, now, newMillis: 0, slice: 10 })
    expect((await briefly()).violations).toEqual([])
    expect(await at()).toBe(reached)
    await client.end()
  })

  it("shows nothing to the looks while it works, nor to one after it, nor to a verification", async () => {
    expect(logged).not.toContain("the ledger is violated")
    expect(logged).not.toContain("the ledger could not be audited")
    const { url, client } = await copy()
    const { rows } = await client.query("SELECT code, count(*)::int AS n FROM ledger_transfer GROUP BY code")
    const codes = Object.fromEntries(rows.map(({ code, n }) => [code, n]))
    expect(codes).toMatchObject({ TRADE: 4, QUOTE: 8, TRANSFER: 1 })
    for (const code of ["DEPOSIT", "HOLD", "RELEASE", "FEE", "QUOTE_RESERVATION", "HEDGE", "OPENING"])
      expect([code, codes[code]]).toEqual([code, expect.any(Number)])
    expect(await look(url)).toEqual([])
    const whole = await verified(url)
    expect(whole).toEqual({ isBroken: false, said: [], transfers: expect.any(Number) })
    expect(whole.transfers).toBeGreaterThan(30)
    // Beside the checkpoint it leaves nothing.
    const passes = await client.query(
      "SELECT pass, (SELECT count(DISTINCT generation)::int FROM ledger_audit_sum) AS sums FROM ledger_audit_pass",
    )
    expect(passes.rows).toEqual([{ pass: "CHECKED", sums: 1 }])
    await client.end()
  })
})

describe("what is planted", () => {
  it.each<readonly [name: string, sql: string, found: RegExp]>([
    [
      "a balance that no transfer made",
      "UPDATE wallet_balance SET credits_posted = credits_posted + 1 WHERE asset = 'BTC'",
      /^balance of BTC in \S+ differs from the journal: /,
    ],
    [
      "debits that are no credits",
      "UPDATE wallet_balance SET credits_posted = credits_posted + 1 WHERE asset = 'BTC'",
      /^debits and credits of BTC differ: by -\d+ posted and 0 pending$/,
    ],
    [
      "holds on one side",
      "UPDATE wallet_balance SET debits_pending = debits_pending + 1 WHERE asset = 'BTC' AND debits_pending > 0",
      /^debits and credits of BTC differ: by 0 posted and \d+ pending$/,
    ],
    [
      "an overdraft",
      `${withoutChecks("wallet_balance")} UPDATE wallet_balance SET debits_posted = credits_posted + 1 WHERE NOT allow_negative`,
      /^overdraft of \S+ in \S+: -1 with /,
    ],
    [
      "a negative hold",
      `${withoutChecks("wallet_balance")} ALTER DOMAIN ledger_amount DROP CONSTRAINT ledger_amount_check; UPDATE wallet_balance SET debits_pending = -1 WHERE debits_pending > 0`,
      /^negative holds of /,
    ],
    [
      "a status that the wallet has not",
      "UPDATE wallet_balance SET status = 'CLOSED' WHERE status = 'ACTIVE'",
      /^copies in the balance of \S+ differ from wallet /,
    ],
    [
      "money in CLEARING",
      "UPDATE wallet_balance b SET credits_posted = 1 FROM wallet w WHERE w.wallet_id = b.wallet_id AND w.metadata ->> 'purpose' = 'CLEARING'",
      /^\S+ was posted to \S+, which only holds name$/,
    ],
    [
      "an open hold that is gone",
      "DELETE FROM ledger_hold WHERE code = 'HOLD'",
      /^holds of \S+ differ from the balance of /,
    ],
    [
      "an open hold of another amount",
      "UPDATE ledger_hold SET amount = amount + 1",
      /^open hold \S+ is not that of the journal$/,
    ],
    [
      "an open hold that is resolved",
      transferLike("kind = 'pending' AND transfer_id IN (SELECT transfer_id FROM ledger_hold)", {
        kind: "'void'",
        pending_id: "transfer_id",
        expires_at: "NULL",
      }),
      /^open hold \S+ is resolved by /,
    ],
    [
      "an order that holds more than its hold",
      "UPDATE internal_order SET held = held + 1 WHERE status = 'OPEN'",
      /^order \S+ of \S+ holds \S+, its hold \S+ is of /,
    ],
    [
      "an order without its hold",
      "UPDATE internal_order SET hold_id = gen_random_uuid() WHERE status = 'OPEN'",
      /^order \S+ of \S+ holds \S+, its hold \S+ is not open$/,
    ],
    [
      "a hold of an order that is over",
      "UPDATE internal_order SET status = 'CANCELLED', hold_id = NULL WHERE status = 'OPEN'",
      /^open hold \S+ of \S+ \S+ is not that of order /,
    ],
    [
      "a quote without its reservation",
      "DELETE FROM ledger_hold WHERE code = 'QUOTE_RESERVATION'",
      /^quote \S+ is open without its reservation$/,
    ],
    [
      "a reservation of a quote that is over",
      "UPDATE quote SET status = 'EXPIRED' WHERE open",
      /^open hold \S+ of \S+ \S+ is not that of quote /,
    ],
    [
      "a mirror in another tenant",
      `UPDATE wallet SET tenant_id = 'other' WHERE wallet_id = ${MIRROR}`,
      /^mirror \S+ is not that of account /,
    ],
    [
      "a mirror ahead of its account",
      "UPDATE exchange_mirror SET last_number = last_number + 100000",
      /^mirror \S+ is at fill \d+ of account \S+, which has none/,
    ],
    ["a mirror of nobody", "DELETE FROM exchange_mirror", /^mirror \S+ has \S+ and no account$/],
    [
      "an account with a wallet of another",
      `UPDATE trading_account SET tenant_id = 'other' WHERE wallet_id IS NOT NULL`,
      /^wallet \S+ is not that of the tenant and owner of account /,
    ],
    [
      "a dealer without its wallet",
      "UPDATE wallet SET dealer_account_id = NULL WHERE wallet_type = 'DEALER'",
      /^wallet \S+ is not that of dealer /,
    ],
    [
      "books that their wallets do not show",
      "UPDATE dealer_book SET position = position + 1",
      /^books of dealer \S+ differ from its POSITION in BTC$/,
    ],
    [
      "an entry of one wallet",
      `${withoutChecks("ledger_transfer")} ${transferLike("code = 'DEPOSIT'", { credit_wallet_id: "debit_wallet_id" })}`,
      /^transfer \S+ \(DEPOSIT, \S+ \S+\) is not a valid transfer: /,
    ],
    [
      "a resolution of more than was held",
      transferLike("kind = 'void'", { kind: "'post'", pending_id: NEW, code: "'RELEASE'" }),
      /^transfer \S+ \(RELEASE, .*\) does not match the hold it resolves: /,
    ],
    [
      "a hold that is resolved twice",
      `DROP INDEX ledger_transfer_resolves_once; ${transferLike("kind = 'void'", {})}`,
      /^transfer \S+ \(.*\) resolves hold \S+, and so does /,
    ],
    [
      "a hold that is nowhere",
      transferLike("kind = 'pending'", {}),
      /^transfer \S+ \(.*\) is a hold that is neither resolved nor open$/,
    ],
    [
      "a transfer that nobody asked for",
      transferLike("code = 'DEPOSIT'", { request_id: NEW }),
      /^transfer \S+ \(DEPOSIT, .*\) is of request \S+, which was not applied$/,
    ],
    [
      "a transfer that was refused",
      `${transferLike("code = 'DEPOSIT'", {})}; INSERT INTO ledger_rejected SELECT transfer_id, request_id, 'x', NULL, 0 FROM ledger_transfer ORDER BY number DESC LIMIT 1`,
      /^transfer \S+ \(DEPOSIT, .*\) is both applied and rejected$/,
    ],
    [
      "a transfer between tenants",
      `UPDATE wallet SET tenant_id = 'other' WHERE wallet_type = 'CLIENT' AND frozen; ${transferLike("code = 'TRANSFER'", {})}`,
      /^transfer \S+ \(TRANSFER, .*\) is between wallets of two tenants: /,
    ],
    [
      "a transfer of no wallet",
      transferLike("code = 'DEPOSIT'", { credit_wallet_id: NEW }),
      /^transfer \S+ \(DEPOSIT, .*\) is between wallets of two tenants: /,
    ],
    [
      "a hedge of no execution",
      transferLike("code = 'HEDGE'", { reference: `${NEW}::text` }),
      /^transfer \S+ \(HEDGE, .*\) is not of the account that \S+ mirrors$/,
    ],
    [
      "a client's money in a mirror",
      transferLike("code = 'DEPOSIT'", { debit_wallet_id: ANOTHER_WALLET("CLIENT"), credit_wallet_id: MIRROR }),
      /^transfer \S+ \(DEPOSIT, .*\) is not of the account that /,
    ],
    [
      "a payment for no trade",
      transferLike("code = 'TRADE'", { reference: `${NEW}::text` }),
      /^transfer \S+ \(TRADE, .*\) is no leg of trade /,
    ],
    [
      "a payment of another amount",
      transferLike("code = 'TRADE'", { amount: "amount + 1" }),
      /^transfer \S+ \(TRADE, .*\) is no leg of trade /,
    ],
    [
      "a delivery for no quote",
      transferLike("code = 'QUOTE'", { reference: `${NEW}::text`, pending_id: NEW }),
      /^transfer \S+ \(QUOTE, .*\) is no leg of executed quote /,
    ],
    [
      "a fee of no trade",
      transferLike(
        "code = 'FEE' AND credit_wallet_id IN (SELECT wallet_id FROM wallet WHERE metadata ->> 'purpose' = 'FEES')",
        { reference: `${NEW}::text` },
      ),
      /^fees of order \S+ in request \S+ are \S+, its trades say 0$/,
    ],
    [
      "a trade without transfers",
      rowLike("internal_trade", "trade_id", "quote_id IS NULL", {}),
      /^trade \S+ of INTERNAL:BTC\/USD has not its two transfers$/,
    ],
    [
      "a trade of a quote that is not",
      rowLike("internal_trade", "trade_id", "quote_id IS NOT NULL", { quote_id: NEW }),
      /^trade \S+ is not that of executed quote /,
    ],
    [
      "a hedge intent for no quote",
      rowLike("hedge_intent", "hedge_intent_id", "true", { quote_id: NEW }),
      /^hedge intent \S+ is not that of executed quote /,
    ],
    [
      "an executed quote without a trade",
      rowLike("quote", "quote_id", "status = 'EXECUTED'", { quote_request_id: "NULL" }),
      /^executed quote \S+ has not its trade$/,
    ],
    [
      "a quote that nobody executed",
      "UPDATE quote SET status = 'EXECUTED' WHERE status = 'CREATED'",
      /^executed quote \S+ has not its trade$/,
    ],
    [
      "an executed quote without a hedge intent",
      `DELETE FROM hedge_intent WHERE quote_id = ${NEWEST_QUOTE}`,
      /^executed quote \S+ has not its hedge intent$/,
    ],
    [
      "a hedge intent of another size",
      `UPDATE hedge_intent SET quantity = quantity * 2 WHERE quote_id = ${NEWEST_QUOTE}`,
      /^executed quote \S+ has not its hedge intent$/,
    ],
    [
      "an executed quote that was not paid",
      `DELETE FROM ledger_transfer WHERE code = 'QUOTE' AND reference = ${NEWEST_QUOTE}::text`,
      /^executed quote \S+ has not its two transfers$/,
    ],
  ])("%s is found by one look, and still by the next", async (_name, sql, found) => {
    const { url, client } = await copy()
    await planted(client, sql)
    const seen = await look(url)
    expect(seen).toContainEqual(expect.stringMatching(found))
    expect(await look(url)).toEqual(expect.arrayContaining(seen.filter((what) => found.test(what))))
    await client.end()
  })

  it("behind the checkpoint is found by the pass over the whole journal, and by a verification at once", async () => {
    const { url, client } = await copy()
    // Balances are as they were: nothing of the present is wrong.
    await planted(
      client,
      "UPDATE ledger_transfer SET amount = amount + 1 WHERE number IN (SELECT number FROM ledger_transfer WHERE code = 'TRADE' ORDER BY number LIMIT 1)",
    )
    expect(await look(url)).toEqual([])
    const at = Date.now() + 86_400_001
    const later = await lookAtLedger({ url, now: () => at })
    expect(later.violations).toContainEqual(expect.stringMatching(/^transfer \S+ \(TRADE, .*\) is no leg of trade /))
    expect(later.violations).toContainEqual(
      expect.stringMatching(/^the journal was changed after it was audited: sums of /),
    )
    expect(later.wholeAt).toBe(at)
    const whole = await verified(url)
    expect(whole.isBroken).toBe(true)
    expect(whole.said).toContainEqual(expect.stringMatching(/^balance of \S+ in \S+ differs from the journal: /))
    await planted(
      client,
      "UPDATE ledger_transfer SET amount = amount - 1 WHERE number IN (SELECT number FROM ledger_transfer WHERE code = 'TRADE' ORDER BY number LIMIT 1)",
    )
    const mended = await lookAtLedger({ url, now: () => at + 86_400_001 })
    expect(mended.violations).toEqual([])
    await client.end()
  })

  it("is gone when it is mended", async () => {
    const { url, client } = await copy()
    // The gateway's own audit may have read the intent by now, or not: here none has, so that both sides tell of it.
    await client.query("UPDATE ledger_audit_pass SET intents = 0")
    const change = (by: string) =>
      planted(client, `UPDATE hedge_intent SET quantity = quantity ${by} WHERE quote_id = ${NEWEST_QUOTE}`)
    await change("* 2")
    expect(await look(url)).toEqual([
      expect.stringMatching(/^executed quote \S+ has not its hedge intent$/),
      expect.stringMatching(/^hedge intent \S+ is not that of executed quote /),
    ])
    await change("/ 2")
    expect(await look(url)).toEqual([])
    await client.end()
  })
})

/**
 * `npm run torture -- ledger-audit`: the audit of a ledger with millions of transfers. A pass of many steps goes through all of it, each look
 * through what is new; each kind of violation that is planted must be found by the next look. The database is on the disk.
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { lookAtLedger, verifyLedger } from "../../../src/store/ledger/audit-run.ts"
import { movedBy } from "../../../src/store/ledger/audit-standing.ts"
import { migrate } from "../../../src/store/postgres/sql.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface LedgerAuditOptions {
  readonly transfers: number
  readonly progress: (line: string) => void
}

/** Transfers of one round of the world: ten moves, a hold and its release, a trade with two fees, a quote. */
const ROUND = 20
const WALLETS = 10_000
const CHUNK = 5_000
/** Its step takes 5 s and what a slice takes, which is a second or two where the database is its own. */
const FIRST_LOOK_MILLIS_MAX = 30_000
/** What a look after the first may take here, with 5 million transfers or with more. */
const LOOK_MILLIS_MAX = 10_000
/** From one look to the next at the default settings. */
const NEW_ROUNDS = 1_000
const DAY_MILLIS = 86_400_000

/** Ids that grow with their number, as those of the gateway do. */
const id = (kind: string, n: string): string => `('${kind}' || lpad(to_hex(${n}), 24, '0'))::uuid`
const wallet = (n: string): string => id("aaaaaaaa", `(${n}) % ${WALLETS}`)
const [WORLD, CLEARING, FEES, USER] = [1, 2, 3, 4].map(
  (n) => `'${`0000000${n}`.slice(-8)}-0000-4000-8000-000000000000'::uuid`,
)

const SETTING = `
  INSERT INTO tenant VALUES ('default', 0), ('other', 0);
  INSERT INTO app_user (user_id, email, password_hash, tenant_id, permissions, environments, user_metadata, created_at, updated_at)
    VALUES (${USER}, 'a@example.com', '', 'default', '{}', '{}', '{}', 0, 0);
  INSERT INTO wallet SELECT w, 'default', 'ACCOUNTING', 'ACTIVE', false, true, NULL, NULL, json_build_object('purpose', p), 0, 0
    FROM (VALUES (${WORLD}, 'WORLD'), (${CLEARING}, 'CLEARING'), (${FEES}, 'FEES')) v (w, p);
  INSERT INTO wallet SELECT ${wallet("n")}, 'default', 'CLIENT', 'ACTIVE', false, false, ${USER}, NULL, '{}', 0, 0 FROM generate_series(0, ${WALLETS - 1}) n;
  INSERT INTO instrument (instrument_id, venue, symbol, base_asset, quote_asset, security_type, tick_size, lot_size, min_quantity, price_digits,
      quantity_digits, status, updated_at) VALUES ('INTERNAL:BTC/USD', 'INTERNAL', 'BTC/USD', 'BTC', 'USD', 'SPOT', 1, 1, 1, 2, 2, 'ACTIVE', 0);
  INSERT INTO ledger_request SELECT ${id("dddddddd", "n")}, gen_random_uuid(), gen_random_uuid(), NULL, NULL, NULL, 0 FROM generate_series(0, ${WALLETS - 1}) n;
  INSERT INTO ledger_transfer (transfer_id, request_id, kind, debit_wallet_id, credit_wallet_id, asset, amount, code, at)
    SELECT ('dd' || lpad(to_hex(n * 3 + a), 30, '0'))::uuid, ${id("dddddddd", "n")}, 'single', ${WORLD}, ${wallet("n")}, (ARRAY['USDT', 'USD', 'BTC'])[a + 1], 1e12,
      'DEPOSIT', 0 FROM generate_series(0, ${WALLETS - 1}) n, generate_series(0, 2) a ORDER BY n, a;`

const REQUESTS = ["10", "20", "30", "40", "50", "60", "70", "80", "90", "a0", "b0", "c0", "d0"]
const requestOf = (kind: string): string => id(`${kind}000000`, "c")

/** Rounds from $1 up to $2, each as its requests would have been written. */
const ROUNDS = (from: number, to: number): ReadonlyArray<string> => {
  const c = `generate_series(${from}, ${to}) c`
  const [buyer, seller] = [wallet("c"), wallet("c + 1")]
  const [trade, maker, taker] = [id("e1000000", "c"), id("e2000000", "c"), id("e3000000", "c")]
  const [quote, order, quoted] = [id("e4000000", "c"), id("e5000000", "c"), id("e6000000", "c")]
  const row = (n: number, request: string, values: string): string =>
    `(${n}, ${requestOf(request)}, ${id(`f${n.toString(16).padStart(2, "0")}00000`, "c")}, ${values})`
  const moves = REQUESTS.slice(0, 10).map((request, n) =>
    row(
      n,
      request,
      `'single', NULL::uuid, ${wallet(`c * 7 + ${n}`)}, ${wallet(`c * 7 + ${n + 1}`)}, 'USDT', 1, 'TRANSFER', NULL::text`,
    ),
  )
  const at = (n: number): string => id(`f${n.toString(16).padStart(2, "0")}00000`, "c")
  const rows = [
    ...moves,
    row(10, "b0", `'pending', NULL, ${buyer}, ${CLEARING}, 'USDT', 5, 'HOLD', NULL`),
    row(11, "b0", `'void', ${at(10)}, ${buyer}, ${CLEARING}, 'USDT', 5, 'RELEASE', NULL`),
    row(12, "c0", `'single', NULL, ${buyer}, ${seller}, 'USD', 50, 'TRADE', ${trade}::text`),
    row(13, "c0", `'single', NULL, ${seller}, ${buyer}, 'BTC', 0.5, 'TRADE', ${trade}::text`),
    row(14, "c0", `'single', NULL, ${seller}, ${FEES}, 'USD', 0.05, 'FEE', ${maker}::text`),
    row(15, "c0", `'single', NULL, ${buyer}, ${FEES}, 'BTC', 0.001, 'FEE', ${taker}::text`),
    row(16, "d0", `'pending', NULL, ${seller}, ${buyer}, 'BTC', 0.5, 'QUOTE_RESERVATION', ${quote}::text`),
    row(17, "d0", `'pending', NULL, ${buyer}, ${seller}, 'USD', 50, 'HOLD', ${quote}::text`),
    row(18, "d0", `'post', ${at(16)}, ${seller}, ${buyer}, 'BTC', 0.5, 'QUOTE', ${quote}::text`),
    row(19, "d0", `'post', ${at(17)}, ${buyer}, ${seller}, 'USD', 50, 'QUOTE', ${quote}::text`),
  ]
  const internal = (key: string, owner: string, side: string): string => `
    INSERT INTO internal_order (trade_order_id, trading_account_id, tenant_id, user_id, wallet_id, instrument_id, order_side, order_type, time_in_force,
        limit_price, quantity, executed, status, sequence, held, created_at, updated_at)
      SELECT ${key}, ${owner}, 'default', ${USER}, ${owner}, 'INTERNAL:BTC/USD', '${side}', 'LIMIT', 'GTC', 100, 0.5, 0.5, 'FILLED', c, 0, c, c FROM ${c}`
  return [
    `INSERT INTO ledger_request SELECT r, gen_random_uuid(), gen_random_uuid(), NULL, NULL, NULL, c
       FROM ${c}, LATERAL (VALUES ${REQUESTS.map((kind) => `(${requestOf(kind)})`).join(", ")}, (${requestOf("b0")})) v (r) ON CONFLICT DO NOTHING`,
    `INSERT INTO ledger_transfer (transfer_id, request_id, kind, pending_id, debit_wallet_id, credit_wallet_id, asset, amount, code, reference, at)
       SELECT t, r, kind, pending, d, w, asset, amount, code, reference, c
         FROM ${c}, LATERAL (VALUES ${rows.join(", ")}) v (n, r, t, kind, pending, d, w, asset, amount, code, reference) ORDER BY c, n`,
    internal(maker, seller, "SELL"),
    internal(taker, buyer, "BUY"),
    `INSERT INTO internal_trade (trade_id, instrument_id, price, quantity, taker_side, maker_order_id, maker_account_id, maker_fee, taker_order_id,
         taker_account_id, taker_fee, executed_at) SELECT ${trade}, 'INTERNAL:BTC/USD', 100, 0.5, 'BUY', ${maker}, ${seller}, 0.05, ${taker}, ${buyer}, 0.001, c FROM ${c} ORDER BY c`,
    `INSERT INTO internal_trade (trade_id, instrument_id, price, quantity, taker_side, maker_account_id, maker_fee, taker_order_id, taker_account_id,
         taker_fee, quote_id, executed_at) SELECT ${quoted}, 'INTERNAL:BTC/USD', 100, 0.5, 'BUY', ${seller}, 0, ${order}, ${buyer}, 0, ${quote}, c FROM ${c} ORDER BY c`,
    `INSERT INTO quote (quote_id, tenant_id, version, dealer_account_id, trader_account_id, trader_user_id, dealer_wallet_id, trader_wallet_id, instrument_id,
         base_asset, quote_asset, order_side, quantity_type, quantity, price, status, trade_order_id, created_at, updated_at, expire_at)
       SELECT ${quote}, 'default', 2, ${USER}, ${buyer}, ${USER}, ${seller}, ${buyer}, 'INTERNAL:BTC/USD', 'BTC', 'USD', 'BUY', 'BASE', 0.5, 100, 'EXECUTED',
         ${order}, c * 1000, c * 1000, c * 1000 FROM ${c}`,
    `INSERT INTO hedge_intent (hedge_intent_id, quote_id, dealer_account_id, trade_order_id, trading_account_id, venue, instrument_id, base_asset, quote_asset,
         order_side, quantity, quote_price, walked_price, worst_price, created_at)
       SELECT ${quote}, ${quote}, ${USER}, ${order}, ${USER}, 'MOCK', 'MOCK:BTC/USD', 'BTC', 'USD', 'BUY', 0.5, 100, 100, 100, c FROM ${c} ORDER BY c`,
  ]
}

/** What all transfers come to, and what those behind a number add to it. */
const BALANCES = `
  INSERT INTO wallet_balance (wallet_id, asset, allow_negative, status, frozen, debits_posted, credits_posted, debits_pending, credits_pending, version)
  SELECT m.wallet_id, m.asset, w.allow_negative, w.status, w.frozen, m.dp, m.cp, m.dq, m.cq, 1 FROM (${movedBy("true")}) m JOIN wallet w USING (wallet_id)`
const MORE_BALANCES = `
  UPDATE wallet_balance b SET debits_posted = b.debits_posted + m.dp, credits_posted = b.credits_posted + m.cp, debits_pending = b.debits_pending + m.dq,
    credits_pending = b.credits_pending + m.cq FROM (${movedBy("t.number > $1")}) m WHERE b.wallet_id = m.wallet_id AND b.asset = m.asset`

const NEW = "gen_random_uuid()"
const NEWEST_QUOTE = "(SELECT quote_id FROM quote WHERE status = 'EXECUTED' ORDER BY updated_at DESC LIMIT 1)"
/** A transfer like the newest of its code, but for some columns. */
const transfer = (code: string, other: Readonly<Record<string, string>>): string => {
  const same = [
    "request_id",
    "kind",
    "pending_id",
    "debit_wallet_id",
    "credit_wallet_id",
    "asset",
    "amount",
    "code",
    "reference",
    "at",
  ]
  const columns = { transfer_id: NEW, ...Object.fromEntries(same.map((it) => [it, it])), ...other }
  return `INSERT INTO ledger_transfer (${Object.keys(columns)}) SELECT ${Object.values(columns)} FROM ledger_transfer WHERE code = '${code}' ORDER BY number DESC LIMIT 1`
}

/** Each on top of those before. */
const PLANTS: ReadonlyArray<readonly [kind: string, sql: string, found: RegExp]> = [
  [
    "a balance that no transfer made",
    `UPDATE wallet_balance SET credits_posted = credits_posted + 1 WHERE wallet_id = ${wallet("77")} AND asset = 'BTC'`,
    /^balance of BTC in aaaaaaaa-0000-0000-0000-00000000004d differs/,
  ],
  [
    "debits that are no credits",
    `UPDATE wallet_balance SET debits_posted = debits_posted + 1 WHERE wallet_id = ${wallet("78")} AND asset = 'USD'`,
    /^debits and credits of USD differ/,
  ],
  [
    "an overdraft",
    `ALTER TABLE wallet_balance DROP CONSTRAINT no_overdraft; UPDATE wallet_balance SET debits_posted = credits_posted + 1 WHERE wallet_id = ${wallet("79")} AND asset = 'USDT'`,
    /^overdraft of USDT/,
  ],
  [
    "a copy that is not the wallet's",
    `UPDATE wallet_balance SET status = 'CLOSED' WHERE wallet_id = ${wallet("80")} AND asset = 'USD'`,
    /^copies in the balance/,
  ],
  [
    "an open hold of no transfer",
    `INSERT INTO ledger_hold VALUES (${NEW}, ${wallet("81")}, ${CLEARING}, 'USDT', 1, 'HOLD', NULL, NULL)`,
    /^open hold \S+ is not that of the journal/,
  ],
  [
    "an order without its hold",
    `UPDATE internal_order SET status = 'OPEN', hold_id = ${NEW}, held = 1 WHERE trade_order_id = ${id("e2000000", "9")}`,
    /^order e2000000\S+ of .* is not open/,
  ],
  [
    "a quote without its reservation",
    `UPDATE quote SET status = 'CREATED', expire_at = 9e15 WHERE quote_id = ${id("e4000000", "9")}`,
    /^quote e4000000\S+ is open without its reservation/,
  ],
  [
    "an entry between tenants",
    `UPDATE wallet SET tenant_id = 'other' WHERE wallet_id = ${wallet("82")}; ${transfer("TRANSFER", { debit_wallet_id: wallet("82"), credit_wallet_id: wallet("83") })}`,
    /is between wallets of two tenants/,
  ],
  ["a transfer that nobody asked for", transfer("TRANSFER", { request_id: NEW }), /which was not applied$/],
  ["a hold that is nowhere", transfer("QUOTE_RESERVATION", {}), /is a hold that is neither resolved nor open$/],
  ["a resolution of nothing", transfer("RELEASE", { pending_id: NEW }), /does not match the hold it resolves/],
  ["a payment for no trade", transfer("TRADE", { reference: `${NEW}::text` }), /is no leg of trade/],
  [
    "a delivery for no quote",
    transfer("QUOTE", { reference: `${NEW}::text`, pending_id: NEW }),
    /is no leg of executed quote/,
  ],
  ["a fee of no trade", transfer("FEE", { reference: `${NEW}::text` }), /its trades say 0$/],
  [
    "a trade without transfers",
    `INSERT INTO internal_trade (trade_id, instrument_id, price, quantity, taker_side, maker_order_id, maker_account_id, maker_fee, taker_order_id, taker_account_id, taker_fee, executed_at) SELECT ${NEW}, instrument_id, price, quantity, taker_side, maker_order_id, maker_account_id, 0, taker_order_id, taker_account_id, 0, executed_at FROM internal_trade WHERE trade_id = ${id("e1000000", "9")}`,
    /^trade \S+ of \S+ has not its two transfers/,
  ],
  [
    "an executed quote without a hedge intent",
    `DELETE FROM hedge_intent WHERE quote_id = ${NEWEST_QUOTE}`,
    /^executed quote \S+ has not its hedge intent/,
  ],
]

const seconds = (millis: number): string => `${(millis / 1000).toFixed(1)} s`

export const ledgerAudit = async ({ transfers, progress }: LedgerAuditOptions): Promise<ReadonlyArray<Verdict>> => {
  const directory = mkdtempSync(join(tmpdir(), `venue-gateway-audit-${process.pid}-`))
  chmodSync(directory, 0o755)
  const server = await startEmbeddedPostgres({ dataDir: directory })
  const { pathname } = new URL(server.url())
  const client = new pg.Client({ connectionString: server.adminUrl(pathname.slice(1)) })
  const verdicts: Array<Verdict> = []
  const verdict = (name: string, passed: boolean, says: string): void => {
    verdicts.push({ name, passed, says })
    progress(`ledger-audit: ${passed ? "ok" : "FAIL"} ${name}: ${says}`)
  }
  try {
    await migrate(server.url())
    await client.connect()
    // Rows as the ledger would have left them; its triggers look at each statement.
    await client.query("SET session_replication_role = replica; SET work_mem = '256MB'; SET synchronous_commit = off")
    await client.query(SETTING)
    const rounds = Math.ceil(transfers / ROUND)
    for (let from = 0; from < rounds; from += CHUNK) {
      for (const statement of ROUNDS(from, Math.min(from + CHUNK, rounds) - 1)) await client.query(statement)
      progress(`ledger-audit: ${Math.min(from + CHUNK, rounds) * ROUND} transfers`)
    }
    await client.query(BALANCES)
    await client.query("ANALYZE")
    await client.query("CHECKPOINT")
    let at = rounds * 1000
    const timed = async (days = 0, stepMillis = 5_000) => {
      const startedAt = performance.now()
      const found = await lookAtLedger({
        url: server.url(),
        now: () => at + days * DAY_MILLIS,
        stepMillis: () => stepMillis,
      })
      return { ...found, millis: performance.now() - startedAt }
    }
    const first = await timed()
    verdict(
      "first look",
      first.violations.length === 0 && first.millis < FIRST_LOOK_MILLIS_MAX,
      `${seconds(first.millis)}; of the whole journal ${first.whole?.left ?? 0} rows left; found ${first.violations.length}`,
    )
    const whole = await timed(0, Number.POSITIVE_INFINITY)
    const left = first.whole?.left ?? 0
    const rate = Math.round(left / (whole.millis / 1000))
    verdict(
      "first pass over the whole journal",
      whole.violations.length === 0 && whole.wholeAt !== null,
      `the other ${left} rows in ${seconds(whole.millis)} (${rate} a second); found ${whole.violations.length}`,
    )
    const again = await timed()
    verdict(
      "look with nothing new",
      again.violations.length === 0 && again.millis < LOOK_MILLIS_MAX,
      seconds(again.millis),
    )
    const [{ newest }] = (await client.query("SELECT max(number) AS newest FROM ledger_transfer")).rows as [
      { newest: string },
    ]
    for (const statement of ROUNDS(rounds, rounds + NEW_ROUNDS - 1)) await client.query(statement)
    await client.query(MORE_BALANCES, [newest])
    at += NEW_ROUNDS * 1000
    const grown = await timed()
    verdict(
      "look after some more",
      grown.violations.length === 0 && grown.millis < LOOK_MILLIS_MAX,
      `${grown.transfers} transfers more: ${seconds(grown.millis)}; found ${grown.violations.length}`,
    )
    let before = grown
    for (const [kind, sql, found] of PLANTS) {
      await client.query(sql)
      const seen = await timed()
      const what = seen.violations.find((it) => found.test(it) && !before.violations.includes(it))
      verdict(
        kind,
        what !== undefined && seen.millis < LOOK_MILLIS_MAX,
        `${seconds(seen.millis)}: ${what ?? "not found"}`,
      )
      before = seen
    }
    // Behind the checkpoint nothing is looked at but by the pass over the whole journal.
    await client.query(`UPDATE ledger_transfer SET amount = 2 WHERE transfer_id = ${id("f0000000", "5")}`)
    let [looks, millis] = [0, 0]
    let isFound = false
    while (!isFound && looks < 1_000) {
      const found = await timed(1)
      looks++
      millis += found.millis
      isFound = found.violations.some((what) =>
        what.startsWith("the journal was changed after it was audited: sums of USDT in "),
      )
    }
    verdict(
      "an amount changed behind the checkpoint",
      isFound,
      `found by the whole pass, in ${looks} looks that took ${seconds(millis)}`,
    )
    const startedAt = performance.now()
    const verified = await verifyLedger({ url: server.url(), now: () => at })
    verdict(
      "admin ledger verify",
      verified.violations.length >= PLANTS.length,
      `${verified.transfers} transfers in ${seconds(performance.now() - startedAt)}; found ${verified.violations.length}`,
    )
    return verdicts
  } finally {
    await client.end()
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

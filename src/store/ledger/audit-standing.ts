/**
 * Checks of the ledger's current state (contract C9): balances against the journal, holds against what they are held for, wallets against their
 * accounts. The one thing to know: each statement sees one snapshot, in which a request is there whole or not at all, so that nothing is
 * inconsistent while the ledger works; large tables are read in slices.
 */
import type pg from "pg"
import { Decimal } from "../../domain/decimal.ts"
import { BEFORE_ALL_IDS } from "../orders/rows.ts"

const BEHIND_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff"
/** Of rows a statement: some tenths of a second. */
const SLICE = 20_000

/** The four counters as a slice of the journal moves them, by wallet and asset. `where` is of `t`. */
export const movedBy = (where: string): string => `
  SELECT s.wallet_id, s.asset, sum(s.dp) AS dp, sum(s.cp) AS cp, sum(s.dq) AS dq, sum(s.cq) AS cq
    FROM (SELECT t.debit_wallet_id, t.credit_wallet_id, t.asset, CASE WHEN t.kind IN ('single', 'post') THEN t.amount ELSE 0 END AS posted,
                 CASE t.kind WHEN 'pending' THEN t.amount WHEN 'single' THEN 0 ELSE -coalesce(p.amount, 0) END AS pending
            FROM ledger_transfer t LEFT JOIN ledger_transfer p ON p.transfer_id = t.pending_id WHERE ${where}) t
    CROSS JOIN LATERAL (VALUES (t.debit_wallet_id, t.asset, t.posted, 0, t.pending, 0), (t.credit_wallet_id, t.asset, 0, t.posted, 0, t.pending))
      AS s (wallet_id, asset, dp, cp, dq, cq)
   GROUP BY s.wallet_id, s.asset`

/**
 * Balances of the wallets behind $1 up to $2, against the sums $4 up to transfer $3 and what came since, open holds, and their wallets.
 * Beside what is wrong, per asset: by how much debits exceed credits at transfer $3, posted and pending. Of all slices that is nothing.
 */
const BALANCES = `
  WITH b AS MATERIALIZED (
    SELECT b.*, debits_posted AS dp, credits_posted AS cp, debits_pending AS dq, credits_pending AS cq FROM wallet_balance b
     WHERE wallet_id > $1 AND wallet_id <= $2
  ), since AS MATERIALIZED (
    SELECT * FROM (${movedBy("t.number > $3")}) m WHERE wallet_id > $1 AND wallet_id <= $2
  ), j AS (
    SELECT wallet_id, asset, sum(dp) AS dp, sum(cp) AS cp, sum(dq) AS dq, sum(cq) AS cq FROM (
      SELECT wallet_id, asset, debits_posted AS dp, credits_posted AS cp, debits_pending AS dq, credits_pending AS cq FROM ledger_audit_sum
       WHERE generation = $4 AND wallet_id > $1 AND wallet_id <= $2
      UNION ALL SELECT * FROM since) s GROUP BY wallet_id, asset
  ), h AS (
    SELECT wallet_id, asset, sum(d) AS dq, sum(c) AS cq FROM (
      SELECT debit_wallet_id AS wallet_id, asset, amount AS d, 0 AS c FROM ledger_hold WHERE debit_wallet_id > $1 AND debit_wallet_id <= $2
      UNION ALL SELECT credit_wallet_id, asset, 0, amount FROM ledger_hold WHERE credit_wallet_id > $1 AND credit_wallet_id <= $2) s
    GROUP BY wallet_id, asset
  ), wrong AS (
    SELECT 'balance of ' || asset || ' in ' || wallet_id || ' differs from the journal: debits and credits, posted and pending, are '
        || concat_ws(' ', trim_scale(coalesce(b.dp, 0)), trim_scale(coalesce(b.cp, 0)), trim_scale(coalesce(b.dq, 0)), trim_scale(coalesce(b.cq, 0)))
        || ', the journal says '
        || concat_ws(' ', trim_scale(coalesce(j.dp, 0)), trim_scale(coalesce(j.cp, 0)), trim_scale(coalesce(j.dq, 0)), trim_scale(coalesce(j.cq, 0))) AS what
      FROM b FULL JOIN j USING (wallet_id, asset)
     WHERE (coalesce(b.dp, 0), coalesce(b.cp, 0), coalesce(b.dq, 0), coalesce(b.cq, 0))
       IS DISTINCT FROM (coalesce(j.dp, 0), coalesce(j.cp, 0), coalesce(j.dq, 0), coalesce(j.cq, 0))
    UNION ALL
    SELECT 'holds of ' || asset || ' differ from the balance of ' || wallet_id || ': ' || trim_scale(coalesce(h.dq, 0)) || ' out and '
        || trim_scale(coalesce(h.cq, 0)) || ' in are open, the balance says ' || trim_scale(coalesce(b.dq, 0)) || ' and ' || trim_scale(coalesce(b.cq, 0))
      FROM b FULL JOIN h USING (wallet_id, asset)
     WHERE (coalesce(b.dq, 0), coalesce(b.cq, 0)) IS DISTINCT FROM (coalesce(h.dq, 0), coalesce(h.cq, 0))
    UNION ALL
    SELECT 'overdraft of ' || asset || ' in ' || wallet_id || ': ' || trim_scale(cp - dp) || ' with ' || trim_scale(dq) || ' held'
      FROM b WHERE NOT allow_negative AND dp + dq > cp
    UNION ALL
    SELECT 'negative holds of ' || asset || ' in ' || wallet_id FROM b WHERE dq < 0 OR cq < 0
    UNION ALL
    SELECT 'copies in the balance of ' || b.asset || ' differ from wallet ' || b.wallet_id
      FROM b LEFT JOIN wallet w USING (wallet_id) WHERE (b.allow_negative, b.status, b.frozen) IS DISTINCT FROM (w.allow_negative, w.status, w.frozen)
    UNION ALL
    SELECT b.asset || ' was posted to ' || b.wallet_id || ', which only holds name'
      FROM b JOIN wallet w USING (wallet_id) WHERE w.metadata ->> 'purpose' = 'CLEARING' AND (b.dp <> 0 OR b.cp <> 0)
    UNION ALL
    SELECT 'mirror ' || b.wallet_id || ' has ' || b.asset || ' and no account'
      FROM b JOIN wallet w USING (wallet_id)
     WHERE w.wallet_type = 'EXCHANGE' AND NOT EXISTS (SELECT 1 FROM exchange_mirror m WHERE m.wallet_id = b.wallet_id)
  )
  (SELECT what, NULL::text AS asset, NULL::text AS posted, NULL::text AS pending FROM wrong LIMIT 100)
  UNION ALL
  SELECT NULL, asset, trim_scale(sum(b.dp - coalesce(s.dp, 0) - b.cp + coalesce(s.cp, 0)))::text,
         trim_scale(sum(b.dq - coalesce(s.dq, 0) - b.cq + coalesce(s.cq, 0)))::text
    FROM b LEFT JOIN since s USING (wallet_id, asset) GROUP BY asset`

/** Open holds behind $1 up to $2: in the journal, not resolved, and what their order or quote holds. */
const HOLDS = `
  SELECT what FROM (
    SELECT CASE
      WHEN (t.kind, t.debit_wallet_id, t.credit_wallet_id, t.asset, t.amount, t.code, t.reference, t.expires_at)
        IS DISTINCT FROM ('pending', h.debit_wallet_id, h.credit_wallet_id, h.asset, h.amount, h.code, h.reference, h.expires_at)
        THEN 'open hold ' || h.transfer_id || ' is not that of the journal'
      WHEN x.transfer_id IS NOT NULL THEN 'open hold ' || h.transfer_id || ' is resolved by ' || x.transfer_id
      WHEN c.metadata ->> 'purpose' = 'CLEARING' AND (o.status, o.hold_id, o.held, o.wallet_id)
        IS DISTINCT FROM ('OPEN', h.transfer_id, h.amount::numeric, h.debit_wallet_id)
        THEN 'open hold ' || h.transfer_id || ' of ' || trim_scale(h.amount) || ' ' || h.asset || ' is not that of order ' || coalesce(h.reference, 'null')
      WHEN h.code = 'QUOTE_RESERVATION' AND (q.status, q.dealer_wallet_id, q.trader_wallet_id, trim_scale(CASE q.order_side WHEN 'BUY' THEN q.quantity ELSE q.price * q.quantity END))
        IS DISTINCT FROM ('CREATED', h.debit_wallet_id, h.credit_wallet_id, trim_scale(h.amount))
        THEN 'open hold ' || h.transfer_id || ' of ' || trim_scale(h.amount) || ' ' || h.asset || ' is not that of quote ' || coalesce(h.reference, 'null')
      END AS what
      FROM ledger_hold h LEFT JOIN ledger_transfer t USING (transfer_id) LEFT JOIN ledger_transfer x ON x.pending_id = h.transfer_id
      LEFT JOIN wallet c ON c.wallet_id = h.credit_wallet_id
      LEFT JOIN internal_order o ON o.trade_order_id = ledger_uuid(h.reference)
      LEFT JOIN quote q ON q.quote_id = ledger_uuid(h.reference)
     WHERE h.transfer_id > $1 AND h.transfer_id <= $2) s
   WHERE what IS NOT NULL LIMIT 100`

/** Open orders of the accounts behind $1 up to $2: what they hold is held. */
const ORDERS = `
  SELECT 'order ' || o.trade_order_id || ' of ' || o.wallet_id || ' holds ' || trim_scale(o.held) || ', its hold '
      || coalesce(o.hold_id::text, 'null') || coalesce(' is of ' || trim_scale(h.amount), ' is not open') AS what
    FROM internal_order o LEFT JOIN ledger_hold h ON h.transfer_id = o.hold_id
   WHERE o.status = 'OPEN' AND o.trading_account_id > $1 AND o.trading_account_id <= $2
     AND (h.amount IS DISTINCT FROM o.held OR h.debit_wallet_id <> o.wallet_id OR h.reference IS DISTINCT FROM o.trade_order_id::text)
   LIMIT 100`

/** A quote that binds at $1, by the gateway's clock: the ledger ends its reservation half a minute after it. */
const QUOTES = `
  SELECT 'quote ' || q.quote_id || ' is open without its reservation' AS what
    FROM quote q LEFT JOIN ledger_hold h ON h.code = 'QUOTE_RESERVATION' AND h.reference = q.quote_id::text
   WHERE q.open AND q.status = 'CREATED' AND q.expire_at > $1 AND h.transfer_id IS NULL LIMIT 100`

const WALLETS = `
  SELECT 'mirror ' || m.wallet_id || ' is not that of account ' || m.trading_account_id AS what
    FROM exchange_mirror m LEFT JOIN wallet w USING (wallet_id) LEFT JOIN trading_account a ON a.trading_account_id = m.trading_account_id
   WHERE (w.wallet_type, w.tenant_id, w.user_id, w.metadata ->> 'tradingAccountId')
     IS DISTINCT FROM ('EXCHANGE', a.tenant_id, a.user_id, m.trading_account_id::text)
  UNION ALL
  SELECT 'mirror ' || m.wallet_id || ' is at fill ' || m.last_number || ' of account ' || m.trading_account_id || ', which has none of that number'
    FROM exchange_mirror m
   WHERE m.last_number > coalesce((SELECT max(number) FROM execution x WHERE x.trading_account_id = m.trading_account_id), 0)
  UNION ALL
  SELECT 'wallet ' || a.wallet_id || ' is not that of the tenant and owner of account ' || a.trading_account_id
    FROM trading_account a LEFT JOIN wallet w USING (wallet_id)
   WHERE a.wallet_id IS NOT NULL AND a.status <> 'DISCONNECTED' AND (w.tenant_id, w.user_id) IS DISTINCT FROM (a.tenant_id, a.user_id)
  UNION ALL
  SELECT 'wallet ' || d.wallet_id || ' is not that of dealer ' || d.dealer_account_id
    FROM dealer d LEFT JOIN wallet w USING (wallet_id) LEFT JOIN trading_account a ON a.trading_account_id = d.trading_account_id
   WHERE (w.wallet_type, w.tenant_id, w.dealer_account_id, a.wallet_id)
     IS DISTINCT FROM ('DEALER', d.tenant_id, d.dealer_account_id, d.wallet_id)
  LIMIT 100`

/** Of dealers' books against their wallets (decision 52): a few rows each. */
const BOOKS = "SELECT what FROM dealer_book_violation LIMIT 100"

interface Wrong {
  readonly what: string
}

interface BalanceRow {
  readonly what: string | null
  readonly asset: string | null
  readonly posted: string | null
  readonly pending: string | null
}

/** The key up to which a slice goes that begins behind $1, of $2 rows and the others of its last key. */
const ENDS = {
  wallet_balance: "SELECT wallet_id AS key FROM wallet_balance WHERE wallet_id > $1 ORDER BY 1 OFFSET $2 LIMIT 1",
  ledger_hold: "SELECT transfer_id AS key FROM ledger_hold WHERE transfer_id > $1 ORDER BY 1 OFFSET $2 LIMIT 1",
  internal_order: `SELECT trading_account_id AS key FROM internal_order WHERE status = 'OPEN' AND trading_account_id > $1
    ORDER BY 1 OFFSET $2 LIMIT 1`,
} as const

export const inSlices = async (
  client: pg.Client,
  table: keyof typeof ENDS,
  run: (after: string, upTo: string) => Promise<void>,
): Promise<void> => {
  for (let after = BEFORE_ALL_IDS; after !== BEHIND_ALL_IDS; ) {
    const { rows } = await client.query<{ key: string }>(ENDS[table], [after, SLICE])
    const upTo = rows[0]?.key ?? BEHIND_ALL_IDS
    await run(after, upTo)
    after = upTo
  }
}

/** What the sums of a pass are of: the transfers up to this one. */
export interface Sums {
  readonly generation: string
  readonly transfers: string
}

/** Everything that is wrong now. `now`: the gateway's clock. */
export const readStanding = async (client: pg.Client, sums: Sums, now: number): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const asked = async (text: string, values: ReadonlyArray<unknown>): Promise<void> => {
    for (const { what } of (await client.query<Wrong>(text, [...values])).rows) found.push(what)
  }
  const excess = new Map<string, readonly [posted: Decimal, pending: Decimal]>()
  await inSlices(client, "wallet_balance", async (after, upTo) => {
    const { rows } = await client.query<BalanceRow>(BALANCES, [after, upTo, sums.transfers, sums.generation])
    for (const { what, asset, posted, pending } of rows) {
      if (what !== null) found.push(what)
      if (asset === null) continue
      const [p, q] = excess.get(asset) ?? [Decimal.ZERO, Decimal.ZERO]
      excess.set(asset, [p.add(Decimal.of(posted ?? "0")), q.add(Decimal.of(pending ?? "0"))])
    }
  })
  for (const [asset, [posted, pending]] of excess)
    if (!posted.isZero() || !pending.isZero())
      found.push(`debits and credits of ${asset} differ: by ${posted} posted and ${pending} pending`)
  await inSlices(client, "ledger_hold", (after, upTo) => asked(HOLDS, [after, upTo]))
  await inSlices(client, "internal_order", (after, upTo) => asked(ORDERS, [after, upTo]))
  await asked(QUOTES, [now])
  await asked(WALLETS, [])
  await asked(BOOKS, [])
  return found
}

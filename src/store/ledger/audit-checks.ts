/**
 * Checks of each row of the ledger's append-only tables (contract C9): transfers, trades, hedge intents and executed quotes, each against what
 * was written in the same transaction. The one thing to know: a check runs on a slice once, and its findings are verified by each run; its joins
 * use keys, so that its cost is proportional to the slice.
 */

/** What grows: its rows are numbered, quotes have the order of their execution. */
export type Axis = "transfers" | "trades" | "intents" | "quotes"

export interface SliceCheck {
  readonly name: string
  readonly axis: Axis
  /** Rows (place, what). `$1` and `$2`: the numbers behind which and up to which; of quotes their ids. */
  readonly sql: string
}

/** Fees of a request are looked for this far around the slice: it has at most 300 transfers, and other sessions may number between them. */
const AROUND = 5_000

const SLICE = "t.number > $1 AND t.number <= $2"
const NAMED = "'transfer ' || t.transfer_id || ' (' || t.code || ', ' || trim_scale(t.amount) || ' ' || t.asset || ')"

const transfers = (name: string, what: string, from: string): SliceCheck => ({
  name,
  axis: "transfers",
  sql: `SELECT t.number::text AS place, ${NAMED} ${what} AS what FROM ${from} LIMIT 100`,
})

const legs = (code: "TRADE" | "QUOTE", kind: string, of: string, what: string): SliceCheck =>
  transfers(
    `${code.toLowerCase()} transfers`,
    `is no leg of ${what} ' || coalesce(t.reference, 'null')`,
    `ledger_transfer t
      WHERE ${SLICE} AND t.code = '${code}' AND NOT EXISTS (
        SELECT 1 FROM ${of}(ledger_uuid(t.reference)) l WHERE t.kind = '${kind}' AND l.debit_wallet_id = t.debit_wallet_id
          AND l.credit_wallet_id = t.credit_wallet_id AND l.asset = t.asset AND l.amount = t.amount)`,
  )

/** That both legs are there, and nothing beside them. */
const notBothLegs = (code: "TRADE" | "QUOTE", of: string, id: string): string => `
  (SELECT count(*) FROM ledger_transfer t WHERE t.code = '${code}' AND t.reference = ${id}::text) <> 2
  OR (SELECT count(DISTINCT (l.debit_wallet_id, l.asset)) FROM ${of}(${id}) l
        JOIN ledger_transfer t ON t.code = '${code}' AND t.reference = ${id}::text AND t.debit_wallet_id = l.debit_wallet_id
         AND t.credit_wallet_id = l.credit_wallet_id AND t.asset = l.asset AND t.amount = l.amount) <> 2`

const FEES: SliceCheck = {
  name: "fees",
  axis: "transfers",
  sql: `
    WITH near AS MATERIALIZED (
      SELECT t.number, t.request_id, t.code, t.reference, t.amount, t.credit_wallet_id FROM ledger_transfer t
       WHERE t.number > $1::bigint - ${AROUND} AND t.number <= $2::bigint + ${AROUND} AND t.code IN ('TRADE', 'FEE')
    ), asked AS (
      SELECT request_id, min(number) AS number FROM near WHERE number > $1::bigint AND number <= $2::bigint GROUP BY request_id
    ), due AS (
      SELECT s.request_id, f.trade_order_id, sum(f.fee) AS amount
        FROM (SELECT DISTINCT n.request_id, n.reference FROM near n JOIN asked USING (request_id) WHERE n.code = 'TRADE') s
        JOIN internal_trade r ON r.trade_id = ledger_uuid(s.reference)
        CROSS JOIN LATERAL (VALUES (r.maker_order_id, r.maker_fee), (r.taker_order_id, r.taker_fee)) f (trade_order_id, fee)
       WHERE f.fee > 0 GROUP BY s.request_id, f.trade_order_id
    ), paid AS (
      SELECT n.request_id, ledger_uuid(n.reference) AS trade_order_id, sum(n.amount) AS amount
        FROM near n JOIN asked USING (request_id) JOIN wallet w ON w.wallet_id = n.credit_wallet_id
       WHERE n.code = 'FEE' AND w.metadata ->> 'purpose' = 'FEES' GROUP BY n.request_id, ledger_uuid(n.reference)
    )
    SELECT a.number::text AS place, 'fees of order ' || coalesce(trade_order_id::text, 'null') || ' in request ' || request_id || ' are '
        || trim_scale(coalesce(p.amount, 0)) || ', its trades say ' || trim_scale(coalesce(d.amount, 0)) AS what
      FROM due d FULL JOIN paid p USING (request_id, trade_order_id) JOIN asked a USING (request_id)
     WHERE d.amount IS DISTINCT FROM p.amount LIMIT 100`,
}

const TRANSFERS: ReadonlyArray<SliceCheck> = [
  transfers(
    "entries",
    `is not a valid transfer: from ' || t.debit_wallet_id || ' to ' || t.credit_wallet_id`,
    `ledger_transfer t WHERE ${SLICE} AND (t.amount <= 0 OR t.debit_wallet_id = t.credit_wallet_id
      OR (t.kind IN ('post', 'void')) <> (t.pending_id IS NOT NULL))`,
  ),
  transfers(
    "resolutions",
    `does not match the hold it resolves: ' || t.pending_id`,
    `ledger_transfer t LEFT JOIN ledger_transfer p ON p.transfer_id = t.pending_id
      WHERE ${SLICE} AND t.pending_id IS NOT NULL AND (p.kind IS DISTINCT FROM 'pending' OR t.amount > p.amount
        OR t.kind = 'void' AND t.amount <> p.amount OR t.debit_wallet_id <> p.debit_wallet_id
        OR t.credit_wallet_id <> p.credit_wallet_id OR t.asset <> p.asset)`,
  ),
  transfers(
    "resolved once",
    `resolves hold ' || t.pending_id || ', and so does ' || o.transfer_id`,
    `ledger_transfer t JOIN ledger_transfer o ON o.pending_id = t.pending_id AND o.transfer_id <> t.transfer_id WHERE ${SLICE}`,
  ),
  transfers(
    "holds of the journal",
    `is a hold that is neither resolved nor open'`,
    `ledger_transfer t WHERE ${SLICE} AND t.kind = 'pending'
      AND NOT EXISTS (SELECT 1 FROM ledger_transfer x WHERE x.pending_id = t.transfer_id)
      AND NOT EXISTS (SELECT 1 FROM ledger_hold h WHERE h.transfer_id = t.transfer_id)`,
  ),
  transfers(
    "requests",
    `is of request ' || t.request_id || ', which was not applied'`,
    `ledger_transfer t LEFT JOIN ledger_request q USING (request_id)
      WHERE ${SLICE} AND (q.request_id IS NULL OR q.failure IS NOT NULL)`,
  ),
  transfers(
    "refusals",
    `is both applied and rejected'`,
    `ledger_transfer t JOIN ledger_rejected USING (transfer_id) WHERE ${SLICE}`,
  ),
  transfers(
    "tenants",
    `is between wallets of two tenants: ' || t.debit_wallet_id || ' and ' || t.credit_wallet_id`,
    `ledger_transfer t LEFT JOIN wallet d ON d.wallet_id = t.debit_wallet_id LEFT JOIN wallet c ON c.wallet_id = t.credit_wallet_id
      WHERE ${SLICE} AND (d.wallet_id IS NULL OR c.wallet_id IS NULL
        OR d.tenant_id <> c.tenant_id AND t.kind <> 'void' AND t.number > (SELECT tenants_from FROM ledger_audit))`,
  ),
  transfers(
    "transfers of mirrors",
    `is not of the account that ' || m.wallet_id || ' mirrors'`,
    `ledger_transfer t
      CROSS JOIN LATERAL (VALUES (t.debit_wallet_id, t.credit_wallet_id), (t.credit_wallet_id, t.debit_wallet_id)) s (mine, other)
      JOIN exchange_mirror m ON m.wallet_id = s.mine
      LEFT JOIN wallet o ON o.wallet_id = s.other
      LEFT JOIN execution x ON x.execution_id = ledger_uuid(t.reference)
      WHERE ${SLICE} AND (o.wallet_type IS DISTINCT FROM 'ACCOUNTING'
        OR t.code IN ('EXCHANGE', 'HEDGE') AND x.trading_account_id IS DISTINCT FROM m.trading_account_id)`,
  ),
  legs("TRADE", "single", "ledger_legs_of_trade", "trade"),
  legs("QUOTE", "post", "ledger_legs_of_quote", "executed quote"),
  FEES,
]

/** A quote is executed by one order, which has one trade and one hedge intent, both of the quote's terms. */
const UNLIKE_TRADE = `r.trade_id IS NULL OR q.trade_order_id IS DISTINCT FROM r.taker_order_id OR q.order_side <> r.taker_side
  OR q.quantity <> r.quantity OR q.price <> r.price`
const UNLIKE_INTENT = `h.hedge_intent_id IS NULL OR q.trade_order_id IS DISTINCT FROM h.trade_order_id OR q.order_side <> h.order_side
  OR q.quantity <> h.quantity OR q.dealer_account_id <> h.dealer_account_id OR q.base_asset <> h.base_asset OR q.quote_asset <> h.quote_asset`

const OTHERS: ReadonlyArray<SliceCheck> = [
  {
    name: "trades",
    axis: "trades",
    sql: `SELECT r.ordinal::text AS place, 'trade ' || r.trade_id || ' of ' || r.instrument_id || ' has not its two transfers' AS what
      FROM internal_trade r WHERE r.ordinal > $1 AND r.ordinal <= $2 AND r.quote_id IS NULL
        AND (${notBothLegs("TRADE", "ledger_legs_of_trade", "r.trade_id")}) LIMIT 100`,
  },
  {
    name: "trades of quotes",
    axis: "trades",
    sql: `SELECT r.ordinal::text AS place, 'trade ' || r.trade_id || ' is not that of executed quote ' || r.quote_id AS what
      FROM internal_trade r LEFT JOIN quote q USING (quote_id)
     WHERE r.ordinal > $1 AND r.ordinal <= $2 AND r.quote_id IS NOT NULL
       AND (q.status IS DISTINCT FROM 'EXECUTED' OR ${UNLIKE_TRADE}) LIMIT 100`,
  },
  {
    name: "hedge intents",
    axis: "intents",
    sql: `SELECT h.number::text AS place, 'hedge intent ' || h.hedge_intent_id || ' is not that of executed quote ' || h.quote_id AS what
      FROM hedge_intent h LEFT JOIN quote q USING (quote_id)
     WHERE h.number > $1 AND h.number <= $2 AND (q.status IS DISTINCT FROM 'EXECUTED' OR ${UNLIKE_INTENT}) LIMIT 100`,
  },
  {
    name: "executed quotes",
    axis: "quotes",
    sql: `SELECT q.quote_id::text AS place, 'executed quote ' || q.quote_id || ' has not its '
        || CASE WHEN ${UNLIKE_TRADE} THEN 'trade' WHEN ${UNLIKE_INTENT} THEN 'hedge intent' ELSE 'two transfers' END AS what
      FROM quote q LEFT JOIN internal_trade r USING (quote_id) LEFT JOIN hedge_intent h USING (quote_id)
     WHERE q.status = 'EXECUTED' AND q.quote_id = ANY ($1)
       AND (${UNLIKE_TRADE} OR ${UNLIKE_INTENT} OR ${notBothLegs("QUOTE", "ledger_legs_of_quote", "q.quote_id")}) LIMIT 100`,
  },
]

export const SLICE_CHECKS: ReadonlyArray<SliceCheck> = [...TRANSFERS, ...OTHERS]

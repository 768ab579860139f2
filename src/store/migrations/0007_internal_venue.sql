-- The platform's own venue: whose wallet an account trades with, its orders, its trades. The venue has no truth beside these tables: they
-- are written in the ledger's transactions, together with the holds and the money that they speak of, and a restart builds its
-- books from them.

-- Of accounts on INTERNAL: the wallet that holds what they own, and the dealer whose clients they are (null: any dealer's).
ALTER TABLE trading_account ADD COLUMN wallet_id uuid;
ALTER TABLE trading_account ADD COLUMN dealer_account_id uuid;
-- One live account per wallet: two would take each other's balances for their own.
CREATE UNIQUE INDEX trading_account_wallet ON trading_account (wallet_id) WHERE wallet_id IS NOT NULL AND status <> 'DISCONNECTED';

-- An order as the venue has it. Whole images, never deltas: what was stored last counts.
CREATE TABLE internal_order (
  trade_order_id uuid PRIMARY KEY,
  trading_account_id uuid NOT NULL,
  tenant_id text NOT NULL,
  user_id uuid NOT NULL,
  wallet_id uuid NOT NULL,
  instrument_id text NOT NULL,
  order_side text NOT NULL CHECK (order_side IN ('BUY', 'SELL')),
  order_type text NOT NULL,
  time_in_force text NOT NULL,
  limit_price numeric,
  quantity numeric NOT NULL CHECK (quantity > 0),
  -- Of a market buy of so much quote.
  budget numeric,
  executed numeric NOT NULL CHECK (executed >= 0 AND executed <= quantity OR budget IS NOT NULL),
  status text NOT NULL CHECK (status IN ('OPEN', 'FILLED', 'CANCELLED', 'REJECTED')),
  ending text,
  -- Its place in the queue of its price: the order in which orders and changes came in.
  sequence bigint NOT NULL,
  -- The hold in the ledger that covers what is left of it; null when it is over.
  hold_id uuid,
  held numeric NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  CHECK ((hold_id IS NULL) = (status <> 'OPEN'))
) WITH (fillfactor = 70);
-- A market's book, in the order of its queues.
CREATE INDEX internal_order_book ON internal_order (instrument_id, sequence) WHERE status = 'OPEN';
-- The open orders of an account, for reconciliation.
CREATE INDEX internal_order_open ON internal_order (trading_account_id) WHERE status = 'OPEN';

-- A trade between two accounts. Without orders of the book on either side: a quote that was executed (quote_id), which no tape shows.
CREATE TABLE internal_trade (
  trade_id uuid PRIMARY KEY,
  -- Trades in the order in which they were stored.
  ordinal bigint GENERATED ALWAYS AS IDENTITY,
  instrument_id text NOT NULL,
  price numeric NOT NULL CHECK (price > 0),
  quantity numeric NOT NULL CHECK (quantity > 0),
  taker_side text NOT NULL CHECK (taker_side IN ('BUY', 'SELL')),
  -- The dealer's side of a quote has no order.
  maker_order_id uuid,
  maker_account_id uuid NOT NULL,
  -- In what the maker receives: quote when the taker bought, base when he sold.
  maker_fee numeric NOT NULL CHECK (maker_fee >= 0),
  taker_order_id uuid NOT NULL,
  taker_account_id uuid NOT NULL,
  taker_fee numeric NOT NULL CHECK (taker_fee >= 0),
  quote_id uuid,
  executed_at bigint NOT NULL
);
-- A quote is executed once.
CREATE UNIQUE INDEX internal_trade_quote ON internal_trade (quote_id) WHERE quote_id IS NOT NULL;
-- The fills of an account since an instant, on either side.
CREATE INDEX internal_trade_maker ON internal_trade (maker_account_id, executed_at);
CREATE INDEX internal_trade_taker ON internal_trade (taker_account_id, executed_at);
-- What became of an order that asked for a quote.
CREATE INDEX internal_trade_quoted ON internal_trade (taker_order_id) WHERE quote_id IS NOT NULL;
-- Bars of the past.
CREATE INDEX internal_trade_tape ON internal_trade (instrument_id, executed_at) WHERE quote_id IS NULL;

-- Orders of one batch of the ledger; of one that comes twice the last image counts.
CREATE FUNCTION ledger_facts_internal_order(rows jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO internal_order AS o (trade_order_id, trading_account_id, tenant_id, user_id, wallet_id, instrument_id, order_side, order_type,
    time_in_force, limit_price, quantity, budget, executed, status, ending, sequence, hold_id, held, created_at, updated_at)
  SELECT DISTINCT ON (r.trade_order_id) r.trade_order_id, r.trading_account_id, r.tenant_id, r.user_id, r.wallet_id, r.instrument_id,
    r.order_side, r.order_type, r.time_in_force, r.limit_price, r.quantity, r.budget, r.executed, r.status, r.ending, r.sequence, r.hold_id,
    r.held, r.created_at, r.updated_at
  FROM ROWS FROM (jsonb_to_recordset(rows) AS (trade_order_id uuid, trading_account_id uuid, tenant_id text, user_id uuid, wallet_id uuid,
    instrument_id text, order_side text, order_type text, time_in_force text, limit_price numeric, quantity numeric, budget numeric,
    executed numeric, status text, ending text, sequence bigint, hold_id uuid, held numeric, created_at bigint, updated_at bigint))
    WITH ORDINALITY AS r(trade_order_id, trading_account_id, tenant_id, user_id, wallet_id, instrument_id, order_side, order_type,
      time_in_force, limit_price, quantity, budget, executed, status, ending, sequence, hold_id, held, created_at, updated_at, place)
  ORDER BY r.trade_order_id, r.place DESC
  ON CONFLICT (trade_order_id) DO UPDATE SET limit_price = excluded.limit_price, quantity = excluded.quantity,
    executed = excluded.executed, status = excluded.status, ending = excluded.ending, sequence = excluded.sequence,
    hold_id = excluded.hold_id, held = excluded.held, updated_at = excluded.updated_at
$$;

CREATE FUNCTION ledger_facts_internal_trade(rows jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO internal_trade (trade_id, instrument_id, price, quantity, taker_side, maker_order_id, maker_account_id, maker_fee,
    taker_order_id, taker_account_id, taker_fee, quote_id, executed_at)
  SELECT r.trade_id, r.instrument_id, r.price, r.quantity, r.taker_side, r.maker_order_id, r.maker_account_id, r.maker_fee,
    r.taker_order_id, r.taker_account_id, r.taker_fee, r.quote_id, r.executed_at
  FROM ROWS FROM (jsonb_to_recordset(rows) AS (trade_id uuid, instrument_id text, price numeric, quantity numeric, taker_side text,
    maker_order_id uuid, maker_account_id uuid, maker_fee numeric, taker_order_id uuid, taker_account_id uuid, taker_fee numeric,
    quote_id uuid, executed_at bigint))
    WITH ORDINALITY AS r(trade_id, instrument_id, price, quantity, taker_side, maker_order_id, maker_account_id, maker_fee,
      taker_order_id, taker_account_id, taker_fee, quote_id, executed_at, place)
  ORDER BY r.place
$$;

-- Hedges are orders of linked accounts: they say whose they are and which executed quotes they cover.
ALTER TABLE trade_order ADD COLUMN dealer_account_id uuid, ADD COLUMN hedge_for_quote_ids json;
-- What a dealer has hedged, read when its actor wakes. Both columns never change, so no later image of an order touches this index.
CREATE INDEX trade_order_hedge ON trade_order (dealer_account_id, instrument_id) WHERE dealer_account_id IS NOT NULL;

-- The outbox: what executed quotes ask to be hedged, written in the transaction of the execution (contract C8) and never changed. What is
-- still open of it is not stored: it is what these rows owe less what the dealer's hedges executed.
CREATE TABLE hedge_intent (
  hedge_intent_id uuid PRIMARY KEY,
  quote_id uuid NOT NULL UNIQUE,
  dealer_account_id uuid NOT NULL,
  -- The client's order.
  trade_order_id uuid NOT NULL,
  -- The linked account that the price came from, and the instrument there.
  trading_account_id uuid NOT NULL,
  venue text NOT NULL,
  instrument_id text NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  -- Of the hedge: the client's side.
  order_side text NOT NULL CHECK (order_side IN ('BUY', 'SELL')),
  quantity numeric NOT NULL CHECK (quantity > 0),
  quote_price numeric NOT NULL,
  walked_price numeric NOT NULL,
  worst_price numeric NOT NULL,
  created_at bigint NOT NULL,
  -- Order of execution.
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
-- Sums per pair, and the newest intents of one, read when a dealer's actor wakes.
CREATE INDEX hedge_intent_of_dealer ON hedge_intent (dealer_account_id, base_asset, quote_asset, number DESC);

-- Called by the ledger with the hedge intents of a batch. A repeated batch finds its rows there.
CREATE FUNCTION ledger_facts_hedge_intent(rows jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO hedge_intent (hedge_intent_id, quote_id, dealer_account_id, trade_order_id, trading_account_id, venue, instrument_id,
    base_asset, quote_asset, order_side, quantity, quote_price, walked_price, worst_price, created_at)
  SELECT hedge_intent_id, quote_id, dealer_account_id, trade_order_id, trading_account_id, venue, instrument_id,
    base_asset, quote_asset, order_side, quantity, quote_price, walked_price, worst_price, created_at
  FROM jsonb_populate_recordset(NULL::hedge_intent, rows)
  ON CONFLICT DO NOTHING
$$;

-- Accounts at venues that are mirrored in the ledger: the wallet, and the newest fill whose transfers are in it. It may be behind by what a
-- crash cut off: transfers have ids made of the fill's, so that what is posted once more changes nothing.
CREATE TABLE exchange_mirror (
  trading_account_id uuid PRIMARY KEY,
  wallet_id uuid NOT NULL REFERENCES wallet,
  last_number bigint NOT NULL
);
-- The fills of an account behind that number.
CREATE INDEX execution_number ON execution (trading_account_id, number);

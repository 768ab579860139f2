-- The audit of the ledger from a checkpoint (decision 51): how far each pass has come, what balances must be there, and what was found.

-- How far a pass has come through what only grows. CHECKED: what looks begin at. WHOLE: from the first transfer on; when it has caught up
-- it takes the place of CHECKED. VERIFY: of `gateway admin ledger verify`.
CREATE TABLE ledger_audit_pass (
  pass text PRIMARY KEY CHECK (pass IN ('CHECKED', 'WHOLE', 'VERIFY')),
  -- Of its sums.
  generation bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  -- Up to which number of ledger_transfer, ordinal of internal_trade and number of hedge_intent.
  transfers bigint NOT NULL DEFAULT 0,
  trades bigint NOT NULL DEFAULT 0,
  intents bigint NOT NULL DEFAULT 0,
  -- Up to which EXECUTED quote, in order of updated_at and quote_id.
  quotes_at bigint NOT NULL DEFAULT 0,
  quotes_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);

-- What the transfers up to a pass's place come to: the four counters of a balance.
CREATE TABLE ledger_audit_sum (
  generation bigint NOT NULL,
  wallet_id uuid NOT NULL,
  asset text NOT NULL,
  debits_posted numeric NOT NULL,
  credits_posted numeric NOT NULL,
  debits_pending numeric NOT NULL,
  credits_pending numeric NOT NULL,
  PRIMARY KEY (generation, wallet_id, asset)
) WITH (fillfactor = 70);

-- What was found behind the checkpoint: asked again by each look, gone when it is well.
CREATE TABLE ledger_audit_finding (
  check_name text NOT NULL,
  -- Where the check finds it again: a number of its table, or a quote.
  place text NOT NULL,
  what text NOT NULL,
  found_at bigint NOT NULL,
  PRIMARY KEY (check_name, place)
);

CREATE TABLE ledger_audit (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- When the last pass over the whole journal ended.
  whole_at bigint,
  -- There were trades between tenants before 0027: transfers up to this number may be between two.
  tenants_from bigint NOT NULL
);
INSERT INTO ledger_audit (tenants_from) SELECT coalesce(max(number), 0) FROM ledger_transfer;

-- Slices of the journal, in the order in which it was written.
CREATE UNIQUE INDEX ledger_transfer_number ON ledger_transfer (number);
CREATE UNIQUE INDEX internal_trade_ordinal ON internal_trade (ordinal);
CREATE UNIQUE INDEX hedge_intent_number ON hedge_intent (number);
-- The transfers of a trade, and of a quote. One entry a trade: both legs have the same reference.
CREATE INDEX ledger_transfer_leg ON ledger_transfer (reference) WHERE code IN ('TRADE', 'QUOTE');
-- An update that executes a quote touches the indexes over `open` already.
CREATE INDEX quote_executed ON quote (updated_at, quote_id) WHERE status = 'EXECUTED';

-- References are texts; null where one is no uuid.
CREATE FUNCTION ledger_uuid(word text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN word ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN word::uuid END
$$;

-- What a trade of the book must have moved; wallets are null when its orders are not there.
CREATE FUNCTION ledger_legs_of_trade(id uuid)
  RETURNS TABLE (debit_wallet_id uuid, credit_wallet_id uuid, asset text, amount numeric) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT l.* FROM internal_trade r
    LEFT JOIN internal_order m ON m.trade_order_id = r.maker_order_id
    LEFT JOIN internal_order t ON t.trade_order_id = r.taker_order_id
    LEFT JOIN instrument i ON i.instrument_id = r.instrument_id
    CROSS JOIN LATERAL (SELECT CASE r.taker_side WHEN 'BUY' THEN t.wallet_id ELSE m.wallet_id END AS buyer,
                               CASE r.taker_side WHEN 'BUY' THEN m.wallet_id ELSE t.wallet_id END AS seller) w
    CROSS JOIN LATERAL (VALUES (w.buyer, w.seller, i.quote_asset, r.price * r.quantity), (w.seller, w.buyer, i.base_asset, r.quantity))
      AS l (debit_wallet_id, credit_wallet_id, asset, amount)
   WHERE r.trade_id = id AND r.quote_id IS NULL
$$;

-- What an executed quote must have moved.
CREATE FUNCTION ledger_legs_of_quote(id uuid)
  RETURNS TABLE (debit_wallet_id uuid, credit_wallet_id uuid, asset text, amount numeric) LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT l.* FROM quote q
    CROSS JOIN LATERAL (SELECT CASE q.order_side WHEN 'BUY' THEN q.trader_wallet_id ELSE q.dealer_wallet_id END AS buyer,
                               CASE q.order_side WHEN 'BUY' THEN q.dealer_wallet_id ELSE q.trader_wallet_id END AS seller) w
    CROSS JOIN LATERAL (VALUES (w.buyer, w.seller, q.quote_asset, q.price * q.quantity), (w.seller, w.buyer, q.base_asset, q.quantity))
      AS l (debit_wallet_id, credit_wallet_id, asset, amount)
   WHERE q.quote_id = id AND q.status = 'EXECUTED'
$$;

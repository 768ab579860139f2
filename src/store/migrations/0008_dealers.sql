-- Dealers and their quotes. Quotes are written in the ledger's transactions only, by the functions below: what a quote reserves, moves or
-- releases and what it says of itself are one commit.

CREATE TABLE dealer (
  dealer_account_id uuid PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenant,
  version bigint NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  base_currencies text[] NOT NULL,
  risk_threshold numeric,
  -- As it was given, text by text.
  config json NOT NULL,
  owner_user_id uuid NOT NULL REFERENCES app_user,
  -- Its own account on INTERNAL, and the wallet of that account.
  trading_account_id uuid NOT NULL UNIQUE REFERENCES trading_account,
  wallet_id uuid NOT NULL UNIQUE REFERENCES wallet,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

-- Linked accounts, in the order in which they were linked.
CREATE TABLE dealer_link (
  dealer_account_id uuid NOT NULL REFERENCES dealer,
  trading_account_id uuid NOT NULL REFERENCES trading_account,
  position int NOT NULL,
  PRIMARY KEY (dealer_account_id, trading_account_id)
);
-- A disconnect asks whose an account is.
CREATE INDEX dealer_link_account ON dealer_link (trading_account_id);

-- No foreign keys: they would lock rows of dealers and wallets with every quote. A third of each page is left free for the second image.
CREATE TABLE quote (
  quote_id uuid PRIMARY KEY,
  tenant_id text NOT NULL,
  version bigint NOT NULL,
  quote_request_id text,
  fingerprint text,
  dealer_account_id uuid NOT NULL,
  trader_account_id uuid NOT NULL,
  trader_user_id uuid NOT NULL,
  dealer_wallet_id uuid NOT NULL,
  trader_wallet_id uuid NOT NULL,
  instrument_id text NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  order_side text NOT NULL,
  quantity_type text NOT NULL,
  quantity numeric,
  quote_quantity numeric,
  price numeric,
  status text NOT NULL,
  reject_reason text,
  pricing_profile_id text,
  -- How the price came about.
  receipt json,
  trade_order_id uuid,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expire_at bigint NOT NULL,
  -- A column of its own, as of orders: an index predicate counts as indexed.
  open boolean NOT NULL GENERATED ALWAYS AS (status IN ('CREATED', 'ACCEPTED')) STORED
) WITH (fillfactor = 65);
-- A repeated request finds its quote (contract C2).
CREATE UNIQUE INDEX quote_request ON quote (dealer_account_id, trader_account_id, quote_request_id)
  WHERE quote_request_id IS NOT NULL;
-- What a dealer's actor loads when it wakes: few rows out of many.
CREATE INDEX quote_open ON quote (dealer_account_id) WHERE open;
-- Whether a wallet has quotes outstanding, before it is closed.
CREATE INDEX quote_open_trader_wallet ON quote (trader_wallet_id) WHERE open;
CREATE INDEX quote_open_dealer_wallet ON quote (dealer_wallet_id) WHERE open;
-- Lists: a client's own, and a dealer's; newest first, the id breaks ties.
CREATE INDEX quote_of_user ON quote (trader_user_id, created_at DESC, quote_id DESC);
CREATE INDEX quote_of_dealer ON quote (dealer_account_id, created_at DESC, quote_id DESC);

-- QUOTE.UPDATED that an account has not told yet: written with the change itself, taken away by the unit that holds the event.
CREATE TABLE quote_news (
  event_id uuid PRIMARY KEY,
  trading_account_id uuid NOT NULL,
  at bigint NOT NULL,
  payload text NOT NULL
);

-- One order per quote, but a rejected one gives it back. A column of its own, which changes only then: an index over the status itself
-- would be touched by every change of every order.
ALTER TABLE trade_order ADD COLUMN claimed_quote_id uuid
  GENERATED ALWAYS AS (CASE WHEN order_status = 'REJECTED' THEN NULL ELSE quote_id END) STORED;
DROP INDEX trade_order_quote;
CREATE UNIQUE INDEX trade_order_quote ON trade_order (claimed_quote_id) WHERE claimed_quote_id IS NOT NULL;

CREATE FUNCTION quote_news_of(fact jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO quote_news (event_id, trading_account_id, at, payload)
  SELECT (n->>'eventId')::uuid, (n->>'tradingAccountId')::uuid, (n->>'at')::bigint, n->>'payload'
  FROM jsonb_array_elements(fact->'news') AS n
$$;

-- A new quote. Refused when its request has one.
CREATE FUNCTION ledger_guard_quote_created(fact jsonb, at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  q jsonb := fact->'quote';
BEGIN
  INSERT INTO quote (quote_id, tenant_id, version, quote_request_id, fingerprint, dealer_account_id, trader_account_id, trader_user_id,
    dealer_wallet_id, trader_wallet_id, instrument_id, base_asset, quote_asset, order_side, quantity_type, quantity, quote_quantity,
    price, status, reject_reason, pricing_profile_id, receipt, created_at, updated_at, expire_at)
  VALUES ((q->>'quoteId')::uuid, q->>'tenantId', 1, q->>'quoteRequestId', q->>'fingerprint', (q->>'dealerAccountId')::uuid,
    (q->>'traderAccountId')::uuid, (q->>'traderUserId')::uuid, (q->>'dealerWalletId')::uuid, (q->>'traderWalletId')::uuid,
    q->>'instrumentId', q->>'baseAsset', q->>'quoteAsset', q->>'orderSide', q->>'quantityType', (q->>'quantity')::numeric,
    (q->>'quoteQuantity')::numeric, (q->>'price')::numeric, q->>'status', q->>'rejectReason', q->>'pricingProfileId',
    (q->>'receipt')::json, (q->>'createdAt')::bigint, (q->>'createdAt')::bigint, (q->>'expireAt')::bigint)
  ON CONFLICT (dealer_account_id, trader_account_id, quote_request_id) WHERE quote_request_id IS NOT NULL DO NOTHING;
  IF NOT FOUND THEN
    RETURN 'REQUEST_USED';
  END IF;
  PERFORM quote_news_of(fact);
  RETURN NULL;
END
$$;

-- The guard against a second execution (contract C8): nothing of it moves unless this very statement finds the quote unused and in time.
CREATE FUNCTION ledger_guard_quote_executed(fact jsonb, at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  found_status text;
BEGIN
  UPDATE quote SET status = 'EXECUTED', version = 2, trade_order_id = (fact->>'tradeOrderId')::uuid, updated_at = (fact->>'at')::bigint
  WHERE quote_id = (fact->>'quoteId')::uuid AND status = 'CREATED' AND expire_at > (fact->>'ingressAt')::bigint;
  IF NOT FOUND THEN
    SELECT status INTO found_status FROM quote WHERE quote_id = (fact->>'quoteId')::uuid;
    RETURN CASE found_status WHEN 'EXECUTED' THEN 'USED' ELSE 'EXPIRED' END;
  END IF;
  PERFORM quote_news_of(fact);
  RETURN NULL;
END
$$;

-- Quotes that are over without an execution. One that is over already stays as it is, and there is nothing to tell of it.
CREATE FUNCTION ledger_facts_quote_ended(facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  fact jsonb;
BEGIN
  FOR fact IN SELECT value FROM jsonb_array_elements(facts) LOOP
    UPDATE quote SET status = fact->>'status', version = 2, updated_at = (fact->>'at')::bigint
    WHERE quote_id = (fact->>'quoteId')::uuid AND status = 'CREATED';
    IF FOUND THEN
      PERFORM quote_news_of(fact);
    END IF;
  END LOOP;
END
$$;

-- As in 0006, and a wallet that an open quote names is not closed either: the ledger may have ended its reservation already, and the quote
-- says so a moment later.
CREATE OR REPLACE FUNCTION wallet_set_status(id uuid, wanted text, now_at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE w wallet%ROWTYPE;
BEGIN
  SELECT * INTO w FROM wallet x WHERE x.wallet_id = id FOR UPDATE;
  IF NOT FOUND THEN RETURN 'WalletNotFound'; END IF;
  IF w.wallet_type = 'ACCOUNTING' AND wanted <> 'ACTIVE' THEN RETURN 'accounting'; END IF;
  IF w.status = wanted THEN RETURN NULL; END IF;
  IF w.status = 'CLOSED' THEN RETURN 'WalletClosed'; END IF;
  PERFORM 1 FROM wallet_balance b WHERE b.wallet_id = id ORDER BY b.asset FOR NO KEY UPDATE;
  IF wanted = 'CLOSED' AND (
    EXISTS (SELECT 1 FROM wallet_balance b WHERE b.wallet_id = id AND (b.debits_pending > 0 OR b.credits_pending > 0))
    OR EXISTS (SELECT 1 FROM quote q WHERE q.open AND q.trader_wallet_id = id)
    OR EXISTS (SELECT 1 FROM quote q WHERE q.open AND q.dealer_wallet_id = id)
  ) THEN
    RETURN 'WalletHasHolds';
  END IF;
  UPDATE wallet x SET status = wanted, frozen = (wanted = 'FROZEN' OR (wanted = 'CLOSED' AND x.frozen)), updated_at = now_at
   WHERE x.wallet_id = id;
  RETURN NULL;
END
$$;

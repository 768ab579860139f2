-- What accounts at venues show beyond what is known of them (decision 52): every difference that was posted, in the ledger's own
-- transaction. A shortfall of the last day is told of until it is made good.
CREATE TABLE exchange_difference (
  -- Of the ledger.
  transfer_id uuid PRIMARY KEY,
  trading_account_id uuid NOT NULL,
  asset text NOT NULL,
  -- What the mirror has more since, or less.
  change numeric NOT NULL CHECK (change <> 0),
  -- Against which book: LOSS of the dealer, or SUSPENSE.
  book text NOT NULL CHECK (book IN ('LOSS', 'SUSPENSE')),
  -- SHORTFALL, ADJUSTMENT (a surplus) or CORRECTION (what came to light later, or came back).
  code text NOT NULL,
  at bigint NOT NULL
);
-- What is recent of an account: asked with every look at it.
CREATE INDEX exchange_difference_of_account ON exchange_difference (trading_account_id, at);

CREATE FUNCTION ledger_facts_exchange_difference(rows jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO exchange_difference SELECT * FROM jsonb_populate_recordset(NULL::exchange_difference, rows) ON CONFLICT DO NOTHING
$$;

-- A mirror is opened with what its account has then. Those that are there have been.
ALTER TABLE exchange_mirror ADD COLUMN opened boolean NOT NULL DEFAULT true;
ALTER TABLE exchange_mirror ALTER COLUMN opened SET DEFAULT false;

-- How far a mirror has come, in the transaction of what it was moved by: no crash makes a fill come twice.
CREATE FUNCTION ledger_facts_exchange_mirror(rows jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE exchange_mirror m SET last_number = r.last_number
  FROM (SELECT trading_account_id, max(last_number) AS last_number
    FROM jsonb_to_recordset(rows) AS r (trading_account_id uuid, last_number bigint) GROUP BY 1) r
  WHERE m.trading_account_id = r.trading_account_id AND m.last_number < r.last_number
$$;

-- Profit and loss of dealers (decision 52). Header: what is in the books already; it changes with them, in the ledger's transaction, and
-- only where `version` is what it was when the change was made up.
CREATE TABLE dealer_books (
  dealer_account_id uuid PRIMARY KEY,
  version bigint NOT NULL,
  last_intent bigint NOT NULL,
  position_wallet_id uuid NOT NULL,
  profit_wallet_id uuid NOT NULL,
  trading_wallet_id uuid NOT NULL
);
-- What is open of a pair, at what it brought or cost, and what was earned with it.
CREATE TABLE dealer_book (
  dealer_account_id uuid NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  position numeric NOT NULL,
  cash numeric NOT NULL,
  profit numeric NOT NULL,
  PRIMARY KEY (dealer_account_id, base_asset, quote_asset)
);
-- How far the fills of each account that is or was linked are in them.
CREATE TABLE dealer_book_cursor (
  dealer_account_id uuid NOT NULL,
  trading_account_id uuid NOT NULL,
  last_number bigint NOT NULL,
  PRIMARY KEY (dealer_account_id, trading_account_id)
);
-- What of an admin's word on a hedge is in them beyond what its venue says.
CREATE TABLE dealer_book_verdict (
  trade_order_id uuid PRIMARY KEY,
  quantity numeric NOT NULL,
  cost numeric NOT NULL
);

-- A hedge goes to a linked account only: whichever was linked, however short, is followed from then on.
INSERT INTO dealer_book_cursor
  SELECT dealer_account_id, trading_account_id, 0 FROM dealer_link
  UNION SELECT dealer_account_id, trading_account_id, 0 FROM trade_order WHERE dealer_account_id IS NOT NULL AND order_type <> 'QUOTED';
CREATE FUNCTION dealer_book_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dealer_book_cursor VALUES (NEW.dealer_account_id, NEW.trading_account_id, 0) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER followed_by_books AFTER INSERT ON dealer_link FOR EACH ROW EXECUTE FUNCTION dealer_book_follow();

CREATE FUNCTION ledger_guard_dealer_book(fact jsonb, at bigint) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  dealer uuid := (fact->>'dealerAccountId')::uuid;
BEGIN
  UPDATE dealer_books SET version = version + 1, last_intent = greatest(last_intent, (fact->>'lastIntent')::bigint)
  WHERE dealer_account_id = dealer AND version = (fact->>'version')::bigint;
  IF NOT FOUND THEN
    RETURN 'STALE';
  END IF;
  INSERT INTO dealer_book AS b SELECT dealer, r.base_asset, r.quote_asset, r.position, r.cash, r.profit
    FROM jsonb_to_recordset(fact->'pairs') AS r (base_asset text, quote_asset text, position numeric, cash numeric, profit numeric)
    ON CONFLICT (dealer_account_id, base_asset, quote_asset)
    DO UPDATE SET position = excluded.position, cash = excluded.cash, profit = excluded.profit;
  UPDATE dealer_book_cursor c SET last_number = r.last_number
    FROM jsonb_to_recordset(fact->'fills') AS r (trading_account_id uuid, last_number bigint)
    WHERE c.dealer_account_id = dealer AND c.trading_account_id = r.trading_account_id;
  INSERT INTO dealer_book_verdict SELECT r.trade_order_id, r.quantity, r.cost
    FROM jsonb_to_recordset(fact->'verdicts') AS r (trade_order_id uuid, quantity numeric, cost numeric)
    ON CONFLICT (trade_order_id) DO UPDATE SET quantity = excluded.quantity, cost = excluded.cost;
  RETURN NULL;
END $$;

-- Every row is a failure of the books: they say of each asset what POSITION has, and POSITION, PROFIT and TRADING of a dealer come to nothing.
CREATE VIEW dealer_book_violation AS
  WITH booked AS (
    SELECT dealer_account_id, asset, sum(amount) AS amount FROM (
      SELECT dealer_account_id, base_asset AS asset, position AS amount FROM dealer_book
      UNION ALL SELECT dealer_account_id, quote_asset, cash FROM dealer_book) s
    GROUP BY 1, 2
  ), held AS (
    SELECT d.dealer_account_id, b.asset, b.credits_posted - b.debits_posted AS amount
      FROM dealer_books d JOIN wallet_balance b ON b.wallet_id = d.position_wallet_id
  )
  SELECT 'books of dealer ' || dealer_account_id || ' differ from its POSITION in ' || asset AS what
    FROM booked FULL JOIN held USING (dealer_account_id, asset) WHERE coalesce(booked.amount, 0) <> coalesce(held.amount, 0)
  UNION ALL
  SELECT 'books of dealer ' || d.dealer_account_id || ' do not come to nothing in ' || b.asset
    FROM dealer_books d JOIN wallet_balance b ON b.wallet_id IN (d.position_wallet_id, d.profit_wallet_id, d.trading_wallet_id)
   GROUP BY d.dealer_account_id, b.asset HAVING sum(b.credits_posted) <> sum(b.debits_posted);

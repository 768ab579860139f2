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

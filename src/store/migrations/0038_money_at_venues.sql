-- An account that is linked again is compared with what it had when it was left and has executed since (decision 60): its mirror had
-- begun before. Of those that are linked to nobody by now fills were passed over: they begin anew once more.
ALTER TABLE exchange_mirror ADD COLUMN was_opened boolean NOT NULL DEFAULT false;
UPDATE exchange_mirror SET opened = false WHERE dealer_account_id IS NULL;

-- Deposits and withdrawals at a venue that an admin has told of (decision 60): what the mirror sees of them is posted as FUNDING.
CREATE TABLE exchange_funding (
  funding_id uuid PRIMARY KEY,
  trading_account_id uuid NOT NULL,
  -- That hears of it when it is not seen.
  dealer_account_id uuid NOT NULL,
  asset text NOT NULL,
  direction text NOT NULL CHECK (direction IN ('DEPOSIT', 'WITHDRAWAL')),
  amount numeric NOT NULL CHECK (amount > 0),
  settled numeric NOT NULL DEFAULT 0 CHECK (settled BETWEEN 0 AND amount),
  created_at bigint NOT NULL,
  expire_at bigint NOT NULL,
  -- False: all of it was seen, or its time is over.
  open boolean NOT NULL DEFAULT true
);
CREATE INDEX exchange_funding_open ON exchange_funding (created_at, funding_id) WHERE open;

-- What was seen of it, in the transaction that posts that.
CREATE FUNCTION ledger_facts_exchange_funding(rows jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE exchange_funding f SET settled = r.settled, open = r.settled < f.amount
  FROM (SELECT funding_id, max(settled) AS settled
    FROM jsonb_to_recordset(rows) AS r (funding_id uuid, settled numeric) GROUP BY 1) r
  WHERE f.funding_id = r.funding_id AND f.settled < r.settled
$$;

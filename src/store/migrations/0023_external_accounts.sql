-- Whose a venue's accounts are. A live trading account holds what the venue knows it by: the account's id there or, where the venue tells
-- none, the SHA-256 of every key that opens it. One row for each, so that a key that is attached later cannot belong to somebody else's.
CREATE TABLE external_account (
  venue text NOT NULL,
  external_key text NOT NULL,
  -- Another one takes it over once this one is DISCONNECTED.
  trading_account_id uuid NOT NULL REFERENCES trading_account,
  PRIMARY KEY (venue, external_key)
);
INSERT INTO external_account (venue, external_key, trading_account_id)
  SELECT venue, external_key, trading_account_id FROM trading_account
  WHERE external_key IS NOT NULL AND status <> 'DISCONNECTED';

-- What the venue said whose account the credential opens; null: not asked yet, and not used before it was.
ALTER TABLE trading_account_credential ADD COLUMN external_key text;
-- Connect asked with the first credential only.
UPDATE trading_account_credential l SET external_key = a.external_key FROM trading_account a
  WHERE a.trading_account_id = l.trading_account_id AND l.position = 1;

DROP INDEX trading_account_external_key;
ALTER TABLE trading_account DROP COLUMN external_key;

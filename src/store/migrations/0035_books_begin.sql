-- Books of dealers begin with the link (decision 52): what an account had traded before concerns them not, and is not read. A hedge may
-- leave, and fill, a moment before its link is stored.
CREATE OR REPLACE FUNCTION dealer_book_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dealer_book_cursor
    SELECT NEW.dealer_account_id, NEW.trading_account_id, coalesce(
      (SELECT min(x.number) - 1 FROM trade_order o JOIN execution x USING (trade_order_id)
       WHERE o.dealer_account_id = NEW.dealer_account_id AND o.trading_account_id = NEW.trading_account_id AND o.order_type <> 'QUOTED'),
      (SELECT max(number) FROM execution WHERE trading_account_id = NEW.trading_account_id), 0)
    -- Links are stored anew with every image of their dealer: what is there is not looked for again.
    WHERE NOT EXISTS (SELECT FROM dealer_book_cursor c
      WHERE c.dealer_account_id = NEW.dealer_account_id AND c.trading_account_id = NEW.trading_account_id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

-- Those that are there go on at the next fill of a hedge of their dealer; where there is none, with what comes.
UPDATE dealer_book_cursor c SET last_number = greatest(c.last_number, coalesce(
  (SELECT min(x.number) - 1 FROM trade_order o JOIN execution x USING (trade_order_id)
   WHERE o.dealer_account_id = c.dealer_account_id AND o.trading_account_id = c.trading_account_id AND o.order_type <> 'QUOTED'
     AND x.number > c.last_number),
  (SELECT max(number) FROM execution x WHERE x.trading_account_id = c.trading_account_id), 0));

-- Whose loss a difference is: of the dealer that the account was linked to then, whomever it is linked to later. Null: SUSPENSE.
ALTER TABLE exchange_difference ADD COLUMN dealer_account_id uuid;
UPDATE exchange_difference d SET dealer_account_id = w.dealer_account_id
  FROM ledger_transfer t JOIN wallet w ON w.wallet_id IN (t.debit_wallet_id, t.credit_wallet_id) AND w.dealer_account_id IS NOT NULL
  WHERE t.transfer_id = d.transfer_id AND d.book = 'LOSS';
ALTER TABLE exchange_difference DROP COLUMN book;

-- Whom a mirror's losses are booked to. Null: its account is linked to nobody, and it begins anew once it is.
ALTER TABLE exchange_mirror ADD COLUMN dealer_account_id uuid;
UPDATE exchange_mirror m SET dealer_account_id = (
  SELECT d.dealer_account_id FROM dealer_link l JOIN dealer d USING (dealer_account_id)
  WHERE l.trading_account_id = m.trading_account_id
    AND EXISTS (SELECT FROM wallet w WHERE w.dealer_account_id = d.dealer_account_id AND w.metadata->>'purpose' = 'LOSS')
  ORDER BY d.created_at, d.dealer_account_id LIMIT 1);

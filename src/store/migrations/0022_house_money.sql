-- House money: the wallet and the account that a dealer delivers from belong to the dealer, and to no user. Who is on the dealer's side at
-- the moment acts for it (authority_of, right DEALER).

DO $$
DECLARE it text;
BEGIN
  SELECT conname INTO STRICT it FROM pg_constraint
   WHERE conrelid = 'wallet'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%user_id IS NULL%';
  EXECUTE format('ALTER TABLE wallet DROP CONSTRAINT %I', it);
END $$;
UPDATE wallet SET user_id = NULL WHERE wallet_type = 'DEALER';
ALTER TABLE wallet ADD CONSTRAINT wallet_check_owner CHECK ((user_id IS NULL) = (wallet_type IN ('ACCOUNTING', 'DEALER')));

ALTER TABLE trading_account ALTER COLUMN user_id DROP NOT NULL;
UPDATE trading_account a SET user_id = NULL, dealer_account_id = d.dealer_account_id
  FROM dealer d WHERE a.trading_account_id = d.trading_account_id;
-- An image of an account names no dealer, which never changes: the database looks at what is inserted before it finds the row there.
ALTER TABLE trading_account ADD CONSTRAINT trading_account_owner CHECK (user_id IS NOT NULL OR venue = 'INTERNAL');

-- Orders of one owner do not trade with each other: of a dealer's account the owner is the dealer, whose id stands here instead of a user's.
UPDATE internal_order o SET user_id = d.dealer_account_id
  FROM dealer d WHERE o.trading_account_id = d.trading_account_id AND o.status = 'OPEN';

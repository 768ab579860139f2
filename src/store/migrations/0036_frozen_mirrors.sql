-- A mirror that is frozen is left, and linked, all the same (decision 59). What it has by then, and whose the differences in it are, is
-- booked once it is frozen no longer: {"balances": {asset: amount}, "differences": [{asset, change, loser, code, at}]}, as of last_number.
-- Null: the wallet has what the mirror has.
ALTER TABLE exchange_mirror ADD COLUMN arrears jsonb;

-- With what an account begins, in the transaction that posts it, or with what is to be posted.
CREATE FUNCTION ledger_facts_exchange_arrears(rows jsonb) RETURNS void LANGUAGE sql AS $$
  UPDATE exchange_mirror m SET arrears = r.arrears, opened = m.opened OR r.opened, last_number = greatest(m.last_number, r.last_number)
  FROM jsonb_to_recordset(rows) AS r (trading_account_id uuid, arrears jsonb, opened boolean, last_number bigint)
  WHERE m.trading_account_id = r.trading_account_id
$$;

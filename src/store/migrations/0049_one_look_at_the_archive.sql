-- What is new to the tables of commits is looked up in the archives (decision 66) by one statement, and only where something is found by those
-- that tell what it is: a statement of a function costs as much as what it looks for, so that four of them were 36 us of the 130 that
-- PostgreSQL spent on a new order and its event. A trigger for each statement, with the new rows as a table, takes 10 us less of an order
-- of 40, and 75 more of each statement, also of those that add no order. All else is as in migration 0037.
CREATE OR REPLACE FUNCTION trade_order_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old trade_order_archive;
  word text := coalesce(NEW.idempotency_key, NEW.client_order_id);
BEGIN
  IF NOT EXISTS (
      SELECT FROM trade_order_archive WHERE trade_order_id = NEW.trade_order_id
      UNION ALL SELECT FROM trade_order_archive
        WHERE trading_account_id = NEW.trading_account_id AND coalesce(idempotency_key, client_order_id) = word
      UNION ALL SELECT FROM trade_order_archive
        WHERE trading_account_id = NEW.trading_account_id AND client_order_id = NEW.client_order_id
      UNION ALL SELECT FROM trade_order_archive WHERE claimed_quote_id = NEW.claimed_quote_id) THEN
    RETURN NULL;
  END IF;
  SELECT * INTO old FROM trade_order_archive WHERE trade_order_id = NEW.trade_order_id;
  IF FOUND THEN
    -- A later image of it: a trade or a word of the venue that came so late. An older one changes nothing.
    IF (old.tenant_id, old.trading_account_id, old.venue, old.instrument_id, old.order_side, old.client_order_id, old.idempotency_key,
        old.origin, old.created_at) IS DISTINCT FROM (NEW.tenant_id, NEW.trading_account_id, NEW.venue, NEW.instrument_id, NEW.order_side,
        NEW.client_order_id, NEW.idempotency_key, NEW.origin, NEW.created_at) THEN
      PERFORM row_of_another('trade_order', NEW.trade_order_id);
    END IF;
    IF NEW.version > old.version THEN
      -- What the first image alone says, and a later one does not.
      UPDATE ONLY trade_order SET placed_by = coalesce(placed_by, old.placed_by), accepted_number = coalesce(old.accepted_number, accepted_number)
        WHERE trade_order_id = NEW.trade_order_id;
      DELETE FROM trade_order_archive WHERE trade_order_id = NEW.trade_order_id;
    ELSE
      DELETE FROM ONLY trade_order WHERE trade_order_id = NEW.trade_order_id;
    END IF;
    RETURN NULL;
  END IF;
  IF word IS NOT NULL AND EXISTS (SELECT FROM trade_order_archive
      WHERE trading_account_id = NEW.trading_account_id AND coalesce(idempotency_key, client_order_id) = word) THEN
    RAISE EXCEPTION 'the key is that of an archived order' USING ERRCODE = 'unique_violation', TABLE = 'trade_order',
      CONSTRAINT = 'trade_order_key', DETAIL = format('Key (id, key)=(%s, %s) already exists.', NEW.trading_account_id, word);
  END IF;
  IF NEW.client_order_id IS NOT NULL AND EXISTS (SELECT FROM trade_order_archive
      WHERE trading_account_id = NEW.trading_account_id AND client_order_id = NEW.client_order_id) THEN
    RAISE EXCEPTION 'the client order id is that of an archived order' USING ERRCODE = 'unique_violation', TABLE = 'trade_order',
      CONSTRAINT = 'trade_order_client_order_id',
      DETAIL = format('Key (id, key)=(%s, %s) already exists.', NEW.trading_account_id, NEW.client_order_id);
  END IF;
  IF NEW.claimed_quote_id IS NOT NULL AND EXISTS (SELECT FROM trade_order_archive WHERE claimed_quote_id = NEW.claimed_quote_id) THEN
    RAISE EXCEPTION 'the quote is that of an archived order' USING ERRCODE = 'unique_violation', TABLE = 'trade_order',
      CONSTRAINT = 'trade_order_quote';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION execution_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old execution_archive;
BEGIN
  IF NOT EXISTS (
      SELECT FROM execution_archive WHERE execution_id = NEW.execution_id
      UNION ALL SELECT FROM execution_archive WHERE trading_account_id = NEW.trading_account_id AND venue = NEW.venue
        AND external_trade_id = NEW.external_trade_id AND instrument_id = NEW.instrument_id AND order_side = NEW.order_side) THEN
    RETURN NULL;
  END IF;
  SELECT * INTO old FROM execution_archive WHERE execution_id = NEW.execution_id;
  IF FOUND THEN
    IF (old.tenant_id, old.trading_account_id, old.trade_order_id, old.venue, old.external_trade_id, old.instrument_id, old.order_side,
        old.executed_quantity, old.executed_price, old.executed_cost, old.inferred, old.executed_at) IS DISTINCT FROM (NEW.tenant_id,
        NEW.trading_account_id, NEW.trade_order_id, NEW.venue, NEW.external_trade_id, NEW.instrument_id, NEW.order_side,
        NEW.executed_quantity, NEW.executed_price, NEW.executed_cost, NEW.inferred, NEW.executed_at) THEN
      PERFORM row_of_another('execution', NEW.execution_id);
    END IF;
    DELETE FROM ONLY execution WHERE execution_id = NEW.execution_id;
    RETURN NULL;
  END IF;
  IF EXISTS (SELECT FROM execution_archive a WHERE a.trading_account_id = NEW.trading_account_id AND a.venue = NEW.venue
      AND a.external_trade_id = NEW.external_trade_id AND a.instrument_id = NEW.instrument_id AND a.order_side = NEW.order_side) THEN
    RAISE EXCEPTION 'the trade is that of an archived order' USING ERRCODE = 'unique_violation', TABLE = 'execution',
      CONSTRAINT = 'execution_external_trade';
  END IF;
  RETURN NULL;
END $$;

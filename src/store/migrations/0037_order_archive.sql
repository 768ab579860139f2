-- Orders that are long over, and their executions, out of the tables that commits write (decision 66). The archives inherit: a question to
-- trade_order or execution is asked of both, so that an order is found by every name it had; ONLY means the tables of commits. Each row
-- stands in one of the two. A column that a later migration adds comes to both by itself; an index must be made for each.
-- A look for open orders, or for hedges, does not touch the archive: its constraints say that it has none.
CREATE TABLE trade_order_archive (
  CHECK (NOT open),
  CHECK (dealer_account_id IS NULL OR order_type = 'QUOTED')
) INHERITS (trade_order);
ALTER TABLE trade_order_archive ADD PRIMARY KEY (trade_order_id);
CREATE UNIQUE INDEX trade_order_archive_key ON trade_order_archive (trading_account_id, coalesce(idempotency_key, client_order_id))
  WHERE coalesce(idempotency_key, client_order_id) IS NOT NULL;
CREATE UNIQUE INDEX trade_order_archive_client_order_id ON trade_order_archive (trading_account_id, client_order_id)
  WHERE client_order_id IS NOT NULL;
CREATE UNIQUE INDEX trade_order_archive_quote ON trade_order_archive (claimed_quote_id) WHERE claimed_quote_id IS NOT NULL;
CREATE INDEX trade_order_archive_newest ON trade_order_archive (trading_account_id, created_at DESC, trade_order_id DESC);
CREATE INDEX trade_order_archive_instrument
  ON trade_order_archive (trading_account_id, instrument_id, created_at DESC, trade_order_id DESC);
CREATE INDEX trade_order_archive_ended ON trade_order_archive (trading_account_id, ended_as, created_at DESC, trade_order_id DESC)
  WHERE ended_as IS NOT NULL;
CREATE INDEX trade_order_archive_list ON trade_order_archive (order_list_id) WHERE order_list_id IS NOT NULL;

CREATE TABLE execution_archive () INHERITS (execution);
ALTER TABLE execution_archive ADD PRIMARY KEY (execution_id);
CREATE UNIQUE INDEX execution_archive_external_trade
  ON execution_archive (trading_account_id, venue, external_trade_id, instrument_id, order_side);
CREATE INDEX execution_archive_newest ON execution_archive (trading_account_id, executed_at);
CREATE INDEX execution_archive_number ON execution_archive (trading_account_id, number);
CREATE INDEX execution_archive_of_order ON execution_archive (trade_order_id, number);
CREATE INDEX execution_archive_inferred ON execution_archive (trade_order_id, number) WHERE inferred;
CREATE INDEX execution_archive_replaces ON execution_archive (replaces) WHERE replaces IS NOT NULL;

-- An index holds one table only: what is new to the one is looked up in the other, under the names of its indexes. A commit that meets an
-- order on its way to the archive waits for the index first, and finds the order there afterwards.
CREATE FUNCTION trade_order_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old trade_order_archive;
  word text := coalesce(NEW.idempotency_key, NEW.client_order_id);
BEGIN
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
CREATE TRIGGER trade_order_unarchived AFTER INSERT ON trade_order FOR EACH ROW EXECUTE FUNCTION trade_order_unarchived();

CREATE FUNCTION execution_unarchived() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old execution_archive;
BEGIN
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
CREATE TRIGGER execution_unarchived AFTER INSERT ON execution FOR EACH ROW EXECUTE FUNCTION execution_unarchived();

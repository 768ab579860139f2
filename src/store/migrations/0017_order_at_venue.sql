-- What venues call our orders, also what they called them before a change gave them another id. A table of its own: an index on
-- trade_order.external_order_id would make every acknowledgement touch all indexes of its order, and would know the newest name only.
-- Venues number orders by instrument, so the instrument is part of the name.
CREATE TABLE order_at_venue (
  trading_account_id uuid NOT NULL,
  external_order_id text NOT NULL,
  instrument_id text NOT NULL,
  trade_order_id uuid NOT NULL,
  -- Asked by the name, of one account.
  PRIMARY KEY (trading_account_id, external_order_id, instrument_id)
);

-- Venues in this process say whose order they mean by our own id.
INSERT INTO order_at_venue
  SELECT o.trading_account_id, o.external_order_id, o.instrument_id, o.trade_order_id FROM trade_order o
  WHERE o.external_order_id IS NOT NULL AND o.venue NOT IN ('MOCK', 'PAPER', 'INTERNAL')
  ON CONFLICT DO NOTHING;

CREATE FUNCTION note_order_at_venue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_at_venue VALUES (NEW.trading_account_id, NEW.external_order_id, NEW.instrument_id, NEW.trade_order_id)
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER order_at_venue_new AFTER INSERT ON trade_order FOR EACH ROW
  WHEN (NEW.external_order_id IS NOT NULL AND NEW.venue NOT IN ('MOCK', 'PAPER', 'INTERNAL'))
  EXECUTE FUNCTION note_order_at_venue();
CREATE TRIGGER order_at_venue_changed AFTER UPDATE ON trade_order FOR EACH ROW
  WHEN (NEW.external_order_id IS DISTINCT FROM OLD.external_order_id AND NEW.external_order_id IS NOT NULL
    AND NEW.venue NOT IN ('MOCK', 'PAPER', 'INTERNAL'))
  EXECUTE FUNCTION note_order_at_venue();

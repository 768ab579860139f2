-- Lists by instrument or by how an order ended, in constant time whatever the number of stored orders.
CREATE INDEX trade_order_instrument
  ON trade_order (trading_account_id, instrument_id, created_at DESC, trade_order_id DESC);
-- Null while the order is open: a status word may change without touching an index (see `open`), and changes once more at the end.
ALTER TABLE trade_order ADD COLUMN ended_as text GENERATED ALWAYS AS
  (CASE WHEN order_status IN ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED', 'REVOKED') THEN order_status END) STORED;
CREATE INDEX trade_order_ended ON trade_order (trading_account_id, ended_as, created_at DESC, trade_order_id DESC)
  WHERE ended_as IS NOT NULL;

-- Orders by when they changed last (updatedSince of their list). An index of updated_at itself would be written at every image of an order, which
-- now touches none (migration 1): null while the order is open, as ended_as is, so that it changes where an index is written anyway, at the
-- end. What is open is found as such. Adding it writes the tables of orders anew: some 6 s for 300,000 orders of two busy cores.
ALTER TABLE trade_order ADD COLUMN over_since bigint GENERATED ALWAYS AS
  (CASE WHEN order_status IN ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED', 'REVOKED') THEN updated_at END) STORED;
CREATE INDEX trade_order_over ON trade_order (trading_account_id, over_since) WHERE over_since IS NOT NULL;
CREATE INDEX trade_order_archive_over ON trade_order_archive (trading_account_id, over_since) WHERE over_since IS NOT NULL;

-- Until the first statistics of the new column the planner would read the whole history of an account for what changed last.
ANALYZE trade_order;
ANALYZE trade_order_archive;

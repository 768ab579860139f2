-- Hedges are orders of linked accounts: they say whose they are and which executed quotes they cover.
ALTER TABLE trade_order ADD COLUMN dealer_account_id uuid, ADD COLUMN hedge_for_quote_ids json;
-- What a dealer has hedged, read when its actor wakes. Both columns never change, so no later image of an order touches this index.
CREATE INDEX trade_order_hedge ON trade_order (dealer_account_id, instrument_id) WHERE dealer_account_id IS NOT NULL;

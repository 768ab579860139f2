-- The orders of a list: parent and children of a contingent order, both legs of a pair.
CREATE INDEX trade_order_list ON trade_order (order_list_id) WHERE order_list_id IS NOT NULL;

-- The dead man's switch: when it passes, every order of the account is cancelled (ms). Null: off.
ALTER TABLE trading_account ADD COLUMN cancel_all_at bigint;

-- Prices that are counted in digits that count instead of steps (Bitfinex takes five and cuts off the rest). Null: the tick rules.
ALTER TABLE instrument ADD COLUMN price_significant_digits int;

-- The inferred execution whose place this one takes: by a trade that explains it, or what is left of it. What was replaced counts no more.
ALTER TABLE execution ADD COLUMN replaces uuid;
-- Whether an inferred execution counts; few are ever replaced.
CREATE INDEX execution_replaces ON execution (replaces) WHERE replaces IS NOT NULL;

-- An order carries its newest executions only, and sums over all of them.
ALTER TABLE trade_order ADD COLUMN execution_count int NOT NULL DEFAULT 0, ADD COLUMN fees json;
WITH fee AS (
  SELECT x.trade_order_id, f->>'asset' AS asset, min(f->>'venue') AS venue, sum((f->>'quantity')::numeric) AS quantity,
    min(x.number * 1000 + n) AS first
  FROM execution x, json_array_elements(x.fees) WITH ORDINALITY AS e(f, n) GROUP BY 1, 2),
fees AS (
  SELECT trade_order_id, json_agg(json_build_object('asset', asset, 'venue', venue, 'quantity', quantity::text) ORDER BY first) AS fees
  FROM fee GROUP BY 1),
counts AS (SELECT trade_order_id, count(*) AS executions FROM execution GROUP BY 1)
UPDATE trade_order o SET execution_count = counts.executions, fees = fees.fees
FROM counts LEFT JOIN fees USING (trade_order_id) WHERE o.trade_order_id = counts.trade_order_id;
-- The newest executions of an order, in constant time whatever their number; and the one that is not explained.
CREATE INDEX execution_of_order ON execution (trade_order_id, number);
DROP INDEX execution_order;
CREATE INDEX execution_inferred ON execution (trade_order_id, number) WHERE inferred;

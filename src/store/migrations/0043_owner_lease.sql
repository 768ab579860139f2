-- Ownership of the database as a lease with an epoch (decision 0084).

-- Until when the row's process owns it, by this server's clock; null: by a process of a version that renews nothing, which is never
-- taken for dead.
ALTER TABLE gateway_node ADD COLUMN until timestamptz;

-- No epoch is used twice, whatever becomes of the rows and whichever node has it.
CREATE SEQUENCE gateway_epoch;
SELECT setval('gateway_epoch', greatest(max(epoch), 1), count(*) > 0) FROM gateway_node;

-- The epoch is a key: a change of it waits for every batch that holds the row FOR KEY SHARE, and a renewal, which changes no key, waits for
-- none and keeps none waiting.
ALTER TABLE gateway_node ADD CONSTRAINT gateway_node_epoch UNIQUE (epoch);

-- The ledger's batches hold the row as those of the orders do. Nothing else of the function changes.
DO $$
DECLARE
  before text := pg_get_functiondef('ledger_apply(jsonb)'::regprocedure);
  held text := $held$epoch = (batch ->> 'epoch')::bigint FOR SHARE;$held$;
BEGIN
  IF position(held IN before) = 0 THEN RAISE EXCEPTION 'ledger_apply does not hold the row of its node'; END IF;
  EXECUTE replace(before, held, $held$epoch = (batch ->> 'epoch')::bigint FOR KEY SHARE;$held$);
END $$;

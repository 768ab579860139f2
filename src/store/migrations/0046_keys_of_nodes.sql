-- Which keys the process of the row works with: marks of them by kind, the one that makes first (store/postgres/node-keys.ts). Null: of a
-- process of an older version, or of one that does not run.
ALTER TABLE gateway_node ADD COLUMN keys jsonb;

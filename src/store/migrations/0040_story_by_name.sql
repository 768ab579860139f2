-- A refused submit is found by the client's words for it through an index of each, in the place of all that its account was refused.
DROP INDEX refused_submit_of_account;
CREATE INDEX refused_submit_client_order_id ON refused_submit (trading_account_id, client_order_id) WHERE client_order_id IS NOT NULL;
CREATE INDEX refused_submit_key ON refused_submit (trading_account_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX refused_submit_client_request ON refused_submit (trading_account_id, (placed_by->>'clientRequestId'))
  WHERE placed_by->>'clientRequestId' IS NOT NULL;

-- The order that took an order's place. Few orders have one.
CREATE INDEX trade_order_replaces ON trade_order (replaces_trade_order_id) WHERE replaces_trade_order_id IS NOT NULL;
CREATE INDEX trade_order_archive_replaces ON trade_order_archive (replaces_trade_order_id) WHERE replaces_trade_order_id IS NOT NULL;

-- How many days of events the gateway keeps (EVENTS_KEPT_DAYS), as it said at its last start: the owner's `migrate`, which drops them, keeps
-- as many at least. One row, or none before the first start.
CREATE TABLE events_kept (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  days integer NOT NULL CHECK (days >= 2)
);

-- It writes with its owner's rights, so that a role which only reads could add acts to the audit by it. Whoever may write orders goes on:
-- the gateway's own role.
REVOKE EXECUTE ON FUNCTION audit_write(text, jsonb) FROM PUBLIC;
DO $$
DECLARE writer text;
BEGIN
  FOR writer IN SELECT DISTINCT r.rolname FROM pg_class c, aclexplode(c.relacl) AS a JOIN pg_roles r ON r.oid = a.grantee
      WHERE c.oid = 'trade_order'::regclass AND a.privilege_type = 'INSERT' AND a.grantee <> c.relowner LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION audit_write(text, jsonb) TO %I', writer);
  END LOOP;
END $$;

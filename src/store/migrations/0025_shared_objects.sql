-- An act on what all tenants share (a venue, an instrument, a key, the trading mode) is of the installation, not of its actor's tenant.
DROP INDEX audit_row_of_whom;
CREATE INDEX audit_row_of_whom ON audit_row (
  (coalesce(object_tenant_id, CASE WHEN object_type IN ('VENUE', 'INSTRUMENT', 'KEY', 'MODE') THEN '' ELSE tenant_id END, '')),
  at, act_id
);

-- A market of INTERNAL belongs to a tenant; instruments of other venues (null) are facts that all share. Those that admins have listed so far
-- become the installation's own tenant's when the gateway starts, which knows its name.
ALTER TABLE instrument
  ADD COLUMN tenant_id text REFERENCES tenant,
  ADD CONSTRAINT instrument_of_tenant CHECK (tenant_id IS NULL OR venue = 'INTERNAL');

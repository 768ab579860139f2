-- Networks that a user, or every user of a tenant, may come from. Nothing here: from everywhere.
CREATE TABLE allowed_network (
  -- Exactly one of the two.
  user_id uuid REFERENCES app_user,
  tenant_id text REFERENCES tenant,
  network cidr NOT NULL,
  created_at bigint NOT NULL,
  CHECK ((user_id IS NULL) <> (tenant_id IS NULL)),
  UNIQUE NULLS NOT DISTINCT (user_id, tenant_id, network)
);

-- News may be of a tenant, too: it concerns everybody in it.
ALTER TABLE user_news
  ALTER COLUMN user_id DROP NOT NULL,
  ADD COLUMN tenant_id text,
  ADD CHECK ((user_id IS NULL) <> (tenant_id IS NULL));

-- API keys: what programs speak by instead of a session. A secret is its SHA-256: it has 256 random bits, so that the table opens nothing.
CREATE TABLE api_key (
  key_id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app_user,
  tenant_id text NOT NULL REFERENCES tenant,
  name text NOT NULL,
  -- The first letters of the secret.
  prefix text NOT NULL,
  secret_hash bytea NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
  -- With those that they imply; fewer than when it was made, where its user has lost the right.
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['read', 'trade', 'admin']),
  -- Null: whatever its user reaches.
  trading_account_ids uuid[],
  -- Null: from everywhere.
  ip_allow cidr[],
  -- Whether the second factor was proven by whoever made it.
  second_factor boolean NOT NULL,
  created_at bigint NOT NULL,
  -- Null: never.
  expires_at bigint,
  revoked_at bigint,
  revoke_reason text,
  -- Written now and then, not with each use.
  last_used_at bigint,
  last_used_ip text
);
CREATE INDEX api_key_of_user ON api_key (user_id, created_at);

-- Of what a user may do, what the scopes of a key let through; without a key all of it.
CREATE FUNCTION let_through(held text[], scopes text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN scopes IS NULL THEN held ELSE
    ARRAY (SELECT p FROM unnest(held) AS p WHERE CASE p WHEN 'write' THEN 'trade' ELSE p END = ANY (scopes)) END
$$;

-- As in 0019, and the third of what is asked is the id of a session or of a key. A key that was revoked is answered as a session is; of
-- its user's rights counts what its scopes let through. When a key expires is the gateway's clock's to say, at the edge.
CREATE OR REPLACE FUNCTION authority_of(asked jsonb) RETURNS TABLE (o bigint, word text, detail jsonb, tenant_id text, is_admin boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  users uuid[]; speakers uuid[]; dealers uuid[]; sessions uuid[]; keys uuid[]; patience text := current_setting('lock_timeout');
BEGIN
  SELECT array_agg(DISTINCT (x ->> 1)::uuid), array_agg(DISTINCT (x ->> 2)::uuid), array_agg(DISTINCT (x ->> 3)::uuid)
    INTO users, speakers, dealers FROM jsonb_array_elements(asked) x;
  sessions := speakers;
  keys := speakers;
  BEGIN
    PERFORM set_config('lock_timeout', '1s', true);
    PERFORM 1 FROM app_user u WHERE u.user_id = ANY (users) ORDER BY u.user_id FOR SHARE;
    PERFORM 1 FROM session s WHERE s.session_id = ANY (sessions) ORDER BY s.session_id FOR SHARE;
    PERFORM 1 FROM api_key k WHERE k.key_id = ANY (keys) ORDER BY k.key_id FOR SHARE;
    PERFORM 1 FROM dealer d WHERE d.dealer_account_id = ANY (dealers) ORDER BY d.dealer_account_id FOR SHARE;
    PERFORM set_config('lock_timeout', patience, true);
  EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
    users := ARRAY (SELECT u.user_id FROM app_user u WHERE u.user_id = ANY (users) ORDER BY u.user_id FOR SHARE SKIP LOCKED);
    sessions := ARRAY (SELECT s.session_id FROM session s WHERE s.session_id = ANY (sessions) ORDER BY s.session_id FOR SHARE SKIP LOCKED);
    keys := ARRAY (SELECT k.key_id FROM api_key k WHERE k.key_id = ANY (keys) ORDER BY k.key_id FOR SHARE SKIP LOCKED);
    dealers := ARRAY (SELECT d.dealer_account_id FROM dealer d WHERE d.dealer_account_id = ANY (dealers) ORDER BY d.dealer_account_id
                      FOR SHARE SKIP LOCKED);
  END;
  RETURN QUERY
    SELECT a.o, CASE
        WHEN (u.user_id IS NOT NULL AND u.user_id <> ALL (users)) OR (s.session_id IS NOT NULL AND s.session_id <> ALL (sessions))
          OR (k.key_id IS NOT NULL AND k.key_id <> ALL (keys))
          OR (d.dealer_account_id IS NOT NULL AND d.dealer_account_id <> ALL (dealers)) THEN 'Busy'
        WHEN u.banned_at IS NOT NULL OR s.revoked_at IS NOT NULL OR k.revoked_at IS NOT NULL
          OR coalesce(s.user_id, k.user_id) IS DISTINCT FROM u.user_id OR u.user_id IS NULL THEN 'SessionRevoked'
        WHEN a.access = 'ADMIN' AND 'admin' <> ALL (r.permissions) THEN 'AdminRequired'
        WHEN 'write' <> ALL (r.permissions) THEN 'InsufficientPermissions'
        WHEN a.access = 'DEALER' AND (d.tenant_id IS DISTINCT FROM u.tenant_id
          OR ('admin' <> ALL (r.permissions) AND NOT coalesce((d.config -> 'operators')::jsonb ? u.user_id::text, false))) THEN 'AccountForbidden'
      END, jsonb_build_object('provided', to_jsonb(r.permissions)), u.tenant_id, coalesce('admin' = ANY (r.permissions), false)
    FROM (SELECT e.o, e.x ->> 0 AS access, (e.x ->> 1)::uuid AS user_id, (e.x ->> 2)::uuid AS speaker_id, (e.x ->> 3)::uuid AS dealer
            FROM jsonb_array_elements(asked) WITH ORDINALITY AS e (x, o)) a
    LEFT JOIN app_user u ON u.user_id = a.user_id
    LEFT JOIN session s ON s.session_id = a.speaker_id
    LEFT JOIN api_key k ON k.key_id = a.speaker_id
    LEFT JOIN dealer d ON d.dealer_account_id = a.dealer
    LEFT JOIN LATERAL (SELECT let_through(u.permissions, k.scopes) AS permissions) r ON true
    ORDER BY a.o;
END $$;

-- The audit of acts on money, rights, credentials, dealers, markets, keys and modes: one row an act, written in the transaction of the act.
-- Rows are numbered and chained in lanes, one for each writer, so that acts of different writers do not wait for each other: a row that is
-- taken out, changed or put in breaks its lane. What the newest rows of a lane were is said by the seals. There are no rows of acts from
-- before this migration.

CREATE TABLE audit_row (
  lane text NOT NULL,
  -- From 1, without a gap: the number goes back with a transaction that is taken back.
  number bigint NOT NULL CHECK (number > 0),
  -- Of the claim, of the request of the ledger, or made at the edge.
  act_id uuid NOT NULL CONSTRAINT audit_row_of_act UNIQUE,
  at bigint NOT NULL,
  action text NOT NULL,
  -- 'ok', or the failure's tag.
  result text NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('USER', 'OPERATOR', 'SYSTEM')),
  -- The actor's.
  user_id uuid,
  session_id uuid,
  key_id text,
  tenant_id text,
  ip text,
  -- Of the command line: whose account of the machine it ran under.
  user_agent text,
  -- The gateway's own, and the client's.
  request_id text,
  client_request_id text,
  object_type text,
  object_id text,
  object_tenant_id text,
  other_id text,
  asset text,
  amount numeric,
  what text,
  -- All of the above as one line of JSON, and what is hashed.
  content text NOT NULL,
  -- Hash of the row before; empty of the first.
  previous bytea NOT NULL,
  -- sha256(previous || content in UTF-8)
  hash bytea NOT NULL,
  PRIMARY KEY (lane, number)
);
-- What admins ask for, newest first.
CREATE INDEX audit_row_at ON audit_row (at, act_id);
CREATE INDEX audit_row_of_tenant ON audit_row (object_tenant_id, at, act_id);
CREATE INDEX audit_row_of_user ON audit_row (user_id, at);
CREATE INDEX audit_row_of_object ON audit_row (object_id, at);

-- The newest row of each lane. Locked by each writer until its commit, as the last lock that it takes.
CREATE TABLE audit_head (
  lane text PRIMARY KEY,
  number bigint NOT NULL,
  hash bytea NOT NULL
);

-- All heads at an instant, under a key that the database does not have: rows that are gone from the end of a lane, its head set back,
-- are missed by the seal that knew them.
CREATE TABLE audit_seal (
  -- From 1, without a gap, and signed with the rest.
  seal_id bigint PRIMARY KEY,
  at bigint NOT NULL,
  -- {lane: [number, hash in hex]}, as it was signed.
  heads text NOT NULL,
  kid text NOT NULL,
  mac bytea NOT NULL
);

CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_row FOR EACH STATEMENT EXECUTE FUNCTION ledger_forbid();
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seal FOR EACH STATEMENT EXECUTE FUNCTION ledger_forbid();
CREATE TRIGGER only_grows BEFORE DELETE OR TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION ledger_forbid();

-- Writes the rows of these acts, in order, as the last thing that a transaction does; answers how many. An act that has its row gets no
-- second one.
--
--   acts   [{actId, at, action, result, actor: {kind, userId, sessionId, keyId, tenantId, ip, userAgent, requestId, clientRequestId},
--            object: {type, id, tenantId}, otherId, asset, amount, what}, ...]     what is not there is null
--
-- With the owner's rights: the gateway's own role adds rows by this function alone.
CREATE FUNCTION audit_write(to_lane text, acts jsonb) RETURNS int LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  last_number bigint; last_hash bytea; known uuid[]; act jsonb; actor jsonb; object jsonb; line text; written int := 0;
BEGIN
  INSERT INTO audit_head VALUES (to_lane, 0, '') ON CONFLICT (lane) DO NOTHING;
  SELECT h.number, h.hash INTO last_number, last_hash FROM audit_head h WHERE h.lane = to_lane FOR NO KEY UPDATE;
  SELECT array_agg(r.act_id) INTO known
    FROM audit_row r WHERE r.act_id IN (SELECT (x ->> 'actId')::uuid FROM jsonb_array_elements(acts) AS e (x));
  FOR act IN SELECT x FROM jsonb_array_elements(acts) WITH ORDINALITY AS e (x, o) ORDER BY o LOOP
    CONTINUE WHEN (act ->> 'actId')::uuid = ANY (known);
    actor := act -> 'actor';
    object := nullif(act -> 'object', 'null');
    last_number := last_number + 1;
    line := json_build_object(
      'lane', to_lane, 'number', last_number, 'actId', (act ->> 'actId')::uuid, 'at', (act ->> 'at')::bigint, 'action', act ->> 'action',
      'result', act ->> 'result', 'actorKind', actor ->> 'kind', 'userId', (actor ->> 'userId')::uuid,
      'sessionId', (actor ->> 'sessionId')::uuid, 'keyId', actor ->> 'keyId', 'tenantId', actor ->> 'tenantId', 'ip', actor ->> 'ip',
      'userAgent', actor ->> 'userAgent', 'requestId', actor ->> 'requestId', 'clientRequestId', actor ->> 'clientRequestId', 'objectType', object ->> 'type',
      'objectId', object ->> 'id', 'objectTenantId', object ->> 'tenantId', 'otherId', act ->> 'otherId', 'asset', act ->> 'asset',
      'amount', trim_scale((act ->> 'amount')::numeric)::text, 'what', act ->> 'what')::text;
    INSERT INTO audit_row
      SELECT to_lane, last_number, (act ->> 'actId')::uuid, (act ->> 'at')::bigint, act ->> 'action', act ->> 'result', actor ->> 'kind',
             (actor ->> 'userId')::uuid, (actor ->> 'sessionId')::uuid, actor ->> 'keyId', actor ->> 'tenantId', actor ->> 'ip',
             actor ->> 'userAgent', actor ->> 'requestId', actor ->> 'clientRequestId', object ->> 'type', object ->> 'id', object ->> 'tenantId',
             act ->> 'otherId', act ->> 'asset', trim_scale((act ->> 'amount')::numeric), act ->> 'what', line, last_hash,
             sha256(last_hash || convert_to(line, 'UTF8'))
      RETURNING hash INTO last_hash;
    written := written + 1;
  END LOOP;
  UPDATE audit_head h SET number = last_number, hash = last_hash WHERE h.lane = to_lane;
  RETURN written;
END $$;

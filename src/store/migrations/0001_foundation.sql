-- The foundation: users, accounts, orders, their journal and the fence of the one process that writes them.
-- Instants are bigint, milliseconds since the Unix epoch. Decimals are numeric without a scale and are read as text: digits stay exact.
-- JSON that is published or signed is text or json, never jsonb: its bytes must come back as they went in.

CREATE TABLE tenant (
  tenant_id text PRIMARY KEY,
  created_at bigint NOT NULL
);

-- Which process owns this database. Every batch of the order writer locks its row FOR SHARE; no row with its epoch means that the
-- process owns nothing any more (order-path 1).
CREATE TABLE gateway_node (
  node_id text PRIMARY KEY,
  epoch bigint NOT NULL,
  started_at bigint NOT NULL
);

CREATE TABLE app_user (
  user_id uuid PRIMARY KEY,
  email text NOT NULL,
  password_hash text NOT NULL,
  tenant_id text NOT NULL REFERENCES tenant,
  permissions text[] NOT NULL,
  environments text[] NOT NULL,
  user_metadata jsonb NOT NULL,
  email_confirmed_at bigint,
  last_sign_in_at bigint,
  banned_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
-- One user per address whatever its case, and the look-up of login.
CREATE UNIQUE INDEX app_user_email ON app_user (lower(email));

CREATE TABLE session (
  session_id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app_user,
  tenant_id text NOT NULL REFERENCES tenant,
  created_at bigint NOT NULL,
  refreshed_at bigint NOT NULL,
  not_after bigint NOT NULL,
  refresh_counter bigint NOT NULL,
  refresh_key bytea NOT NULL,
  revoked_at bigint,
  revoke_reason text,
  ip text,
  user_agent text
);
-- Start loads the sessions refreshed in the last hour; revoked ones are most of the table in time.
CREATE INDEX session_live ON session (refreshed_at) WHERE revoked_at IS NULL;
-- A ban or a new password ends all sessions of one user.
CREATE INDEX session_of_user ON session (user_id) WHERE revoked_at IS NULL;

CREATE TABLE credential (
  credential_id uuid PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenant,
  user_id uuid NOT NULL REFERENCES app_user,
  venue text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  masked_api_key text NOT NULL,
  -- SHA-256 (hex) of the API key: tells two credentials of one key without holding it.
  api_key_hash text NOT NULL,
  -- The envelope, and the id of the key that it is encrypted with; both null once revoked.
  secret json,
  kid text,
  status text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  revoked_at bigint,
  CHECK ((secret IS NULL) = (kid IS NULL)),
  CHECK (status <> 'REVOKED' OR secret IS NULL)
);
-- A user's list, newest first.
CREATE INDEX credential_of_user ON credential (user_id, created_at DESC, credential_id DESC);
-- Start asks which encryption keys are still needed.
CREATE INDEX credential_kid ON credential (kid) WHERE kid IS NOT NULL;

CREATE TABLE trading_account (
  trading_account_id uuid PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenant,
  user_id uuid NOT NULL REFERENCES app_user,
  version bigint NOT NULL,
  venue text NOT NULL,
  external_trading_account_id text NOT NULL,
  -- What must be unique across users where the venue says whose account it is (contract C11a); null elsewhere.
  external_key text,
  nickname text NOT NULL,
  status text NOT NULL,
  -- [[asset, decimal text], ...]
  initial_balances json NOT NULL,
  -- Stream identity of the channel tradingAccount:<id>.
  channel_epoch text NOT NULL,
  -- The node that runs the account's actor; null = whoever owns the database.
  owner_node text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  disconnected_at bigint
);
-- One live connection per account of a venue, across users; a disconnected account frees it.
CREATE UNIQUE INDEX trading_account_external_key ON trading_account (venue, external_key)
  WHERE external_key IS NOT NULL AND status <> 'DISCONNECTED';
-- One live connection per label, user and venue.
CREATE UNIQUE INDEX trading_account_label ON trading_account (user_id, venue, external_trading_account_id)
  WHERE status <> 'DISCONNECTED';

CREATE TABLE trading_account_credential (
  trading_account_id uuid NOT NULL REFERENCES trading_account,
  credential_id uuid NOT NULL REFERENCES credential,
  -- Order of the account's list.
  position int NOT NULL,
  PRIMARY KEY (trading_account_id, credential_id)
);
-- Whose credential is this: asked by revoke and disconnect.
CREATE INDEX trading_account_credential_of ON trading_account_credential (credential_id);

-- No foreign keys on the tables of the order path: each would lock a row of trading_account per order, and the account's actor, the
-- only one who writes here, was loaded from that row. Half of each page is left free (fillfactor), so that the two or three later images
-- of an order stay on its page and touch no index: at 75 a third of the updates did, at 50 all of them.
CREATE TABLE trade_order (
  trade_order_id uuid PRIMARY KEY,
  tenant_id text NOT NULL,
  trading_account_id uuid NOT NULL,
  version bigint NOT NULL,
  venue text NOT NULL,
  instrument_id text NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  order_side text NOT NULL,
  order_type text NOT NULL,
  time_in_force text NOT NULL,
  order_status text NOT NULL,
  status_before_cancel text,
  reject_reason text,
  cancel_reason text,
  limit_price numeric,
  quantity numeric NOT NULL,
  order_quantity_type text NOT NULL,
  quantity_rounding text NOT NULL,
  base_quantity numeric NOT NULL,
  executed_quantity numeric NOT NULL,
  executed_cost numeric NOT NULL,
  executed_price numeric,
  overfill_quantity numeric NOT NULL,
  client_order_id text,
  idempotency_key text,
  fingerprint text,
  external_order_id text,
  origin text NOT NULL,
  in_doubt boolean NOT NULL,
  cancel_requested boolean NOT NULL,
  evidence json,
  not_after bigint,
  submit_deadline bigint,
  held numeric NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  expire_at bigint,
  canceled_at bigint,
  venue_updated_at bigint,
  -- Grows in the order in which the gateway learned that orders rest at their venue: an in-process venue's queue after a restart.
  accepted_number bigint,
  -- Not used yet: contingent lists, quotes, positions, replaces, and the terms of order types to come.
  order_list_id uuid,
  contingency_type text,
  quote_id uuid,
  position_id uuid,
  replaces_trade_order_id uuid,
  terms jsonb,
  -- A column of its own, so that a status word may change without touching any index (an index predicate counts as indexed).
  open boolean NOT NULL GENERATED ALWAYS AS
    (order_status NOT IN ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED', 'REVOKED')) STORED
) WITH (fillfactor = 50);
-- Contract C2: the key that governs deduplication is the idempotency key, else the client order id; one order per account and key.
CREATE UNIQUE INDEX trade_order_key ON trade_order (trading_account_id, coalesce(idempotency_key, client_order_id))
  WHERE coalesce(idempotency_key, client_order_id) IS NOT NULL;
-- Contract C2: a client order id is unique per account for ever, also where an idempotency key governs; look-ups by it.
CREATE UNIQUE INDEX trade_order_client_order_id ON trade_order (trading_account_id, client_order_id)
  WHERE client_order_id IS NOT NULL;
-- Lists: newest first, the id breaks ties; the keyset of cursors.
CREATE INDEX trade_order_newest ON trade_order (trading_account_id, created_at DESC, trade_order_id DESC);
-- What an actor loads when it wakes, and what in-process venues ask at start: few rows out of many.
CREATE INDEX trade_order_open ON trade_order (trading_account_id) WHERE open;
-- One order per quote: the second guard against a quote used twice (order-path 4).
CREATE UNIQUE INDEX trade_order_quote ON trade_order (quote_id) WHERE quote_id IS NOT NULL;

CREATE TABLE execution (
  execution_id uuid PRIMARY KEY,
  tenant_id text NOT NULL,
  trading_account_id uuid NOT NULL,
  trade_order_id uuid NOT NULL,
  venue text NOT NULL,
  external_trade_id text NOT NULL,
  instrument_id text NOT NULL,
  order_side text NOT NULL,
  executed_quantity numeric NOT NULL,
  executed_price numeric NOT NULL,
  executed_cost numeric NOT NULL,
  -- [{asset, venue, quantity}, ...]
  fees json NOT NULL,
  inferred boolean NOT NULL,
  executed_at bigint NOT NULL,
  -- Order of application.
  number bigint NOT NULL GENERATED ALWAYS AS IDENTITY
);
-- A venue's trade counts once (contract C1.3); account first, since every question starts there. Binance numbers the trades of each
-- symbol apart, and both sides of a self trade carry one id: hence instrument and side.
CREATE UNIQUE INDEX execution_external_trade
  ON execution (trading_account_id, venue, external_trade_id, instrument_id, order_side);
-- The executions of an order.
CREATE INDEX execution_order ON execution (trade_order_id);
-- The newest execution of an account: where reconciliation starts to read the venue's trades.
CREATE INDEX execution_newest ON execution (trading_account_id, executed_at);

-- What tradingAccount:<id> published: one partition per UTC day of `at`, made ahead and dropped after two days by partitions.ts. The
-- partition key must be part of the key; one writer numbers the events, so (account, sequence) is unique all the same.
CREATE TABLE account_event (
  trading_account_id uuid NOT NULL,
  sequence bigint NOT NULL,
  at bigint NOT NULL,
  event_id uuid NOT NULL,
  tenant_id text NOT NULL,
  kind text NOT NULL,
  payload text NOT NULL,
  PRIMARY KEY (trading_account_id, sequence, at)
) PARTITION BY RANGE (at);
-- An event must never be refused for want of a partition.
CREATE TABLE account_event_default PARTITION OF account_event DEFAULT;

-- The newest number of an account's events in partitions that are gone: numbering goes on without a gap.
CREATE TABLE account_sequence (
  trading_account_id uuid PRIMARY KEY,
  last_sequence bigint NOT NULL
);

-- Venue reports that could not be applied, raw, for people.
CREATE TABLE quarantined_report (
  quarantined_report_id uuid PRIMARY KEY,
  tenant_id text NOT NULL,
  trading_account_id uuid NOT NULL,
  trade_order_id uuid,
  report text NOT NULL,
  reason text NOT NULL,
  at bigint NOT NULL
);
-- People ask by account, newest first.
CREATE INDEX quarantined_report_account ON quarantined_report (trading_account_id, at DESC);

-- Instruments belong to venues, not to tenants.
CREATE TABLE instrument (
  instrument_id text PRIMARY KEY,
  venue text NOT NULL,
  symbol text NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  security_type text NOT NULL,
  tick_size numeric NOT NULL,
  lot_size numeric NOT NULL,
  min_quantity numeric NOT NULL,
  max_quantity numeric,
  min_notional numeric,
  price_digits int NOT NULL,
  quantity_digits int NOT NULL,
  status text NOT NULL,
  updated_at bigint NOT NULL
);
-- Sync compares one venue's list.
CREATE INDEX instrument_venue ON instrument (venue);

CREATE TABLE order_book_subscription (
  subscription_id uuid PRIMARY KEY,
  tenant_id text NOT NULL REFERENCES tenant,
  user_id uuid NOT NULL REFERENCES app_user,
  instrument_id text NOT NULL,
  venue text NOT NULL,
  trading_account_id uuid REFERENCES trading_account,
  status text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
-- The same user, instrument and account share one ACTIVE record (contract C14a); also the user's list and the count for the limit.
CREATE UNIQUE INDEX order_book_subscription_active ON order_book_subscription
  (user_id, instrument_id, trading_account_id) NULLS NOT DISTINCT WHERE status = 'ACTIVE';
-- A disconnect ends the account's subscriptions.
CREATE INDEX order_book_subscription_account ON order_book_subscription (trading_account_id) WHERE status = 'ACTIVE';

-- Users complete: confirmation of addresses, recovery, changes, bans, and the mails that go with them.
ALTER TABLE app_user
  -- The address that the user asked for; becomes `email` when its owner and the present one have both confirmed.
  ADD COLUMN pending_email text,
  ADD COLUMN current_email_confirmed boolean NOT NULL DEFAULT false,
  ADD COLUMN pending_email_confirmed boolean NOT NULL DEFAULT false,
  ADD COLUMN ban_reason text;

-- A mail of a change that is waited for is asked for again by the new address, without a login.
CREATE INDEX app_user_pending_email ON app_user (lower(pending_email)) WHERE pending_email IS NOT NULL;

-- How the session began: password, signup, recovery.
ALTER TABLE session ADD COLUMN method text NOT NULL DEFAULT 'password';
-- Those that are long over are forgotten in time.
CREATE INDEX session_over ON session (not_after);

-- Tokens that were mailed, by their SHA-256: who reads this table opens nothing.
CREATE TABLE one_time_token (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app_user,
  -- signup, recovery, email_change_current, email_change_new
  type text NOT NULL,
  -- Of the signup that this token was mailed for: confirming it makes this the user's password. Null: it makes nothing one.
  password_hash text,
  user_metadata jsonb,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL
);
-- One user's: the newest says how long ago a mail went out, and all of them go together.
CREATE INDEX one_time_token_of_user ON one_time_token (user_id, type, created_at);
CREATE INDEX one_time_token_expired ON one_time_token (expires_at);

-- Mails on their way, written in the transaction that causes them.
CREATE TABLE mail_outbox (
  mail_id uuid PRIMARY KEY,
  kind text NOT NULL,
  -- Address and letter, sealed; null once it is sent or given up.
  envelope json,
  kid text,
  attempts int NOT NULL DEFAULT 0,
  next_at bigint NOT NULL,
  -- Nobody wants it later.
  expires_at bigint NOT NULL,
  created_at bigint NOT NULL,
  sent_at bigint,
  failed_at bigint,
  last_error text,
  CHECK ((envelope IS NULL) = (kid IS NULL)),
  CHECK ((envelope IS NULL) = (sent_at IS NOT NULL OR failed_at IS NOT NULL))
);
CREATE INDEX mail_outbox_due ON mail_outbox (next_at) WHERE envelope IS NOT NULL;
-- What is over is forgotten in time.
CREATE INDEX mail_outbox_over ON mail_outbox (created_at) WHERE envelope IS NULL;

-- Users that something else than the gateway's own process changed (the command line): it takes the rows and looks again.
CREATE TABLE user_news (
  news_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id uuid NOT NULL
);

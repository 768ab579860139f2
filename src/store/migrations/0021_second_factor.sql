-- A second factor beside the password: codes of an authenticator (TOTP, RFC 6238), and recovery codes for one that is lost.
CREATE TABLE second_factor (
  user_id uuid PRIMARY KEY REFERENCES app_user,
  -- Sealed; null once its encryption key is lost: then only recovery codes open the account.
  secret json,
  kid text CONSTRAINT second_factor_key REFERENCES encryption_key,
  created_at bigint NOT NULL,
  -- Of the last code that was taken: neither it nor an older one is taken again.
  last_step bigint NOT NULL DEFAULT 0,
  CHECK ((secret IS NULL) = (kid IS NULL))
);
-- Sealing anew goes through the rows of one key in order of their ids.
CREATE INDEX second_factor_kid ON second_factor (kid, user_id) WHERE kid IS NOT NULL;

-- By their SHA-256: each has 120 random bits, so that the table opens nothing.
CREATE TABLE recovery_code (
  code_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES app_user,
  created_at bigint NOT NULL,
  used_at bigint
);
CREATE INDEX recovery_code_of_user ON recovery_code (user_id);

-- Since when sign-ins of this user need the second factor; null: they do not, whatever is being set up. Here and not in a table of its own:
-- a sign-in that waits for this row's lock sees what was stored meanwhile.
ALTER TABLE app_user ADD COLUMN second_factor_at bigint;

-- Whether the session has proven it.
ALTER TABLE session ADD COLUMN second_factor boolean NOT NULL DEFAULT false;

-- Rotation of encryption keys while running: which keys stored secrets may name, and by which each is sealed.
-- The one thing to know: a key that a row needs cannot be taken out of this table, and a row cannot name one that is not in it.
CREATE TABLE encryption_key (
  kid text PRIMARY KEY,
  -- When a gateway took it up; those of before this table: when it was made.
  created_at bigint NOT NULL
);

-- Which key seals a session's refresh key, until now only inside of the envelope.
ALTER TABLE session ADD COLUMN refresh_kid text;
UPDATE session SET refresh_kid = convert_from(refresh_key, 'UTF8')::json ->> 'kid';
ALTER TABLE session ALTER COLUMN refresh_kid SET NOT NULL;

INSERT INTO encryption_key (kid, created_at)
SELECT kid, (extract(epoch FROM now()) * 1000)::bigint
FROM (
  SELECT kid FROM credential UNION SELECT refresh_kid FROM session UNION SELECT kid FROM mail_outbox
) AS used (kid)
WHERE kid IS NOT NULL;

ALTER TABLE credential ADD CONSTRAINT credential_key FOREIGN KEY (kid) REFERENCES encryption_key;
ALTER TABLE session ADD CONSTRAINT session_key FOREIGN KEY (refresh_kid) REFERENCES encryption_key;
ALTER TABLE mail_outbox ADD CONSTRAINT mail_outbox_key FOREIGN KEY (kid) REFERENCES encryption_key;

-- Sealing anew goes through the rows of one key in order of their ids; start and retirement ask whether there is any.
DROP INDEX credential_kid;
CREATE INDEX credential_kid ON credential (kid, credential_id) WHERE kid IS NOT NULL;
CREATE INDEX session_kid ON session (refresh_kid, session_id);
CREATE INDEX mail_outbox_kid ON mail_outbox (kid, mail_id) WHERE kid IS NOT NULL;

-- Users who never proved their address are removed in time.
CREATE INDEX app_user_unconfirmed ON app_user (created_at) WHERE email_confirmed_at IS NULL;

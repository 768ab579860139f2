-- Proofs of who asks that are younger than the session: dangerous acts need one.
ALTER TABLE session
  -- When the session's user last proved who that is: at the sign-in, or since.
  ADD COLUMN proven_at bigint,
  -- One more with each proof since the sign-in: access tokens of an older one are good no longer, whoever holds a copy.
  ADD COLUMN generation int NOT NULL DEFAULT 0;
UPDATE session SET proven_at = created_at;
ALTER TABLE session ALTER COLUMN proven_at SET NOT NULL;

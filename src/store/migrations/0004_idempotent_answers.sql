-- Answers of operations that were called with an Idempotency-Key (contract C2), but for orders, whose keys live with the order.
-- answer: JSON of the envelope's data; null while the first call has no known outcome.
CREATE TABLE idempotent_answer (
  user_id uuid NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  answer text,
  created_at bigint NOT NULL,
  PRIMARY KEY (user_id, operation, key)
);
CREATE INDEX idempotent_answer_age ON idempotent_answer (created_at);

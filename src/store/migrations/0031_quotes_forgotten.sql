-- Quotes that came to nothing are kept for a time (docs/decisions/0023): found by when they were over. A quote enters this index once, at its
-- end, and always behind the others.
CREATE INDEX quote_unexecuted ON quote (updated_at) WHERE status IN ('REJECTED', 'EXPIRED', 'CANCELLED');

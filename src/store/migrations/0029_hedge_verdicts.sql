-- What admins say that hedges in doubt executed, whose venue can be asked no longer: what is not known of them is not open any more. The
-- newest word holds; who said it is in the audit. The venue's own word, should it come after all, counts before it.
CREATE TABLE hedge_verdict (
  -- The hedge.
  trade_order_id uuid PRIMARY KEY REFERENCES trade_order,
  -- In base, and what that cost, all of it.
  executed_quantity numeric NOT NULL CHECK (executed_quantity >= 0),
  executed_cost numeric NOT NULL CHECK (executed_cost >= 0),
  said_at bigint NOT NULL
);

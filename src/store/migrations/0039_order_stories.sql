-- By whose request an order came: {"userId", "sessionId", "ip", "requestId", "clientRequestId"}, the gateway's own id of the request among
-- them. Null: the gateway placed it, the venue showed it, or it is older than this column.
ALTER TABLE trade_order ADD COLUMN placed_by json;

-- Submits that were refused before there was an order, with the figures of the refusal. Written beside the answers, at most so many of an
-- account, and deleted after two weeks (refused-submits.ts).
CREATE TABLE refused_submit (
  -- The gateway's own id of the request.
  request_id uuid PRIMARY KEY,
  at bigint NOT NULL,
  tenant_id text NOT NULL,
  trading_account_id uuid NOT NULL,
  placed_by json NOT NULL,
  client_order_id text,
  idempotency_key text,
  -- What was asked for, as text of JSON.
  asked text NOT NULL,
  failure text NOT NULL,
  message text NOT NULL,
  figures json NOT NULL
);
-- A story is asked for by the client's own words within an account, and the oldest go.
CREATE INDEX refused_submit_of_account ON refused_submit (trading_account_id, at);
CREATE INDEX refused_submit_at ON refused_submit (at);

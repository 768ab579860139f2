-- News of users stay for a while: every process reads them, each from where it is, and none takes them from another (decision 88).

-- By whose transaction: numbers of rows are given before commits and become visible in another order, but whatever committed before the oldest
-- transaction that still runs is visible to all.
ALTER TABLE user_news
  ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ADD COLUMN at timestamptz NOT NULL DEFAULT now();
CREATE INDEX user_news_xid ON user_news (xid);

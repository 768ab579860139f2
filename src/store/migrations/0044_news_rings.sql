-- The gateway hears of what it would have to ask for twice a second: news of users and tenants, and the trading mode. Its session that owns the
-- database listens. Tables tell what is new, as before; the bell says only that there is something.
CREATE FUNCTION gateway_news_ring() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NOTIFY gateway_news;
  RETURN NULL;
END $$;
CREATE TRIGGER user_news_ring AFTER INSERT ON user_news FOR EACH STATEMENT EXECUTE FUNCTION gateway_news_ring();
CREATE TRIGGER trading_mode_ring AFTER UPDATE ON trading_mode FOR EACH STATEMENT EXECUTE FUNCTION gateway_news_ring();

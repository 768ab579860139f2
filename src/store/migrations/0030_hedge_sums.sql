-- What a dealer owes and has hedged as running sums, each changed in the very transaction of what it sums up: a dealer wakes on a few rows,
-- whatever its history. Their rows are of one writer each (the ledger; an account's own units), so nobody waits for another.
CREATE TABLE hedge_owed (
  dealer_account_id uuid NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  -- Of executed quotes: BUY above zero, SELL below.
  owed numeric NOT NULL,
  reference numeric NOT NULL,
  spread numeric NOT NULL,
  PRIMARY KEY (dealer_account_id, base_asset, quote_asset)
) WITH (fillfactor = 50);
CREATE TABLE hedge_executed (
  dealer_account_id uuid NOT NULL,
  trading_account_id uuid NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  -- Of hedges, as their venues tell it: BUY above zero, SELL below.
  hedged numeric NOT NULL,
  cost numeric NOT NULL,
  PRIMARY KEY (dealer_account_id, trading_account_id, base_asset, quote_asset)
) WITH (fillfactor = 50);
CREATE TABLE hedge_fee (
  dealer_account_id uuid NOT NULL,
  trading_account_id uuid NOT NULL,
  base_asset text NOT NULL,
  quote_asset text NOT NULL,
  asset text NOT NULL,
  quantity numeric NOT NULL,
  PRIMARY KEY (dealer_account_id, trading_account_id, base_asset, quote_asset, asset)
) WITH (fillfactor = 50);

-- What a hedge that was over had counted as, before a later image changed it: a dealer's actor that has forgotten the hedge counts the
-- difference. `version`: of the later image. Gone when the dealer wakes, for its sums have all of it then.
CREATE TABLE hedge_late (
  trade_order_id uuid NOT NULL,
  version bigint NOT NULL,
  dealer_account_id uuid NOT NULL,
  executed_quantity numeric NOT NULL,
  executed_cost numeric NOT NULL,
  fees json,
  PRIMARY KEY (trade_order_id, version)
);
CREATE INDEX hedge_late_of_dealer ON hedge_late (dealer_account_id);

CREATE FUNCTION hedge_owe() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO hedge_owed AS s
    SELECT dealer_account_id, base_asset, quote_asset, sum(sign * quantity), sum(sign * quantity * walked_price),
      sum(sign * quantity * (quote_price - walked_price))
    FROM written, LATERAL (SELECT CASE order_side WHEN 'BUY' THEN 1 ELSE -1 END AS sign) i
    GROUP BY dealer_account_id, base_asset, quote_asset ORDER BY dealer_account_id, base_asset, quote_asset
    ON CONFLICT (dealer_account_id, base_asset, quote_asset) DO UPDATE
      SET owed = s.owed + excluded.owed, reference = s.reference + excluded.reference, spread = s.spread + excluded.spread;
  RETURN NULL;
END $$;

-- OLD is all null where the order is new.
CREATE FUNCTION hedge_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  sign int := CASE NEW.order_side WHEN 'BUY' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO hedge_executed AS s VALUES (NEW.dealer_account_id, NEW.trading_account_id, NEW.base_asset, NEW.quote_asset,
      sign * (NEW.executed_quantity - coalesce(OLD.executed_quantity, 0)), sign * (NEW.executed_cost - coalesce(OLD.executed_cost, 0)))
    ON CONFLICT (dealer_account_id, trading_account_id, base_asset, quote_asset) DO UPDATE
      SET hedged = s.hedged + excluded.hedged, cost = s.cost + excluded.cost;
  INSERT INTO hedge_fee AS s
    SELECT NEW.dealer_account_id, NEW.trading_account_id, NEW.base_asset, NEW.quote_asset, f.asset, sum(f.quantity)
    FROM (SELECT n->>'asset' AS asset, (n->>'quantity')::numeric AS quantity FROM json_array_elements(NEW.fees) n
      UNION ALL SELECT o->>'asset', -(o->>'quantity')::numeric FROM json_array_elements(OLD.fees) o) f
    GROUP BY f.asset ORDER BY f.asset
    ON CONFLICT (dealer_account_id, trading_account_id, base_asset, quote_asset, asset) DO UPDATE
      SET quantity = s.quantity + excluded.quantity;
  IF NOT OLD.open THEN
    INSERT INTO hedge_late VALUES (NEW.trade_order_id, NEW.version, NEW.dealer_account_id, OLD.executed_quantity, OLD.executed_cost, OLD.fees);
  END IF;
  RETURN NULL;
END $$;

-- A dealer's own orders are of linked accounts; QUOTED ones are its clients'. These locks last until what was before is summed up.
CREATE TRIGGER hedge_owe AFTER INSERT ON hedge_intent REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION hedge_owe();
CREATE TRIGGER hedge_new AFTER INSERT ON trade_order FOR EACH ROW
  WHEN (NEW.dealer_account_id IS NOT NULL AND NEW.order_type <> 'QUOTED' AND (NEW.executed_quantity <> 0 OR NEW.fees IS NOT NULL))
  EXECUTE FUNCTION hedge_count();
CREATE TRIGGER hedge_changed AFTER UPDATE ON trade_order FOR EACH ROW
  WHEN (NEW.dealer_account_id IS NOT NULL AND NEW.order_type <> 'QUOTED' AND (NEW.executed_quantity <> OLD.executed_quantity
    OR NEW.executed_cost <> OLD.executed_cost OR NEW.fees::text IS DISTINCT FROM OLD.fees::text))
  EXECUTE FUNCTION hedge_count();

INSERT INTO hedge_owed
  SELECT dealer_account_id, base_asset, quote_asset, sum(sign * quantity), sum(sign * quantity * walked_price),
    sum(sign * quantity * (quote_price - walked_price))
  FROM hedge_intent, LATERAL (SELECT CASE order_side WHEN 'BUY' THEN 1 ELSE -1 END AS sign) s
  GROUP BY 1, 2, 3;
INSERT INTO hedge_executed
  SELECT dealer_account_id, trading_account_id, base_asset, quote_asset, sum(sign * executed_quantity), sum(sign * executed_cost)
  FROM trade_order, LATERAL (SELECT CASE order_side WHEN 'BUY' THEN 1 ELSE -1 END AS sign) s
  WHERE dealer_account_id IS NOT NULL AND order_type <> 'QUOTED'
  GROUP BY 1, 2, 3, 4;
INSERT INTO hedge_fee
  SELECT o.dealer_account_id, o.trading_account_id, o.base_asset, o.quote_asset, fee->>'asset', sum((fee->>'quantity')::numeric)
  FROM trade_order o, json_array_elements(o.fees) fee
  WHERE o.dealer_account_id IS NOT NULL AND o.order_type <> 'QUOTED'
  GROUP BY 1, 2, 3, 4, 5;

-- An order names a hundred of its quotes at most, the oldest and the newest; null: all of them. The others stand between these two.
ALTER TABLE trade_order ADD COLUMN hedge_for_quote_count int;
CREATE VIEW hedge_quote AS
  SELECT o.trade_order_id, i.quote_id, i.number
  FROM trade_order o
    JOIN hedge_intent f ON f.quote_id = (o.hedge_for_quote_ids->>0)::uuid
    JOIN hedge_intent l ON l.quote_id = (o.hedge_for_quote_ids->>-1)::uuid
    JOIN hedge_intent i ON i.dealer_account_id = f.dealer_account_id AND i.base_asset = f.base_asset AND i.quote_asset = f.quote_asset
      AND i.order_side = f.order_side AND i.number BETWEEN f.number AND l.number;

-- What is open, and the newest, without a look at all the rest; none of these columns but `open` ever changes.
DROP INDEX trade_order_hedge;
CREATE INDEX trade_order_hedge_newest ON trade_order (dealer_account_id, created_at DESC, trade_order_id DESC)
  WHERE dealer_account_id IS NOT NULL AND order_type <> 'QUOTED';
CREATE INDEX trade_order_hedge_open ON trade_order (dealer_account_id)
  WHERE dealer_account_id IS NOT NULL AND order_type <> 'QUOTED' AND open;
-- How many were sent in an intent's name: hedge:<dealer>:<intent>[:<n>].
CREATE INDEX trade_order_hedge_intent ON trade_order (split_part(idempotency_key, ':', 3))
  WHERE dealer_account_id IS NOT NULL AND order_type <> 'QUOTED';
-- The newest of one side come first: those that make up an exposure are read backwards until they do.
DROP INDEX hedge_intent_of_dealer;
CREATE INDEX hedge_intent_of_side ON hedge_intent (dealer_account_id, base_asset, quote_asset, order_side, number);

-- Until the first statistics of the new indexes the planner would take every hedge of a dealer for one of those that are asked for.
ANALYZE trade_order;
ANALYZE hedge_intent;

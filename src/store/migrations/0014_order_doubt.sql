-- What is not known of an order, as a tag (domain/order/evidence/doubt.ts); null: nothing. What the proof of "never placed" has come to is in it.
ALTER TABLE trade_order ADD COLUMN doubt json;

-- Doubts of before, told apart by what the order says: no word of its submit, a change or a cancel that is under way, or no session. An
-- order that never left the gateway is in no doubt.
UPDATE trade_order SET doubt = CASE
    WHEN order_status = 'UNKNOWN' OR (external_order_id IS NULL AND executed_quantity = 0)
      THEN '{"kind":"SUBMIT","notFounds":0,"knownMillis":0}'::json
    WHEN terms ->> 'change' IS NOT NULL THEN '{"kind":"AMEND"}'::json
    WHEN cancel_requested THEN '{"kind":"CANCEL"}'::json
    ELSE '{"kind":"UNREACHABLE"}'::json
  END
  WHERE open AND in_doubt AND (origin = 'EXTERNAL' OR (order_type <> 'QUOTED' AND not_after IS NOT NULL AND NOT (
    terms -> 'trigger' ->> 'execution' = 'EMULATED'
    AND terms -> 'trigger' ->> 'armedAt' IS NOT NULL
    AND terms -> 'trigger' ->> 'triggeredAt' IS NULL
  ) IS TRUE));

ALTER TABLE trade_order DROP COLUMN in_doubt;

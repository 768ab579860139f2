-- Places in the queues of the venues of the process, counted by the database: every batch that makes orders rest takes a step of the
-- sequence, and its orders the numbers from there on. A process that counted by itself gave away what another one had given.
-- A step is wider than any batch, which has 1 MiB of rows or one unit. Numbers go on behind those of before.
CREATE SEQUENCE order_queue INCREMENT 1048576;
SELECT setval('order_queue', coalesce(max(accepted_number), 0) + 1, false) FROM trade_order WHERE open;

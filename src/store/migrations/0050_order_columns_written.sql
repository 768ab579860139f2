-- What follows from an order's status, in columns of their own for the indexes, is written with the row by the statement that writes it
-- (order-columns.ts). PostgreSQL reads the text of a generation expression anew for each statement: four of them were 140 to 200 us of the
-- 600 to 730 of a statement of one order, and 3 to 5 an order in a batch of 40. The archive's follow, and keep what they have.
ALTER TABLE trade_order
  ALTER open DROP EXPRESSION,
  ALTER ended_as DROP EXPRESSION,
  ALTER claimed_quote_id DROP EXPRESSION,
  ALTER over_since DROP EXPRESSION;

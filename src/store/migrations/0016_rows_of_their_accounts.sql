-- The order writer's statement calls this for a row that stands under the id of another account's row, or of another thing of the same
-- account's: it ends with SQLSTATE 23000, the constraint <table>_identity and the id, and nothing of its batch is written.
CREATE FUNCTION row_of_another(kind text, id uuid) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the id belongs to another row' USING ERRCODE = 'integrity_constraint_violation', TABLE = kind,
    CONSTRAINT = kind || '_identity', DETAIL = format('Key (id)=(%s) already exists.', id);
END
$$;

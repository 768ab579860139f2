/** What the audit says of an object. */
import type pg from "pg"

/** Each act with its result, by name. */
export const actsOn = async (sql: pg.Client, objectId: string): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql.query<{ it: string }>(
    "SELECT action || ' ' || result AS it FROM audit_row WHERE object_id = $1",
    [objectId],
  )
  return rows.map(({ it }) => it).sort()
}

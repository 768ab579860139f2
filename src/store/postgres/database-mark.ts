/**
 * Which database it is, among all that gateways of one broker may work on. The one thing to know: it is PostgreSQL's own, so a standby that takes over has it too, and so
 * has a copy of the server's files.
 */
import { connectDedicated } from "./sql.ts"

const MARK = `SELECT system_identifier::text || '-' || oid::text AS mark
  FROM pg_control_system(), pg_database WHERE datname = current_database()`

/** Digits and a dash. Rejects with SqlUnavailable where the database is not reached. */
export const databaseMark = async (url: string): Promise<string> => {
  const client = await connectDedicated(url)
  try {
    const { rows } = await client.query<{ mark: string }>(MARK)
    return rows[0]!.mark
  } finally {
    await client.end()
  }
}

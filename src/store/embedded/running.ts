/**
 * The embedded database as another program of the same installation finds it: running under its gateway, or stopped; and its read-only role for
 * operators. The one thing to know: no statement of that role's session can write, because the role has no right to.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import pg from "pg"
import { connectDedicated, SqlUnavailable } from "../postgres/sql.ts"
import { passwordOf, prepareSocketDirectory, readOrCreateSecret, socketUrl } from "./cluster.ts"
import { chooseStateDirectory } from "./os-account.ts"

// The role of the embedded database for people who only look: no statement of its session makes it write, because it has no right to. The
// one thing to know: what PostgreSQL grants to PUBLIC by default (temporary tables, large objects) is revoked too.

const READER = "gateway_reader"
const DATABASE = "gateway"

/** Whether the role is there or not. Its own default only makes for a plain word where a statement would write. */
const madeOf = (password: string): ReadonlyArray<string> => [
  `DO $$ BEGIN
     IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${READER}') THEN CREATE ROLE ${READER}; END IF;
   END $$`,
  `ALTER ROLE ${READER} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD ${pg.escapeLiteral(password)}`,
  `ALTER ROLE ${READER} SET default_transaction_read_only = on`,
  `GRANT pg_read_all_data TO ${READER}`,
  `REVOKE TEMPORARY ON DATABASE ${DATABASE} FROM PUBLIC`,
  "REVOKE EXECUTE ON FUNCTION lo_create(oid), lo_creat(integer), lo_from_bytea(oid, bytea) FROM PUBLIC",
]

/** Of a server that runs: its address for the reader, with the password. Never log it. */
export const readerUrl = async (dataDir: string): Promise<string> => {
  const { directory, account } = chooseStateDirectory(dataDir, () => undefined)
  const secret = readOrCreateSecret(path.join(directory, "password"))
  const sockets = prepareSocketDirectory(directory, account)
  const client = new pg.Client({
    connectionString: socketUrl(sockets, "postgres", passwordOf(secret, "postgres"), DATABASE),
    application_name: "venue-gateway admin psql",
  })
  const password = passwordOf(secret, READER)
  await client.connect()
  try {
    await client.query(["BEGIN", ...madeOf(password), "COMMIT"].join(";\n"))
  } finally {
    await client.end()
  }
  return socketUrl(sockets, READER, password, DATABASE)
}

type EmbeddedState =
  /** `url` is the application role's and holds its password: never log it. */
  | { readonly _tag: "Running"; readonly url: string }
  | { readonly _tag: "AtRest" }
  /** No gateway has ever run here. */
  | { readonly _tag: "Absent" }

export const findEmbedded = async (dataDir: string): Promise<EmbeddedState> => {
  if (!fs.existsSync(path.join(dataDir, "postgres"))) return { _tag: "Absent" }
  const { directory, account } = chooseStateDirectory(dataDir, () => undefined)
  const secretFile = path.join(directory, "password")
  if (!fs.existsSync(secretFile) || !fs.existsSync(path.join(directory, "cluster"))) return { _tag: "Absent" }
  const password = passwordOf(readOrCreateSecret(secretFile), "gateway")
  const url = socketUrl(prepareSocketDirectory(directory, account), "gateway", password, "gateway")
  try {
    await (await connectDedicated(url)).end()
    return { _tag: "Running", url }
  } catch (error) {
    if (error instanceof SqlUnavailable) return { _tag: "AtRest" }
    throw error
  }
}

/**
 * `psql`: opens the gateway's database with PostgreSQL's own client, to read; `--write` to change. The one thing to know: the password goes
 * by the environment of the client alone. It is on no command line, and on no terminal unless `--url` asks for it.
 */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import { InvalidParameter } from "../domain/errors/request.ts"
import { isLocalServer } from "../store/postgres/sql.ts"

export interface PsqlCommand {
  readonly _tag: "Psql"
  readonly isUrl: boolean
  readonly mayWrite: boolean
  /** As they stand, to the client. */
  readonly words: ReadonlyArray<string>
}

export const PSQL_USAGE = `  psql [--write] [ARGUMENT...]     open the database with psql, read-only without --write; arguments as psql takes them: -c "SELECT …"
  psql --url                       print the database's address, with its password
`

/** Undefined: the words are another command, or none. */
export const parsePsql = ([name, first, ...rest]: ReadonlyArray<string>): PsqlCommand | undefined => {
  if (name !== "psql") return undefined
  if (first === "--url") return rest.length > 0 ? undefined : { _tag: "Psql", isUrl: true, mayWrite: false, words: [] }
  if (first === "--write") return { _tag: "Psql", isUrl: false, mayWrite: true, words: rest }
  return { _tag: "Psql", isUrl: false, mayWrite: false, words: first === undefined ? [] : [first, ...rest] }
}

/** What libpq reads; parameters that it has no variable for are the gateway's driver's own. */
const PARAMETERS: Readonly<Record<string, string>> = {
  host: "PGHOST",
  port: "PGPORT",
  sslmode: "PGSSLMODE",
  sslrootcert: "PGSSLROOTCERT",
  sslcert: "PGSSLCERT",
  sslkey: "PGSSLKEY",
}

/** The address as the client's environment. Over a network the server is verified, as the gateway does. */
export const clientEnvironment = (address: string, mayWrite: boolean): Readonly<Record<string, string>> => {
  const url = new URL(address)
  const given: Record<string, string> = {}
  for (const [name, value] of url.searchParams) {
    const variable = PARAMETERS[name]
    if (variable !== undefined) given[variable] = value
  }
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const isRemote = !isLocalServer(url.searchParams.get("host") ?? host)
  return {
    PGHOST: host,
    ...(url.port === "" ? {} : { PGPORT: url.port }),
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    ...(isRemote ? { PGSSLROOTCERT: "system" } : {}),
    ...given,
    // Whatever sslmode says, as with the gateway's own driver.
    ...(isRemote ? { PGSSLMODE: "verify-full" } : {}),
    PGAPPNAME: "venue-gateway admin psql",
    ...(mayWrite ? {} : { PGOPTIONS: "-c default_transaction_read_only=on" }),
  }
}

const missing = ({ PGHOST, PGUSER, PGDATABASE }: Readonly<Record<string, string>>): string =>
  `psql was not found: install PostgreSQL's client (postgresql-client; brew install libpq), or use another client on the machine: host ${PGHOST}, ` +
  `user ${PGUSER}, database ${PGDATABASE}, the password by psql --url`

/** What to print. The client has the terminal until it ends, and the interrupts that are typed there. */
export const runPsql = ({ isUrl, mayWrite, words }: PsqlCommand, address: string) => {
  if (isUrl) return Effect.succeed(`${address}\n`)
  const environment = clientEnvironment(address, mayWrite)
  return Effect.async<string, InvalidParameter>((resume) => {
    const ignore = (): void => undefined
    process.on("SIGINT", ignore)
    const client = spawn("psql", words, { stdio: "inherit", env: { ...process.env, ...environment } })
    const end = (result: Effect.Effect<string, InvalidParameter>): void => {
      process.off("SIGINT", ignore)
      resume(result)
    }
    client.once("error", (error: NodeJS.ErrnoException) => {
      const reason = error.code === "ENOENT" ? missing(environment) : error.message
      end(Effect.fail(new InvalidParameter({ parameter: "psql", reason })))
    })
    client.once("close", (code) => {
      if (code === 0) end(Effect.succeed(""))
      else end(Effect.fail(new InvalidParameter({ parameter: "psql", reason: `it ended with exit code ${code}` })))
    })
  })
}

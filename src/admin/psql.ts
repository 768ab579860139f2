/**
 * `psql`: opens the gateway's database with PostgreSQL's own client, read-only through a role without write rights; `--write` allows changes, and
 * is recorded in the audit before the client starts. The one thing to know: the password is passed only in the client's environment. It is on no
 * command line, and on no terminal unless `--url` requests it.
 */

import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { InvalidParameter } from "../domain/errors/request.ts"
import type { Actor } from "../domain/user/act.ts"
import { Acts } from "../store/audit/acts.ts"
import { isLocalServer } from "../store/postgres/sql.ts"

export interface PsqlCommand {
  readonly _tag: "Psql"
  readonly isUrl: boolean
  readonly mayWrite: boolean
  /** As they stand, to the client. */
  readonly words: ReadonlyArray<string>
}

export const PSQL_USAGE = `  psql [--write] [ARGUMENT...]     open the database with psql: as a read-only role, or with --write, which is recorded in the
                                   audit; arguments are passed to psql: -c "SELECT …"
  psql --url                       print the database's address, with the password that may write; a row in the audit as well
`

/** Undefined: the words are another command, or none. */
export const parsePsql = ([name, first, ...rest]: ReadonlyArray<string>): PsqlCommand | undefined => {
  if (name !== "psql") return undefined
  if (first === "--url") return rest.length > 0 ? undefined : { _tag: "Psql", isUrl: true, mayWrite: true, words: [] }
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

/**
 * What the client may have of this process's environment. Nothing that libpq reads: a PGHOSTADDR or PGSERVICE would name another server, a
 * PGOPTIONS other rights. And no secret of the gateway's.
 */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|TERMINFO|COLORTERM|LANG|LC_\w+|TZ|TMPDIR|EDITOR|VISUAL|PAGER|LESS|PSQL_(PAGER|EDITOR|HISTORY)|COLUMNS|LINES)$/

export const passedOn = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value !== undefined && PASSED.test(name) ? [[name, value]] : [])),
  )

/** The address as the client's environment. Over a network the server is verified, as the gateway does. */
export const clientEnvironment = (address: string): Readonly<Record<string, string>> => {
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
  }
}

const missing = ({ PGHOST, PGUSER, PGDATABASE }: Readonly<Record<string, string>>): string =>
  `psql was not found: install PostgreSQL's client (postgresql-client; brew install libpq), or use another client on the machine: host ${PGHOST}, ` +
  `user ${PGUSER}, database ${PGDATABASE}, the password by psql --url`

/** The row of the act that opens the database to be changed. */
export const noteWriting = ({ isUrl }: PsqlCommand, actor: Actor) =>
  Effect.flatMap(Acts, (acts) =>
    acts.commit(
      {
        actId: randomUUID(),
        action: "database.write" as const,
        actor,
        object: null,
        what: isUrl ? "psql --url" : "psql --write",
      },
      () => Effect.void,
    ),
  )

/** On a server of yours the gateway's own role could be told to write by any statement. */
export const readerIsYours = Effect.fail(
  new InvalidParameter({
    parameter: "psql",
    reason:
      "the role in DATABASE_URL can write, and no session setting prevents that: use psql directly with a read-only role (docs/operations/postgresql.md creates one), or give --write",
  }),
)

/** What to print. The client has the terminal until it ends, and the interrupts that are typed there. */
export const runPsql = ({ isUrl, words }: PsqlCommand, address: string) => {
  if (isUrl) return Effect.succeed(`${address}\n`)
  const environment = clientEnvironment(address)
  return Effect.async<string, InvalidParameter>((resume) => {
    const ignore = (): void => undefined
    process.on("SIGINT", ignore)
    const client = spawn("psql", words, { stdio: "inherit", env: { ...passedOn(process.env), ...environment } })
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
      else end(Effect.fail(new InvalidParameter({ parameter: "psql", reason: `psql exited with code ${code}` })))
    })
  })
}

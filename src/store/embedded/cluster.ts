// The cluster's files and its first contents: the secret, initdb, the socket folder, the application's role and database.
// Everything that a kill could leave half done is made beside its place and renamed.
import { createHash, createHmac, randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import pg from "pg"
import type { Binaries } from "./binaries.ts"
import type { ServerAccount } from "./os-account.ts"
import { isAlive } from "./previous.ts"
import { runGuarded } from "./process.ts"
import { systemErrorCode, unavailable } from "./unavailable.ts"

/**
 * The database's secret: 48 hex digits in a 0600 file that belongs to this process's user, made on the first start. Linked into
 * place whole, so that two first starts agree on one.
 */
export const readOrCreateSecret = (file: string): string => {
  if (!fs.existsSync(file)) {
    const beside = `${file}.${process.pid}`
    const descriptor = fs.openSync(beside, "w", 0o600)
    fs.writeFileSync(descriptor, randomBytes(24).toString("hex"))
    fs.fsyncSync(descriptor)
    fs.closeSync(descriptor)
    try {
      fs.linkSync(beside, file)
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error
    } finally {
      fs.rmSync(beside, { force: true })
    }
  }
  const secret = fs.readFileSync(file, "utf8").trim()
  if (!/^[0-9a-f]{48}$/.test(secret)) throw unavailable(`${file} does not hold the database's password`)
  return secret
}

/** Each role has its own: the application's URL must not open a superuser session. */
export const passwordOf = (secret: string, role: string): string =>
  createHmac("sha256", secret).update(role).digest("hex").slice(0, 48)

/** Folders of initdb runs that were killed: their node process is gone (the name holds its pid), or they are very old. */
const removeHalfClusters = (stateDirectory: string): void => {
  for (const name of fs.readdirSync(stateDirectory)) {
    const pid = /^init-(\d+)-/.exec(name)?.[1]
    if (pid === undefined) continue
    const directory = path.join(stateDirectory, name)
    try {
      const isOld = Date.now() - fs.statSync(directory).mtimeMs > 600_000
      if (isOld || !isAlive(Number(pid))) fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
    } catch (error) {
      // Another start may be removing it at this moment; what stays is removed next time.
      if (systemErrorCode(error) !== "ENOENT" && systemErrorCode(error) !== "ENOTEMPTY") throw error
    }
  }
}

/** The names of cluster and password file must survive a power cut as well as what is in them. */
const syncDirectory = (directory: string): void => {
  const descriptor = fs.openSync(directory, "r")
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

/**
 * Creates the cluster unless it exists; true when it was created.
 * Encoding and locale are spelled out: with LANG unset (containers) initdb would choose SQL_ASCII, and the builtin C.UTF-8 needs no
 * locale of the system and does not change under its upgrades. Text sorts by code point.
 */
export const ensureCluster = async (options: {
  readonly binaries: Binaries
  readonly account: ServerAccount
  readonly stateDirectory: string
  readonly clusterDirectory: string
  readonly superuserPassword: string
}): Promise<boolean> => {
  const { binaries, account, stateDirectory, clusterDirectory } = options
  const versionFile = path.join(clusterDirectory, "PG_VERSION")
  let created = false
  if (!fs.existsSync(versionFile)) {
    removeHalfClusters(stateDirectory)
    const workDirectory = fs.mkdtempSync(path.join(stateDirectory, `init-${process.pid}-`))
    try {
      const passwordFile = path.join(workDirectory, "password")
      fs.writeFileSync(passwordFile, options.superuserPassword, { mode: 0o600 })
      if (account.ids.uid !== undefined && account.ids.gid !== undefined) {
        fs.chownSync(workDirectory, account.ids.uid, account.ids.gid)
        fs.chownSync(passwordFile, account.ids.uid, account.ids.gid)
      }
      const made = path.join(workDirectory, "cluster")
      const argv = [
        binaries.initdb,
        `--pgdata=${made}`,
        "--username=postgres",
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        // Commits wait while a segment of the log is made: for 150 to 300 ms where it has 16 MB and memory or disk are slow, every six seconds at 500
        // orders a second, until enough of them are there to be used again.
        "--wal-segsize=1",
        ...(binaries.major >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : []),
      ]
      await runGuarded(argv, account, path.join(workDirectory, "initdb.log"))
      fs.renameSync(made, clusterDirectory)
      syncDirectory(stateDirectory)
      created = true
    } catch (error) {
      // The rename fails when another first start was faster: its cluster is as good as ours.
      if (!fs.existsSync(versionFile)) throw error
    } finally {
      fs.rmSync(workDirectory, { recursive: true, force: true, maxRetries: 3 })
    }
  }
  const major = Number(fs.readFileSync(versionFile, "utf8").trim())
  if (major !== binaries.major) {
    throw unavailable(
      `${clusterDirectory} was created by PostgreSQL ${major} but the installed programs are PostgreSQL ${binaries.version}: ` +
        "install the old major version again, or dump and restore",
    )
  }
  return created
}

/** sun_path holds 108 bytes on Linux and 104 on macOS, the end included. */
const SOCKET_PATH_BYTES_MAX = 100
const SOCKET_NAME = "/.s.PGSQL.5432"

/** `<state>/run`, or for a long path a folder of the system's temporary directory named by uid and hash. Always 0700 and the server's. */
export const prepareSocketDirectory = (stateDirectory: string, account: ServerAccount): string => {
  const preferred = path.join(stateDirectory, "run")
  const uid = process.getuid?.() ?? 0
  const name = createHash("sha256").update(stateDirectory).digest("hex").slice(0, 12)
  const fits = Buffer.byteLength(preferred + SOCKET_NAME) <= SOCKET_PATH_BYTES_MAX
  const directory = fits ? preferred : path.join(os.tmpdir(), `venue-gateway-${uid}-${name}`)
  if (Buffer.byteLength(directory + SOCKET_NAME) > SOCKET_PATH_BYTES_MAX) {
    throw unavailable(
      `${stateDirectory} and the temporary directory ${os.tmpdir()} are both too long for a unix socket`,
    )
  }
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  // A temporary directory is shared: use no folder or link placed there by another user.
  const found = fs.lstatSync(directory)
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== account.ids.uid)) {
    throw unavailable(`${directory} was not created by this user: remove it`)
  }
  if (account.ids.uid !== undefined && account.ids.gid !== undefined) {
    fs.chownSync(directory, account.ids.uid, account.ids.gid)
  }
  fs.chmodSync(directory, 0o700)
  return directory
}

/** `?host=` overrides the authority for pg, @effect/sql-pg and psql alike. */
export const socketUrl = (socketDirectory: string, role: string, password: string, database: string): string =>
  `postgresql://${encodeURIComponent(role)}:${password}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(socketDirectory)}`

/** The clause that a hand-made production database should have too; see ensureCluster for the locale. */
const databaseClause = (major: number): string =>
  `TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'${major >= 17 ? " LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'" : ""}`

/** The application's role, which is no superuser (or migrations would pass here and fail in production), and its own database. */
export const bootstrap = async (options: {
  readonly adminUrl: string
  readonly role: string
  readonly rolePassword: string
  readonly database: string
  readonly major: number
}): Promise<void> => {
  const client = new pg.Client({ connectionString: options.adminUrl, connectionTimeoutMillis: 10_000 })
  client.on("error", () => undefined) // the query in flight rejects with the same reason
  try {
    await client.connect()
    const role = pg.escapeIdentifier(options.role)
    const hasRole = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [options.role])
    if (hasRole.rowCount === 0) {
      await client.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER PASSWORD ${pg.escapeLiteral(options.rolePassword)}`)
    }
    const hasDatabase = await client.query("SELECT FROM pg_database WHERE datname = $1", [options.database])
    if (hasDatabase.rowCount === 0) {
      const database = pg.escapeIdentifier(options.database)
      await client.query(`CREATE DATABASE ${database} OWNER ${role} ${databaseClause(options.major)}`)
    }
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === "28P01") {
      throw unavailable("the password file beside the cluster does not match the cluster: restore the original")
    }
    throw unavailable(`PostgreSQL started but its first use failed: ${error instanceof Error ? error.message : error}`)
  } finally {
    await client.end()
  }
}

// Which operating-system account the embedded server runs as, and which folder holds its state.
// PostgreSQL refuses to run as root, so under root everything depends on what another account can reach.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { isForsaken, notedElsewhere, otherOwner } from "./elsewhere.ts"
import { systemErrorCode, unavailable } from "./unavailable.ts"

/** Spread into spawn(): empty when the server runs as ourselves. */
export interface ServerAccount {
  readonly label: string
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

const statOrUndefined = (file: string): fs.Stats | undefined => {
  try {
    return fs.statSync(file)
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined
    throw unavailable(`cannot look at ${file}: ${systemErrorCode(error) ?? String(error)}`)
  }
}

/**
 * Ourselves, unless we are root. Then the owner of an existing cluster, else `PG_RUN_AS`, `postgres` or `nobody`: initdb wants
 * a passwd entry for its uid, and no account is ever created.
 */
export const chooseAccount = (clusterDirectory: string): ServerAccount => {
  const uid = process.getuid?.()
  const cluster = statOrUndefined(clusterDirectory)
  if (uid !== 0) {
    if (cluster !== undefined && uid !== undefined && cluster.uid !== uid) {
      throw unavailable(
        `${clusterDirectory} belongs to uid ${cluster.uid} and this process runs as uid ${uid}: ` +
          "start as the user that created it, or set DATA_DIR to another directory",
      )
    }
    return { label: `uid ${uid}`, ids: {} }
  }
  if (cluster !== undefined && cluster.uid !== 0) {
    return { label: `uid ${cluster.uid}`, ids: { uid: cluster.uid, gid: cluster.gid } }
  }
  const accounts = fs
    .readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  for (const name of [process.env["PG_RUN_AS"], "postgres", "nobody"]) {
    const account = name === undefined ? undefined : accounts.find((columns) => columns[0] === name)
    if (account !== undefined) {
      return { label: account[0]!, ids: { uid: Number(account[2]), gid: Number(account[3]) } }
    }
  }
  throw unavailable("running as root, and neither PG_RUN_AS, 'postgres' nor 'nobody' is an account in /etc/passwd")
}

const canEnter = (account: ServerAccount, directory: string): boolean =>
  spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", directory], { ...account.ids, env: {}, cwd: "/" }).status === 0

/** Creates missing folders as 0755 whatever the umask is: the server's account must be able to pass through them. */
const makePassable = (directory: string): void => {
  const firstMade = fs.mkdirSync(directory, { recursive: true, mode: 0o755 })
  if (firstMade === undefined) return
  const stop = path.dirname(firstMade)
  for (let made = directory; made !== stop; made = path.dirname(made)) fs.chmodSync(made, 0o755)
}

/** For root whose DATA_DIR nobody else can enter (a checkout under /root). One folder per DATA_DIR, so that two checkouts never share rows. */
const ROOT_FALLBACK = "/var/lib/venue-gateway/postgres"

export const preferredDirectory = (dataDir: string): string => path.join(path.resolve(dataDir), "postgres")

/**
 * `<dataDir>/postgres`; as root, when the server's account cannot get there, a folder of `/var/lib/venue-gateway/postgres`.
 * A cluster that already exists in the first place but became unreachable is a failure: starting an empty one would look like lost rows.
 * Once there is a database elsewhere, notes name it (elsewhere.ts), and they count.
 */
export const chooseStateDirectory = (
  dataDir: string,
  log: (message: string) => void,
): { readonly directory: string; readonly account: ServerAccount } => {
  const preferred = preferredDirectory(dataDir)
  makeDirectory(preferred)
  const noted = notedElsewhere(preferred)
  if (noted !== null) return { directory: noted, account: chooseAccount(path.join(noted, "cluster")) }
  const account = chooseAccount(path.join(preferred, "cluster"))
  if (account.ids.uid === undefined || canEnter(account, preferred)) return { directory: preferred, account }
  if (fs.existsSync(path.join(preferred, "cluster"))) {
    throw unavailable(
      `running as root, PostgreSQL must run as ${account.label}, and that account can no longer enter ${preferred}: ` +
        "give its parent directories mode 0755",
    )
  }
  const name = createHash("sha256").update(preferred).digest("hex").slice(0, 8)
  const fallback = path.join(ROOT_FALLBACK, name)
  makeDirectory(fallback)
  const owner = otherOwner(preferred, fallback)
  if (owner !== null)
    throw unavailable(
      `${fallback}, where the database of ${preferred} would be, has that of ${owner}, which had this name before: set DATA_DIR to a directory of another name`,
    )
  if (isForsaken(preferred, fallback))
    throw unavailable(
      `${fallback} has the database of an earlier directory of the name ${preferred}: if that was renamed, move ${fallback} to another place and write its path into the file postgres/elsewhere there; if it was removed, move ${fallback} away to start with an empty database`,
    )
  const fallbackAccount = chooseAccount(path.join(fallback, "cluster"))
  if (!canEnter(fallbackAccount, fallback)) {
    throw unavailable(
      `running as root, PostgreSQL must run as ${fallbackAccount.label}, and that account can enter neither ${preferred} nor ` +
        `${fallback}: set DATA_DIR to a directory whose parents all have mode 0755`,
    )
  }
  log(`${account.label} cannot enter ${preferred}, so the database is in ${fallback}`)
  return { directory: fallback, account: fallbackAccount }
}

const makeDirectory = (directory: string): void => {
  try {
    makePassable(directory)
    fs.accessSync(directory, fs.constants.W_OK)
  } catch (error) {
    throw unavailable(`cannot write to ${directory} (${systemErrorCode(error) ?? String(error)}): set DATA_DIR`)
  }
}

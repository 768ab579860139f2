// Which operating-system account the embedded server runs as, which folder holds its state, and the two notes that keep a DATA_DIR and a
// database outside of it together. PostgreSQL refuses to run as root, so under root everything depends on what another account can reach.

import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemErrorCode, unavailable } from "./unavailable.ts"

// The two notes that keep a DATA_DIR and a database outside of it together, however either is renamed: `DATA_DIR/postgres/elsewhere` names the
// database's folder, and `data-dir` in that folder names whose it is. Written once the database is there, so that none is missed that never was.

const ELSEWHERE = "elsewhere"
const OWNER = "data-dir"

/** Symbolic links aside. */
const real = (directory: string): string => (fs.existsSync(directory) ? fs.realpathSync(directory) : directory)

const read = (file: string): string | null => (fs.existsSync(file) ? fs.readFileSync(file, "utf8").trim() : null)

const write = (file: string, text: string): void => {
  if (read(file) === text) return
  fs.writeFileSync(`${file}.${process.pid}`, `${text}\n`)
  fs.renameSync(`${file}.${process.pid}`, file)
}

/** `preferred`: where the database would be if its account could go there. */
export const noteElsewhere = (preferred: string, directory: string): void => {
  if (preferred === directory) return
  // In this order: where the second is there, the first was.
  write(path.join(preferred, ELSEWHERE), directory)
  write(path.join(directory, OWNER), preferred)
}

/** Whether the database is that of a directory which had this name, and the note in that directory is gone, or went with it. */
const isForsaken = (preferred: string, directory: string): boolean => read(path.join(directory, OWNER)) === preferred

/** Whose the database is beside `preferred`: null when no other directory uses it, for example after a rename. */
const otherOwner = (preferred: string, directory: string): string | null => {
  const owner = read(path.join(directory, OWNER))
  if (owner === null || real(owner) === real(preferred)) return null
  return read(path.join(owner, ELSEWHERE)) === directory ? owner : null
}

/** Where the database of this DATA_DIR is, as noted; null: in its place, or nowhere yet. Throws when it is gone, or another directory's. */
const notedElsewhere = (preferred: string): string | null => {
  const note = path.join(preferred, ELSEWHERE)
  const directory = read(note)
  if (directory === null) return null
  if (!fs.existsSync(path.join(directory, "cluster")))
    throw unavailable(
      `the database of ${preferred} was in ${directory} (according to ${note}) and is missing: restore it, or remove ${note} to start with an empty one`,
    )
  if (fs.existsSync(path.join(preferred, "cluster")))
    throw unavailable(
      `there are two databases of ${preferred}, one in it and one in ${directory}: remove ${note} to use the one in it, or move that away`,
    )
  const owner = otherOwner(preferred, directory)
  if (owner !== null)
    throw unavailable(
      `${directory} is the database of ${owner}, of which ${preferred} seems to be a copy: start from ${path.dirname(owner)}, or remove ${note} to start with an empty database`,
    )
  return directory
}

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
    throw unavailable(`cannot read ${file}: ${systemErrorCode(error) ?? String(error)}`)
  }
}

/**
 * Ourselves, unless we are root. Then the owner of an existing cluster, else `PG_RUN_AS`, `postgres` or `nobody`: initdb wants
 * a passwd entry for its uid, and no account is ever created.
 */
const chooseAccount = (clusterDirectory: string): ServerAccount => {
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

/** For root with a DATA_DIR that no other user can enter (a checkout under /root). One folder per DATA_DIR, so that two checkouts never share
 * rows.
 */
const ROOT_FALLBACK = "/var/lib/venue-gateway/postgres"

export const preferredDirectory = (dataDir: string): string => path.join(path.resolve(dataDir), "postgres")

/**
 * `<dataDir>/postgres`; as root, when the server's account cannot get there, a folder of `/var/lib/venue-gateway/postgres`.
 * A cluster that already exists in the first place but became unreachable is a failure: starting an empty one would look like lost rows.
 * Once there is a database elsewhere, notes name it, and they count.
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
      `${fallback} has the database of an earlier directory of the name ${preferred}: if that was renamed, move ${fallback} elsewhere and write its new path into the file postgres/elsewhere there; if it was removed, move ${fallback} away to start with an empty database`,
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

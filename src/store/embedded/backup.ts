/**
 * A copy of the embedded database while its gateway runs, by PostgreSQL's base backup: a folder `postgres` that replaces the one in a new
 * DATA_DIR. The one thing to know: the keys (`DATA_DIR/keys`) are not in it. Both together give access to the exchange credentials: keep them
 * apart.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import pg from "pg"
import { passwordOf, prepareSocketDirectory, readOrCreateSecret, socketUrl } from "./cluster.ts"
import { chooseStateDirectory } from "./os-account.ts"

/** What the server makes anew at each start, or what must not be taken along (PostgreSQL's documentation, 25.3.4). */
const FRESH = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
])
const LEFT = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*)$/

const isRoot = process.getuid?.() === 0

/** The owner goes along, and what is written stays written: a backup that a power cut empties is none. */
const settle = (copy: string, { uid, gid, mode }: fs.Stats): void => {
  if (isRoot) fs.chownSync(copy, uid, gid)
  fs.chmodSync(copy, mode & 0o777)
  const descriptor = fs.openSync(copy, "r")
  fs.fsyncSync(descriptor)
  fs.closeSync(descriptor)
}

const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT"

/** A running server removes files meanwhile: what is gone then is not needed, its removal is in the log that is copied last. */
const copyTree = (from: string, to: string, isWanted: (name: string) => boolean): number => {
  fs.mkdirSync(to)
  let bytes = 0
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (LEFT.test(entry.name)) continue
    if (entry.isDirectory()) {
      if (isWanted(entry.name)) bytes += copyTree(source, copy, () => true)
      else {
        fs.mkdirSync(copy)
        settle(copy, fs.statSync(source))
      }
    } else if (entry.isFile()) {
      try {
        fs.copyFileSync(source, copy)
        const stat = fs.statSync(source)
        settle(copy, stat)
        bytes += stat.size
      } catch (error) {
        if (!isGone(error)) throw error
      }
    }
  }
  settle(to, fs.statSync(from))
  return bytes
}

export interface Backup {
  readonly bytes: number
  /** Where in its log the copy is whole: everything that was answered before the call is in it. */
  readonly upTo: string
}

/** Throws when there is no running embedded database in `dataDir`, or the folder is not new. */
export const backUp = async (dataDir: string, folder: string): Promise<Backup> => {
  const { directory, account } = chooseStateDirectory(dataDir, () => undefined)
  const cluster = path.join(directory, "cluster")
  if (!fs.existsSync(cluster)) throw new Error(`there is no database in ${dataDir}: set DATA_DIR`)
  const target = path.join(path.resolve(folder), "postgres")
  if (fs.existsSync(target)) throw new Error(`${target} already exists: a backup needs a new folder`)
  const secretFile = path.join(directory, "password")
  const password = passwordOf(readOrCreateSecret(secretFile), "postgres")
  const url = socketUrl(prepareSocketDirectory(directory, account), "postgres", password, "postgres")
  const client = new pg.Client({ connectionString: url, application_name: "venue-gateway backup" })
  await client.connect()
  try {
    fs.mkdirSync(target, { recursive: true, mode: 0o755 })
    // Its slot keeps the log from here on, and goes with this connection.
    await client.query("SELECT pg_create_physical_replication_slot($1, true, true)", [`backup_${process.pid}`])
    await client.query("SELECT pg_backup_start('venue-gateway', fast => true)")
    let bytes = copyTree(cluster, path.join(target, "cluster"), (name) => !FRESH.has(name))
    const stopped = await client.query<{ lsn: string; labelfile: string }>(
      "SELECT lsn, labelfile FROM pg_backup_stop(wait_for_archive => false)",
    )
    const { lsn, labelfile } = stopped.rows[0]!
    const owner = fs.statSync(path.join(cluster, "PG_VERSION"))
    const label = path.join(target, "cluster/backup_label")
    fs.writeFileSync(label, labelfile)
    settle(label, owner)
    const log = path.join(target, "cluster/pg_wal")
    fs.rmSync(log, { recursive: true })
    bytes += copyTree(path.join(cluster, "pg_wal"), log, () => false)
    fs.copyFileSync(secretFile, path.join(target, "password"))
    settle(path.join(target, "password"), fs.statSync(secretFile))
    return { bytes, upTo: lsn }
  } finally {
    await client.end()
  }
}

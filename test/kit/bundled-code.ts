/**
 * dist/ and Effect in a few files, which the tests start their gateways, worker threads and `admin` from: node takes 1.9 s of processor time
 * to read the gateway's 1,500 modules, and 0.7 s to read these. Files that are found beside a module are still those of dist/.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { CACHE, forgetOld } from "./cache.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const FAMILY = "gateway-bundle-"

const INSIDE = /^(@effect\/|(effect|fast-check|pure-rand|multipasta|find-my-way-ts)(\/|$))/

/**
 * Effect with what it imports (fast-check alone has 240 modules), and what is ours: most of the modules, and all of them plain ESM. The others
 * node loads as it always does: to have those here as well made no start shorter.
 */
export const effectOnly: Plugin = {
  name: "effect only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || INSIDE.test(path) ? undefined : { path, external: true },
    ),
}

const SHARD = join(root, "dist/src/venues/connector/shard.js")

/** Each module goes on to find what is beside it; a shard its threads' programs, which are in the bundle. */
const ownPlaces = (folder: string): Plugin => ({
  name: "own places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8")
      if (!contents.includes("import.meta.url")) return undefined
      const place = pathToFileURL(path === SHARD ? join(folder, "connector/shard.js") : path).href
      return { contents: contents.replaceAll("import.meta.url", JSON.stringify(place)), loader: "js" }
    }),
})

/** Where each is in the bundle. */
const PROGRAMS = {
  main: "dist/src/main.js",
  admin: "dist/src/admin/main.js",
  "worker/connector": "dist/src/venues/worker/connector.js",
  "worker/pulse": "dist/src/venues/worker/pulse.js",
}

/** Of dist/ as it is; answers the folder with main.js in it. One that is there already is used again. */
export const bundleGateway = async (): Promise<string> => {
  // The bundle names what is beside it by its whole path: one of another checkout would load that one's worker threads.
  const hash = createHash("sha256").update(root)
  const own = fileURLToPath(import.meta.url)
  for (const path of [join(root, "dist/.stamp"), join(root, "package-lock.json"), own]) hash.update(readFileSync(path))
  const folder = join(CACHE, `${FAMILY}${hash.digest("hex").slice(0, 12)}`)
  if (existsSync(folder)) return folder
  const beside = `${folder}.${process.pid}`
  await build({
    entryPoints: Object.fromEntries(Object.entries(PROGRAMS).map(([name, path]) => [name, join(root, path)])),
    outdir: beside,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    keepNames: true,
    plugins: [effectOnly, ownPlaces(folder)],
    logLevel: "error",
  })
  try {
    renameSync(beside, folder)
  } catch (error) {
    rmSync(beside, { recursive: true, force: true })
    // Another run was faster.
    if (!existsSync(folder)) throw error
  }
  forgetOld(FAMILY)
  return folder
}

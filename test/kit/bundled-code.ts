/**
 * dist/ and Effect in a few files, which the tests start their gateways from: node takes 1.9 s of processor time to read the gateway's 1,500
 * modules, and 0.7 s to read these. Worker threads, and files that are found beside a module, are still those of dist/.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { CACHE, forgetOld } from "./cache.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const FAMILY = "gateway-bundle-"

/** Effect and what is ours: most of the modules, and all of them plain ESM. The others node loads as it always does. */
const effectOnly: Plugin = {
  name: "effect only",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || /^(@effect\/|effect(\/|$))/.test(path) ? undefined : { path, external: true },
    ),
}

/** Each module goes on to find what is beside it. */
const ownPlaces: Plugin = {
  name: "own places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.m?js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8")
      if (!contents.includes("import.meta.url")) return undefined
      return {
        contents: contents.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
        loader: "js",
      }
    }),
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
    entryPoints: [join(root, "dist/src/main.js")],
    outdir: beside,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    keepNames: true,
    plugins: [effectOnly, ownPlaces],
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

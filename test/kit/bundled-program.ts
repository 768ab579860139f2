/**
 * A program of the tests with what it takes from the sources and from Effect, in one file: a process or a thread that takes its code through
 * tsx needs 1.5 s of processor time before it does anything.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { build, type Plugin } from "esbuild"
import { effectOnly } from "./bundled-code.ts"
import { CACHE, forgetOld } from "./cache.ts"

const FAMILY = "test-program-"

/** Each module goes on to find what is beside it. */
const sourcePlaces: Plugin = {
  name: "source places",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const place = JSON.stringify(pathToFileURL(path).href)
      return { contents: readFileSync(path, "utf8").replaceAll("import.meta.url", place), loader: "ts" }
    }),
}

/** Answers the file. One of the same code that is there already is used again. */
export const bundleProgram = async (path: string): Promise<string> => {
  const { outputFiles } = await build({
    entryPoints: [path],
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    keepNames: true,
    plugins: [effectOnly, sourcePlaces],
    logLevel: "error",
  })
  const code = outputFiles[0]!.contents
  const digest = createHash("sha256").update(code).digest("hex").slice(0, 12)
  const file = join(CACHE, `${FAMILY}${basename(path, ".ts")}-${digest}.mjs`)
  if (existsSync(file)) return file
  const beside = `${file}.${process.pid}`
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(beside, code)
  renameSync(beside, file)
  forgetOld(FAMILY)
  return file
}

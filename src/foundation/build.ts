/**
 * The program's identity: the version of package.json, and the commit it was built from, which scripts/build.mjs writes beside it. The one thing
 * to know: this is the program's own version. The interface has another, SERVICE.version, which changes with what clients see.
 */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Build {
  readonly version: string
  /** Of git, short; `unknown`: built outside of a checkout. */
  readonly commit: string
}

/** From the sources two folders up, from dist/ three. */
const rootOf = (folder: string): string => {
  let root = folder
  while (!existsSync(join(root, "package.json")) && root !== dirname(root)) root = dirname(root)
  return root
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const field = (path: string, name: string): string => {
  try {
    const value = (JSON.parse(readFileSync(path, "utf8")) as Readonly<Record<string, unknown>>)[name]
    return isText(value) ? value : "unknown"
  } catch {
    return "unknown"
  }
}

const here = dirname(fileURLToPath(import.meta.url))

export const BUILD: Build = {
  version: field(join(rootOf(here), "package.json"), "version"),
  // dist/src/foundation: the sources themselves have none.
  commit: field(join(here, "../../build.json"), "commit"),
}

/** `3.1.0 (4b4bbc64)`. */
export const buildWords = ({ version, commit }: Build): string => `${version} (${commit})`

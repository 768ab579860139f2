/** Holds the whole tree to the house rules of test/kit/rules/tidy-rules.ts; each rule's own test is in test/unit/tools. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { brokenReferences } from "../scripts/references.ts"
import { migrationFaults, openingFaults, type Source, spoken, tidy } from "./kit/rules/tidy-rules.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const folders = ["src", "test", "bench", "scripts", "console", "docs", "proto", ".ci"]
const isText = /\.(tsx?|mjs|cjs|js|json|jsonc|md|sql|proto|sh)$|(^|\/)(run|\.npmrc|\.gitignore)$/
const generated =
  /^(package-lock\.json|docs\/(openapi|asyncapi)\.json|src\/venues\/adapters\/capabilities\.json|src\/ws\/generated\/.*)$/

/** Modules of one folder: more than can be looked through is a list, and its subjects want rooms of their own. */
const ROOM = 25

const paths = [
  ...readdirSync(root, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : [])),
  ...folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll("\\", "/")),
    ),
].filter((path) => isText.test(path) && !generated.test(path))

const read = (path: string): Source => ({ path, text: readFileSync(join(root, path), "utf8") })

describe("the tree", () => {
  it("is looked at", () => {
    expect(paths).toContain("test/tidy.test.ts")
    expect(paths.filter((path) => path.startsWith("src/")).length).toBeGreaterThan(0)
  })

  it("keeps the house rules", () => {
    expect(paths.flatMap((path) => tidy(read(path)).map(spoken))).toEqual([])
  })

  it("keeps rooms small enough to look into", () => {
    const rooms = new Map<string, number>()
    for (const path of paths.filter((path) => /\.tsx?$/.test(path))) {
      const room = path.slice(0, path.lastIndexOf("/"))
      rooms.set(room, (rooms.get(room) ?? 0) + 1)
    }
    expect([...rooms].filter(([, modules]) => modules > ROOM)).toEqual([])
  })
  it("opens each file with what it is", () => {
    expect(paths.flatMap((path) => openingFaults(read(path)).map(spoken))).toEqual([])
  })

  it("cites what is there", () => {
    expect(brokenReferences(root.replace(/\/$/, "")).faults).toEqual([])
  })

  it("numbers its migrations without a gap", () => {
    const folder = join(root, "src/store/migrations")
    const names = existsSync(folder) ? readdirSync(folder) : []
    expect(migrationFaults(names).map(spoken)).toEqual([])
  })
})

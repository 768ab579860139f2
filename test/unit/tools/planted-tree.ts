/** A small source tree on disk with the house's own configuration, for giving the checkers something to find. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

const house = fileURLToPath(new URL("../../..", import.meta.url))
const configuration = [
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "biome.json",
  "knip.jsonc",
  ".dependency-cruiser.cjs",
  ".gitignore",
]

/** Path → text. The tree is removed when the test ends. */
export const plant = (files: Readonly<Record<string, string>>): string => plantUntil(onTestFinished, files)

/** The tree is removed by what is handed to `ending`: `afterAll`, for one that several tests look at. */
export const plantUntil = (ending: (end: () => void) => void, files: Readonly<Record<string, string>>): string => {
  const tree = mkdtempSync(join(tmpdir(), "planted-"))
  ending(() => rmSync(tree, { recursive: true, force: true }))
  for (const name of configuration) copyFileSync(join(house, name), join(tree, name))
  symlinkSync(join(house, "node_modules"), join(tree, "node_modules"))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
  return tree
}

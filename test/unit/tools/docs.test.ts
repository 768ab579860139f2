/** The generated pages on a small tree: a stale page is found, and writing them again settles it. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { runNode, tools } from "../../../scripts/tools.ts"
import { plant } from "./planted-tree.ts"

const house = fileURLToPath(new URL("../../..", import.meta.url))

const planted = (): string => {
  const tree = plant({
    "src/domain/ids.ts": "/** Identifiers, branded. More words. */\nexport const id = 1\n",
    "src/ports/clock.ts":
      '/** Time. */\nimport { Context } from "effect"\nimport { id } from "../domain/ids.ts"\n\nconsole.log(id)\n\n' +
      'export class Clock extends Context.Tag("ports/Clock")<Clock, { readonly now: () => number }>() {}\n',
    "src/http/docs/openapi.ts":
      '/** The document. */\nexport const openApiDocument = (): object => ({ openapi: "3.1.0", info: { title: "planted" } })\n',
    "src/config.ts": "/** Settings. */\nexport const readSettings = () => ({ wsFlushMillis: 10 })\n",
    "src/http/api.ts": '/** The API. */\nexport const SERVICE = { version: "1" }\n',
    "src/http/rpc/rpc.ts": '/** Names. */\nexport const rpcMethods = () => ["market.get"]\n',
    "src/ws/docs/asyncapi.ts":
      "/** The other document. */\nexport const asyncApiDocument = (facts: object): object => facts\n",
    "src/ws/channels/kinds.ts":
      "/** The table. */\nexport const channelKinds = (windowMillis: number) => ({ trade: { windowMillis } })\n",
  })
  mkdirSync(join(tree, "scripts"))
  mkdirSync(join(tree, "src/venues"))
  const scripts = {
    "settings-page.ts": 'export const settingsPage = () => "settings\\n"\n',
    "capabilities.ts": 'export const capabilitiesText = async () => "{}\\n"\n',
    "observability-pages.ts":
      'export const metricsPage = () => "metrics\\n"\nexport const logsPage = () => "logs\\n"\n',
    "dashboard.ts": 'export const dashboardText = () => "{}\\n"\n',
    "client-types.ts":
      'export const clientTypes = async () => "export {}\\n"\nexport const clientErrno = async () => "export {}\\n"\n',
    "client-types-python.ts":
      'export const pythonRecords = () => "\\n"\nexport const pythonCalls = () => "\\n"\nexport const pythonErrno = () => "\\n"\n',
    "alert-rules.ts": 'export const alertRulesText = () => "groups: []\\n"\n',
  }
  for (const [name, text] of Object.entries(scripts))
    writeFileSync(join(tree, "scripts", name), `/** The page. */\n${text}`)
  for (const name of ["docs.ts", "asyncapi-page.ts", "map-pages.ts", "tools.ts", "python.ts", "references.ts"])
    copyFileSync(join(house, "scripts", name), join(tree, "scripts", name))
  return tree
}

const write = (tree: string) => runNode(tree, join(house, "node_modules/tsx/dist/cli.mjs"), ["scripts/docs.ts"])

/** Each file's first sentence, the imports between layers, the services and the API. */
const expectWritten = (tree: string): void => {
  const page = readFileSync(join(tree, "docs/map", "domain.md"), "utf8")
  expect(page).toContain("- [`ids.ts`](../../src/domain/ids.ts) Identifiers, branded.\n")
  const map = readFileSync(join(tree, "docs/map/README.md"), "utf8")
  expect(map).toContain("- [src/domain](domain.md) (1) Pure rules")
  expect(map).toContain("  ports --> domain\n")
  expect(map).toContain("- `Clock` [src/ports/clock.ts](../../src/ports/clock.ts)\n")
  expect(JSON.parse(readFileSync(join(tree, "docs/openapi.json"), "utf8"))).toMatchObject({ openapi: "3.1.0" })
  expect(readFileSync(join(tree, "src/venues/adapters/capabilities.json"), "utf8")).toBe("{}\n")
  expect(JSON.parse(readFileSync(join(tree, "docs/asyncapi.json"), "utf8"))).toEqual({
    version: "1",
    kinds: { trade: { windowMillis: 10 } },
    rpcMethods: ["market.get"],
  })
}

describe("the generated pages", () => {
  it("are refused while they are missing or stale, and pass when written with what the sources say", {
    timeout: 900_000,
  }, async () => {
    const tree = planted()
    expect(await tools.docs.check(tree)).toMatchObject({ passed: false })
    expect(existsSync(join(tree, "docs/map"))).toBe(false)

    expect(await write(tree)).toMatchObject({ code: 0 })
    expectWritten(tree)

    // A changed header, a moved folder and a nested one: three pages are stale, one of them of a folder that is gone.
    writeFileSync(join(tree, "src/domain/ids.ts"), "/** Other words. */\nexport const id = 1\n")
    renameSync(join(tree, "src/ports"), join(tree, "src/seams"))
    mkdirSync(join(tree, "src/seams/of/time"), { recursive: true })
    writeFileSync(join(tree, "src/seams/of/time/zone.ts"), "/** Zones. */\nexport const zone = 1\n")
    const verdict = await tools.docs.check(tree)
    expect(verdict.passed).toBe(false)
    for (const name of ["domain", "seams", "ports"]) expect(verdict.output).toContain(`docs/map/${name}.md is stale`)

    expect(await write(tree)).toMatchObject({ code: 0 })
    const map = join(tree, "docs/map")
    expect(readdirSync(map)).not.toContain("ports.md")
    const page = readFileSync(join(map, "seams.md"), "utf8")
    expect(page).toContain("- [`clock.ts`](../../src/seams/clock.ts) Time.\n\n## src/seams/of/time\n\n- [`zone.ts`]")
    const index = readFileSync(join(map, "README.md"), "utf8")
    expect(index).toContain("- [src/seams](seams.md) (2)\n  - [of/time](seams.md#srcseamsoftime) (1)\n")
    expect(await tools.docs.check(tree)).toEqual({ passed: true, output: "" })
  })
})

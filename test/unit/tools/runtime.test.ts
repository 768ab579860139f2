/** The Node that the gateway runs on: which lines, the one that npm installs along, and what is said on any other (decision 61). */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { runtimeRefusal } from "../../../src/foundation/runtime.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), "utf8")

interface Manifest {
  readonly engines: { readonly node: string }
  readonly optionalDependencies: Readonly<Record<string, string>>
}
const manifest = JSON.parse(read("package.json")) as Manifest
const { packages } = JSON.parse(read("package-lock.json")) as {
  readonly packages: Readonly<
    Record<string, { readonly os?: string; readonly cpu?: string; readonly engines?: object }>
  >
}
const bundled = Object.entries(manifest.optionalDependencies).filter(([name]) =>
  /^node-(bin-)?(linux|darwin)-/.test(name),
)

/** `process.versions.modules` of a line, which names the binary. */
const ABI: Readonly<Record<number, number>> = { 18: 108, 20: 115, 22: 127, 24: 137, 26: 147 }
const SYSTEMS = ["darwin arm64", "darwin x64", "linux arm64", "linux x64"]

describe("the Node that npm installs along", () => {
  it("is there for every system, in one exact version that the gateway runs on", () => {
    const systems = bundled.map(([name]) => packages[`node_modules/${name}`]).map((it) => `${it?.os} ${it?.cpu}`)
    expect(systems.toSorted()).toEqual(SYSTEMS)
    const versions = [...new Set(bundled.map(([, version]) => version))]
    expect(versions).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)])
    expect(runtimeRefusal(versions[0] ?? "")).toBeNull()
  })

  it("is that of the image, too", () => {
    expect(read("Dockerfile")).toContain(`/node:${bundled[0]?.[1]}-bookworm-slim`)
  })
})

describe("a Node", () => {
  const binary = (system: string, line: number): string =>
    join(root, `node_modules/uWebSockets.js/dist/bin/uws_${system.replace(" ", "_")}_${ABI[line]}.node`)

  it("is taken where uWebSockets.js has a binary for it on every system", () => {
    for (const line of [20, 22, 24, 26])
      for (const system of SYSTEMS)
        expect([line, system, runtimeRefusal(`${line}.99.0`) === null]).toEqual([
          line,
          system,
          existsSync(binary(system, line)),
        ])
  })

  it("is refused in one line that names what works", () => {
    for (const version of ["20.19.0", "20.20.2", "22.13.0", "22.23.2"])
      expect([version, runtimeRefusal(version)]).toEqual([version, null])
    for (const version of ["18.20.8", "20.18.3", "21.7.3", "22.12.0", "23.11.1", "24.21.0", "26.10.0"])
      expect(runtimeRefusal(version)).toBe(
        `Node ${version} cannot run the gateway; it needs Node 20 (from 20.19) or 22 (from 22.13): run \`npm ci --include=optional && npm start\` (the optional packages include one), or use node_modules/.bin/node instead of node`,
      )
  })

  it("is refused by every program before anything else of it runs", () => {
    const posing = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "24.21.0" } })`
    const as24 = ["--import", `data:text/javascript,${encodeURIComponent(posing)}`, "--import", "tsx"]
    // Alone, and first among what each program imports: to read all of one takes seconds.
    const { status, stdout, stderr } = spawnSync(process.execPath, [...as24, "src/foundation/runtime.ts"], {
      cwd: root,
      encoding: "utf8",
    })
    expect([status, stdout, stderr]).toEqual([1, "", `venue-gateway: ${runtimeRefusal("24.21.0")}\n`])
    for (const program of ["src/main.ts", "src/admin/main.ts", "src/admin/backup.ts"])
      expect([program, /^import .*$/m.exec(read(program))?.[0]]).toEqual([
        program,
        expect.stringMatching(/\/foundation\/runtime\.ts"$/),
      ])
  })

  it("installs without a warning: npm judges by the lock file, where uws-pack's `>=22` is corrected to what its binaries take", () => {
    expect(manifest.engines.node).toBe("^20.19.0 || ^22.13.0 || >=24.0.0")
    expect(packages["node_modules/uWebSockets.js"]?.engines).toEqual({ node: ">=20" })
  })
})

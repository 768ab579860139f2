/** Plants what must not be in a lock file or in a tracked file, and holds the house's own to the rules (scoreboard S12, ASVS 13.3.2). */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import {
  billOfMaterials,
  isBefore,
  type Lock,
  type LockedPackage,
  nameOf,
  notices,
  shipped,
  supplyFaults,
} from "../../../scripts/supply-chain.ts"
import { KNOWN_HOLES } from "../../kit/rules/known-holes.ts"
import { leaks } from "../../kit/rules/leaked-secrets.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lock

const good: LockedPackage = { version: "1.2.3", license: "MIT", integrity: `sha512-${"A".repeat(86)}==` }
const planted = (more: Partial<LockedPackage>, name = "pear"): ReadonlyArray<string> =>
  supplyFaults({ packages: { "": {}, [`node_modules/${name}`]: { ...good, ...more } } }, [
    { package: "pear", id: "HOLE-1", since: "1.0.0", fixed: "1.2.4" },
  ])

describe("a lock file", () => {
  it("is refused with a package without a hash, or with a weak one", () => {
    const { integrity: _none, ...bare } = good
    expect(supplyFaults({ packages: { "node_modules/fig": bare } }, [])).toEqual(["node_modules/fig: no SHA-512"])
    expect(planted({ integrity: "sha1-abc" }, "fig")).toEqual(["node_modules/fig: no SHA-512"])
  })

  it("is refused with an install script that nobody looked at", () => {
    expect(planted({ hasInstallScript: true }, "fig")).toEqual(["node_modules/fig: an install script nobody looked at"])
  })

  it("is refused with a licence that asks for more than its notice, in what ships", () => {
    expect(planted({ license: "AGPL-3.0" }, "fig")).toEqual(["node_modules/fig: licence AGPL-3.0"])
    expect(planted({ license: "MPL-2.0" }, "fig")).toHaveLength(1)
    expect(planted({ license: "MPL-2.0", dev: true }, "fig")).toEqual([])
  })

  it("is refused with a version that is known to have a hole", () => {
    expect(planted({})).toEqual(["pear 1.2.3: HOLE-1, fixed in 1.2.4"])
    for (const version of ["1.2.4", "0.9.9", "1.10.0", "2.0.0"])
      expect([version, planted({ version })]).toEqual([version, []])
  })

  it("knows 1.10 from 1.9", () => {
    expect([isBefore("1.9.9", "1.10.0"), isBefore("1.10.0", "1.9.9"), isBefore("2.0.0-beta.1", "2.0.0")]).toEqual([
      true,
      false,
      false,
    ])
  })
})

describe("the house's lock file", () => {
  it("has hashes, licences and no known hole, and no install script but those that were looked at", () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(100)
    expect(supplyFaults(lock, KNOWN_HOLES)).toEqual([])
  })

  it("is installed without scripts, by npm's own settings and by the image", () => {
    expect(readFileSync(join(root, ".npmrc"), "utf8")).toMatch(/^ignore-scripts=true$/m)
  })

  it("has its notices written down: `npm run sbom` when this fails", () => {
    expect(readFileSync(join(root, "THIRD-PARTY.md"), "utf8")).toBe(notices(lock))
  })
})

describe("the bill of materials", () => {
  const everything = {
    serialNumber: "urn:uuid:random",
    metadata: { component: { name: "folder" }, timestamp: "now", tools: [{ version: "11" }] },
    components: Object.entries(lock.packages)
      .filter(([place]) => place !== "")
      .map(([place, { version = "" }]) => {
        const name = place.split("node_modules/").at(-1) ?? ""
        return { "bom-ref": `${name}@${version}`, name, version }
      }),
    dependencies: [{ ref: "venue-gateway@3.0.1", dependsOn: ["effect@3.22.4", "vitest@4.1.12"] }],
  }

  it("has everything that ships and no tool, and is the same twice", () => {
    const bom = billOfMaterials(everything, lock, "text")
    const names = bom.components.map(({ name }) => name)
    expect(names).toContain("effect")
    expect(names).not.toContain("vitest")
    expect(new Set(bom.components.map((it) => it["bom-ref"])).size).toBe(
      new Set(shipped(lock).map(([place, it]) => `${nameOf(place)}@${it.version}`)).size,
    )
    expect(bom.dependencies[0]?.dependsOn).toEqual(["effect@3.22.4"])
    expect(JSON.stringify(bom)).toBe(JSON.stringify(billOfMaterials(everything, lock, "text")))
    expect(bom.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(bom.metadata).not.toHaveProperty("timestamp")
  })

  it("is refused when something that ships is not in it", () => {
    const without = { ...everything, components: everything.components.filter(({ name }) => name !== "effect") }
    expect(() => billOfMaterials(without, lock, "text")).toThrow("npm sbom does not know effect@")
  })
})

describe("a file that git keeps", () => {
  /** Looked at: examples that others published, in their documents or their suites, and one key of ours that guards nothing. */
  const KNOWN: ReadonlyArray<string> = [
    "test/kit/servers/http-certificate.ts: a private key",
    // The example of Binance's documentation.
    "docs/openapi.json: a secret that is set",
    "src/http/credential/endpoints.ts: a secret that is set",
    // Made up for loopback exchanges, and the example of Kraken's documentation.
    "test/integration/venues/kraken/kraken-kit.ts: a secret that is set",
    "test/integration/venues/okx/okx-kit.ts: a secret that is set",
    "test/unit/venues/adapters/kraken-signature.test.ts: a secret that is set",
    // Tokens of Centrifugo's documentation, signed with "secret".
    "test/integration/ws/test-profile/connections.test.ts: a signed token",
    "test/integration/ws/test-profile/subscriptions.test.ts: a signed token",
    "test/unit/ws/test-claims.test.ts: a signed token",
  ]

  it("is caught with a secret in it", () => {
    const key = ["-----BEGIN PRIVATE KEY", "-----\nMC4CAQ"].join("")
    expect(leaks(`one\n${key}`)).toEqual([{ line: 2, what: "a private key" }])
    const secret = "Ab3".repeat(12)
    expect(leaks(`apiKey: "${secret}"`).map(({ what }) => what)).toEqual(["a secret that is set"])
    expect(leaks(`postgresql://ada:${secret}@db/gateway`).map(({ what }) => what)).toEqual(["a password in a URL"])
    expect(leaks(`ghp_${secret}`)[0]?.what).toBe("a GitHub token")
    expect(leaks('password: "correct horse battery staple"')).toEqual([])
  })

  // Which files are ours, git says: a tree that was unpacked from an archive has none.
  it("has none", ({ skip }) => {
    skip(!existsSync(join(root, ".git")), "this tree is no checkout of git")
    const paths = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1e8 })
      .split("\0")
      .filter((path) => /\.(ts|mjs|cjs|js|json|jsonc|md|ya?ml|conf|cfg|service|sh|sql|proto|npmrc)$|^[^.]+$/.test(path))
    expect(paths.length).toBeGreaterThan(500)
    const found = paths.flatMap((path) =>
      leaks(readFileSync(join(root, path), "utf8")).map(({ line, what }) => ({ path, line, what })),
    )
    expect(found.filter(({ path, what }) => !KNOWN.includes(`${path}: ${what}`))).toEqual([])
  })
})

/** Plants a hole in a lock file, and holds the house's own to the rules. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type LockFile, lockFaults } from "../../kit/rules/lock-rules.ts"

const whole: LockFile = {
  packages: {
    "": { dependencies: { biome: "1.0.0" } },
    "node_modules/biome": { optionalDependencies: { "@biome/linux": "1.0.0" }, dependencies: { inner: "1.0.0" } },
    "node_modules/biome/node_modules/inner": { dependencies: { "@biome/linux": "1.0.0" } },
    "node_modules/@biome/linux": {},
  },
}

describe("a lock file", () => {
  it("passes when every named package is there", () => {
    expect(lockFaults(whole)).toEqual([])
  })

  it("is refused without a platform package", () => {
    const { "node_modules/@biome/linux": _absent, ...rest } = whole.packages
    expect(lockFaults({ packages: rest })[0]).toContain("@biome/linux is missing, node_modules/biome names it")
  })

  it("is refused when it is bound to one registry", () => {
    const bound = { ...whole.packages, "node_modules/@biome/linux": { resolved: "https://registry.example.com/x.tgz" } }
    expect(lockFaults({ packages: bound })).toEqual(["package-lock.json: node_modules/@biome/linux names a registry"])
  })
})

describe("the house's lock file", () => {
  it("is whole, so that `npm ci` takes it on every platform", () => {
    const path = new URL("../../../package-lock.json", import.meta.url)
    expect(lockFaults(JSON.parse(readFileSync(path, "utf8")) as LockFile)).toEqual([])
  })
})

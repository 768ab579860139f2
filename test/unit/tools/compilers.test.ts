/** Plants a violation for the compiler, biome, knip and the Effect diagnostics: a checker that cannot fail is a defect. */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { CLIENT_MODULES, pythonWith } from "../../../scripts/python.ts"
import { tools } from "../../../scripts/tools.ts"
import { plant } from "./planted-tree.ts"

const clean = { "src/main.ts": 'console.log("ready")\n' }

describe("the compiler", () => {
  it("passes a tree that is right", async () => {
    expect(await tools.tsc.check(plant(clean))).toEqual({ passed: true, output: "" })
  })

  it("refuses a number that may be absent", async () => {
    const text = "export const first = (all: ReadonlyArray<number>): number => all[0]\n"
    const verdict = await tools.tsc.check(plant({ "src/main.ts": text }))
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("src/main.ts(1,")
  })
})

describe("biome", () => {
  const planted: ReadonlyArray<readonly [rule: string, files: Readonly<Record<string, string>>]> = [
    [
      "noFloatingPromises",
      {
        "src/main.ts": "const save = async (): Promise<void> => {}\n\nexport const run = (): void => {\n  save()\n}\n",
      },
    ],
    ["noUnusedImports", { "src/main.ts": 'import { join } from "node:path"\n\nconsole.log(1)\n' }],
    ["noUnusedVariables", { "src/main.ts": "const spare = 1\n" }],
    ["noExplicitAny", { "src/main.ts": "export const x: any = 1\n" }],
    ["useImportType", { "src/main.ts": 'import { Server } from "node:net"\n\nexport type X = Server\n' }],
    [
      "noImportCycles",
      {
        "src/a.ts": 'import { b } from "./b.ts"\n\nexport const a = (): number => b()\n',
        "src/b.ts": 'import { a } from "./a.ts"\n\nexport const b = (): number => a()\n',
      },
    ],
    [
      "organizeImports",
      {
        "src/main.ts":
          'import { join } from "node:path"\nimport { hostname } from "node:os"\n\nconsole.log(join(hostname()))\n',
      },
    ],
    ["format", { "src/main.ts": "console.log(1);\n" }],
  ]

  it("passes a tree that is right", async () => {
    expect((await tools.biome.check(plant(clean))).passed).toBe(true)
  })

  it.each(planted)("refuses by %s", async (rule, files) => {
    const verdict = await tools.biome.check(plant(files))
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain(rule)
  })

  it("refuses to pass when its configuration hides the sources", async () => {
    const tree = plant(clean)
    writeFileSync(join(tree, ".gitignore"), "src/\n")
    expect(await tools.biome.check(tree)).toMatchObject({ passed: false })
  })
})

describe("the Effect diagnostics", () => {
  it("pass a tree that is right", async () => {
    expect(await tools.effect.check(plant(clean))).toEqual({ passed: true, output: "" })
  })

  // In one tree: to read the types of Effect takes seconds.
  it("refuse an Effect that nobody runs, and none that is returned", async () => {
    const lost = 'import { Effect } from "effect"\n\nexport const run = (): void => {\n  Effect.log("lost")\n}\n'
    const kept = 'import { Effect } from "effect"\n\nexport const run = () => Effect.log("kept")\n'
    const verdict = await tools.effect.check(plant({ "src/lost.ts": lost, "src/kept.ts": kept }))
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toMatch(/^src\/lost\.ts:4:\d+ \w+ floatingEffect: [^\n]*$/)
  })

  it("refuse to pass when the plugin is missing and no file is looked at", async () => {
    const tree = plant(clean)
    const bare = { compilerOptions: { module: "NodeNext", strict: true, noEmit: true }, include: ["src"] }
    writeFileSync(join(tree, "tsconfig.json"), JSON.stringify(bare))
    const verdict = await tools.effect.check(tree)
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("looked at no file")
  })
})

describe("knip", () => {
  const used = {
    "src/main.ts": 'import { greeting } from "./greeting.ts"\n\nconsole.log(greeting)\n',
    "src/greeting.ts": 'export const greeting = "hello"\n',
  }
  /** The house's package.json names more packages than a planted tree uses. */
  const withoutPackages = (files: Readonly<Record<string, string>>): string => {
    const tree = plant(files)
    writeFileSync(join(tree, "package.json"), JSON.stringify({ name: "planted", type: "module" }))
    rmSync(join(tree, "biome.json"))
    return tree
  }

  it("passes a tree where everything is used", async () => {
    expect(await tools.knip.check(withoutPackages(used))).toMatchObject({ passed: true })
  })

  it("refuses a file that nobody imports", async () => {
    const verdict = await tools.knip.check(withoutPackages({ ...used, "src/spare.ts": "export const spare = 1\n" }))
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("src/spare.ts")
  })

  it("refuses an export that nobody imports", async () => {
    const text = 'export const greeting = "hello"\nexport const farewell = "bye"\n'
    const verdict = await tools.knip.check(withoutPackages({ ...used, "src/greeting.ts": text }))
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("farewell")
  })

  it("refuses a package that nobody imports", async () => {
    const tree = withoutPackages(used)
    writeFileSync(join(tree, "package.json"), JSON.stringify({ type: "module", dependencies: { piscina: "5.3.2" } }))
    const verdict = await tools.knip.check(tree)
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("piscina")
  })
})

describe.skipIf(pythonWith("mypy", ...CLIENT_MODULES) === null)("mypy (skipped without it)", () => {
  const project = { "clients/python/pyproject.toml": '[tool.mypy]\nstrict = true\nfiles = ["src"]\n' }

  it("passes a client that is right, and refuses what is not typed", async () => {
    const right = { ...project, "clients/python/src/main.py": "def first(all: list[int]) -> int:\n    return all[0]\n" }
    expect(await tools.python.check(plant(right))).toMatchObject({ passed: true })
    const wrong = { ...project, "clients/python/src/main.py": "def first(all):\n    return all[0]\n" }
    const verdict = await tools.python.check(plant(wrong))
    expect(verdict.passed).toBe(false)
    expect(verdict.output).toContain("no-untyped-def")
  })

  it("refuses a tree without a client", async () => {
    expect(await tools.python.check(plant(project))).toMatchObject({ passed: false })
  })
})

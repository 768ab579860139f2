/** Plants references that lead nowhere, and some that do: what a comment cites can be read. */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import {
  anchorsOf,
  brokenReferences,
  referenceFaults,
  type Shelf,
  sectionsOf,
  shelfOf,
} from "../../../scripts/references.ts"
import { tools } from "../../../scripts/tools.ts"
import { plant } from "./planted-tree.ts"

// Composed, so that this file cites nothing itself.
const cite = (book: string, section: string): string => [book, section].join(" ")
const decision = (number: string): string => ["decision", number].join(" ")
const docs = (folder: string, name: string): string => `docs/${folder}/${name}.md`

const shelf: Shelf = {
  sections: new Map([
    ["contract", new Set(["C1", "C1.3", "C11a", "C15"])],
    ["order-path", new Set(["3"])],
    ["realtime", new Set(["A", "A.2", "B"])],
    ["venues", new Set(["4.5"])],
    ["scoreboard", new Set(["B5", "B8", "S9"])],
    ["security", new Set(["A.1", "E", "0.5"])],
  ]),
  decisions: new Set([5, 47]),
  exists: (path) => ["docs/guide/wallets.md", "README.md", "src/main.ts", "docs/design"].includes(path),
  anchorsOf: () => new Set(["money"]),
}

const found = (text: string, path = "src/a.ts"): ReadonlyArray<string> => referenceFaults({ path, text }, shelf)

const broken: ReadonlyArray<readonly [text: string, message: string]> = [
  [cite("contract", "C99"), "C99 is not a heading of docs/design/contract.md"],
  [cite("Contract", "C1.4: it ends"), "C1.4 is not"],
  [cite("contract", "C11a, C12 and C15"), "C12 is not"],
  [cite("contract", "C11"), "C11 is not"],
  [`/**\n * As told (${cite("contract\n *", "C14a")}).\n */`, "C14a is not"],
  [cite("order-path", "9"), "9 is not"],
  [cite("realtime", "A.20"), "A.20 is not"],
  [cite("venues", "4.50"), "4.50 is not"],
  [cite("hot-path", "4"), "4 is not"],
  [cite("scoreboard", "B5 to B9"), "B9 is not"],
  [cite("security", "B"), "B is not"],
  [cite("venues.md", "4.5"), cite("write venues", "4.5")],
  [cite("venues.md", "section 4.5"), cite("write venues", "4.5")],
  [cite("security,", "A.1"), cite("write security", "A.1")],
  [cite("security,", "part E"), cite("write security", "E")],
  [cite("contract", "(C15)"), cite("write contract", "C15")],
  [cite("the contract's", "C15"), cite("write contract", "C15")],
  [decision("48"), `there is no ${decision("48")}`],
  [cite("decisions", "5 and 48"), `there is no ${decision("48")}`],
  [decision("0048"), `there is no ${decision("0048")}`],
  [`see ${docs("guide", "walets")}`, `there is no ${docs("guide", "walets")}`],
]

const links: ReadonlyArray<readonly [text: string, message: string]> = [
  ["[a](gone.md)", "the link gone.md leads to no file"],
  ["[a](../guide/wallets.md#cash)", "the link ../guide/wallets.md#cash leads to no heading"],
  ["[a](#cash)", "the link #cash leads to no heading"],
]

describe("a reference", () => {
  it.each(broken)("leads nowhere: %s", (text, message) => {
    expect(found(`const a = 1\n\n// ${text}`)).toEqual([expect.stringContaining(message)])
  })

  it.each(links)("leads nowhere: %s", (text, message) => {
    const path = docs("operations", "x")
    const there = { ...shelf, exists: (it: string) => it !== docs("operations", "gone") }
    expect(referenceFaults({ path, text }, there)).toEqual([`${path}:1: ${message}`])
  })

  it("is told with its line", () => {
    expect(found(`\n\n// ${cite("contract", "C99")}`)[0]).toMatch(/^src\/a\.ts:3: /)
  })

  it.each([
    `as ${cite("contract", "C1.3")}. ${cite("Contract", "C11a, C15")}`,
    `${cite("contract", "C1, C15")}, ${cite("security", "A.1")} and ${cite("realtime", "A.2, B")}`,
    `${cite("security", "0.5")}; ${cite("order-path", "3, 5 s later")}`,
    `${decision("47")}, [${decision("5")}](x) and ${cite("decisions", "5 and 47")}`,
    `${cite("scoreboard", "B5 to B8, S9")}`,
    "of 12 venues all answered; the security of A, and a contract (Contract 5)",
    "docs/guide/wallets.md and https://example.com/docs/gone.md",
  ])("is there: %s", (text) => {
    expect(found(`// ${text}`)).toEqual([])
  })

  it("in code is nobody's, in a link it leads to a file, and to a heading of a page", () => {
    const text =
      "[a](../../src/main.ts#L1) [b](wallets.md#money) [c](https://x.org) `[d](gone.md)`\n\n```\n[e](gone.md)\n```\n"
    expect(found(text, "docs/guide/wallets.md")).toEqual([])
  })
})

describe("a page", () => {
  it("names its sections in its headings", () => {
    const text =
      "# Contract\n\n## C1 States\n\n### C1.3 Next\n\n## C11a Connect\n\n```\n## C12 no\n```\n\n## Other C13\n"
    expect(sectionsOf("contract", text)).toEqual(["C1", "C1.3", "C11a"])
  })

  it("has the anchors that GitHub makes", () => {
    const text = "# A walk: `submit`, step by step\n## Twice\n## Twice\n## [C9](x) Ledger\n"
    expect([...anchorsOf(text)]).toEqual(["a-walk-submit-step-by-step", "twice", "twice-1", "c9-ledger"])
  })
})

describe("a tree", () => {
  const files = {
    "docs/design/contract.md": "# Contract\n\n## C1 States\n",
    [docs("decisions", "0001-first")]: "# 1. First\n",
    "src/a.ts": `// ${cite("contract", "C1")}, ${decision("1")}\n`,
  }

  it("passes when all of it resolves, and not when nothing was looked at", async () => {
    expect(await tools.cites.check(plant(files))).toEqual({ passed: true, output: "" })
    expect(await tools.cites.check(plant({}))).toMatchObject({ passed: false })
  })

  it("fails by file and line", async () => {
    const tree = plant({ ...files, "bench/b.ts": `// ${cite("contract", "C2")}\n// ${decision("2")}\n` })
    const { passed, output } = await tools.cites.check(tree)
    expect(passed).toBe(false)
    expect(output.split("\n")).toEqual([
      "bench/b.ts:1: contract C2 is not a heading of docs/design/contract.md",
      "bench/b.ts:2: there is no decision 2",
    ])
  })

  it("does not have two sections of one name", () => {
    const tree = plant(files)
    const path = join(tree, "docs/design/security.md")
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, "## A Users\n\n## A Others\n")
    expect(brokenReferences(tree).faults).toEqual(["docs/design/security.md: A is the name of two headings"])
  })

  it("of ours has every book", () => {
    const { sections } = shelfOf(fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, ""))
    for (const [book, names] of sections) expect([book, names.size > 4]).toEqual([book, true])
  })
})

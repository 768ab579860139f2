/** The generator of the protocol's code on small trees: what it writes, when it writes nothing, and how it fails. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runNode } from "../../../scripts/tools.ts"
import { plant, plantUntil } from "./planted-tree.ts"

const script = fileURLToPath(new URL("../../../scripts/proto.mjs", import.meta.url))
const build = fileURLToPath(new URL("../../../scripts/build.mjs", import.meta.url))
const generate = (tree: string) => runNode(tree, script, [tree])

const proto = (field: string): string =>
  `syntax = "proto3";\n\npackage planted;\n\nmessage Note {\n  string ${field} = 1;\n}\n`
const sources = { "proto/note.proto": proto("words"), "proto/other.proto": proto("thing") }

const module = (tree: string): string => join(tree, "src/ws/generated/note.js")

describe("the protocol's code", () => {
  let made: string
  beforeAll(async () => {
    made = plantUntil(afterAll, sources)
    // The generator takes seconds: most tests begin with a copy of what it has made.
    expect(await generate(made)).toMatchObject({ code: 0, output: "" })
  })
  const generated = (): string => {
    const tree = plant(sources)
    cpSync(join(made, "src"), join(tree, "src"), { recursive: true, preserveTimestamps: true })
    return tree
  }

  it("is a module that runs, and its types", async () => {
    const tree = generated()
    expect(readdirSync(join(tree, "src/ws/generated")).sort()).toEqual([
      "note.d.ts",
      "note.js",
      "other.d.ts",
      "other.js",
    ])
    writeFileSync(
      join(tree, "main.mjs"),
      `import { planted } from "./src/ws/generated/note.js"
       import { planted as other } from "./src/ws/generated/other.js"
       const bytes = planted.Note.encode({ words: "hi" }).finish()
       console.log(bytes.toString("hex"), planted.Note.decode(bytes).words, other.Note.decode(bytes).thing)`,
    )
    expect((await runNode(tree, join(tree, "main.mjs"), [])).output).toBe("0a026869 hi hi\n")
  })

  it("is left alone, and needs no generator, while its source is the same", async () => {
    const tree = generated()
    const before = statSync(module(tree)).mtimeMs
    rmSync(join(tree, "node_modules"))
    expect(await generate(tree)).toMatchObject({ code: 0, output: "" })
    expect(statSync(module(tree)).mtimeMs).toBe(before)
  })

  it("follows its source", async () => {
    const tree = generated()
    writeFileSync(join(tree, "proto/note.proto"), proto("later"))
    expect(await generate(tree)).toMatchObject({ code: 0 })
    expect(readFileSync(module(tree), "utf8")).toContain("message.later")
  })

  it("comes back when one of its files is gone", async () => {
    const tree = generated()
    rmSync(join(tree, "src/ws/generated/note.d.ts"))
    expect(await generate(tree)).toMatchObject({ code: 0 })
    expect(existsSync(join(tree, "src/ws/generated/note.d.ts"))).toBe(true)
  })

  it("has types that follow a module that a build made alone", async () => {
    const tree = generated()
    writeFileSync(join(tree, "proto/note.proto"), proto("later"))
    expect(await runNode(tree, build, [tree])).toMatchObject({ code: 0 })
    expect(readFileSync(module(tree), "utf8")).toContain("message.later")
    expect(await generate(tree)).toMatchObject({ code: 0 })
    expect(readFileSync(join(tree, "src/ws/generated/note.d.ts"), "utf8")).toContain("later")
  })

  it("is made by two at once without harm", async () => {
    const tree = plant({ "proto/note.proto": sources["proto/note.proto"] })
    expect(await Promise.all([generate(tree), generate(tree)])).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(readdirSync(join(tree, "src/ws/generated"))).toHaveLength(2)
  })

  it("is not touched by a source that is wrong, and the message names it", async () => {
    const tree = generated()
    const before = readFileSync(module(tree), "utf8")
    writeFileSync(join(tree, "proto/note.proto"), "message {")
    const run = await generate(tree)
    expect(run.code).toBe(1)
    expect(run.output).toMatch(/^proto: pbjs refuses proto\/note\.proto:\n/)
    expect(readFileSync(module(tree), "utf8")).toBe(before)
  })

  it("cannot be made without its generator, which is said in one line", async () => {
    const tree = plant(sources)
    rmSync(join(tree, "node_modules"))
    const run = await generate(tree)
    expect(run.code).toBe(1)
    expect(run.output).toMatch(/^proto: [^\n]*npm ci[^\n]*\n$/)
  })

  it("is not missed where there is no protocol", async () => {
    const tree = plant({ "src/main.ts": "export const alone = 1\n" })
    expect(await generate(tree)).toMatchObject({ code: 0, output: "" })
    expect(existsSync(join(tree, "src/ws"))).toBe(false)
  })
})

/** The build script on small trees: what it writes, when it writes nothing, and how it fails. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { runNode } from "../../../scripts/tools.ts"
import { plant } from "./planted-tree.ts"

const script = fileURLToPath(new URL("../../../scripts/build.mjs", import.meta.url))
const build = (tree: string) => runNode(tree, script, [tree])

const sources = {
  "src/main.ts": 'import { greeting } from "./greeting.ts"\n\nconsole.log(greeting)\n',
  "src/greeting.ts": 'export const greeting: string = "hello"\n',
  "src/store/migrations/0001_users.sql": "CREATE TABLE users ()\n",
  "docs/examples/hello.mjs": "console.log(1)\n",
}
/** Of a tree with protocols: to generate their code takes most of a build. */
const withProtocol = {
  ...sources,
  "proto/client.proto": 'syntax = "proto3";\n\npackage planted;\n\nmessage Note {\n  string words = 1;\n}\n',
}

const writtenAt = (tree: string): number => statSync(join(tree, "dist/src/main.js")).mtimeMs

describe("the build", () => {
  it("writes a tree that runs, with its migrations and protocols", async () => {
    const tree = plant(withProtocol)
    expect(await build(tree)).toMatchObject({ code: 0, output: "" })
    expect((await runNode(tree, join(tree, "dist/src/main.js"), [])).output).toBe("hello\n")
    expect(readFileSync(join(tree, "dist/src/store/migrations/0001_users.sql"), "utf8")).toContain("CREATE TABLE")
    expect(existsSync(join(tree, "dist/proto/client.proto"))).toBe(true)
    expect(readFileSync(join(tree, "dist/docs/examples/hello.mjs"), "utf8")).toBe("console.log(1)\n")
  })

  it("writes the code of the protocols beside the rest, and knows when they change", async () => {
    const tree = plant({
      ...withProtocol,
      "src/main.ts": `import { planted } from "./ws/generated/client.js"\n\nconsole.log(planted.Note.encode({ words: "hi" }).finish())\n`,
    })
    expect(await build(tree)).toMatchObject({ code: 0, output: "" })
    expect((await runNode(tree, join(tree, "dist/src/main.js"), [])).output).toBe("<Buffer 0a 02 68 69>\n")
    // Not in git: a tree that was cloned and got a finished dist/ has none.
    rmSync(join(tree, "src/ws"), { recursive: true })
    const before = writtenAt(tree)
    expect(await build(tree)).toMatchObject({ code: 0, output: "" })
    expect(writtenAt(tree)).toBe(before)
    writeFileSync(join(tree, "proto/client.proto"), withProtocol["proto/client.proto"].replace(" = 1", " = 2"))
    expect(await build(tree)).toMatchObject({ code: 0, output: "" })
    expect((await runNode(tree, join(tree, "dist/src/main.js"), [])).output).toBe("<Buffer 12 02 68 69>\n")
  })

  it("follows a change and removes what has no source any more", async () => {
    const tree = plant({ ...sources, "src/spare.ts": "export const spare = 1\n" })
    await build(tree)
    expect(existsSync(join(tree, "dist/src/spare.js"))).toBe(true)
    rmSync(join(tree, "src/spare.ts"))
    rmSync(join(tree, "src/store"), { recursive: true })
    rmSync(join(tree, "docs/examples"), { recursive: true })
    writeFileSync(join(tree, "src/greeting.ts"), 'export const greeting: string = "bye"\n')
    expect(await build(tree)).toMatchObject({ code: 0 })
    expect((await runNode(tree, join(tree, "dist/src/main.js"), [])).output).toBe("bye\n")
    expect(existsSync(join(tree, "dist/src/spare.js"))).toBe(false)
    expect(existsSync(join(tree, "dist/src/store"))).toBe(false)
    expect(existsSync(join(tree, "dist/docs"))).toBe(false)
  })

  it("brings back an output that somebody removed", async () => {
    const tree = plant(sources)
    await build(tree)
    rmSync(join(tree, "dist/src/greeting.js"))
    expect(await build(tree)).toMatchObject({ code: 0 })
    expect(existsSync(join(tree, "dist/src/greeting.js"))).toBe(true)
  })

  it("needs no compiler and writes nothing when nothing changed, also in a copied tree", async () => {
    const tree = plant(withProtocol)
    await build(tree)
    const copy = plant({})
    // New times, same contents.
    for (const folder of ["src", "proto", "docs", "dist"])
      cpSync(join(tree, folder), join(copy, folder), { recursive: true })
    rmSync(join(copy, "node_modules"))
    const before = writtenAt(copy)
    expect(await build(copy)).toMatchObject({ code: 0, output: "" })
    expect(writtenAt(copy)).toBe(before)
  })

  it("starts from dist alone", async () => {
    const tree = plant(sources)
    await build(tree)
    for (const path of ["src", "node_modules"]) rmSync(join(tree, path), { recursive: true })
    expect(await build(tree)).toMatchObject({ code: 0, output: "" })
  })

  it("says in one line that the compiler is missing", async () => {
    const tree = plant(sources)
    rmSync(join(tree, "node_modules"))
    const run = await build(tree)
    expect(run.code).toBe(1)
    expect(run.output).toMatch(/^build failed: [^\n]*npm ci[^\n]*\n$/)
  })

  it("fails on a file that cannot be read as code, writes nothing, and never calls that finished", async () => {
    const tree = plant({ ...sources, "src/greeting.ts": "export const greeting: string = \n" })
    const run = await build(tree)
    expect(run.code).toBe(1)
    expect(run.output).toContain("src/greeting.ts(1,")
    expect(run.output.trimEnd().split("\n").at(-1)).toBe("build failed: 1 compiler error(s), see above")
    expect(existsSync(join(tree, "dist/src/main.js"))).toBe(false)
    expect(await build(tree)).toMatchObject({ code: 1 })
  })

  it("reads neither the types of packages nor those of the protocols, which a start need not wait for", async () => {
    const tree = plant({
      ...withProtocol,
      "src/main.ts": `${sources["src/main.ts"]}import type { Absent } from "absent"\nexport type Also = Absent\n`,
    })
    expect(await build(tree)).toMatchObject({ code: 0, output: "" })
    expect((await runNode(tree, join(tree, "dist/src/main.js"), [])).output).toBe("hello\n")
    expect(readdirSync(join(tree, "src/ws/generated"))).toEqual(["client.js"])
  })

  it("runs twice at once without harm", async () => {
    const tree = plant(sources)
    const runs = await Promise.all([build(tree), build(tree)])
    expect(runs).toMatchObject([{ code: 0 }, { code: 0 }])
    expect((await runNode(tree, join(tree, "dist/src/main.js"), [])).output).toBe("hello\n")
  })

  it("takes over the lock of a build that died", async () => {
    const tree = plant({ ...sources, "dist/.lock": "999999999" })
    expect(await build(tree)).toMatchObject({ code: 0 })
    expect(existsSync(join(tree, "dist/.lock"))).toBe(false)
  })
})

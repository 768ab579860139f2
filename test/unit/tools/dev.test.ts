/** `npm run dev` on a small tree: it restarts on a change, passes signals on, and leaves nobody behind. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { plant } from "./planted-tree.ts"

const house = fileURLToPath(new URL("../../..", import.meta.url))

/** Says when it is up and when it drains, as the gateway does; it takes its time to stop. */
const gateway = `/** A stand-in for the gateway. */
const alive = setInterval(() => {}, 1000)
process.once("SIGTERM", () => {
  console.log("drained")
  setTimeout(() => clearInterval(alive), 100)
})
console.log("up")
`

interface Dev {
  readonly tree: string
  readonly process: ChildProcess
  /** Everything printed so far contains `text` this many times. */
  readonly said: (text: string, times: number) => Promise<void>
  readonly printed: () => string
}

const protocol = 'syntax = "proto3";\n\nmessage Note {\n  string words = 1;\n}\n'

const start = (): Dev => {
  const tree = plant({ "src/main.ts": gateway, "proto/note.proto": protocol })
  mkdirSync(join(tree, "scripts"))
  for (const name of ["dev.ts", "v8-flags.ts", "proto.mjs"])
    copyFileSync(join(house, "scripts", name), join(tree, "scripts", name))
  const child = spawn(process.execPath, [join(house, "node_modules/tsx/dist/cli.mjs"), "scripts/dev.ts"], {
    cwd: tree,
    stdio: ["ignore", "pipe", "inherit"],
  })
  onTestFinished(() => {
    child.kill("SIGTERM")
  })
  let printed = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  const said = async (text: string, times: number): Promise<void> => {
    while (printed.split(text).length - 1 < times) await once(child.stdout, "data")
  }
  return { tree, process: child, said, printed: () => printed }
}

describe("npm run dev", () => {
  it("restarts on a change and ends with its gateway on SIGTERM", async () => {
    const dev = start()
    await dev.said("up\n", 1)
    appendFileSync(join(dev.tree, "src/main.ts"), "// changed\n")
    await dev.said("up\n", 2)
    await dev.said("drained\n", 1)
    dev.process.kill("SIGTERM")
    // `close` comes when the last process that holds the pipe is gone: the gateway too.
    expect(await once(dev.process, "close")).toEqual([0, null])
    await dev.said("drained\n", 2)
  })

  it("makes the protocol's code first, and again after a change, without starting for its own writing", async () => {
    const dev = start()
    await dev.said("up\n", 1)
    const code = join(dev.tree, "src/ws/generated/note.js")
    expect(existsSync(code)).toBe(true)
    writeFileSync(join(dev.tree, "proto/note.proto"), "message {")
    await dev.said("drained\n", 1)
    writeFileSync(join(dev.tree, "proto/note.proto"), protocol.replace("words", "later"))
    await dev.said("up\n", 2)
    expect(readFileSync(code, "utf8")).toContain("later")
    dev.process.kill("SIGTERM")
    expect(await once(dev.process, "close")).toEqual([0, null])
    await dev.said("drained\n", 2)
    expect(dev.printed().split("up\n").length - 1).toBe(2)
  })

  it("stops the gateway when its parent is killed outright", async () => {
    const dev = start()
    await dev.said("up\n", 1)
    dev.process.kill("SIGKILL")
    expect(await once(dev.process, "close")).toEqual([null, "SIGKILL"])
    await dev.said("drained\n", 1)
  })
})

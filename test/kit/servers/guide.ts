/**
 * The guides of docs/guide as their readers use them: each program is a file in one folder, the commands of a guide are one shell session in
 * it. The one thing to know: what a guide shows as output is looked for in what was printed, line by line and in order.
 */
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { GUIDES } from "../../../src/http/docs/pages.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

export interface Block {
  /** `client` is a program on one of the clients, which another test runs; `sh` runs, `js` and `py` are programs, `console` is for the gateway's own machine, `text` is output, `json` is only read. */
  readonly language: string
  readonly file: string | undefined
  readonly code: string
}

export const blocksOf = (guide: string): ReadonlyArray<Block> => {
  const text = readFileSync(join(root, "docs/guide", `${guide}.md`), "utf8")
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, info = "", code = ""]) => {
    const [language = "", file, needs] = info.split(" ")
    return { language: needs ?? language, file, code }
  })
}

/** Node is always there. */
const hasPython = spawnSync("python3", ["--version"]).status === 0

/** What runs on this machine: where there is no Python, its command and what that prints are left out. */
const runnable = (guide: string): ReadonlyArray<Block> => {
  const blocks = blocksOf(guide)
  const isPython = (block: Block | undefined): boolean => block?.language === "sh" && block.code.includes("python3 ")
  return blocks.filter(
    (block, n) => hasPython || !(isPython(block) || (block.language === "text" && isPython(blocks[n - 1]))),
  )
}

/** The programs of all guides in `folder`, with the packages that they need. */
export const layPrograms = (folder: string): ReadonlyArray<Block> => {
  mkdirSync(folder, { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  const programs = GUIDES.flatMap(({ name }) => blocksOf(name)).filter(
    ({ language }) => language === "js" || language === "py",
  )
  for (const { file, code } of programs) if (file !== undefined) writeFileSync(join(folder, file), code)
  return programs
}

export interface Session {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** All commands of the guide in one shell, which ends at the first that fails. */
export const runCommands = (guide: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Session> => {
  const script = runnable(guide)
    .filter(({ language }) => language === "sh")
    .map(({ code }) => code)
  return runShell(script.join("\n"), cwd, env)
}

export const runShell = (script: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Session> => {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", script], {
    cwd,
    env: { PATH, HOME, ...env },
  })
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, stdout, stderr })))
}

/** Prices of BTC move; everything else is as it is shown. */
const PRICE = /\b\d{5}(?:\.\d+)?\b/g

const isShown = (shown: string, printed: string): boolean =>
  shown.replace(PRICE, "PRICE") === printed.replace(PRICE, "PRICE")

/** The first line that is shown and was not printed after those before it. */
export const missingLine = (guide: string, stdout: string): string | undefined => {
  const shown = runnable(guide)
    .filter(({ language }) => language === "text")
    .flatMap(({ code }) => code.trimEnd().split("\n"))
  const printed = stdout.split("\n")
  let at = 0
  return shown.find((line) => {
    const found = printed.findIndex((it, index) => index >= at && isShown(line, it))
    at = found + 1
    return found === -1
  })
}

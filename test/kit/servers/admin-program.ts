/** `gateway admin` as operators run it: a process of its own, which takes seconds (`operator.ts` has the same words without one). */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { keptCode, programOf } from "./gateway.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

export interface AdminEnded {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** `env` is all that it knows of an installation: DATA_DIR at least. */
export const runAdmin = (env: Readonly<Record<string, string>>, words: ReadonlyArray<string>): Promise<AdminEnded> =>
  new Promise((resolve) => {
    const { PATH = "", HOME = "" } = process.env
    const child = spawn(process.execPath, [...programOf("admin"), ...words], {
      cwd: root,
      env: { PATH, HOME, ...keptCode(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })

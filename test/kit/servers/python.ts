/**
 * Runs the Python client of the sources against a gateway. The one thing to know: `python` is null on a machine without a Python of 3.11 with
 * httpx and websockets; the tests are skipped there, and say so in their names.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CLIENT_MODULES, pythonWith } from "../../../scripts/python.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

export const clientFolder = join(root, "clients/python")
export const python = pythonWith(...CLIENT_MODULES)
export const SKIPPED = "skipped without Python 3.11, httpx and websockets"

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  /** Both streams, in their order. */
  readonly output: string
}

/** A hang is a failure with its output. */
const LONGEST_MS = 200_000

export const runPython = (
  args: ReadonlyArray<string>,
  { cwd = clientFolder, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(python ?? "python3", args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: LONGEST_MS,
      env: {
        PATH: process.env["PATH"],
        HOME: process.env["HOME"],
        PYTHONPATH: join(clientFolder, "src"),
        // The sources stay as they are.
        PYTHONDONTWRITEBYTECODE: "1",
        ...env,
      },
    })
    let [stdout, output] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      output += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, output }))
  })

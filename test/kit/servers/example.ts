/** Runs one of docs/examples/realtime, or of another folder, as a user would: its own process, unmodified, told only where the gateway is and who the user is. */
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { until } from "./gateway.ts"

const folder = fileURLToPath(new URL("../../../docs/examples/realtime/", import.meta.url))

export interface Example {
  /** Lines of stdout so far. */
  readonly lines: ReadonlyArray<string>
  readonly errors: () => string
  /** Waits for a line; `after` skips that many lines from the start. */
  readonly line: (what: RegExp, after?: number) => Promise<string>
  /** Resolves when the program ends by itself. */
  readonly ended: Promise<number | null>
  readonly kill: (signal: NodeJS.Signals) => void
}

const running = new Set<ChildProcess>()

export const runExample = (name: string, env: Readonly<Record<string, string>>, from = folder): Example => {
  const { PATH = "", HOME = "" } = process.env
  const child = spawn(process.execPath, [`${from}${name}`], {
    cwd: from,
    env: { PATH, HOME, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  running.add(child)
  const lines: Array<string> = []
  let rest = ""
  let errors = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n")
    rest = parts.pop() ?? ""
    lines.push(...parts)
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const ended = new Promise<number | null>((resolve) => {
    child.once("close", (code) => {
      running.delete(child)
      resolve(code)
    })
  })
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  const said = (): string => `${name}\n${lines.slice(-40).join("\n")}\n${errors.slice(-4000)}`
  return {
    lines,
    errors: () => errors,
    ended,
    kill: (signal) => void child.kill(signal),
    line: (what, after = 0) =>
      until(
        () => `${what} from ${said()}`,
        () => {
          const found = lines.slice(after).find((line) => what.test(line))
          if (found === undefined && isOver) throw new Error(`it ended without ${what}: ${said()}`)
          return found
        },
        60_000,
      ),
  }
}

export const endExamples = async (): Promise<void> => {
  const ending = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)))
  for (const child of running) child.kill("SIGKILL")
  await Promise.all(ending)
}

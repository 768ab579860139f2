/** Checks of the scoreboard that are programs of their own: test files under vitest, benches, commands. Each runs as a child and becomes verdicts. */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Verdict } from "./kill/kill-verdict.ts"

type Progress = (line: string) => void

export type BenchFigures = Readonly<Record<string, number | undefined>>

interface Ended {
  readonly code: number | null
  readonly seconds: number
  readonly lines: ReadonlyArray<string>
  readonly stderr: string
}

const root = fileURLToPath(new URL("../../", import.meta.url))
const PROGRESS_MILLIS = 5_000

const runNode = (name: string, args: ReadonlyArray<string>, progress: Progress): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const seconds = (): number => (performance.now() - startedAt) / 1000
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, SCOREBOARD: "true" },
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
    const kill = (): void => void child.kill("SIGTERM")
    process.once("exit", kill)
    const timer = setInterval(() => progress(`${name}: ${seconds().toFixed(0)} s`), PROGRESS_MILLIS)
    child.on("error", reject)
    child.on("close", (code) => {
      clearInterval(timer)
      process.off("exit", kill)
      resolve({ code, seconds: seconds(), lines: stdout.trimEnd().split("\n"), stderr })
    })
  })

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{
      readonly status: "passed" | "failed" | "skipped" | "pending"
      readonly fullName: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

/** One verdict a file; without a single test that ran it has failed. */
export const testCheck = async (
  files: ReadonlyArray<string>,
  only: string | undefined,
  progress: Progress,
): Promise<ReadonlyArray<Verdict>> => {
  const scratch = mkdtempSync(join(tmpdir(), "venue-gateway-tests-"))
  const output = join(scratch, "report.json")
  try {
    const pattern = only === undefined ? [] : ["--testNamePattern", only]
    const args = ["node_modules/vitest/vitest.mjs", "run", ...files, ...pattern]
    const name = files.join(", ")
    const ended = await runNode(name, [...args, "--reporter=json", `--outputFile=${output}`], progress)
    let report: Report
    try {
      report = JSON.parse(readFileSync(output, "utf8"))
    } catch {
      return [{ name, passed: false, says: `no report, exit code ${ended.code}: ${ended.stderr.slice(-500)}` }]
    }
    return report.testResults.map(({ name: path, message, assertionResults }) => {
      const of = (status: string) => assertionResults.filter((it) => it.status === status)
      const failed = of("failed").map((it) => `\n     ${it.fullName}: ${it.failureMessages[0]?.slice(0, 500)}`)
      const passed = of("passed").length
      const words = `${passed} passed, ${failed.length} failed in ${ended.seconds.toFixed(0)} s`
      return {
        name: path.slice(root.length),
        passed: passed > 0 && failed.length === 0 && message === "",
        says: `${words}${message === "" ? "" : `: ${message.slice(0, 500)}`}${failed.join("")}`,
      }
    })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** The figures of the bench's last line. */
export const benchCheck = async (
  bench: string,
  holds: (figures: BenchFigures) => boolean,
  progress: Progress,
): Promise<ReadonlyArray<Verdict>> => {
  const ended = await runNode(`bench ${bench}`, ["--import", "tsx", "bench/run.ts", bench, "--json"], progress)
  const last = ended.lines.at(-1) ?? ""
  if (ended.code !== 0 || !last.startsWith("{"))
    return [{ name: `bench ${bench}`, passed: false, says: `exit code ${ended.code}: ${ended.stderr.slice(-500)}` }]
  const { figures, conditions } = JSON.parse(last) as {
    readonly figures: BenchFigures
    readonly conditions: Readonly<Record<string, unknown>>
  }
  const { loadBefore, loadAfter } = conditions
  const says = `${JSON.stringify(figures)}, load ${String(loadBefore)} before, ${String(loadAfter)} after`
  return [{ name: `bench ${bench}`, passed: holds(figures), says }]
}

export const commandCheck = async (
  command: ReadonlyArray<string>,
  progress: Progress,
): Promise<ReadonlyArray<Verdict>> => {
  const name = command.filter((word) => word !== "--import" && word !== "tsx").join(" ")
  const { code, seconds, lines, stderr } = await runNode(name, command, progress)
  const words =
    code === 0 ? (lines.at(-1) ?? "") : `exit code ${code}: ${lines.slice(-5).join("; ")} ${stderr.slice(-500)}`
  return [{ name, passed: code === 0, says: `${words} (${seconds.toFixed(0)} s)` }]
}

/**
 * The checkers of `npm run check`, each a function from a source tree to a verdict, so that test/unit/tools can give each of them a tree with a
 * planted violation. The one thing to know: a checker that examined nothing counts as failed. Several of these tools pass when their
 * configuration makes them skip every file.
 */
import { spawn } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import type { EffectReport } from "./effect-diagnostics.ts"
import { CLIENT_MODULES, PACKAGES, pythonWith } from "./python.ts"
import { brokenReferences } from "./references.ts"

export interface Verdict {
  readonly passed: boolean
  /** What the tool said, for the reader of a failure. */
  readonly output: string
  /** Why nothing could be looked at on this machine. */
  readonly skipped?: string
}

export interface Tool {
  readonly name: string
  /** `tree` is an absolute path with a tsconfig.json and a node_modules. */
  readonly check: (tree: string) => Promise<Verdict>
}

export interface Run {
  readonly code: number
  readonly stdout: string
  readonly output: string
}

const house = fileURLToPath(new URL("..", import.meta.url))
const packaged = (path: string): string => join(house, "node_modules", path)

/** Runs a file with this node in `tree` and collects what it prints. */
export const runNode = (tree: string, file: string, args: ReadonlyArray<string>): Promise<Run> =>
  runProgram(tree, process.execPath, [file, ...args])

const runProgram = (folder: string, program: string, args: ReadonlyArray<string>): Promise<Run> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
    let stdout = ""
    let output = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      output += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ code: code ?? 1, stdout, output }))
  })

const verdict = (run: Run): Verdict => ({ passed: run.code === 0, output: run.output.trim() })

const sawNothing = (tool: string, output: string): Verdict => ({
  passed: false,
  output: `${tool} looked at no file of src\n${output}`.trim(),
})

/** Code that scripts/proto.mjs made, which no checker looks at. */
const generatedCode = /(^|[/\\])generated[/\\]/

const codeFolders = ["src", "test", "bench", "scripts", "console"]

const sourceCount = (tree: string, folders: ReadonlyArray<string> = ["src"]): number =>
  folders
    .filter((folder) => existsSync(join(tree, folder)))
    .flatMap((folder) => readdirSync(join(tree, folder), { recursive: true, encoding: "utf8" }))
    .filter((path) => /\.tsx?$/.test(path) && !generatedCode.test(path)).length

/** The configuration beside the code; biome counts these files too, so they must not pass for sources. */
const rootCount = (tree: string): number =>
  readdirSync(tree).filter((name) => /\.(jsonc?|cjs|ts)$/.test(name) && name !== "package-lock.json").length

/** TypeScript 7: compiles in a quarter of the time of 5.9, and has no JS API, hence the two versions side by side. */
const tsc: Tool = {
  name: "tsc",
  check: async (tree) => {
    // What runs in a browser knows other names.
    const projects = ["tsconfig.json", "console/tsconfig.json"].filter((path) => existsSync(join(tree, path)))
    const runs = await Promise.all(
      projects.map((path) => runNode(tree, packaged("typescript-native/bin/tsc"), ["-p", path, "--noEmit"])),
    )
    return {
      passed: runs.every(({ code }) => code === 0),
      output: runs
        .map(({ output }) => output)
        .join("")
        .trim(),
    }
  },
}

const biome: Tool = {
  name: "biome",
  check: async (tree) => {
    const args = ["ci", "--colors=off", "--max-diagnostics=200", "--error-on-warnings", "."]
    const run = await runNode(tree, packaged("@biomejs/biome/bin/biome"), args)
    const files = Number(/Checked (\d+) files?/.exec(run.output)?.[1] ?? 0)
    return files >= sourceCount(tree, codeFolders) + rootCount(tree) ? verdict(run) : sawNothing("biome", run.output)
  },
}

/** Floating Effects and their kind: the compiler sees nothing wrong with an Effect that nobody runs. */
const effect: Tool = {
  name: "effect",
  check: async (tree) => {
    // What ships. Tests hold Effects that nobody runs on purpose, and cost most of the time.
    const project = ["tsconfig.build.json", "tsconfig.json"].find((name) => existsSync(join(tree, name)))
    const script = fileURLToPath(new URL("effect-diagnostics.ts", import.meta.url))
    // Where a planted tree has no tsx of its own, it is this house's.
    const args = ["--import", import.meta.resolve("tsx"), script, join(tree, project ?? "tsconfig.json")]
    const run = await runProgram(tree, process.execPath, args)
    if (run.code !== 0) return { passed: false, output: run.output }
    const report = JSON.parse(run.stdout) as EffectReport
    // Without the plugin in tsconfig.json it checks nothing.
    if (report.filesChecked < sourceCount(tree)) return sawNothing("effect-language-service", run.output)
    const faults = report.diagnostics.filter(({ severity }) => severity === "error" || severity === "warning")
    const lines = faults.map(
      (at) => `${relative(tree, at.file)}:${at.line}:${at.column} ${at.severity} ${at.name}: ${at.message}`,
    )
    return { passed: faults.length === 0, output: lines.join("\n") }
  },
}

const layers: Tool = {
  name: "layers",
  check: async (tree) => {
    const folders = codeFolders.filter((folder) => existsSync(join(tree, folder)))
    const args = [...folders, "--config", ".dependency-cruiser.cjs", "--output-type", "err"]
    const run = await runNode(tree, packaged("dependency-cruiser/bin/dependency-cruise.mjs"), args)
    const modules = Number(/(\d+) modules/.exec(run.output)?.[1] ?? 0)
    return modules >= sourceCount(tree) ? verdict(run) : sawNothing("dependency-cruiser", run.output)
  },
}

const knip: Tool = {
  name: "knip",
  check: async (tree) =>
    verdict(await runNode(tree, packaged("knip/bin/knip.js"), ["--no-progress", "--no-config-hints"])),
}

const docs: Tool = {
  name: "docs",
  check: async (tree) => verdict(await runNode(tree, packaged("tsx/dist/cli.mjs"), ["scripts/docs.ts", "--check"])),
}

/** The Python client, its tests and its examples, as strictly as the compiler of theirs can. */
const python: Tool = {
  name: "python",
  check: async (tree) => {
    const interpreter = pythonWith("mypy", ...CLIENT_MODULES)
    if (interpreter === null) return { passed: true, output: "", skipped: `no Python with mypy here: ${PACKAGES}` }
    const cache = `--cache-dir=${join(tree, "node_modules/.cache/mypy")}`
    const checked = await runProgram(join(tree, "clients/python"), interpreter, ["-m", "mypy", cache])
    return /in \d+ source files?|checked \d+ source files?/.test(checked.output)
      ? verdict(checked)
      : sawNothing("mypy", checked.output)
  },
}

/** What comments and pages cite is there. */
const cites: Tool = {
  name: "cites",
  check: async (tree) => {
    const { looked, faults } = brokenReferences(tree)
    return looked === 0 ? sawNothing("cites", "") : { passed: faults.length === 0, output: faults.join("\n") }
  },
}

/** Longest first: on two cores the order decides how long the whole takes. */
export const tools = { effect, docs, layers, knip, python, tsc, biome, cites } as const satisfies Record<string, Tool>

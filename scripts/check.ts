/**
 * `npm run check`: every static checker, two at a time, one line each; exit code 1 when one of them fails.
 * Names as arguments run only those: `npm run check -- biome layers`.
 */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { type Tool, tools, type Verdict } from "./tools.ts"

const tree = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "")

const seconds = (sinceMillis: number): string => `${((performance.now() - sinceMillis) / 1000).toFixed(1)} s`

const runOne = async (tool: Tool): Promise<boolean> => {
  const startedAt = performance.now()
  const verdict: Verdict = await tool.check(tree).catch((error: unknown) => ({
    passed: false,
    output: error instanceof Error ? String(error.stack) : String(error),
  }))
  const word = verdict.skipped !== undefined ? "skip" : verdict.passed ? "ok  " : "FAIL"
  console.log(`${word} ${tool.name.padEnd(8)} ${seconds(startedAt).padStart(7)} ${verdict.skipped ?? ""}`.trimEnd())
  if (!verdict.passed) console.log(`${verdict.output}\n`)
  return verdict.passed
}

const main = async (): Promise<void> => {
  const named = process.argv.slice(2)
  const all: ReadonlyArray<Tool> = Object.values(tools)
  const unknown = named.filter((name) => !all.some((tool) => tool.name === name))
  if (unknown.length > 0) {
    console.error(`no checker named ${unknown.join(", ")}; there are ${all.map((tool) => tool.name).join(", ")}`)
    process.exitCode = 1
    return
  }
  const waiting = named.length > 0 ? all.filter((tool) => named.includes(tool.name)) : [...all]
  const total = waiting.length
  const startedAt = performance.now()
  let passed = 0
  const lane = async (): Promise<void> => {
    for (let tool = waiting.shift(); tool; tool = waiting.shift()) if (await runOne(tool)) passed += 1
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, lane))
  console.log(`${passed} of ${total} passed in ${seconds(startedAt)}`)
  if (passed < total) process.exitCode = 1
}

await main()

/**
 * `npm run bench -- NAME --profile FILE`: the child processes of that module run under V8's sampling profiler, and their most expensive functions
 * are printed at the end. Figures of a profiled run are not results.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Module to profile, for example `http-server`; set by bench/run.ts. */
const profiledModule = process.env["BENCH_PROFILE"] ?? ""
let folder: string | undefined

/** Node's options for a child that runs this module. The child has to end by itself: a killed one leaves no profile. */
export const profilerOptions = (module: string): ReadonlyArray<string> => {
  if (module !== profiledModule) return []
  folder ??= mkdtempSync(join(tmpdir(), "bench-profile-"))
  return ["--cpu-prof", "--cpu-prof-interval", "200", "--cpu-prof-dir", folder]
}

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }>
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const place = (url: string, line: number): string =>
  url === ""
    ? ""
    : ` ${url.replace(/^.*\/(dist|node_modules|node:)/, "$1").replace("dist/bench-tree/", "")}:${line + 1}`

/** Self time by function, the dearest first, in lines; idle time is left out of the whole. */
export const topFunctions = (profile: Profile, count: number): ReadonlyArray<string> => {
  const self = new Map<number, number>()
  for (const [i, id] of profile.samples.entries()) self.set(id, (self.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0))
  const byFunction = new Map<string, number>()
  let whole = 0
  for (const { id, callFrame } of profile.nodes) {
    const micros = self.get(id) ?? 0
    if (callFrame.functionName === "(idle)" || micros <= 0) continue
    whole += micros
    const name = `${callFrame.functionName || "(anonymous)"}${place(callFrame.url, callFrame.lineNumber)}`
    byFunction.set(name, (byFunction.get(name) ?? 0) + micros)
  }
  return [...byFunction]
    .sort((a, b) => b[1] - a[1])
    .slice(0, count)
    .map(([name, micros]) => `${((micros / whole) * 100).toFixed(1).padStart(6)} %  ${name}`)
}

/** After the children ended. */
export const printProfiles = (): void => {
  if (folder === undefined) return
  for (const file of readdirSync(folder).sort()) {
    console.log(`${profiledModule} ${file}`)
    const profile: Profile = JSON.parse(readFileSync(join(folder ?? "", file), "utf8"))
    for (const line of topFunctions(profile, 40)) console.log(line)
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Requests for every declared endpoint of a gateway in a process of its own; what they are and what is judged is in test/kit/http-fuzz. */
import { rmSync } from "node:fs"
import { loadavg } from "node:os"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { judgeAftermath } from "../../kit/http-fuzz/fuzz-aftermath.ts"
import { startFuzzedGateway } from "../../kit/http-fuzz/fuzz-gateway.ts"
import { httpFuzz, neverDone } from "../../kit/http-fuzz/http-fuzz.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import type { Verdict } from "../kill/kill-verdict.ts"

export interface HttpFuzzRun {
  readonly requests: number
  readonly seed: number
  readonly built: boolean
  readonly progress: (line: string) => void
}

export const httpFuzzRun = async (options: HttpFuzzRun): Promise<ReadonlyArray<Verdict>> => {
  const { requests, seed, built, progress } = options
  const directory = scratchDirectory("fuzz")
  const server = await startEmbeddedPostgres({ dataDir: directory })
  try {
    const gateway = await startFuzzedGateway(server.url(), { built })
    const facts = await httpFuzz(gateway, { requests, seed, progress: (line) => progress(`http-fuzz: ${line}`) })
    const bad = Object.entries(facts.statuses).filter(([status]) => status === "500" || status === "502")
    const away = Object.values(facts.away).reduce((sum, count) => sum + count, 0)
    const never = neverDone(facts)
    progress("http-fuzz: waiting for orders to be at rest, and judging what is left")
    return [
      {
        name: "5xx",
        passed: bad.length === 0 && facts.starved === 0,
        says: `${facts.starved} times nothing was stored in time, ${JSON.stringify(Object.fromEntries(bad))} of ${facts.requests} requests (seed ${seed}) over ${facts.connections} connections, ${facts.perSecond} a second, load ${loadavg()[0]?.toFixed(1)}; ${away} told that a venue, a feed or an account is not there, as declared: ${JSON.stringify(facts.away)}`,
      },
      {
        name: "envelope, X-Request-ID, declared failures, declared shapes",
        passed: facts.faultCount === 0,
        says: `${facts.faultCount} wrong; statuses ${JSON.stringify(facts.statuses)}${facts.faults.map((fault) => `\n     ${fault}`).join("")}`,
      },
      {
        name: "endpoints",
        passed: never.length === 0,
        says: `${Object.keys(facts.routes).length} asked, never with success: ${never.join(", ") || "none"}; ${facts.renewals} sessions renewed`,
      },
      { name: "the process", passed: facts.ended === null, says: facts.ended ?? "lives" },
      ...(facts.ended === null ? await judgeAftermath(gateway, facts, server.url()) : []),
    ]
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

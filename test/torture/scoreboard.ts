/**
 * The scoreboard by name: which runs, test files and benches judge each of its rows, with its figures as options. A name whose check is not
 * here is refused by name, never passed. Adding a check is adding a step.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Verdict } from "./kill/kill-verdict.ts"
import { type BenchFigures, benchCheck, commandCheck, testCheck } from "./scoreboard-checks.ts"

/** One of main's runs, under options of its own. */
interface RunStep {
  readonly run: string
  readonly options?: Readonly<Record<string, string | boolean>>
}

/** Files of vitest; `only` is a pattern of the tests' names. */
interface TestStep {
  readonly tests: ReadonlyArray<string>
  readonly only?: string
}

interface BenchStep {
  readonly bench: string
  /** What of its figures must hold. */
  readonly holds: (figures: BenchFigures) => boolean
}

/** A program of the tree that ends with 0 when all is well; its last line is the figure. */
interface CommandStep {
  readonly command: ReadonlyArray<string>
}

export type Step = RunStep | TestStep | BenchStep | CommandStep

interface Row {
  readonly what: string
  readonly steps: ReadonlyArray<Step>
}

const http = (name: string): string => `test/integration/http/${name}.test.ts`
const gateway = (name: string): string => `test/integration/gateway/${name}.test.ts`

export const SCOREBOARD: Readonly<Record<string, Row>> = {
  L1: {
    what: "10,000 connections",
    steps: [{ bench: "channels", holds: ({ connectsPerSecond = 0 }) => connectsPerSecond >= 500 }],
  },
  L2: {
    what: "1,000,000 subscriptions",
    steps: [
      {
        bench: "channels",
        holds: ({ rssBytes = Infinity, p99 = Infinity, lost }) => rssBytes <= 1.2e9 && p99 <= 50 && lost === 0,
      },
    ],
  },
  L3: {
    what: "fan-out of 200,000 deliveries a second",
    steps: [{ bench: "fanout", holds: ({ perSecond = 0, lost }) => perSecond >= 190_000 && lost === 0 }],
  },
  L4: {
    what: "500 orders a second for 10 minutes",
    steps: [{ run: "steady", options: { minutes: "10", rate: "500" } }],
  },
  L5: {
    what: "2,500 ledger transfers a second",
    steps: [
      {
        bench: "ledger",
        holds: ({ perSecond = 0, p99 = Infinity, lost, violations }) =>
          perSecond >= 2_500 && p99 <= 100_000 && lost === 0 && violations === 0,
      },
    ],
  },
  L6: {
    what: "10,000 cheap reads a second",
    steps: [{ bench: "http", holds: ({ perSecond = 0 }) => perSecond >= 10_000 }],
  },
  L7: {
    what: "an hour at 30 % of L4, and of eight venues",
    steps: [
      { run: "steady", options: { minutes: "60", rate: "150" } },
      { run: "soak", options: { minutes: "60" } },
    ],
  },
  L8: {
    what: "10,000 sockets cut at once come back with all they missed",
    steps: [{ run: "reconnect-storm", options: { connections: "10000" } }],
  },
  L9: { what: "login storm", steps: [{ run: "login-storm" }] },
  L10: { what: "three times the capacity", steps: [{ run: "overload" }] },
  F1: { what: "kill -9 at every named point, 20 times", steps: [{ run: "failpoints", options: { runs: "20" } }] },
  F2: { what: "random kill -9 under load", steps: [{ run: "kill-orders", options: { kills: "100" } }] },
  F3: { what: "PostgreSQL dies ten times", steps: [{ run: "postgres-kills", options: { rounds: "10" } }] },
  F4: { what: "PostgreSQL's standby takes over, three times", steps: [{ run: "failover", options: { rounds: "3" } }] },
  F5: { what: "PostgreSQL frozen for 30 s", steps: [{ run: "postgres-frozen" }] },
  F6: { what: "PostgreSQL's disk is full", steps: [{ run: "disk-full" }] },
  F7: { what: "worker threads crash, hang, fill their heap", steps: [{ run: "worker-faults" }] },
  F8: { what: "the venue stalls, fails and cuts", steps: [{ run: "venue-faults" }] },
  F9: {
    what: "fills twice, late, out of order",
    steps: [
      { tests: ["test/property/actors/trading-account.test.ts", "test/unit/actors/account/venue/faults.test.ts"] },
    ],
  },
  F10: {
    what: "gaps, crossed and stale books",
    steps: [{ run: "oracle" }, { tests: ["test/integration/realtime/order-book-gap.test.ts"] }],
  },
  F11: { what: "clocks that step and run backward (libfaketime)", steps: [{ run: "clock-steps" }] },
  F12: { what: "500 slow readers", steps: [{ run: "slow-readers", options: { connections: "1000" } }] },
  F13: { what: "the event loop stands still for 2 s", steps: [{ run: "loop-stall" }] },
  F14: { what: "SIGTERM under load", steps: [{ run: "shutdown" }] },
  F15: { what: "two gateways on one database", steps: [{ run: "two-gateways" }] },
  F16: { what: "no more files", steps: [{ run: "fd-limit" }] },
  F17: {
    what: "1,000 simulated worlds, then saboteurs",
    steps: [
      { command: ["--import", "tsx", "test/sim/main.ts", "--seeds", "1-1000", "--all"] },
      { tests: ["test/sim/sabotage.test.ts"] },
    ],
  },
  B1: {
    what: "200,000 fuzzed requests for every endpoint",
    steps: [{ run: "http-fuzz", options: { requests: "200000" } }],
  },
  B2: { what: "1,000,000 fuzzed frames", steps: [{ run: "socket-fuzz", options: { frames: "1000000" } }] },
  B3: { what: "oversize bodies", steps: [{ tests: [http("bad-bodies")], only: "an oversize body" }] },
  B4: { what: "slow requests and slow readers (slowhttptest)", steps: [{ run: "slow-http" }] },
  B5: { what: "JSON bombs and prototypes", steps: [{ tests: [http("bad-bodies")], only: "JSON" }] },
  B6: { what: "decimals in all decimal fields", steps: [{ tests: [http("bad-values")], only: "a decimal" }] },
  B7: { what: "Unicode", steps: [{ tests: [http("bad-values")], only: "Unicode" }] },
  B8: {
    what: "SQL injection (sqlmap)",
    steps: [{ tests: ["test/tidy.test.ts"] }, { tests: [http("bad-values")], only: "SQL" }, { run: "sql-injection" }],
  },
  B9: {
    what: "smuggling, bad headers, paths and methods (HAProxy)",
    steps: [{ tests: [http("bad-requests")] }, { run: "smuggling" }],
  },
  B10: { what: "query abuse", steps: [{ tests: [http("bad-values")], only: "a query" }] },
  B11: { what: "regular expressions that take for ever", steps: [{ run: "regex-time" }] },
  S1: { what: "authorization matrix", steps: [{ tests: [http("authorization")] }] },
  S2: { what: "ids of somebody else", steps: [{ tests: [http("authorization")] }] },
  S3: { what: "other people's channels", steps: [{ tests: [http("authorization"), gateway("users/access")] }] },
  S4: {
    what: "refresh tokens used again",
    steps: [{ tests: ["test/integration/auth/sessions.test.ts", gateway("users/auth")] }],
  },
  S5: { what: "timing of login, signup, recover", steps: [{ run: "timing", options: { samples: "300" } }] },
  S6: { what: "planted secrets, looked for everywhere", steps: [{ tests: [gateway("running/canary")] }] },
  S7: {
    what: "ciphertexts moved, bent, renewed",
    steps: [{ tests: [gateway("users/keys"), "test/unit/auth/secrets.test.ts"] }],
  },
  S8: { what: "addresses that nobody may be talked into", steps: [{ tests: [http("egress")] }] },
  S9: { what: "brute force", steps: [{ tests: [http("brute-force")] }, { run: "login-storm" }] },
  S10: { what: "TLS", steps: [{ tests: [http("transport")] }, { run: "tls" }] },
  S11: { what: "200 provoked failures", steps: [{ tests: [http("bad-bodies")], only: "a failure" }] },
  S12: { what: "dependencies", steps: [{ tests: ["test/unit/tools/supply-chain.test.ts"] }] },
  S13: { what: "ports and methods (nmap)", steps: [{ run: "ports" }] },
}

const ALL: ReadonlySet<string> = new Set(
  Object.entries({ L: 10, F: 17, B: 11, S: 13 }).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, n) => `${letter}${n + 1}`),
  ),
)

const root = fileURLToPath(new URL("../../", import.meta.url))

/** Why the name cannot be judged; undefined when it can. */
export const absence = (name: string, row: Row | undefined, isRun: (run: string) => boolean): string | undefined => {
  if (row === undefined)
    return ALL.has(name) ? `${name} is on the scoreboard, and nothing judges it yet` : `there is no run ${name}`
  for (const step of row.steps) {
    if ("run" in step && !isRun(step.run)) return `${name}: its run ${step.run} is not here`
    const missing = "tests" in step ? step.tests.find((file) => !existsSync(`${root}${file}`)) : undefined
    if (missing !== undefined) return `${name}: ${missing} is not here`
  }
  return undefined
}

export const checkOf = (
  step: Exclude<Step, RunStep>,
  progress: (line: string) => void,
): Promise<ReadonlyArray<Verdict>> => {
  if ("tests" in step) return testCheck(step.tests, step.only, progress)
  if ("bench" in step) return benchCheck(step.bench, step.holds, progress)
  return commandCheck(step.command, progress)
}

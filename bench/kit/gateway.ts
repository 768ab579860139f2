/** The gateway as a process of its own, started as `npm start` starts it, and a user with accounts on it. Everything it keeps is in a scratch folder. */
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { V8_FLAGS } from "../../scripts/v8-flags.ts"
import { profilerOptions } from "./profile.ts"
import { sleep } from "./report.ts"

const START_MILLIS_MAX = 60_000
const STOP_MILLIS_MAX = 15_000

const scratches = new Set<string>()
const processes = new Set<ChildProcess>()

/** On disk, not in memory: commits are to cost what they cost. Any account may pass, PostgreSQL does not run as root. */
export const scratch = (label: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `bench-${label}-`))
  chmodSync(folder, 0o755)
  scratches.add(folder)
  return folder
}

/** Ends what still runs and removes every scratch folder. */
export const endGateways = async (): Promise<void> => {
  for (const child of processes) child.kill("SIGKILL")
  processes.clear()
  for (const folder of scratches) {
    // An embedded server ends a moment after its gateway.
    const pidFile = join(folder, "postgres/cluster/postmaster.pid")
    for (let tries = 0; existsSync(pidFile) && tries < 100; tries++) await sleep(50)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  scratches.clear()
}

export interface Gateway {
  readonly process: ChildProcess
  readonly pid: number
  readonly port: number
  readonly http: string
  /** Makes the first admin. */
  readonly setupToken: string | undefined
  /** Everything it said on stderr so far. */
  readonly stderr: () => string
  readonly stop: () => Promise<void>
}

type Environment = Readonly<Record<string, string>>

/** `options`: of node; with some it has an IPC channel. */
export const startGateway = async (environment: Environment, options: ReadonlyArray<string> = []): Promise<Gateway> => {
  const main = fileURLToPath(new URL("../../src/main.js", import.meta.url))
  const child = spawn(process.execPath, [...V8_FLAGS, ...profilerOptions("gateway"), ...options, main], {
    stdio: options.length === 0 ? ["ignore", "pipe", "pipe"] : ["ignore", "pipe", "pipe", "ipc"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: "0",
      RATE_LIMITS: "off",
      FRESH_SECONDS: "86400",
      ...environment,
    },
  })
  processes.add(child)
  let stderr = ""
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-20_000)
  })
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      processes.delete(child)
      resolve()
    })
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the gateway is not ready:\n${stderr}`)), START_MILLIS_MAX)
  })
  const ready = await Promise.race([
    new Promise<{ readonly http: string; readonly setupToken?: string }>((resolve) => {
      createInterface({ input: child.stdout! }).on("line", (line) => {
        if (line.startsWith("ready ")) resolve(JSON.parse(line.slice("ready ".length)))
      })
    }),
    ended.then(() => Promise.reject(new Error(`the gateway ended before it was ready:\n${stderr}`))),
    late,
  ]).finally(() => clearTimeout(timer))
  return {
    process: child,
    pid: child.pid ?? 0,
    port: Number(new URL(ready.http).port),
    http: ready.http,
    setupToken: ready.setupToken,
    stderr: () => stderr,
    stop: async () => {
      child.kill("SIGTERM")
      const overdue = setTimeout(() => child.kill("SIGKILL"), STOP_MILLIS_MAX)
      await ended
      clearTimeout(overdue)
    },
  }
}

export const PASSWORD = "correct horse battery staple 7"

interface Envelope<A> {
  readonly success: boolean
  readonly error: string | null
  readonly errno: number
  readonly data: A
}

/** A call of the API with the user's token; throws on a failure. */
export type Call = <A>(path: string, body?: unknown) => Promise<A>

export interface User {
  readonly accessToken: string
  readonly call: Call
}

/** `setupToken`: of a gateway without an admin, to be it. */
export const signUp = async (
  gateway: Gateway,
  setupToken?: string,
  email = `bench-${Date.now()}@example.com`,
): Promise<User> => {
  let accessToken = ""
  const call: Call = async <A>(path: string, body?: unknown) => {
    const response = await fetch(`${gateway.http}/api/v3${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        "Content-Type": "application/json",
        ...(accessToken === "" ? {} : { Authorization: `Bearer ${accessToken}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const envelope = (await response.json()) as Envelope<A>
    if (!envelope.success) throw new Error(`${path}: HTTP ${response.status} ${envelope.errno} ${envelope.error}`)
    return envelope.data
  }
  const session = await call<{ accessToken: string }>("/auth/signup", {
    email,
    password: PASSWORD,
    setupToken,
  })
  accessToken = session.accessToken
  return { accessToken, call }
}

export const connectMockAccount = async ({ call }: User, label: string): Promise<string> => {
  const account = await call<{ tradingAccountId: string; status: string }>("/tradingAccount/connect", {
    venue: "MOCK",
    externalTradingAccountId: label,
  })
  return account.tradingAccountId
}

// The running server: started under a small shell that stops it when this process is gone, however it went (kill -9 too).
// Own session (`detached`), so that Ctrl-C reaches node only and the drain still has a database.
import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Binaries } from "./binaries.ts"
import type { ServerAccount } from "./os-account.ts"
import { findProcess, readPidFile, signalProcess, takenMessage, WATCHDOG_NAME } from "./previous.ts"
import { unavailable } from "./unavailable.ts"

/**
 * The watchdog, in POSIX sh. Its stdin is a pipe that only this node process writes to: when node is gone `read` sees the end and
 * the program gets SIGINT, PostgreSQL's fast shutdown. It outlives TERM, INT and HUP itself, because systemd's default KillMode
 * signals every process of the unit and the drain needs the server. The guard is killed with the program: it must not signal a reused pid.
 */
const WATCHDOG = `
exec 3<&0
trap : TERM INT HUP
"$@" </dev/null 3<&- &
program=$!
( trap '' TERM INT HUP; read -r _ <&3; kill -INT "$program" 2>/dev/null ) &
guard=$!
exec 3<&-
while :; do
  wait "$program"; code=$?
  kill -0 "$program" 2>/dev/null || break
done
kill -KILL "$guard" 2>/dev/null
exit $code
`

export interface ExitReason {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface Guarded {
  readonly child: ChildProcess
  /** Never rejects: a shell that cannot be spawned counts as an exit without code. */
  readonly exited: Promise<ExitReason>
}

/** `output` is a file descriptor for both streams. A fresh environment: no PG* variable, locale or preload leaks in. */
const spawnGuarded = (
  argv: ReadonlyArray<string>,
  account: ServerAccount,
  output: number,
  environment: Readonly<Record<string, string>> = {},
): Guarded => {
  const child = spawn("/bin/sh", ["-c", WATCHDOG, WATCHDOG_NAME, ...argv], {
    ...account.ids,
    cwd: "/", // ours may be unreadable for the server's account
    env: { LC_ALL: "C", PATH: "/usr/bin:/bin", ...environment },
    stdio: ["pipe", output, output],
    detached: true,
  })
  child.stdin?.on("error", () => undefined) // EPIPE when the shell ends first; `exited` tells
  const exited = new Promise<ExitReason>((resolve) => {
    child.once("error", () => resolve({ code: null, signal: null }))
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })
  return { child, exited }
}

/** Runs a program to its end under the watchdog; fails with what it printed. */
export const runGuarded = async (
  argv: ReadonlyArray<string>,
  account: ServerAccount,
  outputFile: string,
): Promise<void> => {
  const output = fs.openSync(outputFile, "w", 0o600)
  const { child, exited } = spawnGuarded(argv, account, output)
  fs.closeSync(output)
  const { code, signal } = await exited
  child.stdin?.destroy()
  if (code === 0) return
  const printed = fs.readFileSync(outputFile, "utf8").trim().slice(-2000)
  throw unavailable(`${path.basename(argv[0] ?? "")} failed (${signal ?? code}): ${printed}`)
}

export interface LaunchOptions {
  readonly binaries: Binaries
  readonly account: ServerAccount
  readonly clusterDirectory: string
  readonly logFile: string
  readonly settings: Readonly<Record<string, string>>
  /** A pid in postmaster.pid that PostgreSQL must not take for a running server; see clearPrevious. */
  readonly ignorePid: number | undefined
  readonly startTimeoutMillis: number
  readonly stopTimeoutMillis: number
  readonly log: (message: string) => void
}

export interface LaunchedServer {
  readonly pid: number
  readonly exited: Promise<ExitReason>
  readonly stop: () => Promise<void>
}

const LOG_BYTES_MAX = 16 * 1024 * 1024
/** A backend outlives its killed postmaster for a moment and still holds the shared memory; 10 s in all. */
const SHARED_MEMORY_ATTEMPTS = 50

/** Starts the server and returns when it takes connections. */
export const launch = async (options: LaunchOptions): Promise<LaunchedServer> => {
  const { clusterDirectory, logFile } = options
  const argv = [
    options.binaries.postgres,
    "-D",
    clusterDirectory,
    ...Object.entries(options.settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ]
  for (let attempt = 1; ; attempt += 1) {
    const output = fs.openSync(logFile, "a", 0o600)
    if (fs.fstatSync(output).size > LOG_BYTES_MAX) fs.ftruncateSync(output)
    const logStart = fs.fstatSync(output).size
    const guarded = spawnGuarded(
      argv,
      options.account,
      output,
      // pg_ctl's own mechanism: "a lock file naming this pid is not a conflict".
      options.ignorePid === undefined ? {} : { PG_GRANDPARENT_PID: String(options.ignorePid) },
    )
    fs.closeSync(output)
    const outcome = await waitReady(guarded, clusterDirectory, options.startTimeoutMillis)
    if (typeof outcome === "object") {
      unreference(guarded.child)
      let stopping: Promise<void> | undefined
      const stop = (): Promise<void> => {
        stopping ??= stopGuarded(guarded, outcome.pid, options)
        return stopping
      }
      return { pid: outcome.pid, exited: guarded.exited, stop }
    }
    if (outcome === "timeout") await stopGuarded(guarded, undefined, options)
    const printed = fs.readFileSync(logFile).subarray(logStart).toString("utf8")
    if (/lock file "postmaster\.pid" already exists/.test(printed)) {
      throw unavailable(takenMessage(clusterDirectory, readPidFile(clusterDirectory)?.pid))
    }
    if (attempt < SHARED_MEMORY_ATTEMPTS && /pre-existing shared memory block/.test(printed)) {
      await sleep(200)
      continue
    }
    const reason =
      outcome === "timeout" ? `was not ready after ${options.startTimeoutMillis} ms` : "ended while starting"
    throw unavailable(`PostgreSQL ${reason}; ${logFile} says:\n${printed.trim().slice(-2000)}`)
  }
}

/** The caller's scope keeps node alive, not the database. */
const unreference = (child: ChildProcess): void => {
  child.unref()
  if (child.stdin !== null && "unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
}

/** Reads postmaster.pid as `pg_ctl -w` does: no connection, no log parsing. Only our own child's pid counts. */
const waitReady = async (
  { child, exited }: Guarded,
  clusterDirectory: string,
  timeoutMillis: number,
): Promise<{ readonly pid: number } | "exited" | "timeout"> => {
  let gone = false
  void exited.then(() => {
    gone = true
  })
  const deadlineAt = Date.now() + timeoutMillis
  while (Date.now() < deadlineAt) {
    if (gone) return "exited"
    const file = readPidFile(clusterDirectory)
    if (file?.ready && findProcess(file.pid)?.parentPid === child.pid) return { pid: file.pid }
    await sleep(10)
  }
  return "timeout"
}

/** Resolves true when it ended in time. The timer is dropped: one left behind keeps node alive. */
const endsWithin = async (exited: Promise<unknown>, timeoutMillis: number): Promise<boolean> => {
  const timer = new AbortController()
  const timeout = sleep(timeoutMillis, false, { signal: timer.signal }).catch(() => false)
  const ended = await Promise.race([exited.then(() => true), timeout])
  timer.abort()
  return ended
}

/** Closing the pipe makes the guard send SIGINT: sessions end, a checkpoint is written. Then SIGQUIT, which the next start recovers from. */
const stopGuarded = async (
  { child, exited }: Guarded,
  pid: number | undefined,
  options: Pick<LaunchOptions, "clusterDirectory" | "stopTimeoutMillis" | "log">,
): Promise<void> => {
  child.ref()
  child.stdin?.destroy()
  if (await endsWithin(exited, options.stopTimeoutMillis)) return
  options.log("PostgreSQL does not stop: terminating it immediately; the next start recovers")
  const server = pid ?? readPidFile(options.clusterDirectory)?.pid
  if (server !== undefined && findProcess(server)?.parentPid === child.pid) signalProcess(server, "SIGQUIT")
  if (await endsWithin(exited, 5_000)) return
  throw unavailable(`PostgreSQL on ${options.clusterDirectory} does not stop`)
}

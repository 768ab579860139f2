// What an earlier run may have left in the cluster: a running server, an orphan, or a pid that means nothing any more.
// PostgreSQL trusts any live pid in postmaster.pid and refuses to start; the cases below are told apart here first.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { systemErrorCode, unavailable } from "./unavailable.ts"

const WATCHDOG_PREFIX = "venue-gateway-postgres-watchdog-of-"

/** A word in the argv of the shell that guards a server; it names the gateway, whose child that shell must still be. */
export const WATCHDOG_NAME = `${WATCHDOG_PREFIX}${process.pid}`

/** Our server's predecessor may be in its shutdown checkpoint: wait this long before calling the directory taken. */
const TAKEN_AFTER_MILLIS = 2_500
const ORPHAN_GONE_AFTER_MILLIS = 20_000

interface PidFile {
  readonly pid: number
  /** True once the server takes connections: what `pg_ctl -w` looks at. */
  readonly ready: boolean
}

export const readPidFile = (clusterDirectory: string): PidFile | undefined => {
  try {
    const lines = fs.readFileSync(path.join(clusterDirectory, "postmaster.pid"), "utf8").split("\n")
    // A standalone backend writes its pid negative.
    const pid = Math.abs(Number.parseInt(lines[0] ?? "", 10))
    return Number.isInteger(pid) && pid > 1 ? { pid, ready: lines[7]?.trim() === "ready" } : undefined
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined
    throw error
  }
}

interface RunningProcess {
  readonly parentPid: number
  readonly argv: ReadonlyArray<string>
}

/** Whether there is such a process, ours or another's. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemErrorCode(error) === "EPERM"
  }
}

/** Sends a signal; a process that is gone already is fine. */
export const signalProcess = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (systemErrorCode(error) !== "ESRCH") throw error
  }
}

/** Undefined when there is no such process. A zombie has an empty argv. */
export const findProcess = (pid: number): RunningProcess | undefined => {
  if (!isAlive(pid)) return undefined
  if (process.platform !== "linux") {
    const ps = spawnSync("ps", ["-ww", "-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" })
    const [, parentPid, command] = /^ *(\d+) +(\S.*)$/.exec(ps.stdout.split("\n", 1)[0] ?? "") ?? []
    return parentPid === undefined ? undefined : { parentPid: Number(parentPid), argv: (command ?? "").split(" ") }
  }
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, "utf8")
    return {
      parentPid: Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]),
      argv: fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"),
    }
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === "ENOENT" || code === "ESRCH") return undefined
    throw error
  }
}

const isServerOf = (found: RunningProcess, clusterDirectory: string): boolean =>
  path.basename(found.argv[0] ?? "") === "postgres" && found.argv.join(" ").includes(` ${clusterDirectory} `)

/** True while the gateway that started the server lives: its watchdog alone can outlive it, when parts of the tree are killed. */
const isGuarded = (server: RunningProcess): boolean => {
  const watchdog = findProcess(server.parentPid)
  const gateway = watchdog?.argv.find((word) => word.startsWith(WATCHDOG_PREFIX))?.slice(WATCHDOG_PREFIX.length)
  return gateway !== undefined && watchdog?.parentPid === Number(gateway)
}

export const takenMessage = (clusterDirectory: string, pid: number | undefined): string =>
  `${clusterDirectory} is in use by another running instance${pid === undefined ? "" : ` (PostgreSQL pid ${pid})`}: ` +
  "stop it first, or set DATA_DIR to another directory"

/**
 * Returns when a server may be started.
 * - A server whose gateway lives is taken: fails after 2.5 s, in case that one was just stopping.
 * - A server without its gateway and watchdog is an orphan (they were killed): it is stopped.
 * - A dead pid: PostgreSQL sees that itself and recovers.
 * - A pid that is a zombie (a container's PID 1 that does not reap) or now another program: returned, so that the launch can tell
 *   PostgreSQL to ignore exactly this pid. The file stays: its shared-memory key is PostgreSQL's second safety check.
 */
export const clearPrevious = async (
  clusterDirectory: string,
  log: (message: string) => void,
): Promise<number | undefined> => {
  const startedAt = Date.now()
  let interrupted: number | undefined
  for (;;) {
    const pid = readPidFile(clusterDirectory)?.pid
    const found = pid === undefined ? undefined : findProcess(pid)
    if (pid === undefined || found === undefined) return undefined
    if (!isServerOf(found, clusterDirectory)) {
      log(`ignoring the pid file of ${clusterDirectory}: pid ${pid} is not a PostgreSQL server of this directory`)
      return pid
    }
    const waitedMillis = Date.now() - startedAt
    if (isGuarded(found)) {
      if (waitedMillis > TAKEN_AFTER_MILLIS) throw unavailable(takenMessage(clusterDirectory, pid))
    } else if (interrupted !== pid) {
      log(`stopping the orphaned PostgreSQL server ${pid} of an earlier run`)
      signalProcess(pid, "SIGINT")
      interrupted = pid
    } else if (waitedMillis > ORPHAN_GONE_AFTER_MILLIS) {
      throw unavailable(`the orphaned PostgreSQL server ${pid} on ${clusterDirectory} does not stop`)
    }
    await sleep(20)
  }
}

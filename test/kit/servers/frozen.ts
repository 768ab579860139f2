/**
 * A PostgreSQL server suspended with its connections open (SIGSTOP), as under a stalled disk or a paused machine: the kernel still accepts what
 * is sent to it, but there is no response. The one thing to know: a test that freezes it must resume it, in a `finally`.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const parentOf = (pid: string): string | undefined => {
  try {
    // `pid (name) state ppid …`: a name may hold blanks and brackets.
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[1]
  } catch {
    return undefined // it ended meanwhile
  }
}

const childrenOf = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === String(pid))
    .map(Number)

const signal = (pid: number, name: "SIGSTOP" | "SIGCONT"): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

/** Freezes the server whose state is in this data directory (store/embedded/embedded.ts); answers what thaws it. */
export const freezeServer = (dataDir: string): (() => void) => {
  const postmaster = Number(readFileSync(join(dataDir, "postgres/cluster/postmaster.pid"), "utf8").split("\n")[0])
  // The postmaster first: it makes no new backend while the others are stopped.
  signal(postmaster, "SIGSTOP")
  const frozen = [...childrenOf(postmaster), postmaster]
  for (const pid of frozen) signal(pid, "SIGSTOP")
  return () => {
    for (const pid of frozen) signal(pid, "SIGCONT")
  }
}

/** CPU and memory of processes: our own exactly, others from /proc in nanoseconds; elsewhere than on Linux the latter are null. */
import { readdirSync, readFileSync } from "node:fs"

/** User and system time of this process, all threads, in µs. */
export const ownCpuMicros = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    // A process or thread that ended between the listing and the reading.
    if (error instanceof Error && /ENOENT|ESRCH|ENOTDIR|EACCES/.test(String(error))) return null
    throw error
  }
}

const list = (path: string): ReadonlyArray<string> => {
  try {
    return readdirSync(path)
  } catch (error) {
    if (error instanceof Error && /ENOENT|ESRCH|ENOTDIR/.test(String(error))) return []
    throw error
  }
}

/** By the ids of a process's living threads, of which the main one has the process's; empty where there is no /proc. */
export const threadMicrosOf = (pid: number): ReadonlyMap<number, number> =>
  new Map(
    list(`/proc/${pid}/task`).map((thread) => [
      Number(thread),
      Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0] ?? 0) / 1000,
    ]),
  )

/** Of a process and its living threads; null where there is no /proc. Threads that ended are not in it. */
export const cpuMicrosOf = (pid: number): number | null => {
  const threads = threadMicrosOf(pid)
  if (threads.size === 0) return null
  let micros = 0
  for (const each of threads.values()) micros += each
  return micros
}

interface Process {
  readonly pid: number
  readonly parent: number
}

const processes = (): ReadonlyArray<Process> =>
  list("/proc").flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : null
    if (stat === null) return []
    return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) }]
  })

/** Of a postmaster and its children, in µs. */
export const postgresCpuMicros = (postmaster: number | null): number | null => {
  if (postmaster === null) return null
  let sum = cpuMicrosOf(postmaster) ?? 0
  for (const { pid, parent } of processes()) if (parent === postmaster) sum += cpuMicrosOf(pid) ?? 0
  return sum
}

export const rssBytesOf = (pid: number): number => {
  const found = /VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`) ?? "")
  return found === null ? 0 : Number(found[1]) * 1024
}

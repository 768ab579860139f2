/** Metrics of the process itself: memory, files, disk, the age of the last backup, and the event loop delay. */
import { readdirSync, statfsSync } from "node:fs"
import { backedUpAt } from "../foundation/backup-mark.ts"
import type { Build } from "../foundation/build.ts"
import { watchLoopDelay } from "../foundation/loop-delay.ts"
import type { Reading } from "../ports/meters.ts"
import { by, reading } from "./exposition.ts"

/** `null` where this system does not tell. */
const known = (read: () => number): number | null => {
  try {
    return read()
  } catch {
    return null
  }
}

const maybe = (value: number | null) => (value === null ? [] : value)

/** Watches the event loop from now on; the answer reads all. */
export const watchProcess = (facts: {
  readonly build: Build
  readonly dataDir: string
}): (() => ReadonlyArray<Reading>) => {
  const loop = watchLoopDelay()
  const lag = () => {
    const { p50, p99, max } = loop.window()
    return by("q", { "0.5": p50 / 1e3, "0.99": p99 / 1e3, "1": max / 1e3 })
  }
  const startedAt = performance.timeOrigin / 1000
  return () => {
    const { user, system } = process.cpuUsage()
    const disk = known(() => {
      const { bavail, bsize } = statfsSync(facts.dataDir)
      return bavail * bsize
    })
    return [
      reading("build_info", [{ labels: { ...facts.build, node: process.version }, value: 1 }]),
      reading("process_start_time_seconds", startedAt),
      reading("process_cpu_seconds_total", (user + system) / 1e6),
      reading("process_resident_memory_bytes", process.memoryUsage.rss()),
      reading("process_open_fds", maybe(known(() => readdirSync("/proc/self/fd").length))),
      reading("nodejs_heap_bytes", process.memoryUsage().heapUsed),
      reading("nodejs_eventloop_lag_seconds", lag()),
      reading("data_disk_free_bytes", maybe(disk)),
      reading("backup_age_seconds", maybe(known(() => (Date.now() - backedUpAt(facts.dataDir)) / 1000))),
    ]
  }
}

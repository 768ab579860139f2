/** What operators see of the process itself: memory, files, disk, the age of the last backup, and how late its loop is. */
import { readdirSync, statfsSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { backedUpAt } from "../foundation/backup-mark.ts"
import type { Build } from "../foundation/build.ts"
import type { Reading } from "../ports/meters.ts"
import { by, reading } from "./exposition.ts"

/** How late the loop was is told of whole windows: whoever reads, and how many read, changes nothing. */
const WINDOW_MILLIS = 10_000

const RESOLUTION_MILLIS = 20

/** Seconds. The histogram, in ns, has its timer's own interval in each figure: a loop at rest would seem to be late by it. */
export const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MILLIS / 1e3)

/** `null` where this system does not tell. */
const known = (read: () => number): number | null => {
  try {
    return read()
  } catch {
    return null
  }
}

const maybe = (value: number | null) => (value === null ? [] : value)

export interface ProcessMetrics {
  readonly read: () => ReadonlyArray<Reading>
  readonly close: () => void
}

/** Watches the event loop from now on. */
export const watchProcess = (facts: { readonly build: Build; readonly dataDir: string }): ProcessMetrics => {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MILLIS })
  loop.enable()
  const quantiles = () => ({
    "0.5": late(loop.percentile(50)),
    "0.99": late(loop.percentile(99)),
    "1": late(loop.max),
  })
  let lag: Readonly<Record<string, number>> | null = null
  const timer = setInterval(() => {
    lag = quantiles()
    loop.reset()
  }, WINDOW_MILLIS)
  timer.unref()
  const startedAt = performance.timeOrigin / 1000
  return {
    read: () => {
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
        reading("nodejs_eventloop_lag_seconds", by("q", lag ?? quantiles())),
        reading("data_disk_free_bytes", maybe(disk)),
        reading("backup_age_seconds", maybe(known(() => (Date.now() - backedUpAt(facts.dataDir)) / 1000))),
      ]
    },
    close: () => {
      clearInterval(timer)
      loop.disable()
    },
  }
}

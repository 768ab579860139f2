/**
 * The Piscina task that every thread runs beside its connectors: it answers each number it receives with the state of the thread. A thread that
 * neither answers nor handles a frame is hanging.
 */
import { performance } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { watchLoopDelay } from "../../foundation/loop-delay.ts"
import type { Beat, PulseTask } from "../connector/wire.ts"
import { countWorkIn, inhabitants, strayRejections } from "./thread.ts"

/** Ends when the port closes. */
export const pulse = async ({ port, done }: PulseTask): Promise<void> => {
  countWorkIn(done)
  const loop = watchLoopDelay()
  let since = performance.eventLoopUtilization()
  const beatOf = (beat: number): Beat => {
    const heap = getHeapStatistics()
    const until = performance.eventLoopUtilization()
    const busy = performance.eventLoopUtilization(until, since).utilization
    since = until
    return {
      beat,
      heapUsedBytes: heap.used_heap_size,
      externalBytes: heap.external_memory,
      loopDelayMillis: loop.worst(),
      busy,
      rejections: strayRejections(),
      connectors: Object.fromEntries([...inhabitants].map(([name, { figures }]) => [name, figures()])),
    }
  }
  port.on("message", (beat: number) => port.postMessage(beatOf(beat)))
  await new Promise<void>((resolve) => port.once("close", () => resolve()))
}

/**
 * What the connectors of one thread share: the list of them, the count of unhandled rejections, the heartbeat, and the thread's last message,
 * which names the connector that caused its death.
 */
import type { ConnectorFigures } from "../../ports/venue-stats.ts"
import { classify } from "./exchange/errors.ts"
import type { Outbox } from "./outbox.ts"
import { currentWork } from "./work.ts"

// How the main thread sees that this one is alive, however late it responds: a counter in shared memory.

let done: Int32Array | undefined

export const countWorkIn = (buffer: SharedArrayBuffer): void => {
  done = new Int32Array(buffer)
}

/** Called with every frame of a venue; in the main thread it does nothing. */
export const hasWorked = (): void => {
  if (done !== undefined) Atomics.add(done, 0, 1)
}

interface Inhabitant {
  readonly outbox: Outbox
  readonly figures: () => ConnectorFigures
}

/** By connector name. */
export const inhabitants = new Map<string, Inhabitant>()

let rejections = 0

export const strayRejections = (): number => rejections

// Per thread: without it such a rejection would end the thread, and every connector in it. ccxt leaks one when a socket dies under a
// queued subscribe (venues 4.1).
process.on("unhandledRejection", (reason) => {
  rejections += 1
  const connector = currentWork()?.connector ?? ""
  const concerned = inhabitants.get(connector)
  const what = `stray rejection: ${classify(reason).text}`
  for (const { outbox } of concerned === undefined ? inhabitants.values() : [concerned])
    outbox.push({ _tag: "Noticed", what })
})

const confess = (): void => {
  const outbox = inhabitants.get(currentWork()?.connector ?? "")?.outbox
  outbox?.push({ _tag: "Blamed" })
  for (const inhabitant of inhabitants.values()) inhabitant.outbox.flush()
}

// An uncaught exception, and `process.exit`: both are intercepted where they happen.
process.on("uncaughtExceptionMonitor", confess)
process.on("exit", confess)

/** The process's own clock, ids, failpoints and placement: what simulation replaces. */
import { randomUUID } from "node:crypto"
// The global of this name is a getter that costs as much as the clock.
import { performance } from "node:perf_hooks"
import { Layer } from "effect"
import type { Unit } from "./ports/account-store.ts"
import { Clock } from "./ports/clock.ts"
import { Failpoint, type FailpointName } from "./ports/failpoint.ts"
import { Ids } from "./ports/ids.ts"
import { Placement } from "./ports/placement.ts"

export const clockLive = Layer.succeed(Clock, {
  now: () => Date.now(),
  monotonic: () => performance.now(),
})

/** Version 7 of RFC 9562: 48 bits of milliseconds, then randomness. The words of a millisecond are built once for all its ids. */
const uuid = (): string => {
  const now = Date.now()
  if (now !== lastAt) {
    lastAt = now
    const at = now.toString(16).padStart(12, "0")
    lastWords = `${at.slice(0, 8)}-${at.slice(8)}-7`
  }
  return lastWords + randomUUID().slice(15)
}
let lastAt = 0
let lastWords = ""

/** Ids of requests: one random beginning per process, then a count. Unique, in the form of a uuid, and a tenth of its cost. */
export const requestIds = (): (() => string) => {
  const beginning = uuid().slice(0, 24)
  let count = 0
  return () => beginning + (++count).toString(16).padStart(12, "0")
}

export const idsLive = Layer.succeed(Ids, { uuid })

export const placementLive = Layer.succeed(Placement, { of: () => "here" as const })

/** Of units whose statement has left for the database and is not answered: which place that is. */
export const writtenPlaces =
  (hit: (place: FailpointName) => void) =>
  (units: ReadonlyArray<Unit>): void => {
    if (units.some(({ rows }) => rows.some(({ _tag }) => _tag === "Execution"))) hit("fill.written")
    if (units.some(({ events }) => events.some(({ kind }) => kind === "TRADE_ORDER.CREATED"))) hit("submit.written")
  }

/** `NAME` or `NAME:N`: the process kills itself with SIGKILL at the N-th hit of that place. Null: every hit does nothing. */
export const failpointLive = (spec: string | null) => {
  if (spec === null) return Layer.succeed(Failpoint, { hit: () => {} })
  const [name, count] = spec.split(":")
  let left = Number(count ?? "1")
  return Layer.succeed(Failpoint, {
    hit: (place: FailpointName) => {
      if (place === name && --left === 0) process.kill(process.pid, "SIGKILL")
    },
  })
}

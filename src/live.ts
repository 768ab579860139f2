/** The process's own clock, ids, failpoints and placement: what simulation replaces. */
import { randomFillSync } from "node:crypto"
// The global of this name is a getter that costs as much as the clock.
import { performance } from "node:perf_hooks"
import { Layer } from "effect"
import type { Unit } from "./ports/account-store.ts"
import { Clock } from "./ports/clock.ts"
import { Failpoint, type FailpointName } from "./ports/failpoint.ts"
import { Ids } from "./ports/ids.ts"
import { MeterBoard, Meters } from "./ports/meters.ts"
import { Placement } from "./ports/placement.ts"

export const clockLive = Layer.succeed(Clock, {
  now: () => Date.now(),
  monotonic: () => performance.now(),
})

/**
 * Version 7 of RFC 9562: 48 bits of milliseconds, then randomness. Written in place and made a string at once: an order takes five, and
 * joining words costs as much as all else of an id and leaves its pieces to the garbage collector.
 */
const uuid = (): string => {
  const now = Date.now()
  if (now !== lastAt) {
    lastAt = now
    const at = now.toString(16).padStart(12, "0")
    letters.write(`${at.slice(0, 8)}-${at.slice(8)}-7`, "latin1")
  }
  if (used === entropy.length) {
    randomFillSync(entropy)
    used = 0
  }
  for (const place of RANDOM_DIGITS) letters[place] = DIGITS[entropy[used++]! & 15]!
  letters[VARIANT] = DIGITS[8 | (entropy[used++]! & 3)]!
  return letters.toString("latin1")
}
const DIGITS = Buffer.from("0123456789abcdef")
const RANDOM_DIGITS = [15, 16, 17, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35]
const VARIANT = 19
const letters = Buffer.from("00000000-0000-7000-8000-000000000000")
/** Half a byte of each is used: 200 ids at a time. */
const entropy = Buffer.alloc((RANDOM_DIGITS.length + 1) * 200)
let used = entropy.length
let lastAt = 0

/** Ids of requests: one random beginning per process, then a count. Unique, in the form of a uuid, and a tenth of its cost. */
export const requestIds = (): (() => string) => {
  const beginning = uuid().slice(0, 24)
  let count = 0
  let head = ""
  return () => {
    const end = ++count % ENDS.length
    if (end === 0 || head === "")
      head =
        beginning +
        Math.floor(count / ENDS.length)
          .toString(16)
          .padStart(9, "0")
    return head + ENDS[end]
  }
}
/** The last three digits: the others stay as they are for 4,096 requests. */
const ENDS = Array.from({ length: 4_096 }, (_, end) => end.toString(16).padStart(3, "0"))

export const idsLive = Layer.succeed(Ids, { uuid })

/** Of this gateway alone: several of them may live in one process, in tests for example. */
export const metersLive = Layer.sync(Meters, () => new MeterBoard())

export const placementLive = Layer.succeed(Placement, { of: () => "here" as const })

/** Of units whose statement has left for the database and is not answered: which place that is. */
export const writtenPlaces =
  (hit: (place: FailpointName) => void) =>
  (units: ReadonlyArray<Unit>): void => {
    if (units.some(({ rows }) => rows.some(({ _tag }) => _tag === "Execution"))) hit("fill.written")
    if (units.some(({ events }) => events.some(({ kind }) => kind === "TRADE_ORDER.CREATED"))) hit("submit.written")
  }

/** How long `stall` keeps the event loop (scoreboard F13). */
const STALL_MILLIS = 2_000

const FAULTS: Readonly<Record<string, () => void>> = {
  kill: () => void process.kill(process.pid, "SIGKILL"),
  stall: () => {
    const untilAt = performance.now() + STALL_MILLIS
    while (performance.now() < untilAt);
  },
  // Outside of every guard: what no part of the process expects.
  throw: () =>
    void setImmediate(() => {
      throw new Error("thrown by a failpoint")
    }),
}

/**
 * `NAME`, `NAME:N` or `NAME:N:FAULT`: at the N-th hit of that place the process kills itself, stalls or throws. `NAME:N:FAULT:armed`: hits
 * count from SIGWINCH on, which is answered by the line `armed NAME`. Null: nothing ever happens.
 */
export const failpointLive = (spec: string | null) => {
  if (spec === null) return Layer.succeed(Failpoint, { hit: () => {} })
  const [name, count, fault = "kill", from] = spec.split(":")
  let left = Number(count ?? "1")
  let isArmed = from !== "armed"
  if (!isArmed)
    process.once("SIGWINCH", () => {
      isArmed = true
      process.stdout.write(`armed ${name}\n`)
    })
  return Layer.succeed(Failpoint, {
    hit: (place: FailpointName) => {
      if (isArmed && place === name && --left === 0) FAULTS[fault]?.()
    },
  })
}

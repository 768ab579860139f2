/** Work that goes round beside the actors: what becomes of it when a round fails, and what is said of it meanwhile. */
import { Cause, Data, Effect, Fiber, HashMap, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { keepLoop, keptLoop, type Loop, LoopBoard, Loops } from "../../../src/kernel/loop.ts"
import { SimTime } from "../../sim/time.ts"

class Away extends Data.TaggedError("Away")<{ readonly message: string }> {}

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** A loop on a clock of the test's own: when its rounds began, what was logged, and what is said of it. */
const lived = (
  terms: Pick<Loop<Away, never>, "lateAfter"> & ({ pause: number } | { awaits: Effect.Effect<unknown> }),
  fate: (round: number) => Effect.Effect<unknown, Away> = () => Effect.void,
) => {
  const time = new SimTime(0)
  const board = new LoopBoard()
  const at: Array<number> = []
  const told: Array<string> = []
  const log = Logger.make(({ logLevel, message, cause, annotations }) => {
    const { loop, failed } = Object.fromEntries(HashMap.toEntries(annotations))
    const why = Cause.isEmpty(cause) ? "" : `: ${Cause.squash(cause)}`
    told.push(`${logLevel.label} ${[message].flat().join(" ")} (${loop}, ${failed})${why}`)
  })
  const round = Effect.suspend(() => {
    at.push(time.now)
    return fate(at.length)
  })
  const life = Effect.scoped(Effect.zipRight(keepLoop({ name: "work", ...terms, round }), Effect.never)).pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, log)),
    Effect.provideService(Loops, board),
    Effect.withClock(time.clock),
  )
  const fiber = Effect.runFork(life, { scheduler: time })
  time.settle()
  return {
    at,
    told,
    pass: (millis: number) => time.advance(millis),
    state: () => board.states()[0],
    end: () => {
      fiber.unsafeInterruptAsFork(fiber.id())
      time.settle()
      const rounds = at.length
      time.advance(60 * MINUTE)
      expect(at).toHaveLength(rounds)
      expect(board.states()).toEqual([])
    },
  }
}

const dies = Effect.die(new Error("boom"))
const isAway = Effect.fail(new Away({ message: "away" }))

describe("a loop", () => {
  it("goes round at its pace, is known by its name, and ends with its scope", () => {
    const { at, told, pass, state, end } = lived({ pause: 2 * SECOND })
    pass(5 * SECOND)
    expect(at).toEqual([0, 2_000, 4_000])
    expect(state()).toEqual({
      name: "work",
      rounds: 3,
      failures: 0,
      failed: 0,
      failingSince: null,
      sinceSuccessMillis: 1_000,
      lateSince: null,
    })
    expect(told).toEqual([])
    end()
  })

  it("is begun again after a defect, later each time up to its pause, and at its pace after a good round", () => {
    const { at, told, pass, state, end } = lived({ pause: 8 * SECOND }, (round) =>
      round % 6 === 0 ? Effect.void : dies,
    )
    pass(40 * SECOND)
    // 1, 2, 4, 8 and 8 s after rounds that failed; then its pause, and 1 s again.
    expect(at).toEqual([0, 1_000, 3_000, 7_000, 15_000, 23_000, 31_000, 32_000, 34_000, 38_000])
    expect(state()).toMatchObject({
      rounds: 1,
      failures: 9,
      failed: 4,
      failingSince: 31_000,
      sinceSuccessMillis: 17_000,
    })
    expect(told.slice(3, 7)).toEqual([
      "ERROR a loop failed (work, 4): Error: boom",
      "ERROR a loop failed (work, 5): Error: boom",
      "INFO a loop recovered (work, 5)",
      "ERROR a loop failed (work, 1): Error: boom",
    ])
    end()
  })

  it.each([
    { pause: 500, first: [500, 1_500, 3_500, 7_500, 12_500], what: "quick: soon" },
    { pause: 0, first: [100, 300, 700, 1_500, 3_100, 6_300, 11_300], what: "without a pause: it does not spin" },
    { pause: 60 * MINUTE, first: [1_000, 3_000, 7_000], what: "seldom: before its next hour" },
  ])("that is $what is tried again", ({ pause, first }) => {
    const { at, pass, end } = lived({ pause }, () => dies)
    pass(20 * SECOND)
    expect(at.slice(1, first.length + 1)).toEqual(first)
    end()
  })

  it("that is seldom is tried again every five minutes at least", () => {
    const { at, pass, end } = lived({ pause: 60 * MINUTE }, () => dies)
    pass(50 * MINUTE)
    expect(at.at(-1)! - at.at(-2)!).toBe(5 * MINUTE)
    end()
  })

  it("tells known trouble when it begins and when it is over, and counts it like a defect", () => {
    const { told, pass, state, end } = lived({ pause: SECOND }, (round) => (round > 3 ? Effect.void : isAway))
    pass(6_500)
    expect(state()).toMatchObject({ failures: 3, failed: 3, failingSince: 0, rounds: 0 })
    pass(2 * SECOND)
    expect(state()).toMatchObject({ failures: 3, failed: 0, failingSince: null })
    expect(told).toEqual([
      expect.stringMatching(/^WARN a loop failed \(work, 1\): /),
      "INFO a loop recovered (work, 3)",
    ])
    end()
  })

  it("tells known trouble again when it becomes another", () => {
    const { told, pass, end } = lived({ pause: SECOND }, (round) =>
      round <= 2 ? isAway : round <= 4 ? Effect.fail(new Away({ message: "the disk is full" })) : Effect.void,
    )
    pass(MINUTE)
    expect(told.map((line) => line.replace(/: .*/, ""))).toEqual([
      "WARN a loop failed (work, 1)",
      "WARN a loop failed (work, 3)",
      "INFO a loop recovered (work, 4)",
    ])
    expect(told[1]).toContain("the disk is full")
    end()
  })

  it("outlives a round whose own fiber was interrupted", () => {
    const { at, pass, state, end } = lived({ pause: SECOND }, (round) =>
      round > 1
        ? Effect.void
        : Effect.flatMap(Effect.fork(Effect.never), (it) => Fiber.interrupt(it).pipe(Effect.zipRight(Fiber.join(it)))),
    )
    pass(2_500)
    expect(at).toEqual([0, 1_000, 2_000])
    expect(state()).toMatchObject({ failures: 1, rounds: 2 })
    end()
  })

  it("that waits for work is not late meanwhile, and one that failed does not wait again", () => {
    const work = Effect.unsafeMakeLatch(false)
    const { at, pass, state, end } = lived({ awaits: work.await }, (round) => {
      if (round === 2) work.unsafeClose()
      return round === 1 ? dies : Effect.void
    })
    pass(30 * MINUTE)
    expect(state()).toMatchObject({ rounds: 0, lateSince: null })
    work.unsafeOpen()
    pass(0)
    work.unsafeClose()
    pass(30 * MINUTE)
    expect(at).toEqual([30 * MINUTE, 30 * MINUTE + SECOND])
    expect(state()).toMatchObject({ rounds: 1, failures: 1, lateSince: null })
    end()
  })

  it.each([
    { what: "two minutes at least", terms: { pause: SECOND }, lateMillis: 2 * MINUTE },
    { what: "three pauses", terms: { pause: 10 * MINUTE }, lateMillis: 30 * MINUTE },
    { what: "its own terms", terms: { pause: SECOND, lateAfter: "4 minutes" as const }, lateMillis: 4 * MINUTE },
    {
      what: "two minutes, waiting for work",
      terms: { awaits: Effect.sleep(MINUTE) },
      lateMillis: 2 * MINUTE,
      from: MINUTE,
    },
  ])("whose round does not end is late after $what", ({ terms, lateMillis, from = 0 }) => {
    const { pass, state, end } = lived(terms, () => Effect.never)
    pass(from + lateMillis)
    expect(state()).toMatchObject({ lateSince: null })
    pass(1)
    expect(state()).toMatchObject({ lateSince: from, rounds: 0, failures: 0 })
    end()
  })

  it("lives as long as its fiber, where no scope keeps it", () => {
    const time = new SimTime(0)
    const board = new LoopBoard()
    const life = keptLoop({ name: "work", pause: SECOND, round: dies }).pipe(
      Effect.provide(Logger.remove(Logger.defaultLogger)),
      Effect.provideService(Loops, board),
      Effect.withClock(time.clock),
    )
    const fiber = Effect.runFork(life, { scheduler: time })
    time.advance(3 * SECOND)
    expect(board.states()).toMatchObject([{ name: "work", failures: 3 }])
    fiber.unsafeInterruptAsFork(fiber.id())
    time.settle()
    expect(board.states()).toEqual([])
  })
})

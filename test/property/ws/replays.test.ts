/** What is read of a channel's storage for many at once: each has exactly what it asked for, or null where its own part could not be read. */
import fc from "fast-check"
import { expect, it } from "vitest"
import type { ChannelSource, StoredPublication } from "../../../src/ports/channel-port.ts"
import { defaultChannelKinds } from "../../../src/ws/channels/kinds.ts"
import { PATIENCE_MILLIS } from "../../../src/ws/fanout/recovery.ts"
import type { Replayed } from "../../../src/ws/fanout/replays.ts"
import { Stream } from "../../../src/ws/fanout/stream.ts"

const EPOCH = "e"
const rowOf = (offset: number) => ({ offset, json: `"${offset}"` })
const rowsOf = (after: number, upTo: number): ReadonlyArray<StoredPublication> =>
  Array.from({ length: upTo - after }, (_, n) => rowOf(after + 1 + n))

/** A channel that stands at `top`, of which nothing is remembered, and its storage, which has no part that is longer than `most`. */
const opened = (top: number, { most = Number.POSITIVE_INFINITY, historySize = 1_000 } = {}) => {
  const ends: Array<() => void> = []
  let reads = 0
  let now = 0
  const replay: NonNullable<ChannelSource["replay"]> = (_channel, after, upTo, done) => {
    reads++
    ends.push(() => done(upTo - after > most ? null : rowsOf(after, upTo)))
  }
  const stream = new Stream(
    {
      canonical: "c",
      settings: { ...defaultChannelKinds(0).tradingAccount, historySize },
      source: {
        opened: () => {},
        closed: () => {},
        position: () => ({ epoch: EPOCH, offset: top, snapshot: null }),
        replay,
      },
    },
    () => now,
  )
  stream.synchronise({ epoch: EPOCH, offset: top, snapshot: null })
  return {
    stream,
    read: (after: number, upTo: number, done: (rows: Replayed) => void) =>
      stream.replays.read(after, upTo, now + PATIENCE_MILLIS, done),
    reads: () => reads,
    pass: (millis: number) => {
      now += millis
    },
    /** The reading under way ends; false: there is none. */
    end: (): boolean => {
      const end = ends.shift()
      end?.()
      return end !== undefined
    },
    publish: () => stream.remember({ ...rowOf(stream.at.offset + 1), epoch: EPOCH }),
  }
}

const plain = (rows: ReadonlyArray<StoredPublication> | null | undefined) =>
  rows?.map(({ offset, json }) => ({ offset, json })) ?? rows

it("gives each what it asked for, in a few readings, whatever is published meanwhile", () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.nat({ max: 60 }).map((back) => ({ back })) },
      { weight: 3, arbitrary: fc.constant("publish" as const) },
      { weight: 2, arbitrary: fc.constant("end" as const) },
    ),
    { maxLength: 80 },
  )
  void fc.assert(
    fc.property(steps, fc.constantFrom(0, 5, 1_000), (all, historySize) => {
      const world = opened(100, { historySize })
      const { stream } = world
      const answers: Array<readonly [after: number, upTo: number, rows: unknown]> = []
      let asked = 0
      for (const step of all) {
        if (step === "publish") world.publish()
        else if (step === "end") world.end()
        else {
          const upTo = stream.at.offset
          const after = Math.max(0, upTo - step.back)
          asked++
          world.read(after, upTo, (rows) => answers.push([after, upTo, plain(rows)]))
        }
      }
      while (world.end());
      expect(answers.length).toBe(asked)
      for (const [after, upTo, rows] of answers) expect(rows).toEqual(plain(rowsOf(after, upTo)))
      expect(world.reads()).toBeLessThanOrEqual(asked)
    }),
  )
})

it("reads nothing again that it has read", () => {
  const world = opened(500)
  const answers: Array<number | undefined> = []
  const ask = (after: number): void => world.read(after, world.stream.at.offset, (rows) => answers.push(rows?.length))
  for (const after of [100, 300, 200, 100]) ask(after)
  world.publish()
  ask(400)
  while (world.end());
  expect([answers, world.reads()]).toEqual([[400, 200, 300, 400, 101], 1])
  for (const after of [100, 450]) ask(after)
  expect([answers.slice(5), world.reads()]).toEqual([[401, 51], 1])
})

it("does not refuse those who need little for one who needs more than can be read", () => {
  const world = opened(500, { most: 100 })
  const answers: Array<readonly [number, number | undefined]> = []
  for (const after of [450, 0, 200, 420]) world.read(after, 500, (rows) => answers.push([after, rows?.length]))
  while (world.end());
  expect(answers).toEqual([
    [450, 50],
    [0, undefined],
    [200, undefined],
    [420, 80],
  ])
})

it("begins no reading for those who have waited for longer than a client does", () => {
  const world = opened(500, { most: 100 })
  const answers: Array<number | undefined> = []
  for (const after of [0, 420]) world.read(after, 500, (rows) => answers.push(rows?.length))
  world.pass(4_000)
  while (world.end());
  expect([answers, world.reads()]).toEqual([[undefined, undefined], 1])
})

it("answers who has waited for a reading that failed, where another one would end later than a client waits", () => {
  const world = opened(500, { most: 0 })
  const answers: Array<readonly [number, unknown]> = []
  const ask = (after: number): void => world.read(after, 500, (rows) => answers.push([after, rows]))
  for (const after of [100, 420]) ask(after)
  world.pass(3_200)
  ask(440)
  world.pass(300)
  world.end()
  expect([answers, world.reads()]).toEqual([
    [
      [100, null],
      [420, null],
    ],
    2,
  ])
  world.end()
  expect([answers[2], world.reads()]).toEqual([[440, null], 2])
})

it("takes what it has read out of memory once, however many wait for it", () => {
  const world = opened(500)
  let taken = 0
  const since = world.stream.since.bind(world.stream)
  world.stream.since = (after) => {
    const found = since(after)
    taken += found?.length ?? 0
    return found
  }
  const answers: Array<number | undefined> = []
  for (let n = 0; n < 50; n++) world.read(100 + n, 500, (rows) => answers.push(rows?.length))
  for (let n = 0; n < 5; n++) world.publish()
  while (world.end());
  expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => 400 - n))
  expect([world.reads(), taken]).toEqual([1, 5])
})

it("has nothing of an epoch that is over", () => {
  const world = opened(500)
  const answers: Array<number | undefined> = []
  world.read(400, 500, (rows) => answers.push(rows?.length))
  world.stream.synchronise({ epoch: "another", offset: 500, snapshot: null })
  while (world.end());
  expect([answers, world.stream.since(450)]).toEqual([[undefined], undefined])
})

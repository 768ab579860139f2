/** Timers of many owners on one alarm: in order, called off one by one or with their owner, and as few alarms as will do. */
import { beforeEach, describe, expect, it } from "vitest"
import { TimerOwner, Timers } from "../../../src/kernel/host.ts"
import { SimTime } from "../../sim/time.ts"

let time: SimTime
let timers: Timers
let alarms: number
let heard: Array<string>
const owner = new TimerOwner()
const add = (name: string, millis: number, of = owner): (() => void) =>
  timers.add(of, millis, () => heard.push(`${name} at ${time.now}`))

beforeEach(() => {
  time = new SimTime(0)
  alarms = 0
  heard = []
  timers = new Timers(
    () => time.now,
    (millis, ring) => {
      alarms++
      time.schedule(ring, millis)
    },
  )
})

describe("timers", () => {
  it("ring when they are due, the first set first, and never within the call", () => {
    add("late", 500)
    add("early", 100)
    add("at once", 0)
    add("second", 100)
    expect(heard).toEqual([])
    time.advance(1_000)
    expect(heard).toEqual(["at once at 0", "early at 100", "second at 100", "late at 500"])
  })

  it("share an alarm", () => {
    for (let i = 0; i < 1_000; i++) add("one", 5_000)
    time.advance(10_000)
    expect([heard.length, alarms]).toEqual([1_000, 1])
  })

  it("that are called off do not ring, and call off no other", () => {
    const first = add("first", 100)
    const second = add("second", 200)
    add("third", 300)
    first()
    second()
    second()
    time.advance(1_000)
    expect(heard).toEqual(["third at 300"])
  })

  it("of an owner are called off together", () => {
    const other = new TimerOwner()
    for (const millis of [300, 100, 200]) {
      add("gone", millis)
      add("kept", millis, other)
    }
    timers.callOffAll(owner)
    time.advance(1_000)
    expect(heard).toEqual(["kept at 100", "kept at 200", "kept at 300"])
  })

  it("set from a timer ring in their time", () => {
    const again = (left: number): void => {
      heard.push(`${time.now}`)
      if (left > 0) timers.add(owner, 10, () => again(left - 1))
    }
    timers.add(owner, 10, () => again(2))
    time.advance(1_000)
    expect(heard).toEqual(["10", "20", "30"])
  })

  it("that are due before the alarm of another has rung have their own", () => {
    add("day", 86_400_000)
    for (let i = 0; i < 100; i++) {
      add("soon", 10)
      time.advance(10)
    }
    expect(heard).toHaveLength(100)
    time.advance(86_400_000)
    expect(heard.at(-1)).toBe("day at 86400000")
  })

  it("for longer than the machine's timers ring in their time", () => {
    add("month", 30 * 86_400_000)
    time.advance(29 * 86_400_000)
    expect(heard).toEqual([])
    time.advance(86_400_000)
    expect(heard).toHaveLength(1)
  })

  it("wait for their time where an alarm rings early", () => {
    let now = 0
    const rings: Array<() => void> = []
    const early = new Timers(
      () => now,
      (_millis, ring) => rings.push(ring),
    )
    early.add(owner, 10, () => heard.push("rung"))
    now = 9.5
    rings.shift()?.()
    expect(heard).toEqual([])
    now = 10
    rings.shift()?.()
    expect(heard).toEqual(["rung"])
  })
})

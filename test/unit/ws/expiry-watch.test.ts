/** When a connection is looked at because something of it expires. */
import { describe, expect, it } from "vitest"
import { ExpiryWatch, EXPIRY_GRACE_SECONDS as GRACE } from "../../../src/ws/connection/heartbeat.ts"

const watching = (now: number) => {
  const clock = { now }
  const planned: Array<number> = []
  const watch = new ExpiryWatch(
    (seconds) => planned.push(clock.now + seconds),
    () => clock.now,
  )
  return { clock, planned, watch }
}

describe("the watch over what expires", () => {
  it("plans one look, however often the end moves on", () => {
    const { planned, watch } = watching(1000)
    for (let n = 0; n < 10_000; n++) watch.watch(1100 + n)
    expect(planned).toEqual([1100 + GRACE])
  })

  it("plans another for an end that comes sooner", () => {
    const { planned, watch } = watching(1000)
    watch.watch(1100)
    watch.watch(1050)
    expect(planned).toEqual([1100 + GRACE, 1050 + GRACE])
  })

  it("goes on watching what is not over, also when the look came a little early", () => {
    const { clock, planned, watch } = watching(1000)
    watch.watch(1100)
    clock.now = 1100 + GRACE - 0.9
    expect(watch.begins()).toBe(true)
    expect(watch.isOver(1100)).toBe(false)
    watch.watch(1100)
    expect(planned).toHaveLength(2)
    clock.now = 1100 + GRACE
    expect(watch.begins()).toBe(true)
    expect(watch.isOver(1100)).toBe(true)
  })

  it("lets a look pass that another has made needless", () => {
    const { clock, planned, watch } = watching(1000)
    watch.watch(1100)
    watch.watch(1050)
    clock.now = 1050 + GRACE
    expect(watch.begins()).toBe(true)
    watch.watch(2000)
    clock.now = 1100 + GRACE
    expect(watch.begins()).toBe(false)
    expect(planned).toHaveLength(3)
  })
})

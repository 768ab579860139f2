/** A thousand commands at once leave the loop its turns: for heartbeats, answers and market data. */
import { describe, expect, it, onTestFinished } from "vitest"
import { Slices } from "../../../../src/venues/worker/slices.ts"

/** Each command costs `millis` in `hops` microtasks, as one that is signed does, and the clock is moved by nothing else. */
const rig = (millis: number, hops = 4) => {
  let now = 0
  let turns = 0
  const played: Array<readonly [command: number, turn: number]> = []
  const commands = new Slices<number>(
    async (command) => {
      played.push([command, turns])
      for (let hop = 0; hop < hops; hop++) {
        await null
        now += millis / hops
      }
    },
    () => now,
  )
  // Before the first command, so that it counts a turn before that turn's slice.
  const count = (): void => {
    turns++
    counting = setImmediate(count)
  }
  let counting = setImmediate(count)
  onTestFinished(() => clearImmediate(counting))
  return { commands, played }
}

describe("commands that come at once", () => {
  it("are played in their order, and no turn of the loop takes more of them than its slice", async () => {
    const { commands, played } = rig(5)
    for (let n = 0; n < 100; n++) {
      commands.take(n)
      // As between two messages of a port.
      for (let hop = 0; hop < 8; hop++) await null
    }
    await commands.empty()
    expect(played.map(([command]) => command)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    const perTurn = new Map<number, number>()
    for (const [, at] of played) perTurn.set(at, (perTurn.get(at) ?? 0) + 1)
    // 20 ms of 5 ms each.
    expect(Math.max(...perTurn.values())).toBe(4)
  })

  it("wait for nothing where they are alone, and none overtakes one that waits", async () => {
    const { commands, played } = rig(50)
    commands.take(1)
    expect(played).toEqual([[1, 0]])
    for (let hop = 0; hop < 8; hop++) await null
    commands.take(2)
    commands.take(3)
    expect(played).toHaveLength(1)
    await new Promise((resolve) => setImmediate(resolve))
    commands.take(4)
    await commands.empty()
    expect(played.map(([command]) => command)).toEqual([1, 2, 3, 4])
    // The turn that played the last one is over; a timer would fire before that where the machine is slow.
    for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
    commands.take(5)
    expect(played).toHaveLength(5)
  })
})

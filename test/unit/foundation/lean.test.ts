/** Maps and sets whose entries come and go do what a Map and a Set do, and keep nothing of what has left. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { LeanMap, LeanSet } from "../../../src/foundation/lean.ts"

type Step = readonly ["set" | "delete" | "clear", number]
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.tuple(fc.constantFrom("set" as const, "delete" as const, "clear" as const), fc.nat(3)),
)

describe("a map and a set whose entries come and go", () => {
  it("say what a Map and a Set say", () => {
    void fc.assert(
      fc.property(steps, (taken) => {
        const [map, set] = [new LeanMap<number, number>(), new LeanSet<number>()]
        const [modelMap, modelSet] = [new Map<number, number>(), new Set<number>()]
        for (const [index, [what, key]] of taken.entries()) {
          if (what === "set") {
            map.set(key, index)
            modelMap.set(key, index)
            set.add(key)
            modelSet.add(key)
          } else if (what === "delete") {
            expect(map.delete(key)).toBe(modelMap.delete(key))
            expect(set.delete(key)).toBe(modelSet.delete(key))
          } else for (const each of [map, set, modelMap, modelSet]) each.clear()
          expect([...map]).toEqual([...modelMap])
          expect([...map.keys(), ...map.values()]).toEqual([...modelMap.keys(), ...modelMap.values()])
          expect([...set]).toEqual([...modelSet])
          expect([map.size, set.size]).toEqual([modelMap.size, modelSet.size])
          for (const each of [0, 1, 2, 3]) {
            expect([map.has(each), map.get(each)]).toEqual([modelMap.has(each), modelMap.get(each)])
            expect(set.has(each)).toBe(modelSet.has(each))
          }
        }
      }),
    )
  })

  it("may be emptied within a loop over them", () => {
    const set = new LeanSet<number>().add(1).add(2).add(3)
    for (const each of set) set.delete(each)
    expect([...set]).toEqual([])
  })
})

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** What V8 holds until its next full collection. */
const oldBytes = (): number =>
  getHeapSpaceStatistics().reduce(
    (sum, { space_name: name, space_used_size: bytes }) => (name === "old_space" ? sum + bytes : sum),
    0,
  )

const ENTRIES = 20_000
const IN_FLIGHT = 3

/** By how much that grows while entries of 2 kB come and go, few at a time. */
const growthWith = (enter: (id: number, entry: unknown) => void, leave: (id: number) => void): number => {
  const pass = (from: number): void => {
    for (let id = from; id < from + ENTRIES; id++) {
      enter(id, new Array(250).fill(id))
      leave(id - IN_FLIGHT)
    }
  }
  pass(0)
  // What is there now is old.
  collect()
  const before = oldBytes()
  pass(ENTRIES)
  return oldBytes() - before
}

describe("what has left", () => {
  // With a Map and a Set, 15 of the 40 MB that come and go are.
  it("is not kept by a map", () => {
    const map = new LeanMap<number, unknown>()
    const bytes = growthWith(
      (id, entry) => map.set(id, entry),
      (id) => map.delete(id),
    )
    expect(bytes).toBeLessThan(500_000)
  })

  it("is not kept by a set", () => {
    const set = new LeanSet<unknown>()
    const waiting: Array<unknown> = []
    const bytes = growthWith(
      (_, entry) => {
        set.add(entry)
        waiting.push(entry)
      },
      () => set.delete(waiting.length > IN_FLIGHT ? waiting.shift() : undefined),
    )
    expect(bytes).toBeLessThan(500_000)
  })
})

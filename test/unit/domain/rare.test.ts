/** Maps and sets that are nearly always empty do what a Map and a Set do. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { RareMap, RareSet } from "../../../src/domain/rare.ts"

type Step = readonly ["set" | "delete" | "clear", number]
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.tuple(fc.constantFrom("set" as const, "delete" as const, "clear" as const), fc.nat(3)),
)

describe("a map and a set that are nearly always empty", () => {
  it("say what a Map and a Set say", () => {
    void fc.assert(
      fc.property(steps, (taken) => {
        const [map, set] = [new RareMap<number, number>(), new RareSet<number>()]
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
    const set = new RareSet<number>().add(1).add(2).add(3)
    for (const each of set) set.delete(each)
    expect([...set]).toEqual([])
  })
})

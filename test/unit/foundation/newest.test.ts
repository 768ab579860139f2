/** What was added last, and no more of it than so much. */
import { describe, expect, it } from "vitest"
import { NewestByName } from "../../../src/foundation/newest.ts"

describe("values by name", () => {
  it("go in the order in which they were last set, a changed one as a new one", () => {
    const newest = new NewestByName<number>(2)
    newest.set("a", 1)
    newest.set("b", 2)
    newest.set("a", 3)
    newest.set("c", 4)
    expect(["a", "b", "c"].map((name) => newest.get(name))).toEqual([3, undefined, 4])
  })

  it("make room where one is taken away", () => {
    const newest = new NewestByName<number>(1)
    newest.set("a", 1)
    newest.delete("a")
    newest.set("b", 2)
    expect(["a", "b"].map((name) => newest.get(name))).toEqual([undefined, 2])
  })
})

/** Effect keeps its running fibers in a lean set, whatever its version; and names them as ever. */
import { Effect, Fiber } from "effect"
import { globalValue } from "effect/GlobalValue"
import { expect, it } from "vitest"
import "../../../src/foundation/fibers.ts"
import { LeanSet } from "../../../src/foundation/lean.ts"

it("are in a lean set for as long as they run", async () => {
  const { roots } = globalValue<{ readonly roots: unknown }>(Symbol.for("effect/FiberScope/Global"), () => {
    throw new Error("Effect keeps its fibers elsewhere: src/foundation/fibers.ts does nothing")
  })
  expect(roots).toBeInstanceOf(LeanSet)
  const before = (roots as LeanSet<unknown>).size
  const fiber = Effect.runFork(Effect.never)
  expect((roots as LeanSet<unknown>).size).toBe(before + 1)
  expect(await Effect.runPromise(Fiber.roots)).toContain(fiber)
  await Effect.runPromise(Fiber.interrupt(fiber))
  expect((roots as LeanSet<unknown>).has(fiber)).toBe(false)
})

/**
 * Effect (3.22) keeps the fibers that no other fiber owns in a `Set`: one for each request whose handler is an Effect. V8 keeps what has left such a
 * set (`lean.ts`): of 20,000 fibers that came and went with 2 kB each, few at a time, all 48 MB stayed until the next full collection, and each collection in
 * between took 10 ms. Here that set is a lean one, and 6 MB stay.
 */
import type { Fiber } from "effect"
// Effect's own module of fibers is loaded before what it has made is asked for.
import "effect/Fiber"
import { globalValue } from "effect/GlobalValue"
import { LeanSet } from "./lean.ts"

/** Not of Effect's public interface: a version that keeps them in another way ends the start here, and the tests. */
const scope = globalValue<{ roots: Iterable<Fiber.RuntimeFiber<unknown, unknown>> }>(
  Symbol.for("effect/FiberScope/Global"),
  () => {
    throw new Error("Effect has no set of fibers by the name that src/foundation/fibers.ts knows")
  },
)

const roots = new LeanSet<Fiber.RuntimeFiber<unknown, unknown>>()
for (const fiber of scope.roots) roots.add(fiber)
scope.roots = roots

/**
 * The entry. The one thing to know: signals other than termination are handled from here on, before the 1,500 modules of the program are loaded,
 * which takes a second or more; without a handler the process would end. The first 30 ms, before Node runs its first module, cannot be covered.
 */
import "./foundation/runtime.ts"
import "./foundation/early-signals.ts"

await import("./process.ts")

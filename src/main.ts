/**
 * The entry. The one thing to know: signals that are not meant as an end are heard from here on, before the 1,500 modules of the program are
 * read, which takes a second or more; the process would die of them. What Node does before its first module, some 30 ms, nothing can hear.
 */
import "./foundation/runtime.ts"
import "./foundation/early-signals.ts"

await import("./process.ts")

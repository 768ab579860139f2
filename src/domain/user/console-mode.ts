/** Whether there is a console, and whether what is signed in there may change anything: `read` refuses every change, whatever its user may do elsewhere. */
import { Schema } from "effect"

export const ConsoleMode = Schema.Literal("off", "read", "on")
export type ConsoleMode = typeof ConsoleMode.Type

/** Whether there is a console, and whether its sessions may change anything: `read` refuses every change, whatever the user's permissions. */
import { Schema } from "effect"

export const ConsoleMode = Schema.Literal("off", "read", "on")
export type ConsoleMode = typeof ConsoleMode.Type

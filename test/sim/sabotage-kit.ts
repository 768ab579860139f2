/** How a broken gateway is looked for in the worlds of orders. */
import { seenBy } from "./checks/seen-by.ts"
import { type SimulateOptions, simulate } from "./simulation.ts"

export const expectSeen = seenBy<SimulateOptions>(simulate, { full: 240, near: 60 })

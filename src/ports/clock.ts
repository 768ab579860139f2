/** Time as plain functions: handlers are synchronous and cannot yield an Effect. Simulation drives it by TestClock. */
import { Context } from "effect"

export class Clock extends Context.Tag("ports/Clock")<
  Clock,
  {
    /** Wall time, ms since the Unix epoch. */
    readonly now: () => number
    /** Never goes back; ms from an arbitrary start. For durations and deadlines. */
    readonly monotonic: () => number
  }
>() {}

/**
 * Upkeep of the journal beside the running process: partitions of days to come and of days that go. The one thing to know: neither a start
 * nor a commit waits for it. What could not be done is said once, and tried again until it is.
 */
import { Cause, Duration, Effect, Exit } from "effect"
import { recurring } from "../kernel/recurring.ts"
import { maintainPartitions, makeDaysAhead, type Upkeep } from "../store/partitions.ts"
import type { GatewayOptions } from "./options.ts"

const PERIOD = Duration.hours(1)
const RETRY_FIRST = Duration.seconds(1)
const RETRY_LAST = Duration.minutes(5)
/** At start, for the first events of a new day: more than enough where no lock is held. */
const START_PATIENCE = Duration.seconds(1)

const leftOf = ({ postponed }: Pick<Upkeep, "postponed">): string | undefined =>
  postponed.length === 0 ? undefined : `not locked in time: ${postponed.join(", ")}`

/** Returns soon; the upkeep goes on in the scope. `now`: wall ms. */
export const keepJournal = ({ notice }: Pick<GatewayOptions, "notice">, now: () => number) =>
  Effect.gen(function* () {
    yield* Effect.suspend(() => makeDaysAhead(now())).pipe(Effect.timeoutOption(START_PATIENCE), Effect.ignore)
    let since: number | undefined
    let pause = RETRY_FIRST
    const run = Effect.suspend(() => maintainPartitions(now())).pipe(
      Effect.exit,
      Effect.map((exit) => {
        const reason = Exit.isSuccess(exit) ? leftOf(exit.value) : Cause.pretty(exit.cause).split("\n")[0]
        if (reason === undefined) {
          if (since !== undefined) notice("the upkeep of the journal is done", { millis: now() - since }, "info")
          since = undefined
          pause = RETRY_FIRST
          return PERIOD
        }
        if (since === undefined) notice("the upkeep of the journal is tried again until it is done", { reason })
        since ??= now()
        const due = pause
        pause = Duration.min(Duration.times(pause, 2), RETRY_LAST)
        return due
      }),
      Effect.flatMap(Effect.sleep),
    )
    // The pause is part of the round: it depends on what became of it.
    yield* Effect.forkScoped(recurring("the upkeep of the journal failed", Duration.zero, run))
  })

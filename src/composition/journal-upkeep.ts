/**
 * Upkeep of the journal beside the running process: partitions of days to come and of days that go. The one thing to know: neither a start
 * nor a commit waits for it. What could not be done is tried again until it is.
 */
import { Data, Duration, Effect } from "effect"
import { keepLoop } from "../kernel/loop.ts"
import { EVENT_DAYS_KEPT, maintainPartitions, makeDaysAhead, noteDaysKept } from "../store/orders/partitions.ts"

const PERIOD = Duration.hours(1)
/** At start, for the first events of a new day: more than enough where no lock is held. */
const START_PATIENCE = Duration.seconds(1)

class Postponed extends Data.TaggedError("Postponed")<{ readonly message: string }> {}

/** Returns soon; the upkeep goes on in the scope. `now`: wall ms. `daysKept`: of events. */
export const keepJournal = (now: () => number, daysKept = EVENT_DAYS_KEPT) =>
  Effect.gen(function* () {
    const noted = noteDaysKept(daysKept)
    yield* Effect.suspend(() => Effect.zipRight(noted, makeDaysAhead(now()))).pipe(
      Effect.timeoutOption(START_PATIENCE),
      Effect.ignore,
    )
    const round = Effect.flatMap(
      Effect.suspend(() => Effect.zipRight(noted, maintainPartitions(now(), daysKept))),
      ({ postponed }) =>
        postponed.length === 0
          ? Effect.void
          : new Postponed({ message: `not locked in time: ${postponed.join(", ")}` }),
    )
    yield* keepLoop({ name: "upkeep of the journal", pause: PERIOD, round })
  })

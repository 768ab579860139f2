/** Work beside the actors that goes round for as long as its scope. No actor begins it again, so a defect ends one round, not the work. */
import { Cause, Duration, Effect } from "effect"

/** Where a round sets its own pace: one that fails at once must not spin. */
const AFTER_DEFECT = Duration.seconds(10)

/**
 * `round` again and again, `pause` between the end of one and the next; zero where the round itself waits for its work. A defect is
 * logged as `failed`, and the next round comes after the same pause, ten seconds where there is none.
 */
export const recurring = <R>(
  failed: string,
  pause: Duration.DurationInput,
  round: Effect.Effect<unknown, never, R>,
): Effect.Effect<never, never, R> => {
  const between = Duration.decode(pause)
  const afterDefect = Duration.equals(between, Duration.zero) ? AFTER_DEFECT : between
  return round.pipe(
    Effect.as(between),
    // tidy: the one place where a loop outlives a defect; it is told each time
    Effect.catchAllDefect((defect) => Effect.as(Effect.logError(failed, Cause.die(defect)), afterDefect)),
    Effect.flatMap(Effect.sleep),
    Effect.forever,
  )
}

/** What operators see of actors of one kind: letters that wait for long mean that something does not get on. */
import type { Reading } from "../ports/meters.ts"
import { reading } from "./exposition.ts"

export interface ActorFigures {
  readonly restarts: number
  readonly parked: number
  readonly waiting: number
  readonly oldestMillis: number
}

export const actorReadings = (
  type: "account" | "dealer",
  { restarts, parked, waiting, oldestMillis }: ActorFigures,
): ReadonlyArray<Reading> => {
  const of = (value: number) => [{ labels: { type }, value }]
  return [
    reading("actor_restarts_total", of(restarts)),
    reading("actors_parked", of(parked)),
    reading("actor_mailbox_depth", of(waiting)),
    reading("actor_oldest_message_seconds", of(oldestMillis / 1000)),
  ]
}

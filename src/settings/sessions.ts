/** Settings of sessions and of users who never proved their address: how long each lasts. */
import { type Environment, integer } from "./environment.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

export interface SessionTerms {
  /** A session that was not refreshed for so long is over, in ms. */
  readonly idleMillis: number
  /** A session is over so long after its login whatever happens, in ms. */
  readonly maxMillis: number
}

export const sessionTerms = (env: Environment): SessionTerms => ({
  idleMillis: integer(env, "SESSION_IDLE_HOURS", 168, 1, 8_760) * HOUR,
  maxMillis: integer(env, "SESSION_MAX_HOURS", 720, 1, 87_600) * HOUR,
})

/** Users whose address was never proven are removed after so long, in ms; null: they stay. */
export const unconfirmedMillis = (env: Environment): number | null => {
  const days = integer(env, "UNCONFIRMED_DAYS", 7, 0, 3_650)
  return days === 0 ? null : days * DAY
}

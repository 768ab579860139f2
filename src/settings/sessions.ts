/** Settings of sessions and of users who never proved their address: how long each lasts. */
import type { ConsoleMode } from "../domain/user/console-mode.ts"
import { choice, type Environment, integer } from "./environment.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

export interface SessionTerms {
  /** A session that was not refreshed for so long is over, in ms. */
  readonly idleMillis: number
  /** A session is over so long after its login whatever happens, in ms. */
  readonly maxMillis: number
  /** Dangerous acts need a proof of who asks that is no older, in ms. */
  readonly freshMillis: number
  readonly admins: {
    /** The right counts only in a session with the second factor. */
    readonly needsSecondFactor: boolean
    /** A session that nothing was asked in for so long is over, in ms; null: as any other. */
    readonly idleMillis: number | null
  }
  /** Of sessions that the console holds. */
  readonly console: ConsoleMode
}

export const sessionTerms = (env: Environment): SessionTerms => {
  const maxHours = integer(env, "SESSION_MAX_HOURS", 720, 1, 87_600)
  return {
    // An installation that only shortens the longest life means both.
    idleMillis: integer(env, "SESSION_IDLE_HOURS", Math.min(168, maxHours), 1, 8_760) * HOUR,
    maxMillis: maxHours * HOUR,
    freshMillis: integer(env, "FRESH_SECONDS", 300, 1, 86_400) * 1000,
    admins: {
      needsSecondFactor: choice(env, "ADMIN_SECOND_FACTOR", ["optional", "required"], "optional") === "required",
      idleMillis: integer(env, "ADMIN_IDLE_MINUTES", 30, 0, 10_080) * 60_000 || null,
    },
    console: choice(env, "CONSOLE", ["off", "read", "on"], "on"),
  }
}

/** Users whose address was never proven are removed after so long, in ms; null: they stay. */
export const unconfirmedMillis = (env: Environment): number | null => {
  const days = integer(env, "UNCONFIRMED_DAYS", 7, 0, 3_650)
  return days === 0 ? null : days * DAY
}

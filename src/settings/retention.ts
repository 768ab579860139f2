/** Settings of what is kept for how long: the journal of events, ended orders, quotes, answers, and the files of the logs. */
import { type Environment, integer } from "./environment.ts"

export interface RetentionSettings {
  /** Whole UTC days of account events that are kept besides the present one. */
  readonly eventDays: number
  /** Orders that ended so many days ago are moved to the archive; null: by an operator's command only. */
  readonly orderDays: number | null
  /** Quotes that were not executed are deleted so many days after their end. */
  readonly quoteDays: number
  /** For so many days an Idempotency-Key is answered with the first answer. */
  readonly answerDays: number
  /** A log is turned over when its file has so many bytes. */
  readonly logBytes: number
  /** Files of one log, the current one included. */
  readonly logFiles: number
}

const MEBIBYTE = 1_048_576

export const retention = (env: Environment): RetentionSettings => ({
  eventDays: integer(env, "EVENTS_KEPT_DAYS", 2, 2, 365),
  orderDays: integer(env, "ORDERS_KEPT_DAYS", 0, 0, 36_500) || null,
  quoteDays: integer(env, "QUOTES_KEPT_DAYS", 7, 7, 36_500),
  answerDays: integer(env, "ANSWERS_KEPT_DAYS", 7, 7, 365),
  logBytes: integer(env, "LOG_FILE_MB", 64, 1, 4096) * MEBIBYTE,
  logFiles: integer(env, "LOG_FILES", 5, 2, 1000),
})

/**
 * What the process gives every part of the composition root, mainly its log: NDJSON on stderr, including what Effect logs. The level is
 * LOG_LEVEL's, and at run time SIGUSR2 switches it to debug and back: that works in every container and while the database is unavailable, when
 * details are needed.
 */
import { Cause, type LogLevel as EffectLevel, HashMap, Logger } from "effect"
import type { Settings } from "../config.ts"
import { followSignal } from "../foundation/early-signals.ts"
import { type LogFields, type LogLevel, LogThreshold, type Notice, processLine } from "../foundation/log-line.ts"

interface ProcessLog {
  readonly threshold: LogThreshold
  readonly write: (level: LogLevel, msg: string, fields?: LogFields) => void
  /** A word for the operator. */
  readonly notice: Notice
  /** For level debug only: nothing is built at other levels. */
  readonly debug: (msg: string, fields: () => LogFields) => void
  /** Hears of every line that is written; for counting and sending. */
  readonly listen: (listener: (level: LogLevel, line: string) => void) => void
}

export const openProcessLog = (
  level: LogLevel,
  out: (line: string) => void = (line) => void process.stderr.write(`${line}\n`),
): ProcessLog => {
  const threshold = new LogThreshold(level)
  const listeners: Array<(level: LogLevel, line: string) => void> = []
  const write = (level: LogLevel, msg: string, fields: LogFields = {}): void => {
    if (!threshold.isOn(level)) return
    const line = processLine(Date.now(), level, msg, fields)
    out(line)
    for (const listener of listeners) listener(level, line)
  }
  return {
    threshold,
    write,
    notice: (what, fields, level = "warn") => write(level, what, fields),
    debug: (msg, fields) => {
      if (threshold.isOn("debug")) write("debug", msg, fields())
    },
    listen: (listener) => void listeners.push(listener),
  }
}

const levelOf = ({ _tag }: EffectLevel.LogLevel): LogLevel =>
  _tag === "Fatal" || _tag === "Error" ? "error" : _tag === "Warning" ? "warn" : _tag === "Info" ? "info" : "debug"

const words = (message: unknown): string =>
  (Array.isArray(message) ? message : [message])
    .map((one) => (one instanceof Error ? one.message : typeof one === "string" ? one : JSON.stringify(one)))
    .join(" ")

/** What Effect logs, in our words. Its own threshold must be off: ours decides. */
export const effectLogger = (log: ProcessLog): Logger.Logger<unknown, void> =>
  Logger.make(({ logLevel, message, cause, annotations }) => {
    const fields = Object.fromEntries(HashMap.toEntries(annotations))
    log.write(
      levelOf(logLevel),
      words(message),
      Cause.isEmpty(cause) ? fields : { ...fields, error: Cause.pretty(cause, { renderErrorCause: true }) },
    )
  })

/** SIGUSR2: to debug, and back to what was set. */
export const followLevelSignal = (log: ProcessLog): void => {
  const set = log.threshold.level
  followSignal("SIGUSR2", () => {
    const level = log.threshold.level === "debug" ? (set === "debug" ? "info" : set) : "debug"
    log.threshold.level = "debug"
    log.write("info", "the log level was changed", { to: level })
    log.threshold.level = level
  })
}

export interface GatewayOptions {
  readonly settings: Settings
  readonly log: ProcessLog
  /** A word for the operator, on stderr. */
  readonly notice: Notice
  /** A line for the supervisor, on stdout: its word, and what it says as JSON. */
  readonly told: (word: string, facts: object) => void
  /** The process owns nothing any more, or lost its database for good: it must end at once. */
  readonly fatal: (reason: string) => void
}

/** A defect in words for `notice`, its stack where it has one. */
export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

/**
 * How every line of every log is written: one JSON object, one schema (docs/operations/logs.md). The one thing to know: nothing that a client
 * sends can start a second line, colour a terminal or pose as another field, and no secret is written in clear.
 */
import { dateTime } from "./time.ts"

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LogFields = Readonly<Record<string, unknown>>

/** A word for the operator. Its level is `warn` unless told: `error` is a defect or something that must not be, `info` the course of a life. */
export type Notice = (what: string, fields?: LogFields, level?: LogLevel) => void

/** What JSON leaves as it is although terminals and readers of lines obey it: DEL, C1, line separators, changes of direction. */
const OBEYED = /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g
/** Anything that is neither plain ASCII text nor needs an escape. */
const UNPLAIN = /[^\x20\x21\x23-\x5b\x5d-\x7e]/

const escaped = (found: string): string => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`

/** A text of any origin as a JSON string: safe in a file of lines and on a terminal. */
export const logText = (text: string): string =>
  UNPLAIN.test(text) || text.includes('"') || text.includes("\\")
    ? JSON.stringify(text).replace(OBEYED, escaped)
    : `"${text}"`

const SECRET_NAMES = /pass(word|phrase)|secret|token|api.?key|private.?key|authorization|cookie|signature|credential/i
const SECRETS: ReadonlyArray<readonly [RegExp, string]> = [
  // user:password@ of a URL
  [/(:\/\/[^\s/:@]*):[^\s/@]+@/g, "$1:***@"],
  [
    /\b(signature|api_?key|access_?token|refresh_?token|token|secret|password|passphrase)(["']?\s*[=:]\s*["']?)[^\s&"',;}]+/gi,
    "$1$2***",
  ],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]+/g, "$1 ***"],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, "***"],
]

/** Of letters that a JSON web token is made of; shorter ones are none. */
const TOKEN_LETTERS = /[\w.-]{16,}/g

/** From where a token begins, wherever that is: its header is JSON in base64url, and two parts follow it. */
const withoutToken = (letters: string): string => {
  const at = letters.indexOf("eyJ")
  if (at < 0) return letters
  return letters.slice(at).split(".").length > 2 ? `${letters.slice(0, at)}***` : letters
}

/** Words of drivers, venues and stacks without what opens anything. Each step takes time in proportion to the text (scoreboard B11). */
export const withoutSecrets = (text: string): string =>
  SECRETS.reduce((cleaned, [pattern, instead]) => cleaned.replace(pattern, instead), text).replace(
    TOKEN_LETTERS,
    withoutToken,
  )

const TEXT_MAX = 4_000
const DEPTH_MAX = 4

const plain = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return withoutSecrets(value.slice(0, TEXT_MAX))
  if (value === null || typeof value === "number" || typeof value === "boolean") return value
  if (typeof value === "bigint") return value.toString()
  if (value instanceof Error) return withoutSecrets(`${value.name}: ${value.message}`.slice(0, TEXT_MAX))
  if (typeof value !== "object" || depth >= DEPTH_MAX) return undefined
  if (Array.isArray(value)) return value.slice(0, 100).map((one) => plain(one, depth + 1) ?? null)
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 100)
      .map(([name, one]) => [name, SECRET_NAMES.test(name) ? "***" : plain(one, depth + 1)]),
  )
}

/** A line of the process's own, whose fields come from anywhere. */
export const processLine = (at: number, level: LogLevel, msg: string, fields: LogFields): string => {
  const cleaned = plain(fields) as LogFields
  return JSON.stringify({
    ts: dateTime(at),
    level,
    msg: withoutSecrets(msg.slice(0, TEXT_MAX)),
    ...Object.fromEntries(
      Object.entries(cleaned).filter(([name]) => name !== "ts" && name !== "level" && name !== "msg"),
    ),
  }).replace(OBEYED, escaped)
}

/** A line of a fixed shape, whose fields are ours or checked; null and undefined are left out. */
export const eventLine = (at: number, level: LogLevel, msg: string, fields: LogFields): string => {
  let line = `{"ts":"${dateTime(at)}","level":"${level}","msg":${logText(msg)}`
  for (const name in fields) {
    const value = fields[name]
    if (typeof value === "string") line += `,"${name}":${logText(value)}`
    else if (typeof value === "number" || typeof value === "boolean") line += `,"${name}":${value}`
  }
  return `${line}}`
}

/** The least level that is written; may be changed while the process runs. */
export class LogThreshold {
  private least: number
  constructor(level: LogLevel) {
    this.least = LOG_LEVELS.indexOf(level)
  }

  get level(): LogLevel {
    return LOG_LEVELS[this.least]!
  }

  set level(level: LogLevel) {
    this.least = LOG_LEVELS.indexOf(level)
  }

  isOn(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= this.least
  }
}

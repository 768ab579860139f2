/**
 * Settings of users: how long sessions and unverified addresses last, the mail that verifies them, and RATE_LIMITS, every number of contract C15
 * that an installation can change.
 */
import type { ConsoleMode } from "../domain/user/console-mode.ts"
import { RATE_LIMITS, type RateLimits } from "../domain/user/rate-limits.ts"
import { isLoopback } from "../foundation/network.ts"
import type { Rate } from "../foundation/token-bucket.ts"
import { choice, type Environment, InvalidSetting, integer, object, text } from "./environment.ts"

// Settings of sessions and of users who never proved their address: how long each lasts.

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

// Settings of mail: the server that carries it, whom it comes from, the page that its links lead to.

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, which must succeed unless the server is on this machine. */
  readonly secure: boolean
  readonly user: string | null
  readonly password: string | null
}

/** No error repeats the URL: it may have a password in it. */
export const smtpServer = (env: Environment): SmtpServer | null => {
  const given = text(env, "SMTP_URL")
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (
    url === undefined ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === "" ||
    !/^\/?$/.test(url.pathname) ||
    url.search !== ""
  )
    throw new InvalidSetting("SMTP_URL must be like smtp://user:password@mail.example.com:587 (smtp, smtps)")
  const secure = url.protocol === "smtps:"
  const part = (text: string): string | null => {
    try {
      return text === "" ? null : decodeURIComponent(text)
    } catch {
      throw new InvalidSetting("SMTP_URL: a % in its user or password must be written %25")
    }
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    user: part(url.username),
    password: part(url.password),
  }
}

export const mailFrom = (env: Environment): string => {
  const given = text(env, "MAIL_FROM") ?? "Venue gateway <no-reply@localhost>"
  if (!/^([^<>"\r\n]{0,100}<[^<>\s@"]+@[A-Za-z0-9.-]+>|[^<>\s@"]+@[A-Za-z0-9.-]+)$/.test(given))
    throw new InvalidSetting('MAIL_FROM must be an address, or like "Gateway <no-reply@example.com>"')
  return given
}

export const appUrl = (env: Environment): string | null => {
  const given = text(env, "APP_URL")
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hash !== "")
    throw new InvalidSetting("APP_URL must be a page's URL without a #, for example https://app.example.com/confirm")
  return given
}

/** A rate may be written by whichever of these reads best. */
const UNITS = { perSecond: 1, perMinute: 60, perHour: 3_600 } as const

const isAbove0 = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value > 0

const rateOf = (name: string, given: unknown): Rate => {
  const fields = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {}
  const units = Object.keys(UNITS).filter((unit) => fields[unit] !== undefined) as Array<keyof typeof UNITS>
  const [unit] = units
  const count = unit === undefined ? undefined : fields[unit]
  const { burst } = fields
  const isOdd = Object.keys(fields).length !== 2 || units.length !== 1
  if (isOdd || unit === undefined || !isAbove0(count) || !isAbove0(burst) || !Number.isInteger(burst))
    throw new InvalidSetting(
      `RATE_LIMITS: "${name}" must be like {"perSecond":50,"burst":100} (or perMinute, perHour), both above 0`,
    )
  return { perSecond: count / UNITS[unit], burst }
}

const countOf = (name: string, given: unknown): number => {
  if (!isAbove0(given) || !Number.isInteger(given))
    throw new InvalidSetting(`RATE_LIMITS: "${name}" must be an integer above 0`)
  return given
}

/** The second is never less than the first, unless it is set itself: an installation that raised the one before there was the other meant both. */
const SHARES = [
  ["orderSubmit", "orderSubmitUser"],
  ["orderSubmitUser", "orderCalls"],
  ["orderCancel", "cancelCalls"],
  ["quoteRequest", "quoteRequestUser"],
  ["signup", "signupLocal"],
] as const

/** `off`, or a JSON object of the limits that differ from the defaults. */
export const rateLimits = (env: Environment, host: string, production: boolean): RateLimits | null => {
  if (text(env, "RATE_LIMITS") === "off") {
    // A proxy in front makes loopback the whole world, and production has one.
    if (production) throw new InvalidSetting("RATE_LIMITS=off is not allowed in production")
    if (isLoopback(host)) return null
    throw new InvalidSetting(`RATE_LIMITS=off is allowed on loopback only, not on ${host}`)
  }
  const limits: Record<string, Rate | number> = { ...RATE_LIMITS }
  const asked = object(env, "RATE_LIMITS") ?? {}
  for (const [name, given] of Object.entries(asked)) {
    if (!Object.hasOwn(RATE_LIMITS, name))
      throw new InvalidSetting(`RATE_LIMITS: "${name}" is not one of ${Object.keys(RATE_LIMITS).join(", ")}`)
    limits[name] = typeof limits[name] === "number" ? countOf(name, given) : rateOf(name, given)
  }
  const [ofOne, ofAll] = [limits["openQuotesPerClient"], limits["openQuotes"]] as [number, number]
  if (Object.hasOwn(asked, "openQuotesPerClient") && ofOne > ofAll)
    throw new InvalidSetting(
      `RATE_LIMITS: openQuotesPerClient (${ofOne}) is above openQuotes (${ofAll}), among which they count`,
    )
  for (const [own, share] of SHARES) {
    if (Object.hasOwn(asked, share)) continue
    const [least, most] = [limits[own] as Rate, limits[share] as Rate]
    const perSecond = Math.max(least.perSecond, most.perSecond)
    limits[share] = { perSecond, burst: Math.max(least.burst, most.burst) }
  }
  return limits as unknown as RateLimits
}

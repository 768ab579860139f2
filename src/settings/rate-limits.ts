/** `RATE_LIMITS`: every number of contract C15 that an installation changes. */

import { RATE_LIMITS, type RateLimits } from "../domain/user/rate-limits.ts"
import { isLoopback } from "../foundation/network.ts"
import type { Rate } from "../foundation/token-bucket.ts"
import { type Environment, InvalidSetting, object, text } from "./environment.ts"

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
    if (production) throw new InvalidSetting("RATE_LIMITS=off is not for production")
    if (isLoopback(host)) return null
    throw new InvalidSetting(`RATE_LIMITS=off is for loopback only, not for ${host}`)
  }
  const limits: Record<string, Rate | number> = { ...RATE_LIMITS }
  const asked = object(env, "RATE_LIMITS") ?? {}
  for (const [name, given] of Object.entries(asked)) {
    if (!Object.hasOwn(RATE_LIMITS, name))
      throw new InvalidSetting(`RATE_LIMITS: "${name}" is none of ${Object.keys(RATE_LIMITS).join(", ")}`)
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

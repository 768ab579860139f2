/** `RATE_LIMITS`: every number of contract C15 that an installation changes. */
import { isLoopback } from "../domain/loopback.ts"
import { ORDER_LIMITS, type OrderLimits } from "../domain/order-limits.ts"
import type { Rate } from "../domain/token-bucket.ts"
import { type Environment, InvalidSetting, object, text } from "./environment.ts"

const isAbove0 = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value > 0

const rate = (name: "orderSubmit" | "orderCancel" | "quoteRequest", given: unknown, fallback: Rate): Rate => {
  if (given === undefined) return fallback
  const { perSecond, burst } = { ...(given as Partial<Record<keyof Rate, unknown>> | null) }
  if (!isAbove0(perSecond) || !isAbove0(burst) || !Number.isInteger(burst))
    throw new InvalidSetting(`RATE_LIMITS: "${name}" must be like {"perSecond":50,"burst":100}, both above 0`)
  return { perSecond, burst }
}

/** `off`, or a JSON object of the limits that differ from the defaults. */
export const rateLimits = (env: Environment, host: string): OrderLimits | null => {
  if (text(env, "RATE_LIMITS") === "off") {
    if (isLoopback(host)) return null
    throw new InvalidSetting(`RATE_LIMITS=off is for loopback only, not for ${host}`)
  }
  const given = object(env, "RATE_LIMITS") ?? {}
  for (const name of Object.keys(given))
    if (!Object.hasOwn(ORDER_LIMITS, name))
      throw new InvalidSetting(`RATE_LIMITS: "${name}" is none of ${Object.keys(ORDER_LIMITS).join(", ")}`)
  const count = (name: "openOrders" | "openQuotes" | "openQuotesPerClient"): number => {
    const value = given[name] ?? ORDER_LIMITS[name]
    if (!isAbove0(value) || !Number.isInteger(value))
      throw new InvalidSetting(`RATE_LIMITS: "${name}" must be an integer above 0`)
    return value
  }
  return {
    orderSubmit: rate("orderSubmit", given["orderSubmit"], ORDER_LIMITS.orderSubmit),
    orderCancel: rate("orderCancel", given["orderCancel"], ORDER_LIMITS.orderCancel),
    openOrders: count("openOrders"),
    quoteRequest: rate("quoteRequest", given["quoteRequest"], ORDER_LIMITS.quoteRequest),
    openQuotes: count("openQuotes"),
    openQuotesPerClient: count("openQuotesPerClient"),
  }
}

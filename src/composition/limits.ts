/** All rate limits: one set of buckets for the actors, the HTTP edge and the sockets. */
import { Effect } from "effect"
import { AccountDirectory } from "../actors/account/directory.ts"
import type { Audit } from "../auth/audit-log.ts"
import type { TradingAccountId } from "../domain/ids.ts"
import { OrderRates } from "../domain/order/rates.ts"
import { isLoopback } from "../foundation/network.ts"
import type { Route } from "../http/docs/reflect.ts"
import { isFailure } from "../http/edge/route.ts"
import { RequestLimiter, type VenueWeight } from "../http/limits/rate-limit.ts"
import { limitSignIn } from "../http/limits/rate-limit-sign-in.ts"
import { makeVenueGate } from "../http/venue-gate.ts"
import { Clock } from "../ports/clock.ts"
import { VenuePort } from "../ports/venue-port.ts"
import { SessionRows } from "../store/users/sessions.ts"
import type { SocketLimits } from "../ws/connection/client.ts"
import type { GatewayOptions } from "./options.ts"

/** By each of these a proxy says that it is one. */
const PROXY_HEADERS = [
  "x-forwarded-for",
  "forwarded",
  "via",
  "x-real-ip",
  "x-forwarded-proto",
  "x-forwarded-host",
  "cf-connecting-ip",
]

/** How often workers tell their figures. */
const WEIGHT_MILLIS = 200

/** Null: no limits. */
export const orderRatesOf = ({ settings: { rateLimits } }: GatewayOptions): OrderRates | null =>
  rateLimits === null ? null : new OrderRates(rateLimits)

/** How much each venue's connectors have used of its request budget, the fullest of them. */
const venueWeights = Effect.gen(function* () {
  const venues = yield* VenuePort
  const accounts = yield* AccountDirectory
  const { monotonic } = yield* Clock
  let weights: ReadonlyMap<string, VenueWeight> = new Map()
  let freshUntil = 0
  const read = (): ReadonlyMap<string, VenueWeight> => {
    const fullest = new Map<string, VenueWeight>()
    for (const { venue, figures } of venues.stats().connectors) {
      if (figures === null || figures.budget.capacity === 0) continue
      const { used, capacity } = figures.budget
      const weight = { used: Math.round(used * capacity), limit: Math.round(capacity) }
      const other = fullest.get(venue)
      if (other === undefined || other.used * weight.limit < weight.used * other.limit) fullest.set(venue, weight)
    }
    return fullest
  }
  return (tradingAccountId: TradingAccountId): VenueWeight | null => {
    const account = accounts.find(tradingAccountId)
    if (account === undefined) return null
    const now = monotonic()
    if (now >= freshUntil) {
      weights = read()
      freshUntil = now + WEIGHT_MILLIS
    }
    return weights.get(account.venue) ?? null
  }
})

export const requestLimiter = ({ settings: { rateLimits: limits } }: GatewayOptions, orders: OrderRates | null) =>
  Effect.gen(function* () {
    if (limits === null || orders === null) return null
    const { now, monotonic } = yield* Clock
    return new RequestLimiter({ limits, orders, now, monotonic, venueWeight: yield* venueWeights })
  })

export const socketLimits = (
  { settings: { rateLimits: limits } }: GatewayOptions,
  limiter: RequestLimiter | null,
): SocketLimits | null =>
  limits === null || limiter === null
    ? null
    : {
        commands: limits.socketCommands,
        perUser: limits.socketsPerUser,
        perAddress: limits.socketsPerAddress,
        takeAddress: (ip) => limiter.takeAddress(ip),
      }

/** Leaves every route as it is where there are no limits. */
export const signInLimits = (
  { settings }: GatewayOptions,
  audit: Audit,
  limiter: RequestLimiter | null,
): Effect.Effect<(route: Route) => Route, never, Clock | SessionRows | VenuePort> =>
  Effect.gen(function* () {
    const { rateLimits: limits, production, trustProxy } = settings
    if (limits === null || limiter === null) return (route) => route
    const { monotonic } = yield* Clock
    const { addressesOf } = yield* SessionRows
    const gate = makeVenueGate(yield* VenuePort, settings.environment)
    const mayBeLocal = !production && trustProxy.length === 0

    return limitSignIn({
      limits,
      monotonic,
      addressesOf,
      syncFault: (venue, principal) => {
        const named = gate.resolve(venue, principal)
        return isFailure(named) ? named : undefined
      },
      charge: (call, weight) => limiter.charge(call, weight),
      // Behind a proxy all clients come from loopback; an undeclared proxy is recognised by these headers.
      isLocal: (call) => mayBeLocal && isLoopback(call.ip) && PROXY_HEADERS.every((name) => call.header(name) === ""),
      onLimited: ({ bucket, call, email }) =>
        audit.write({
          action: "rate.limited",
          outcome: bucket,
          origin: { ip: call.ip, userAgent: call.header("user-agent") || null, requestId: call.requestId },
          email,
        }),
    })
  })

/** The root record and the health record; the checks behind health are asked at most once a second. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Effect } from "effect"
import type { TradingAccounts } from "../../actors/account-messages.ts"
import { Busy } from "../../domain/errors.ts"
import { dateTime } from "../../domain/time.ts"
import type { LedgerHealth } from "../../ports/ledger-watch.ts"
import type { VenueHealth } from "../../ports/venue-port.ts"
import { SERVICE } from "../api.ts"
import type { Handlers } from "../route.ts"
import type { HealthCheck, HealthRecord, RootApi } from "./endpoints.ts"

export interface HealthSources {
  readonly now: () => number
  readonly monotonic: () => number
  /** Whether a query comes back; it should give up by itself within a second. */
  readonly database: Effect.Effect<boolean>
  readonly venues: () => ReadonlyArray<VenueHealth>
  readonly auditPeriods: TradingAccounts["Type"]["auditPeriods"]
  readonly ledger: () => LedgerHealth
  /** False while starting and while draining. */
  readonly isReady: () => boolean
}

const CACHE_MILLIS = 1_000
/** Event loop delay at the 99th percentile since the last look, in ms. */
const LOOP_DELAY_MAX = 250

const check = (status: HealthCheck["status"], reason: string | null = null): HealthCheck => ({ status, reason })

/** A venue that is away degrades the service, it does not end it (security, E). */
const venueCheck = (venues: ReadonlyArray<VenueHealth>): HealthCheck => {
  const down = venues.filter((venue) => venue.status === "down").map((venue) => venue.venue)
  return down.length === 0 ? check("healthy") : check("degraded", `away: ${down.join(", ")}`)
}

/** Not unhealthy: with the service out of the way nobody could cancel an order, and the journal would be no truer. */
const ledgerCheck = ({ violations, pressure }: LedgerHealth): HealthCheck =>
  violations.length > 0
    ? check("degraded", `violations: ${violations.length}`)
    : pressure === "full"
      ? check("degraded", "its writer is behind")
      : check("healthy")

const worst = (checks: Readonly<Record<string, HealthCheck>>): HealthCheck["status"] => {
  const found = new Set(Object.values(checks).map((it) => it.status))
  return found.has("unhealthy") ? "unhealthy" : found.has("degraded") ? "degraded" : "healthy"
}

const makeHealth = (sources: HealthSources): Effect.Effect<HealthRecord> => {
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()
  let cached: { readonly at: number; readonly record: HealthRecord } | undefined
  const look = Effect.gen(function* () {
    const hasDatabase = yield* sources.database
    const delay = loop.percentile(99) / 1e6
    loop.reset()
    const checks = {
      service: sources.isReady() ? check("healthy") : check("unhealthy", "starting or shutting down"),
      database: hasDatabase ? check("healthy") : check("unhealthy", "no answer"),
      eventLoop: delay < LOOP_DELAY_MAX ? check("healthy") : check("degraded", `delayed by ${Math.round(delay)} ms`),
      venues: venueCheck(sources.venues()),
      ledger: ledgerCheck(sources.ledger()),
    }
    const now = sources.now()
    const record: HealthRecord = {
      status: worst(checks),
      timestamp: now,
      isoDateTime: dateTime(now),
      version: SERVICE.version,
      checks,
      auditMillis: Object.fromEntries(sources.auditPeriods()),
    }
    cached = { at: sources.monotonic(), record }
    return record
  })
  return Effect.suspend(() =>
    cached !== undefined && sources.monotonic() - cached.at < CACHE_MILLIS ? Effect.succeed(cached.record) : look,
  )
}

export const rootHandlers = (sources: HealthSources): Handlers<typeof RootApi> => {
  const health = makeHealth(sources)
  const root: Handlers<typeof RootApi>["get"] = (_input, reply) =>
    reply.ok({ name: SERVICE.name, version: SERVICE.version, description: SERVICE.description })
  const healthRecord: Handlers<typeof RootApi>["health"] = (_input, reply) =>
    Effect.map(health, (record) => {
      if (record.status !== "unhealthy") reply.ok(record)
      else reply.fail(new Busy({ retryAfterSeconds: 1 }), { metadata: { health: record } })
    })
  return {
    get: root,
    getSlash: root,
    getBare: root,
    health: healthRecord,
    healthBare: healthRecord,
    live: (_input, reply) => reply.ok("ok"),
  }
}

/** The root record and the health record; the health checks run at most once a second, however many clients ask. */
import { statfs } from "node:fs/promises"
import { Effect } from "effect"
import type { TradingAccounts } from "../../actors/account/messages.ts"
import type { Dealers } from "../../actors/dealer/messages.ts"
import type { TradingMode } from "../../domain/account/trading-mode.ts"
import { Busy } from "../../domain/errors/service.ts"
import { watchLoopDelay } from "../../foundation/loop-delay.ts"
import { dateTime } from "../../foundation/time.ts"
import type { LoopState } from "../../kernel/loop.ts"
import type { LedgerHealth } from "../../ports/ledger-port.ts"
import type { VenuePort } from "../../ports/venue-port.ts"
import type { OrderWriter } from "../../store/orders/order-writer.ts"
import type { DatabaseFacts } from "../../store/postgres/database-watch.ts"
import { SERVICE } from "../api.ts"
import type { FailureOptions, Handlers } from "../edge/route.ts"
import type { ClusterHealth, HealthRecord, RootApi } from "./endpoints.ts"
import {
  actorsCheck,
  brokerCheck,
  clockCheck,
  databaseCheck,
  diskCheck,
  ledgerCheck,
  loopCheck,
  mailCheck,
  serviceCheck,
  upkeepCheck,
  venuesCheck,
  workersCheck,
  worst,
  writerCheck,
} from "./health-checks.ts"

export interface HealthSources {
  readonly now: () => number
  readonly monotonic: () => number
  /** Gives up by itself within a second; never rejects. */
  readonly database: () => Promise<DatabaseFacts | null>
  /** False while its lease has run out and no other process has it. */
  readonly isOwner: () => boolean
  readonly venues: VenuePort["Type"]
  readonly accounts: Pick<TradingAccounts["Type"], "auditPeriods" | "stats">
  readonly dealers: Pick<Dealers["Type"], "stats">
  readonly ledger: () => LedgerHealth
  readonly loops: () => ReadonlyArray<LoopState>
  readonly writer: Pick<OrderWriter, "stats" | "pressure">
  readonly tradingMode: () => TradingMode
  readonly dataDir: string
  readonly diskFreeMinMegabytes: number
  /** False while starting and while draining. */
  readonly isReady: () => boolean
  /** Undefined: there is one machine. */
  readonly cluster: (() => ClusterHealth) | undefined
  /** Given the health record itself, for those who ask without a request. */
  readonly made: (health: Effect.Effect<HealthRecord>) => void
}

const CACHE_MILLIS = 1_000

export const freeBytesOf = (directory: string): Promise<number | null> =>
  statfs(directory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  )

const makeHealth = (sources: HealthSources): Effect.Effect<HealthRecord> => {
  const loop = watchLoopDelay()
  const look = async (): Promise<HealthRecord> => {
    const [facts, freeBytes] = await Promise.all([sources.database(), freeBytesOf(sources.dataDir)])
    const now = sources.now()
    const venues = sources.venues.health()
    const cluster = sources.cluster?.()
    const checks = {
      service: serviceCheck(sources.isReady()),
      database: databaseCheck(facts, sources.isOwner()),
      eventLoop: loopCheck(loop.worst()),
      orderWriter: writerCheck(sources.writer.stats().oldestMillis, sources.writer.pressure()),
      ledger: ledgerCheck(sources.ledger()),
      upkeep: upkeepCheck(sources.loops()),
      actors: actorsCheck({ accounts: sources.accounts.stats().parked, dealers: sources.dealers.stats().parked }),
      venues: venuesCheck(venues),
      workers: workersCheck(sources.venues.stats().shards),
      mailOutbox: mailCheck(facts, now),
      disk: diskCheck(freeBytes, sources.diskFreeMinMegabytes),
      clock: clockCheck(facts),
      ...(cluster === undefined ? {} : { broker: brokerCheck(cluster.broker) }),
    }
    last = {
      status: worst(checks),
      timestamp: now,
      isoDateTime: dateTime(now),
      version: SERVICE.version,
      tradingMode: sources.tradingMode(),
      ...(cluster === undefined ? {} : { cluster }),
      checks,
      venues: Object.fromEntries(venues.map(({ venue, status }) => [venue, status])),
      auditMillis: Object.fromEntries(sources.accounts.auditPeriods()),
    }
    return last
  }

  /** During shutdown a probe must be answered at once: nothing is waited for. */
  const leaving = (record: HealthRecord): HealthRecord => {
    const now = sources.now()
    const checks = { ...record.checks, service: serviceCheck(false) }
    return { ...record, status: worst(checks), timestamp: now, isoDateTime: dateTime(now), checks }
  }
  let last: HealthRecord | undefined
  let newest: { readonly at: number; readonly record: Promise<HealthRecord> } | undefined
  return Effect.promise(() => {
    if (last !== undefined && !sources.isReady()) return Promise.resolve(leaving(last))
    const at = sources.monotonic()
    if (newest === undefined || at - newest.at >= CACHE_MILLIS) newest = { at, record: look() }
    return newest.record
  }).pipe(
    Effect.map((record) => {
      // It became so while the question was on its way.
      const told = sources.isReady() || record.status === "unhealthy" ? record : leaving(record)
      return { ...told, tradingMode: sources.tradingMode() }
    }),
  )
}

export const rootText = { name: SERVICE.name, version: SERVICE.version, description: SERVICE.description }

/** The record, or the failure that has it. */
export const answerHealth = (
  record: HealthRecord,
  reply: { readonly ok: (it: HealthRecord) => void; readonly fail: (error: Busy, options: FailureOptions) => void },
): void => {
  if (record.status !== "unhealthy") reply.ok(record)
  else reply.fail(new Busy({ retryAfterSeconds: 1 }), { metadata: { health: record } })
}

export const rootHandlers = (sources: HealthSources): Handlers<typeof RootApi> => {
  const health = makeHealth(sources)
  sources.made(health)
  const root: Handlers<typeof RootApi>["get"] = (_input, reply) => reply.ok(rootText)
  const healthRecord: Handlers<typeof RootApi>["health"] = (_input, reply) =>
    Effect.map(health, (record) => answerHealth(record, reply))
  return {
    get: root,
    getSlash: root,
    getBare: root,
    health: healthRecord,
    healthBare: healthRecord,
    live: (_input, reply) => reply.ok("ok"),
  }
}

/**
 * Judges the facts behind each check of the health record; pure. The one thing to know: unhealthy (503) is only a state in which taking the
 * service out of rotation helps; a fault that leaves orders, or at least cancels, working is degraded.
 */
import { dateTime } from "../../foundation/time.ts"
import type { LoopState } from "../../kernel/loop.ts"
import type { LedgerHealth, WholePass } from "../../ports/ledger-port.ts"
import type { VenueHealth } from "../../ports/venue-port.ts"
import type { ShardStats } from "../../ports/venue-stats.ts"
import type { DatabaseFacts } from "../../store/postgres/database-watch.ts"
import type { HealthCheck } from "./endpoints.ts"

/** The longest event loop delay of the last 10 to 20 s. */
const LOOP_DELAY_MILLIS_MAX = 250
const SKEW_MILLIS_MAX = 1_000
/** Rounds of a loop that failed one after the other: what the next one makes good is for the log. */
const FAILED_ROUNDS_MIN = 3
/** So long the oldest order waits for its commit: no request waits longer for its answer. */
const WRITER_MILLIS_MAX = 2_000
const MAIL_MILLIS_MAX = 15 * 60_000
const MAIL_ATTEMPTS_MAX = 5
/** Of its limit: what a worker thread has of its heap. */
const HEAP_SHARE_MAX = 0.95
const MEGABYTE = 1_048_576

const healthy: HealthCheck = { status: "healthy", reason: null }
const degraded = (reason: string): HealthCheck => ({ status: "degraded", reason })
const unhealthy = (reason: string): HealthCheck => ({ status: "unhealthy", reason })

const seconds = (millis: number): string => `${Math.round(millis / 100) / 10} s`

export const serviceCheck = (isReady: boolean): HealthCheck =>
  isReady ? healthy : unhealthy("starting or shutting down")

export const databaseCheck = (facts: DatabaseFacts | null, isOwner: boolean): HealthCheck => {
  if (facts === null) return unhealthy("no answer")
  if (!isOwner) return unhealthy("the lease on it has run out: no order is sent to a venue until it is renewed")
  if (!facts.isDurable) return unhealthy("synchronous_commit is off: acknowledged orders could be lost")
  return facts.isCurrent ? healthy : unhealthy("its schema does not match this program")
}

/** Not unhealthy: it does what comes to its own port. */
export const brokerCheck = (broker: "up" | "down"): HealthCheck =>
  broker === "up" ? healthy : degraded("away: nothing reaches this node from others, and nothing leaves it for them")

/** So long requests are held for the next owner, none of which is refused: out of rotation nothing would be better. */
const OWNERLESS_MILLIS_MAX = 10_000

/** Of a node that passes requests on. `millis`: for so long none was heard; 0: one is. */
export const ownerCheck = (millis: number): HealthCheck => {
  if (millis === 0) return healthy
  const words = `no node that owns the database was heard for ${seconds(millis)}`
  return millis > OWNERLESS_MILLIS_MAX ? unhealthy(words) : degraded(words)
}

/** Neither knows which of the two is right: sessions and quotes end by ours. */
export const clockCheck = (facts: DatabaseFacts | null): HealthCheck => {
  if (facts === null) return degraded("unknown: the database does not respond")
  const { skewMillis, skewErrorMillis } = facts
  return Math.abs(skewMillis) - skewErrorMillis <= SKEW_MILLIS_MAX
    ? healthy
    : degraded(`${seconds(Math.abs(skewMillis))} ${skewMillis > 0 ? "behind" : "ahead of"} the database's`)
}

export const mailCheck = (facts: DatabaseFacts | null, now: number): HealthCheck => {
  if (facts === null) return degraded("unknown: the database does not respond")
  const { waiting, oldestAt, attempts } = facts.mails
  if (oldestAt !== null && now - oldestAt > MAIL_MILLIS_MAX)
    return degraded(`${waiting} waiting, the oldest for ${Math.round((now - oldestAt) / 60_000)} min`)
  return attempts >= MAIL_ATTEMPTS_MAX ? degraded(`${waiting} waiting, tried up to ${attempts} times`) : healthy
}

export const loopCheck = (delayMillis: number): HealthCheck =>
  delayMillis < LOOP_DELAY_MILLIS_MAX ? healthy : degraded(`was delayed by ${Math.round(delayMillis)} ms`)

/** Not unhealthy: each of them is beside the orders, and what it does for them has a check of its own. */
export const upkeepCheck = (loops: ReadonlyArray<LoopState>): HealthCheck => {
  const faults = loops.flatMap(({ name, failed, failingSince, lateSince }) => {
    if (failingSince !== null && failed >= FAILED_ROUNDS_MIN) return `${name}: fails since ${dateTime(failingSince)}`
    return lateSince === null ? [] : `${name}: overdue since ${dateTime(lateSince)}`
  })
  return faults.length === 0 ? healthy : degraded(faults.join("; "))
}

/** Not unhealthy: all others work, and a start that would mend it is the operator's decision. */
export const actorsCheck = (parked: Readonly<Record<string, number>>): HealthCheck => {
  const stopped = Object.entries(parked).flatMap(([kind, count]) => (count > 0 ? [`${kind}: ${count}`] : []))
  return stopped.length === 0
    ? healthy
    : degraded(`stopped after repeated defects, until the next start: ${stopped.join(", ")}`)
}

/** With a writer that gets nothing stored no order is taken, although the database may answer questions. */
export const writerCheck = (oldestMillis: number, pressure: "calm" | "full"): HealthCheck => {
  if (oldestMillis > WRITER_MILLIS_MAX) return unhealthy(`nothing stored for ${seconds(oldestMillis)}`)
  return pressure === "full" ? degraded("behind") : healthy
}

const span = (millis: number): string => {
  const minutes = millis / 60_000
  return minutes < 10 ? seconds(millis) : minutes < 600 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`
}

const passWords = ({ left, of, endsInMillis }: WholePass): string =>
  `${left} of ${of} rows left${endsInMillis === null ? "" : `, ${span(endsInMillis)} at this pace`}`

/** What was audited, and what not yet: new transfers by each look, the whole journal by a pass of many. */
const wholeWords = ({ wholeAgeMillis, wholePass }: LedgerHealth): string => {
  const words = wholeAgeMillis === null ? "only new entries were audited" : `audited whole ${span(wholeAgeMillis)} ago`
  return wholePass === null ? words : `${words}; of the whole journal ${passWords(wholePass)}`
}

/** Not unhealthy: out of rotation no client could cancel an order, and the journal would be no better. */
export const ledgerCheck = (ledger: LedgerHealth): HealthCheck => {
  const { violations, auditedAt, ageMillis, isFailing, isOld, isWholeOld, wholePass, pressure } = ledger
  if (violations.length > 0) return degraded(`violations: ${violations.length}`)
  if (auditedAt === null) return degraded(isFailing ? "its audit fails" : "not audited yet")
  if (isFailing || isOld) return degraded(`${isFailing ? "its audit fails: " : ""}audited ${seconds(ageMillis)} ago`)
  if (wholePass?.isLate === true) return degraded(`its audit is falling behind: ${wholeWords(ledger)}`)
  if (isWholeOld) return degraded(wholeWords(ledger))
  return pressure === "full" ? degraded("its writer is behind") : healthy
}

/** A venue that is away degrades the service, it does not end it (security E). */
export const venuesCheck = (venues: ReadonlyArray<Pick<VenueHealth, "venue" | "status">>): HealthCheck => {
  const away = venues.filter(({ status }) => status === "down").map(({ venue }) => venue)
  return away.length === 0 ? healthy : degraded(`away: ${away.join(", ")}`)
}

export const workersCheck = (
  shards: ReadonlyArray<Pick<ShardStats, "shard" | "state" | "heapUsedBytes" | "heapMaxBytes">>,
): HealthCheck => {
  const down = shards.filter(({ state }) => state === "down").map(({ shard }) => shard)
  if (down.length > 0) return degraded(`down: ${down.join(", ")}`)
  const full = shards.filter((it) => it.heapMaxBytes > 0 && it.heapUsedBytes > HEAP_SHARE_MAX * it.heapMaxBytes)
  return full.length === 0 ? healthy : degraded(`short of memory: ${full.map(({ shard }) => shard).join(", ")}`)
}

/** Null: it cannot be asked. The embedded database lives there, too: with nothing left nothing is stored. */
export const diskCheck = (freeBytes: number | null, minMegabytes: number): HealthCheck => {
  if (freeBytes === null) return unhealthy("the data directory cannot be read")
  const megabytes = Math.floor(freeBytes / MEGABYTE)
  if (megabytes >= minMegabytes) return healthy
  const words = `${megabytes} MB free`
  return megabytes < minMegabytes / 8 ? unhealthy(words) : degraded(words)
}

export const worst = (checks: Readonly<Record<string, HealthCheck>>): HealthCheck["status"] => {
  const found = new Set(Object.values(checks).map(({ status }) => status))
  return found.has("unhealthy") ? "unhealthy" : found.has("degraded") ? "degraded" : "healthy"
}

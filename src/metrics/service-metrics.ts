/** Metrics of the gateway: requests, sockets, storage, actors and dealers, the ledger, loops, keys, the certificate, health. */

import type { MirrorStats } from "../ports/cluster.ts"
import type { LedgerHealth, LedgerStats } from "../ports/ledger-port.ts"
import type { Reading, Sample } from "../ports/meters.ts"
import type { OrderWriterStats } from "../store/orders/order-writer.ts"
import type { SocketStats } from "../ws/server.ts"
import { by, reading } from "./exposition.ts"

// What operators see of actors of one kind: letters that wait for long mean that something does not get on.

interface ActorFigures {
  readonly restarts: number
  readonly parked: number
  readonly waiting: number
  readonly oldestMillis: number
}

const actorReadings = (
  type: "account" | "dealer",
  { restarts, parked, waiting, oldestMillis }: ActorFigures,
): ReadonlyArray<Reading> => {
  const of = (value: number) => [{ labels: { type }, value }]
  return [
    reading("actor_restarts_total", of(restarts)),
    reading("actors_parked", of(parked)),
    reading("actor_mailbox_depth", of(waiting)),
    reading("actor_oldest_message_seconds", of(oldestMillis / 1000)),
  ]
}

// What operators see of dealers. `hedge_pairs_open` above 0 for long, or any alert, is for people.

interface DealerStats extends ActorFigures {
  readonly live: number
  readonly hedges: {
    readonly sent: number
    readonly filled: number
    readonly missed: number
    readonly alerts: number
    readonly open: ReadonlyMap<string, number>
  }
}

export const dealerMetrics = ({ live, hedges, ...actors }: DealerStats): ReadonlyArray<Reading> => [
  reading("dealers_live", live),
  ...actorReadings("dealer", actors),
  reading("hedges_sent_total", hedges.sent),
  reading("hedge_fills_total", hedges.filled),
  reading("hedge_attempts_missed_total", hedges.missed),
  reading("hedge_alerts_total", hedges.alerts),
  reading(
    "hedge_pairs_open",
    [...hedges.open.values()].reduce((sum, open) => sum + open, 0),
  ),
]

/** Of a node that does not own the database. `repairs` and `recalls` that grow all the time: the broker loses what is told, or stands still. */
export const mirrorMetrics = ({ mirrors, words, repairs, recalls }: MirrorStats): ReadonlyArray<Reading> => [
  reading("mirrors_open", mirrors),
  reading("mirror_words_total", words),
  reading("mirror_repairs_total", repairs),
  reading("mirror_recalls_total", recalls),
]

/** What operators see of the ledger. `ledger_violations` must be 0: everything else is load. */
export const ledgerMetrics = ({
  stats,
  health,
}: {
  readonly stats: LedgerStats
  readonly health: LedgerHealth
}): ReadonlyArray<Reading> => [
  reading("ledger_batches_total", stats.batches),
  reading("ledger_requests_total", stats.requests),
  reading("ledger_transfers_total", stats.transfers),
  reading("ledger_replays_total", stats.replayed),
  reading("ledger_rejections_total", by("reason", Object.fromEntries(stats.refused))),
  reading("ledger_batch_retries_total", stats.retries),
  reading("ledger_holds_expired_total", stats.holdsExpired),
  reading("ledger_requests_waiting", stats.waiting),
  reading("ledger_violations", health.violations.length),
  reading("ledger_audited_timestamp_seconds", health.auditedAt === null ? [] : health.auditedAt / 1000),
  reading("ledger_audited_whole_timestamp_seconds", health.wholeAt === null ? [] : health.wholeAt / 1000),
  reading("ledger_audit_whole_age_seconds", health.unauditedMillis === null ? [] : health.unauditedMillis / 1000),
  reading("ledger_audit_whole_rows_left", health.wholePass?.left ?? 0),
  reading("ledger_audit_age_seconds", health.ageMillis / 1000),
  reading("ledger_audit_failing", health.isFailing ? 1 : 0),
  reading("ledger_audit_failures_total", health.failures),
  reading("ledger_audit_duration_seconds", health.tookMillis === null ? [] : health.tookMillis / 1000),
]

/** What operators see of the keys: which are in force, and how stored secrets come under the newest. */
export const keyMetrics = (figures: {
  readonly encryptionKid: string
  readonly signingKid: string
  readonly resealed: Readonly<Record<string, number>>
  readonly unreadable: number
  readonly working: boolean
}): ReadonlyArray<Reading> => [
  reading("keys_in_force", [{ labels: { encryption: figures.encryptionKid, signing: figures.signingKid }, value: 1 }]),
  reading("keys_reseal_working", figures.working ? 1 : 0),
  reading("keys_resealed_rows_total", by("table", figures.resealed)),
  reading("keys_unreadable_rows", figures.unreadable),
]

// What operators see of the loops. Those that wait for work count rounds only while there is some.

interface LoopFigures {
  readonly name: string
  readonly rounds: number
  readonly failures: number
  readonly sinceSuccessMillis: number
}

export const loopMetrics = (loops: ReadonlyArray<LoopFigures>): ReadonlyArray<Reading> => {
  const each = (value: (loop: LoopFigures) => number) =>
    by("loop", Object.fromEntries(loops.map((loop) => [loop.name, value(loop)])))
  return [
    reading(
      "loop_rounds_total",
      each(({ rounds }) => rounds),
    ),
    reading(
      "loop_failures_total",
      each(({ failures }) => failures),
    ),
    reading(
      "loop_success_age_seconds",
      each(({ sinceSuccessMillis }) => sinceSuccessMillis / 1000),
    ),
  ]
}

// What operators see of the certificate of the gateway's own TLS: when it ends, and whether its successor was refused.

/** Without TLS of our own: the names, and nothing that could be taken for a finding. */
export const certificateMetrics = (figures: {
  readonly expiresAt: number | null
  readonly refused: boolean
}): ReadonlyArray<Reading> =>
  figures.expiresAt === null
    ? [reading("tls_certificate_expiry_timestamp_seconds", []), reading("tls_certificate_refused", [])]
    : [
        reading("tls_certificate_expiry_timestamp_seconds", figures.expiresAt / 1000),
        reading("tls_certificate_refused", figures.refused ? 1 : 0),
      ]

// The health record as numbers, so that an alert can ask for what a load balancer sees: 0 healthy, 1 degraded, 2 unhealthy.

const VALUE = { healthy: 0, degraded: 1, unhealthy: 2 } as const
type Status = keyof typeof VALUE

interface Health {
  readonly status: Status
  readonly checks: Readonly<Record<string, { readonly status: Status }>>
}

/** Without a record yet: the names, and nothing that could be taken for a finding. */
export const healthMetrics = (record: Health | undefined): ReadonlyArray<Reading> => {
  const checks = Object.entries(record?.checks ?? {}).map(([name, { status }]) => [name, VALUE[status]] as const)
  return [
    reading("health_status", record === undefined ? [] : VALUE[record.status]),
    reading("health_check", by("check", Object.fromEntries(checks))),
  ]
}

interface ServiceFigures {
  readonly inFlight: number
  readonly sockets: SocketStats
  readonly accounts: ActorFigures & { readonly live: number; readonly inDoubt: number }
  readonly writer: OrderWriterStats
}

/** A client may close with any code from 3000 to 4999: those that are not of the protocols are one. */
const knownCode = (code: string): string => {
  const n = Number(code)
  return (n >= 1000 && n <= 1015) || (n >= 3000 && n <= 3020) || (n >= 3500 && n <= 3520) ? code : "other"
}

const byCode = (closes: Readonly<Record<string, number>>): ReadonlyArray<Sample> => {
  const sums: Record<string, number> = {}
  for (const [code, count] of Object.entries(closes)) sums[knownCode(code)] = (sums[knownCode(code)] ?? 0) + count
  return by("code", sums)
}

export const socketMetrics = (sockets: SocketStats): ReadonlyArray<Reading> => {
  const { hub } = sockets
  return [
    reading("ws_connections", sockets.connections),
    reading("ws_connections_total", sockets.opened),
    reading("ws_disconnects_total", byCode(sockets.closes)),
    reading("ws_channels", hub.channels),
    reading("ws_topics", hub.topics),
    reading("ws_subscriptions", hub.subscriptions),
    reading("ws_publications_total", hub.publications),
    reading("ws_frames_total", hub.frames),
    reading("ws_breaks_total", hub.breaks),
    reading("ws_windowed", hub.windowed ? 1 : 0),
    reading("ws_newcomers_waiting", sockets.newcomers.waiting),
    reading("ws_newcomers_deferred_total", sockets.newcomers.deferrals),
    reading("ws_readers_behind", sockets.behind),
    reading("ws_readers_spared", sockets.parked),
    reading("ws_conflations_total", sockets.conflations),
    reading("ws_slow_closed_total", [
      { labels: { cause: "bytes" }, value: sockets.dropped },
      { labels: { cause: "age" }, value: sockets.closedByAge },
    ]),
  ]
}

export const serviceMetrics = ({ inFlight, sockets, accounts, writer }: ServiceFigures): ReadonlyArray<Reading> => {
  return [
    reading("http_inflight_requests", inFlight),
    ...socketMetrics(sockets),
    reading("accounts_live", accounts.live),
    ...actorReadings("account", accounts),
    reading("orders_unknown", accounts.inDoubt),
    reading("order_batches_total", writer.batches),
    reading("order_units_total", writer.units),
    reading("order_commit_seconds_total", writer.commitMillis / 1000),
    reading("order_units_refused_total", [
      { labels: { cause: "key_used" }, value: writer.keyUsed },
      { labels: { cause: "refused" }, value: writer.refused },
    ]),
    reading("order_batch_retries_total", writer.retries),
    reading("order_units_waiting", writer.waiting),
    reading("order_oldest_unit_seconds", writer.oldestMillis / 1000),
  ]
}

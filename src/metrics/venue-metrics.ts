/** Metrics of the venues: their connectors, budgets, books and threads. */

import type { Reading, Sample } from "../ports/meters.ts"
import type { VenueHealth } from "../ports/venue-port.ts"
import type { ConnectorStats, VenueStats } from "../ports/venue-stats.ts"
import { by, reading } from "./exposition.ts"

export interface VenueFigures {
  readonly health: ReadonlyArray<VenueHealth>
  readonly stats: VenueStats
  readonly books: ReadonlyArray<{
    readonly venue: string
    readonly books: number
    readonly stale: number
    readonly lostMillis: number
    readonly warm: number
  }>
}

export const venueMetrics = ({ health, stats, books }: VenueFigures): ReadonlyArray<Reading> => {
  const { connectors, shards } = stats
  const ofConnectors = (read: (one: ConnectorStats) => number | null | undefined): ReadonlyArray<Sample> =>
    connectors.flatMap((one) => {
      const value = read(one)
      return value === undefined || value === null
        ? []
        : [{ labels: { connector: one.connector, venue: one.venue }, value }]
    })
  const spread = (label: string, read: (one: ConnectorStats) => Readonly<Record<string, number>> | undefined) =>
    connectors.flatMap((one) => by(label, read(one) ?? {}, { connector: one.connector, venue: one.venue }))
  const ofShards = (read: (one: (typeof shards)[number]) => number): ReadonlyArray<Sample> =>
    shards.map((one) => ({ labels: { worker: one.shard }, value: read(one) }))
  return [
    reading(
      "venue_up",
      health.flatMap(({ venue, status }) =>
        status === "idle" ? [] : [{ labels: { venue }, value: status === "up" ? 1 : 0 }],
      ),
    ),
    reading(
      "venue_books",
      books.map(({ venue, books: value }) => ({ labels: { venue }, value })),
    ),
    reading(
      "venue_books_stale",
      books.map(({ venue, stale }) => ({ labels: { venue }, value: stale })),
    ),
    reading(
      "book_staleness_seconds",
      books.map(({ venue, lostMillis }) => ({ labels: { venue }, value: lostMillis / 1000 })),
    ),
    reading(
      "venue_warm_feeds",
      books.map(({ venue, warm }) => ({ labels: { venue }, value: warm })),
    ),
    reading(
      "venue_circuit_state",
      ofConnectors(({ state }) => (state === "up" ? 0 : state === "starting" ? 1 : state === "waiting" ? 2 : null)),
    ),
    reading(
      "venue_streams",
      ofConnectors((one) => one.streams),
    ),
    reading(
      "venue_sessions",
      ofConnectors((one) => one.sessions),
    ),
    reading(
      "venue_calls_in_flight",
      ofConnectors((one) => one.callsInFlight),
    ),
    reading(
      "venue_connector_restarts_total",
      ofConnectors((one) => one.restarts),
    ),
    reading(
      "venue_ws_gap_total",
      ofConnectors((one) => one.gaps),
    ),
    reading(
      "venue_stream_losses_total",
      ofConnectors((one) => one.losses),
    ),
    reading(
      "venue_book_resyncs_total",
      spread("reason", (one) => one.resyncsBy),
    ),
    reading(
      "venue_book_audits_total",
      spread("result", (one) => ({ ...one.figures?.bookAudits })),
    ),
    reading(
      "venue_conflated_total",
      ofConnectors((one) => one.figures?.conflated),
    ),
    reading(
      "venue_unacknowledged",
      ofConnectors((one) => one.figures?.unacknowledged),
    ),
    reading(
      "venue_http_requests_total",
      spread("op", (one) => one.figures?.budget.sent),
    ),
    reading(
      "venue_answers_total",
      spread("outcome", (one) => one.figures?.budget.answers),
    ),
    reading(
      "venue_requests_waiting",
      spread("op", (one) => one.figures?.budget.waiting),
    ),
    reading(
      "venue_budget_used_ratio",
      ofConnectors((one) => one.figures?.budget.used),
    ),
    reading(
      "venue_paused_seconds",
      ofConnectors((one) => one.figures && one.figures.budget.pausedMillis / 1000),
    ),
    reading(
      "worker_deaths_total",
      ofShards((one) => one.deaths),
    ),
    reading(
      "worker_rejections_total",
      ofShards((one) => one.rejections),
    ),
    reading(
      "worker_heap_bytes",
      ofShards((one) => one.heapUsedBytes),
    ),
    reading(
      "worker_heap_limit_bytes",
      ofShards((one) => one.heapMaxBytes),
    ),
    reading(
      "worker_eventloop_lag_seconds",
      ofShards((one) => one.loopDelayMillis / 1000),
    ),
    reading(
      "worker_busy_ratio",
      ofShards((one) => one.busy),
    ),
  ]
}

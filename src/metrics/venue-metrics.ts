/** What operators see of the venues: their connectors, budgets, books and threads. */
import type { VenueHealth } from "../ports/venue-port.ts"
import type { ConnectorStats, VenueStats } from "../ports/venue-stats.ts"
import { by, counter, type Family, gauge, type Sample } from "./exposition.ts"

export interface VenueFigures {
  readonly health: ReadonlyArray<VenueHealth>
  readonly stats: VenueStats
  readonly books: ReadonlyArray<{ readonly venue: string; readonly books: number; readonly stale: number }>
}

export const venueMetrics = ({ health, stats, books }: VenueFigures): ReadonlyArray<Family> => {
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
    gauge(
      "venue_up",
      "1: the venue answers; 0: it does not; absent: nothing was asked of it yet",
      health.flatMap(({ venue, status }) =>
        status === "idle" ? [] : [{ labels: { venue }, value: status === "up" ? 1 : 0 }],
      ),
    ),
    gauge(
      "venue_books",
      "Open order books",
      books.map(({ venue, books: value }) => ({ labels: { venue }, value })),
    ),
    gauge(
      "venue_books_stale",
      "Of them: not SYNCED",
      books.map(({ venue, stale }) => ({ labels: { venue }, value: stale })),
    ),
    gauge(
      "venue_streams",
      "Open market streams",
      ofConnectors((one) => one.streams),
    ),
    gauge(
      "venue_sessions",
      "Private sessions",
      ofConnectors((one) => one.sessions),
    ),
    gauge(
      "venue_calls_in_flight",
      "Questions without an answer yet",
      ofConnectors((one) => one.callsInFlight),
    ),
    counter(
      "venue_connector_restarts_total",
      "Connectors that began anew",
      ofConnectors((one) => one.restarts),
    ),
    counter(
      "venue_ws_gap_total",
      "Streams that lost their place in the venue's sequence",
      ofConnectors((one) => one.gaps),
    ),
    counter(
      "venue_stream_losses_total",
      "Streams that were interrupted",
      ofConnectors((one) => one.losses),
    ),
    counter(
      "venue_book_resyncs_total",
      "Books begun anew, by cause",
      spread("reason", (one) => one.resyncsBy),
    ),
    counter(
      "venue_book_audits_total",
      "Comparisons of books with the venue's by REST",
      spread("result", (one) => ({ ...one.figures?.bookAudits })),
    ),
    counter(
      "venue_conflated_total",
      "Book changes and tickers merged into a later one",
      ofConnectors((one) => one.figures?.conflated),
    ),
    gauge(
      "venue_unacknowledged",
      "Records that the main thread has not taken yet",
      ofConnectors((one) => one.figures?.unacknowledged),
    ),
    counter(
      "venue_requests_total",
      "Requests sent, by purpose",
      spread("op", (one) => one.figures?.budget.sent),
    ),
    counter(
      "venue_answers_total",
      "Answers, by what they meant",
      spread("outcome", (one) => one.figures?.budget.answers),
    ),
    gauge(
      "venue_requests_waiting",
      "Requests that wait for the budget",
      spread("op", (one) => one.figures?.budget.waiting),
    ),
    gauge(
      "venue_budget_used_ratio",
      "Share of the request budget in use",
      ofConnectors((one) => one.figures?.budget.used),
    ),
    gauge(
      "venue_paused_seconds",
      "What is left of a pause that the venue asked for",
      ofConnectors((one) => one.figures && one.figures.budget.pausedMillis / 1000),
    ),
    counter(
      "worker_deaths_total",
      "Ends of worker threads that nobody asked for",
      ofShards((one) => one.deaths),
    ),
    counter(
      "worker_rejections_total",
      "Stray rejections that a worker survived",
      ofShards((one) => one.rejections),
    ),
    gauge(
      "worker_heap_bytes",
      "Heap of a worker thread",
      ofShards((one) => one.heapUsedBytes),
    ),
    gauge(
      "worker_heap_limit_bytes",
      "Where its heap ends",
      ofShards((one) => one.heapMaxBytes),
    ),
    gauge(
      "worker_eventloop_lag_seconds",
      "Delay of its loop, 99th percentile",
      ofShards((one) => one.loopDelayMillis / 1000),
    ),
    gauge(
      "worker_busy_ratio",
      "Share of time in which its loop was busy",
      ofShards((one) => one.busy),
    ),
  ]
}

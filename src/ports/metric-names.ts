/**
 * Every metric of the gateway, by its name: what it is, what tells its series apart, and what it means. The one table: the metrics port,
 * OTLP, the dashboard, the alert rules and docs/operations/metrics.md are all made from it, and a name that is not here does not compile.
 * No label ever names a user, an account or an order.
 */

export interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels?: ReadonlyArray<string>
  /** Upper ends of a histogram's buckets. */
  readonly buckets?: ReadonlyArray<number>
}

/** Seconds: of requests (security E). */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const
/** Seconds: of what is a part of a request. */
const FINE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const
/** Seconds: of what goes over the internet. */
const VENUE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Seconds: from a commit to a venue's answer. */
const ORDER_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export const METRICS = {
  // How it is
  health_status: { type: "gauge", help: "The health record: 0 healthy, 1 degraded, 2 unhealthy (503)" },
  health_check: { type: "gauge", labels: ["check"], help: "Each check of it, alike" },

  // What goes round beside the actors
  loop_rounds_total: { type: "counter", labels: ["loop"], help: "Rounds that came to their end" },
  loop_failures_total: { type: "counter", labels: ["loop"], help: "Rounds that failed and were begun again" },
  loop_success_age_seconds: {
    type: "gauge",
    labels: ["loop"],
    help: "Since the last round that came to its end, or since the loop began; of one that waits for work, its rest included",
  },

  // The process
  build_info: { type: "gauge", labels: ["version", "node"], help: "1, with the version" },
  process_start_time_seconds: { type: "gauge", help: "When the process began, in seconds since the Unix epoch" },
  process_cpu_seconds_total: { type: "counter", help: "CPU time of all threads" },
  process_resident_memory_bytes: { type: "gauge", help: "Resident memory" },
  process_open_fds: { type: "gauge", help: "Open files and sockets" },
  nodejs_heap_bytes: { type: "gauge", help: "Heap of the main thread in use" },
  nodejs_eventloop_lag_seconds: {
    type: "gauge",
    labels: ["q"],
    help: "Delay of the main loop in the last 10 s, by quantile",
  },
  data_disk_free_bytes: { type: "gauge", help: "Free space where DATA_DIR is" },

  log_lines_total: { type: "counter", labels: ["stream", "level"], help: "Lines that were logged" },

  otlp_sent_total: {
    type: "counter",
    labels: ["signal"],
    help: "Spans, log lines and looks at the metrics that the OTLP collector took",
  },
  otlp_dropped_total: {
    type: "counter",
    labels: ["signal"],
    help: "Those that it did not take, or that did not fit into the queue",
  },

  // TLS of our own
  tls_certificate_expiry_timestamp_seconds: {
    type: "gauge",
    help: "When the certificate that new connections are shown ends, in seconds since the Unix epoch; absent: TLS is a proxy's",
  },
  tls_certificate_refused: {
    type: "gauge",
    help: "1: what was in its files at the last SIGHUP could not be taken, the one before is shown",
  },

  // HTTP
  http_requests_total: {
    type: "counter",
    labels: ["route", "method", "status"],
    help: "Answers; status 0: the client left before",
  },
  http_request_duration_seconds: {
    type: "histogram",
    labels: ["route"],
    buckets: REQUEST_SECONDS,
    help: "From the arrival of a request to its answer; calls over a socket, too",
  },
  http_inflight_requests: { type: "gauge", help: "Requests and calls without an answer yet" },
  http_rejected_total: {
    type: "counter",
    labels: ["reason"],
    help: "Requests that were refused before their operation began",
  },
  rate_limited_total: { type: "counter", labels: ["rule"], help: "Requests that met a limit, by rule" },

  // Sockets
  ws_connections: { type: "gauge", help: "Open sockets" },
  ws_connections_total: { type: "counter", help: "Sockets that were opened" },
  ws_disconnects_total: { type: "counter", labels: ["code"], help: "Sockets that ended, by code" },
  ws_subscriptions: { type: "gauge", help: "Subscriptions" },
  ws_channels: { type: "gauge", help: "Channels that somebody listens to" },
  ws_topics: { type: "gauge", help: "Topics of these channels: one per wish of their readers" },
  ws_messages_sent_total: { type: "counter", help: "Frames handed to sockets, each reader counted" },
  ws_bytes_sent_total: { type: "counter", help: "Their bytes before compression; characters of JSON" },
  ws_publications_total: { type: "counter", help: "Publications" },
  ws_frames_total: { type: "counter", help: "Frames that carried them, each for any number of readers" },
  ws_breaks_total: { type: "counter", help: "Publications that did not follow the one before" },
  ws_commands_duration_seconds: {
    type: "histogram",
    labels: ["method"],
    buckets: FINE_SECONDS,
    help: "Commands on sockets; calls until their answer",
  },
  ws_fanout_lag_seconds: {
    type: "histogram",
    buckets: FINE_SECONDS,
    help: "How long frames were gathered before they left; 0 while the loop is idle",
  },
  ws_recoveries_total: {
    type: "counter",
    labels: ["result"],
    help: "Readers that came back with a position: recovered, or sent to the present state",
  },
  ws_windowed: { type: "gauge", help: "1: publications are gathered, the loop is busy" },
  ws_newcomers_waiting: {
    type: "gauge",
    help: "Sockets whose connect or subscribe waits for a later turn of the loop",
  },
  ws_newcomers_deferred_total: { type: "counter", help: "Times that one had to" },
  ws_readers_behind: { type: "gauge", help: "Sockets with unread bytes at the last look" },
  ws_readers_spared: { type: "gauge", help: "Sockets that are spared what can be given anew" },
  ws_conflations_total: { type: "counter", help: "Times that a socket was spared" },
  ws_slow_closed_total: { type: "counter", labels: ["cause"], help: "Sockets closed because they did not read" },

  // Orders
  orders_total: {
    type: "counter",
    labels: ["venue", "status"],
    help: "Orders that came into a status, counted when that is durable",
  },
  order_stage_duration_seconds: {
    type: "histogram",
    labels: ["stage"],
    buckets: ORDER_SECONDS,
    help: "store: until a unit is durable; venue: from the dispatch of a submit to the venue's word",
  },
  orders_unknown: { type: "gauge", help: "Orders in doubt: nobody knows yet what became of them" },
  order_batches_total: { type: "counter", help: "Group commits of orders" },
  order_units_total: { type: "counter", help: "Units in them: what one message changed" },
  order_commit_seconds_total: { type: "counter", help: "Time they took, summed" },
  order_units_refused_total: { type: "counter", labels: ["cause"], help: "Units that were not stored" },
  order_batch_retries_total: { type: "counter", help: "Batches sent once more" },
  order_units_waiting: { type: "gauge", help: "Units that are not stored yet" },
  order_oldest_unit_seconds: { type: "gauge", help: "For how long the oldest of them waits" },
  reconcile_discrepancies_total: {
    type: "counter",
    labels: ["kind"],
    help: "What an account and its venue did not agree on, and other alerts of accounts, by code",
  },

  // Dealers
  dealers_live: { type: "gauge", help: "Dealers whose actor is awake" },
  hedges_sent_total: { type: "counter", help: "Hedges handed to their accounts" },
  hedge_fills_total: { type: "counter", help: "Executions of hedges that dealers heard of" },
  hedge_attempts_missed_total: { type: "counter", help: "Attempts that did not close all of an exposure" },
  hedge_alerts_total: { type: "counter", help: "Alerts about exposures that stay open" },
  exchange_differences_total: {
    type: "counter",
    labels: ["kind"],
    help: "Differences of linked accounts that nothing explained, as they were booked: shortfall, adjustment (a surplus), correction",
  },
  exchange_shortfalls_open: {
    type: "gauge",
    help: "Assets of linked accounts of which more is missing than EXCHANGE_SHORTFALL_PERCENT",
  },
  exchange_shortfall_alerts_total: { type: "counter", help: "Alerts about them" },
  exchange_mirrors_frozen: {
    type: "gauge",
    help: "Linked accounts whose mirror is frozen: what they execute is not booked",
  },
  hedge_pairs_open: { type: "gauge", help: "Pairs of dealers whose exposure is open beyond what their venue takes" },

  // Venues
  venue_up: {
    type: "gauge",
    labels: ["venue"],
    help: "1: the venue answers; 0: it does not; absent: nothing was asked of it yet",
  },
  venue_circuit_state: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "0: connected; 1: starting; 2: waits before it begins anew",
  },
  venue_requests_total: { type: "counter", labels: ["venue", "op", "outcome"], help: "Questions to venues that ended" },
  venue_request_duration_seconds: {
    type: "histogram",
    labels: ["venue", "op"],
    buckets: VENUE_SECONDS,
    help: "From a question of the gateway to the venue's answer, waiting for the budget included",
  },
  venue_http_requests_total: {
    type: "counter",
    labels: ["connector", "venue", "op"],
    help: "Requests that a connector sent, by purpose",
  },
  venue_answers_total: {
    type: "counter",
    labels: ["connector", "venue", "outcome"],
    help: "Answers to them, by what they meant",
  },
  venue_requests_waiting: {
    type: "gauge",
    labels: ["connector", "venue", "op"],
    help: "Requests that wait for the budget",
  },
  venue_budget_used_ratio: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "Share of the request budget in use",
  },
  venue_paused_seconds: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "What is left of a pause that the venue asked for",
  },
  venue_calls_in_flight: { type: "gauge", labels: ["connector", "venue"], help: "Questions without an answer yet" },
  venue_connector_restarts_total: {
    type: "counter",
    labels: ["connector", "venue"],
    help: "Connectors that began anew",
  },
  venue_streams: { type: "gauge", labels: ["connector", "venue"], help: "Open market streams" },
  venue_sessions: { type: "gauge", labels: ["connector", "venue"], help: "Private sessions" },
  venue_ws_gap_total: {
    type: "counter",
    labels: ["connector", "venue"],
    help: "Streams that lost their place in the venue's sequence",
  },
  venue_stream_losses_total: { type: "counter", labels: ["connector", "venue"], help: "Streams that were interrupted" },
  venue_books: { type: "gauge", labels: ["venue"], help: "Open order books" },
  venue_books_stale: { type: "gauge", labels: ["venue"], help: "Of them: not SYNCED" },
  book_staleness_seconds: {
    type: "gauge",
    labels: ["venue"],
    help: "For how long the book that waits longest has not been SYNCED; 0: all are",
  },
  venue_book_resyncs_total: {
    type: "counter",
    labels: ["connector", "venue", "reason"],
    help: "Books begun anew, by cause",
  },
  venue_book_audits_total: {
    type: "counter",
    labels: ["connector", "venue", "result"],
    help: "Comparisons of books with the venue's by REST",
  },
  venue_conflated_total: {
    type: "counter",
    labels: ["connector", "venue"],
    help: "Book changes and tickers merged into a later one",
  },
  venue_unacknowledged: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "Records that the main thread has not taken yet",
  },
  worker_deaths_total: { type: "counter", labels: ["worker"], help: "Ends of worker threads that nobody asked for" },
  worker_rejections_total: { type: "counter", labels: ["worker"], help: "Stray rejections that a worker survived" },
  worker_heap_bytes: { type: "gauge", labels: ["worker"], help: "Heap of a worker thread" },
  worker_heap_limit_bytes: { type: "gauge", labels: ["worker"], help: "Where its heap ends" },
  worker_eventloop_lag_seconds: { type: "gauge", labels: ["worker"], help: "Delay of its loop, 99th percentile" },
  worker_busy_ratio: { type: "gauge", labels: ["worker"], help: "Share of time in which its loop was busy" },

  // The ledger
  ledger_batches_total: { type: "counter", help: "Group commits of the ledger" },
  ledger_batch_size: { type: "histogram", buckets: [1, 2, 5, 10, 25, 50, 100], help: "Requests in one group commit" },
  ledger_commit_duration_seconds: {
    type: "histogram",
    buckets: FINE_SECONDS,
    help: "Group commits of the ledger, from sending to the answer",
  },
  ledger_requests_total: { type: "counter", help: "Requests that were settled" },
  ledger_transfers_total: { type: "counter", help: "Transfers of requests that were applied" },
  ledger_replays_total: { type: "counter", help: "Requests that had been there before" },
  ledger_rejections_total: { type: "counter", labels: ["reason"], help: "Requests that were refused" },
  ledger_batch_retries_total: { type: "counter", help: "Batches sent once more" },
  ledger_holds_expired_total: { type: "counter", help: "Holds that were voided because they were due" },
  ledger_requests_waiting: { type: "gauge", help: "Requests that are not settled yet" },
  ledger_violations: { type: "gauge", help: "What the newest audit found: must be 0" },
  ledger_audited_timestamp_seconds: { type: "gauge", help: "When the last look of the audit came to its end" },
  ledger_audited_whole_timestamp_seconds: { type: "gauge", help: "When the whole journal was last gone through" },
  ledger_audit_whole_rows_left: {
    type: "gauge",
    help: "Rows that the pass over the whole journal still has to go through; 0: none is under way",
  },
  ledger_audit_age_seconds: { type: "gauge", help: "Since the last look that came to its end, or since the start" },
  ledger_audit_failing: { type: "gauge", help: "1: the newest look did not come to its end" },
  ledger_audit_failures_total: { type: "counter", help: "Looks that did not come to their end" },
  ledger_audit_duration_seconds: { type: "gauge", help: "How long the last look took" },

  // Actors
  accounts_live: { type: "gauge", help: "Trading accounts in memory" },
  actor_mailbox_depth: { type: "gauge", labels: ["type"], help: "Messages that wait, in all mailboxes together" },
  actor_oldest_message_seconds: { type: "gauge", labels: ["type"], help: "For how long the oldest of them waits" },
  actor_restarts_total: { type: "counter", labels: ["type"], help: "Actors that began anew after a defect" },

  // The database
  db_pool_size: { type: "gauge", help: "Connections of the pool" },
  db_pool_idle: { type: "gauge", help: "Of them: free" },
  db_pool_waiting: { type: "gauge", help: "Queries that wait for a connection" },
  db_query_duration_seconds: {
    type: "histogram",
    labels: ["name"],
    buckets: FINE_SECONDS,
    help: "Queries, by verb and table; writers by their own names",
  },

  // Keys
  keys_in_force: { type: "gauge", labels: ["encryption", "signing"], help: "1, with the ids of the keys in force" },
  keys_reseal_working: { type: "gauge", help: "1: stored secrets are being sealed with the newest key" },
  keys_resealed_rows_total: { type: "counter", labels: ["table"], help: "Stored secrets sealed anew" },
  keys_unreadable_rows: { type: "gauge", help: "Stored secrets that no key opens, at the last look" },

  // Users
  auth_logins_total: { type: "counter", labels: ["result"], help: "Logins, by how they ended" },
  auth_refresh_reuse_total: { type: "counter", help: "Refresh tokens that came a second time: each ended its session" },
  auth_hash_queue: { type: "gauge", help: "Passwords that are hashed or wait for it" },
  security_events_total: {
    type: "counter",
    labels: ["event"],
    help: "Events of the security log, suppressed ones too",
  },
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricName = keyof typeof METRICS

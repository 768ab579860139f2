/**
 * Every metric of the gateway by name: type, labels and help text. The one table: the metrics port, OTLP, the dashboard, the alert rules and
 * docs/operations/metrics.md are generated from it, and a name that is not here does not compile. No label ever names a user, an account or an
 * order.
 */

export interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram"
  readonly help: string
  readonly labels?: ReadonlyArray<string>
  /** Exposed only by a node that others reach over the broker (NATS_URL). */
  readonly isOfCluster?: true
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: ReadonlyArray<number>
}

/** Seconds: requests (security E). */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const
/** Seconds: the parts of a request. */
const FINE_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1] as const
/** Seconds: whatever crosses the internet. */
const VENUE_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

/** Seconds: from a commit to the venue's response. */
const ORDER_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const

export const METRICS = {
  // Health
  health_status: { type: "gauge", help: "The health record: 0 healthy, 1 degraded, 2 unhealthy (503)" },
  health_check: { type: "gauge", labels: ["check"], help: "Each check of the health record, on the same scale" },

  // Background loops
  loop_rounds_total: { type: "counter", labels: ["loop"], help: "Completed rounds" },
  loop_failures_total: { type: "counter", labels: ["loop"], help: "Rounds that failed and were restarted" },
  loop_success_age_seconds: {
    type: "gauge",
    labels: ["loop"],
    help: "Time since the last completed round, or since the loop started; idle time included where it waits for work",
  },

  // The process
  build_info: {
    type: "gauge",
    labels: ["version", "commit", "node"],
    help: "Always 1; the labels name the program, the commit it was built from, and Node",
  },
  process_start_time_seconds: { type: "gauge", help: "Start time of the process, in seconds since the Unix epoch" },
  process_cpu_seconds_total: { type: "counter", help: "CPU time of all threads" },
  process_resident_memory_bytes: { type: "gauge", help: "Resident memory" },
  process_open_fds: { type: "gauge", help: "Open file descriptors: files and sockets" },
  nodejs_heap_bytes: { type: "gauge", help: "Heap in use on the main thread" },
  nodejs_eventloop_lag_seconds: {
    type: "gauge",
    labels: ["q"],
    help: "Event loop delay of the main thread over the last 10 s, by quantile",
  },
  backup_age_seconds: {
    type: "gauge",
    help: "Time since the last backup of the database began, or, before the first one, since DATA_DIR was created; recorded by gateway-admin backup",
  },
  data_disk_free_bytes: { type: "gauge", help: "Free space on the volume of DATA_DIR" },

  log_lines_total: { type: "counter", labels: ["stream", "level"], help: "Log lines written" },

  otlp_sent_total: {
    type: "counter",
    labels: ["signal"],
    help: "Spans, log lines and metric snapshots accepted by the OTLP collector",
  },
  otlp_dropped_total: {
    type: "counter",
    labels: ["signal"],
    help: "Items the collector did not accept, or that overflowed the queue",
  },

  // TLS served by the gateway itself
  tls_certificate_expiry_timestamp_seconds: {
    type: "gauge",
    help: "Expiry of the certificate served to new connections, in seconds since the Unix epoch; absent when a proxy terminates TLS",
  },
  tls_certificate_refused: {
    type: "gauge",
    help: "1: the certificate files were rejected at the last SIGHUP and the previous certificate is still served",
  },

  // HTTP
  http_requests_total: {
    type: "counter",
    labels: ["route", "method", "status"],
    help: "Responses; status 0: the client disconnected first",
  },
  http_request_duration_seconds: {
    type: "histogram",
    labels: ["route"],
    buckets: REQUEST_SECONDS,
    help: "From the arrival of a request to its response, calls over a WebSocket included",
  },
  http_inflight_requests: { type: "gauge", help: "Requests and calls in flight" },
  http_rejected_total: {
    type: "counter",
    labels: ["reason"],
    help: "Requests rejected before their operation started",
  },
  rate_limited_total: { type: "counter", labels: ["rule"], help: "Requests rejected by a rate limit, by rule" },

  // Sockets
  ws_connections: { type: "gauge", help: "Open WebSocket connections" },
  ws_connections_total: { type: "counter", help: "WebSocket connections opened" },
  ws_disconnects_total: { type: "counter", labels: ["code"], help: "WebSocket connections closed, by code" },
  ws_subscriptions: { type: "gauge", help: "Active subscriptions" },
  ws_channels: { type: "gauge", help: "Channels with at least one subscriber" },
  ws_topics: { type: "gauge", help: "Topics of these channels: one per delivery mode requested by subscribers" },
  ws_messages_sent_total: { type: "counter", help: "Frames sent, counted per receiving socket" },
  ws_bytes_sent_total: { type: "counter", help: "Bytes of these frames before compression; characters for JSON" },
  ws_publications_total: { type: "counter", help: "Publications made to channels" },
  ws_frames_total: {
    type: "counter",
    help: "Frames encoded to carry publications, each for any number of subscribers",
  },
  ws_breaks_total: { type: "counter", help: "Publications that broke a channel's sequence" },
  ws_commands_duration_seconds: {
    type: "histogram",
    labels: ["method"],
    buckets: FINE_SECONDS,
    help: "Duration of client commands; for calls, until the response",
  },
  ws_fanout_lag_seconds: {
    type: "histogram",
    buckets: FINE_SECONDS,
    help: "How long frames were batched before they were sent; 0 while the event loop is idle",
  },
  ws_recoveries_total: {
    type: "counter",
    labels: ["result"],
    help: "Resubscriptions with a stream position: recovered, or reset to the current state",
  },
  ws_windowed: { type: "gauge", help: "1: publications are being batched because the event loop is busy" },
  ws_newcomers_waiting: {
    type: "gauge",
    help: "Connections whose connect or subscribe is deferred to a later turn of the event loop",
  },
  ws_newcomers_deferred_total: { type: "counter", help: "Connects and subscribes that were deferred" },
  ws_readers_behind: { type: "gauge", help: "Sockets with unread bytes at the last check" },
  ws_readers_spared: { type: "gauge", help: "Slow sockets for which conflatable data (books, tickers) is held back" },
  ws_conflations_total: { type: "counter", help: "Times data was held back for a slow socket" },
  ws_slow_closed_total: {
    type: "counter",
    labels: ["cause"],
    help: "Sockets closed because the client did not read, by cause",
  },

  // Several machines
  peer_asks_total: {
    type: "counter",
    isOfCluster: true,
    labels: ["outcome"],
    help: "Requests passed to the node that owns the database, by outcome: answered; unanswered (it may have been done); anything else: not taken, why, and held",
  },
  peer_call_duration_seconds: {
    type: "histogram",
    isOfCluster: true,
    buckets: REQUEST_SECONDS,
    help: "From a request at this node to the owner's answer, including the time for which it was held",
  },
  peer_calls_held: {
    type: "gauge",
    isOfCluster: true,
    help: "Requests held until a node that owns the database is heard",
  },
  mirrors_open: { type: "gauge", isOfCluster: true, help: "Channels of the owner that are read at this node" },
  mirror_words_total: { type: "counter", isOfCluster: true, help: "Publications of the owner heard for them" },
  mirror_repairs_total: {
    type: "counter",
    isOfCluster: true,
    help: "Times a mirror asked the owner for what it had missed",
  },
  mirror_recalls_total: {
    type: "counter",
    isOfCluster: true,
    help: "Times the subscribers of a mirror were told to start over",
  },

  // Orders
  orders_total: {
    type: "counter",
    labels: ["venue", "status"],
    help: "Orders that entered a status, counted once the change is durable",
  },
  order_stage_duration_seconds: {
    type: "histogram",
    labels: ["stage"],
    buckets: ORDER_SECONDS,
    help: "store: until a change is durable; venue: from dispatch of a submit to the venue's response",
  },
  orders_unknown: { type: "gauge", help: "Orders in doubt: the outcome at the venue is not known yet" },
  order_batches_total: { type: "counter", help: "Order group commits" },
  order_units_total: { type: "counter", help: "Units in these commits; a unit is what one message changed" },
  order_commit_seconds_total: { type: "counter", help: "Total time spent in these commits" },
  order_units_refused_total: { type: "counter", labels: ["cause"], help: "Units that were not stored, by cause" },
  order_batch_retries_total: { type: "counter", help: "Batches sent again after a failure" },
  order_units_waiting: { type: "gauge", help: "Units waiting to be stored" },
  order_oldest_unit_seconds: { type: "gauge", help: "Age of the oldest waiting unit" },
  reconcile_discrepancies_total: {
    type: "counter",
    labels: ["kind"],
    help: "Discrepancies between an account and its venue, and other account alerts, by code",
  },

  // Dealers
  dealers_live: { type: "gauge", help: "Dealers with a running actor" },
  hedges_sent_total: { type: "counter", help: "Hedge orders handed to their accounts" },
  hedge_fills_total: { type: "counter", help: "Hedge executions received by dealers" },
  hedge_attempts_missed_total: { type: "counter", help: "Hedge attempts that left part of the exposure open" },
  hedge_alerts_total: { type: "counter", help: "Alerts about exposure that stays open" },
  exchange_differences_total: {
    type: "counter",
    labels: ["kind"],
    help: "Balance differences of linked accounts not explained by executions, as booked: shortfall, adjustment (a surplus, or from before the account was linked), correction, funding (announced)",
  },
  exchange_shortfalls_open: {
    type: "gauge",
    help: "Assets of linked accounts whose unexplained shortfall exceeds EXCHANGE_SHORTFALL_PERCENT",
  },
  exchange_shortfall_alerts_total: { type: "counter", help: "Alerts about these shortfalls" },
  exchange_mirrors_frozen: {
    type: "gauge",
    help: "Linked accounts whose mirror is frozen: what they execute is not booked",
  },
  hedge_pairs_open: { type: "gauge", help: "Dealer pairs whose open exposure exceeds the venue's minimum order" },

  // Venues
  venue_up: {
    type: "gauge",
    labels: ["venue"],
    help: "1: the venue responds; 0: it does not; absent: nothing has been requested yet",
  },
  venue_circuit_state: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "0: connected; 1: starting; 2: backing off before a restart",
  },
  venue_requests_total: {
    type: "counter",
    labels: ["venue", "op", "outcome"],
    help: "Completed requests to venues, by operation and outcome",
  },
  venue_request_duration_seconds: {
    type: "histogram",
    labels: ["venue", "op"],
    buckets: VENUE_SECONDS,
    help: "From a gateway request to the venue's response, including the wait for the request budget",
  },
  venue_http_requests_total: {
    type: "counter",
    labels: ["connector", "venue", "op"],
    help: "HTTP requests sent by a connector, by purpose",
  },
  venue_answers_total: {
    type: "counter",
    labels: ["connector", "venue", "outcome"],
    help: "Responses to these requests, by outcome",
  },
  venue_requests_waiting: {
    type: "gauge",
    labels: ["connector", "venue", "op"],
    help: "Requests waiting for the request budget",
  },
  venue_budget_used_ratio: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "Share of the request budget in use",
  },
  venue_paused_seconds: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "Remaining time of a pause requested by the venue",
  },
  venue_calls_in_flight: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "Requests of the gateway to the venue in flight",
  },
  venue_connector_restarts_total: {
    type: "counter",
    labels: ["connector", "venue"],
    help: "Connector restarts",
  },
  venue_streams: { type: "gauge", labels: ["connector", "venue"], help: "Open market streams" },
  venue_sessions: { type: "gauge", labels: ["connector", "venue"], help: "Private sessions" },
  venue_ws_gap_total: {
    type: "counter",
    labels: ["connector", "venue"],
    help: "Gaps detected in the venue's stream sequences",
  },
  venue_stream_losses_total: { type: "counter", labels: ["connector", "venue"], help: "Stream interruptions" },
  venue_books: { type: "gauge", labels: ["venue"], help: "Open order books" },
  venue_books_stale: { type: "gauge", labels: ["venue"], help: "Open order books that are not SYNCED" },
  book_staleness_seconds: {
    type: "gauge",
    labels: ["venue"],
    help: "Longest time any open book has not been SYNCED; 0: all are",
  },
  venue_warm_feeds: {
    type: "gauge",
    labels: ["venue"],
    help: "Order books and tickers kept open for the next read, since clients read them within the last hour (WARM_FEEDS)",
  },
  venue_book_resyncs_total: {
    type: "counter",
    labels: ["connector", "venue", "reason"],
    help: "Book resynchronisations, by reason",
  },
  venue_book_audits_total: {
    type: "counter",
    labels: ["connector", "venue", "result"],
    help: "Comparisons of books with the venue's REST snapshot, by result",
  },
  venue_conflated_total: {
    type: "counter",
    labels: ["connector", "venue"],
    help: "Book changes and tickers conflated into a later one",
  },
  venue_unacknowledged: {
    type: "gauge",
    labels: ["connector", "venue"],
    help: "Records the main thread has not acknowledged yet",
  },
  worker_deaths_total: { type: "counter", labels: ["worker"], help: "Unexpected exits of worker threads" },
  worker_rejections_total: {
    type: "counter",
    labels: ["worker"],
    help: "Unhandled promise rejections a worker survived",
  },
  worker_heap_bytes: { type: "gauge", labels: ["worker"], help: "Heap in use on a worker thread" },
  worker_heap_limit_bytes: { type: "gauge", labels: ["worker"], help: "Heap limit of a worker thread" },
  worker_eventloop_lag_seconds: {
    type: "gauge",
    labels: ["worker"],
    help: "Longest event loop delay of a worker thread within the last 10 to 20 s",
  },
  worker_busy_ratio: { type: "gauge", labels: ["worker"], help: "Share of time a worker thread's event loop was busy" },

  // The ledger
  ledger_batches_total: { type: "counter", help: "Ledger group commits" },
  ledger_batch_size: { type: "histogram", buckets: [1, 2, 5, 10, 25, 50, 100], help: "Requests per group commit" },
  ledger_commit_duration_seconds: {
    type: "histogram",
    buckets: FINE_SECONDS,
    help: "Duration of a ledger group commit, from send to response",
  },
  ledger_requests_total: { type: "counter", help: "Ledger requests settled" },
  ledger_transfers_total: { type: "counter", help: "Transfers applied" },
  ledger_replays_total: { type: "counter", help: "Repeated requests answered with their first outcome" },
  ledger_rejections_total: { type: "counter", labels: ["reason"], help: "Ledger requests rejected" },
  ledger_batch_retries_total: { type: "counter", help: "Batches sent again after a failure" },
  ledger_holds_expired_total: { type: "counter", help: "Holds released because they expired" },
  ledger_requests_waiting: { type: "gauge", help: "Ledger requests waiting to be settled" },
  ledger_violations: { type: "gauge", help: "Violations found by the newest audit run: must be 0" },
  ledger_audited_timestamp_seconds: {
    type: "gauge",
    help: "Time of the last completed audit run, in seconds since the Unix epoch",
  },
  ledger_audited_whole_timestamp_seconds: {
    type: "gauge",
    help: "Time of the last completed pass over the whole journal, in seconds since the Unix epoch",
  },
  ledger_audit_whole_age_seconds: {
    type: "gauge",
    help: "Time since the last completed pass over the whole journal; before the first one, since the database can be audited",
  },
  ledger_audit_whole_rows_left: {
    type: "gauge",
    help: "Rows left for the pass over the whole journal; 0: none is in progress",
  },
  ledger_audit_age_seconds: { type: "gauge", help: "Time since the last completed audit run, or since the start" },
  ledger_audit_failing: { type: "gauge", help: "1: the newest audit run did not complete" },
  ledger_audit_failures_total: { type: "counter", help: "Audit runs that did not complete" },
  ledger_audit_duration_seconds: { type: "gauge", help: "Duration of the last audit run" },

  // Actors
  accounts_live: { type: "gauge", help: "Trading accounts in memory" },
  actor_mailbox_depth: { type: "gauge", labels: ["type"], help: "Messages waiting, over all mailboxes" },
  actor_oldest_message_seconds: { type: "gauge", labels: ["type"], help: "Age of the oldest waiting message" },
  actor_restarts_total: { type: "counter", labels: ["type"], help: "Actor restarts after a defect" },
  actors_parked: {
    type: "gauge",
    labels: ["type"],
    help: "Actors that a defect stopped until the next start: accounts that take no order, dealers that quote nothing",
  },

  // The database
  db_pool_size: { type: "gauge", help: "Connections in the pool" },
  db_pool_idle: { type: "gauge", help: "Idle connections in the pool" },
  db_pool_waiting: { type: "gauge", help: "Queries waiting for a connection" },
  db_query_duration_seconds: {
    type: "histogram",
    labels: ["name"],
    buckets: FINE_SECONDS,
    help: "Query duration, by verb and table; the writers under their own names",
  },

  // Keys
  keys_in_force: {
    type: "gauge",
    labels: ["encryption", "signing"],
    help: "Always 1; the labels carry the ids of the keys in force",
  },
  keys_reseal_working: { type: "gauge", help: "1: stored secrets are being re-encrypted with the newest key" },
  keys_resealed_rows_total: { type: "counter", labels: ["table"], help: "Stored secrets re-encrypted" },
  keys_unreadable_rows: { type: "gauge", help: "Stored secrets that no available key decrypts, at the last check" },

  // Users
  auth_logins_total: { type: "counter", labels: ["result"], help: "Logins, by result" },
  auth_refresh_reuse_total: { type: "counter", help: "Reused refresh tokens; each reuse ended its session" },
  auth_hash_queue: { type: "gauge", help: "Passwords being hashed or queued for hashing" },
  auth_api_keys: { type: "gauge", help: "API keys that are neither revoked nor expired" },
  security_events_total: {
    type: "counter",
    labels: ["event"],
    help: "Security log events, including suppressed ones",
  },
} as const satisfies Readonly<Record<string, MetricRow>>

export type MetricName = keyof typeof METRICS

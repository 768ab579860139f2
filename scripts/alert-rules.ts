/**
 * The alert rules of ops/prometheus/alerts.yml: what pages the operator on duty, and what can wait for the morning. The one thing
 * to know: an expression names metrics through `m`, so that a metric that is renamed or gone does not compile.
 */
import { EXPIRES_SOON_MILLIS } from "../src/http/edge/certificate.ts"
import { METRICS, type MetricName } from "../src/ports/metric-names.ts"

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  /** How long the condition must hold; absent: fires at once. */
  readonly for?: string
  /** page: money or the service is at stake, now. ticket: look at it today. */
  readonly severity: "page" | "ticket"
  readonly summary: string
  /** What to do first. */
  readonly action: string
}

/** A metric in an expression, with its selector. */
export const m = (name: MetricName, selector = ""): string => `${name}${selector}`
/** A histogram's quantile over five minutes, by the given labels. */
export const quantile = (q: number, name: MetricName, by: ReadonlyArray<string> = []): string => {
  if (METRICS[name].type !== "histogram") throw new Error(`${name} is no histogram`)
  return `histogram_quantile(${q}, sum by (${["le", ...by].join(", ")}) (rate(${name}_bucket[5m])))`
}

/** As Prometheus calls the gateway: the `job_name` of deploy/prometheus.yml. */
const JOB = '{job="venue-gateway"}'
const OWN_ERRORS = m("http_requests_total", '{status=~"5..",status!~"502|503|504"}')
/** Health answers 503 to every probe while unhealthy: those are not refused requests. */
const REFUSED = m("http_requests_total", '{status="503",route!~".*/health"}')

export const ALERT_RULES: ReadonlyArray<AlertRule> = [
  {
    alert: "GatewayUnhealthy",
    expr: `${m("health_status")} == 2`,
    for: "30s",
    severity: "page",
    summary: "The gateway is unhealthy: load balancers take it out of rotation, orders are refused",
    action: "health_check, or GET /api/v3/health, names the check and the reason; usually the database.",
  },
  {
    alert: "HealthDegraded",
    expr: `${m("health_check")} == 1`,
    for: "15m",
    severity: "ticket",
    summary: "{{ $labels.check }} has been degraded for 15 minutes",
    action: "GET /api/v3/health says why.",
  },
  {
    alert: "RequestsRefused",
    expr: `sum(rate(${REFUSED}[2m])) > 0.2 and sum(rate(${REFUSED}[2m])) > 0.05 * sum(rate(${m("http_requests_total")}[2m]))`,
    for: "1m",
    severity: "page",
    summary: "More than 5% of requests are answered 503",
    action: "See health_check, order_oldest_unit_seconds and venue_up: the database or a venue is not responding.",
  },
  {
    alert: "NoOwnerHeard",
    expr: `max(${m("peer_calls_held")}) > 0`,
    for: "30s",
    severity: "page",
    summary: "Requests have been held for 30 s: no node that owns the database takes them",
    action:
      "GET /api/v3/health of each node names the owner and the broker: start a node that may own the database, or the broker.",
  },
  {
    alert: "LedgerViolated",
    expr: `${m("ledger_violations")} > 0`,
    severity: "page",
    summary: "The ledger audit found {{ $value }} violations",
    action:
      "Stop trading (trading mode maintenance), preserve the database as it is, and read the findings in the process log.",
  },
  {
    alert: "LedgerNotAudited",
    expr: `${m("ledger_audit_age_seconds")} > 600`,
    for: "5m",
    severity: "page",
    summary: "The ledger has not been audited for {{ $value | humanizeDuration }}",
    action:
      "Check that the database responds, and read the process log; a first pass over a long journal logs its progress. Without audits a violation goes unnoticed.",
  },
  {
    alert: "LedgerAuditFailing",
    expr: `${m("ledger_audit_failing")} == 1`,
    for: "2m",
    severity: "page",
    summary: "The ledger audit keeps failing",
    action:
      'The process log says why ("the ledger could not be audited"); `gateway-admin ledger verify` reports it as well.',
  },
  {
    alert: "LedgerNotAuditedWhole",
    expr: `${m("ledger_audit_whole_age_seconds")} > 172800`,
    for: "10m",
    severity: "ticket",
    summary: "The whole journal of the ledger has not been audited for {{ $value | humanizeDuration }}",
    action:
      "Each audit run covers one step of it, and the health record says when it ends: see ledger_audit_whole_rows_left. If half the time is too little, raise LEDGER_AUDIT_WHOLE_AGE_MAX_MS or give the database more capacity.",
  },
  {
    alert: "OrdersUnknown",
    expr: `${m("orders_unknown")} > 0`,
    for: "60s",
    severity: "page",
    summary: "{{ $value }} orders have been in doubt for a minute",
    action: "See venue_up and venue_requests_total of the venue; actual positions may differ from what is shown.",
  },
  {
    alert: "BackupOld",
    // A day, and two hours for one that takes its time.
    expr: `${m("backup_age_seconds")} > 26 * 3600`,
    for: "1h",
    severity: "ticket",
    summary: "The last backup of the database is {{ $value | humanizeDuration }} old",
    action:
      "Make one (docs/operations/backup.md), and find out why the nightly backup did not complete. For your own PostgreSQL server, gateway-admin backup --done records a backup.",
  },
  {
    alert: "CertificateEnding",
    expr: `${m("tls_certificate_expiry_timestamp_seconds")} - time() < ${EXPIRES_SOON_MILLIS / 1000}`,
    for: "1h",
    severity: "ticket",
    summary: "The TLS certificate expires in {{ $value | humanizeDuration }}",
    action: "Renew it and send SIGHUP (docs/operations/proxy.md); a rejected renewal is an error in the process log.",
  },
  {
    alert: "CertificateRefused",
    expr: `${m("tls_certificate_refused")} == 1`,
    severity: "ticket",
    summary: "A renewed certificate was rejected: the previous one is still served, and a restart would fail",
    action: "The process log says what is wrong with the files; fix them and send SIGHUP again.",
  },
  {
    alert: "RefreshTokenReused",
    expr: `increase(${m("auth_refresh_reuse_total")}[5m]) > 0`,
    severity: "page",
    summary: "A refresh token was reused: it may have been stolen",
    action:
      "logs/security.log, event refresh_reused, names the user and the address; the session has already been ended.",
  },
  {
    alert: "LoginsFailing",
    expr: `sum(rate(${m("auth_logins_total", '{result!="ok"}')}[5m])) > 1 and sum(rate(${m("auth_logins_total", '{result!="ok"}')}[5m])) > 5 * sum(rate(${m("auth_logins_total", '{result="ok"}')}[5m]))`,
    for: "5m",
    severity: "ticket",
    summary: "Far more logins fail than succeed: passwords may be under attack",
    action: "logs/security.log, event login_failed, by ip and subject.",
  },
  {
    alert: "EventLoopLate",
    expr: `${m("nodejs_eventloop_lag_seconds", '{q="0.99"}')} > 0.1`,
    for: "1m",
    severity: "page",
    summary: "The main event loop is delayed by {{ $value | humanizeDuration }} (99th percentile)",
    action:
      "More load than one process can handle, or a blocking operation: see http_requests_total, ws_messages_sent_total, ledger_requests_waiting.",
  },
  {
    alert: "MailboxStuck",
    expr: `${m("actor_oldest_message_seconds")} > 5`,
    for: "30s",
    severity: "page",
    summary: "A message to a {{ $labels.type }} has been waiting for {{ $value | humanizeDuration }}",
    action: "See actor_restarts_total and the process log for a defect; the database may be unavailable.",
  },
  {
    alert: "ActorsRestarting",
    expr: `increase(${m("actor_restarts_total")}[10m]) > 3`,
    severity: "ticket",
    summary: "Actors of type {{ $labels.type }} keep restarting",
    action: "The process log has the defect; after five restarts in a minute the actor is parked.",
  },
  {
    alert: "ActorParked",
    expr: `${m("actors_parked")} > 0`,
    severity: "page",
    summary: "{{ $value }} actors of type {{ $labels.type }} stopped after five defects in a minute",
    action:
      "The process log names each (`parked`) and its defect. Its orders and holds stay as they are, cancels included, until the gateway is started again.",
  },
  {
    alert: "VenueGaps",
    expr: `sum by (venue) (rate(${m("venue_ws_gap_total")}[10m])) > 0.05`,
    for: "10m",
    severity: "ticket",
    summary: "Streams of {{ $labels.venue }} keep losing sequence",
    action: "Books are resynchronised each time; check the network path to the venue and worker_busy_ratio.",
  },
  {
    alert: "VenueDown",
    expr: `${m("venue_up")} == 0`,
    for: "2m",
    severity: "page",
    summary: "{{ $labels.venue }} is not responding",
    action: "See the venue's status page; open orders there are reconciled once it responds.",
  },
  {
    alert: "BooksStale",
    expr: `${m("book_staleness_seconds")} > 30`,
    for: "1m",
    severity: "ticket",
    summary: "An order book of {{ $labels.venue }} has been out of sync for {{ $value | humanizeDuration }}",
    action: "Clients see STALE. See venue_book_resyncs_total by reason.",
  },
  {
    alert: "ConnectorRestarting",
    expr: `increase(${m("venue_connector_restarts_total")}[10m]) > 3`,
    severity: "ticket",
    summary: "Connector {{ $labels.connector }} keeps restarting",
    action: "The process log says why; see worker_heap_bytes and worker_deaths_total.",
  },
  {
    alert: "HedgesOpen",
    expr: `${m("hedge_pairs_open")} > 0`,
    for: "5m",
    severity: "page",
    summary: "Dealers hold exposure in {{ $value }} pairs that has not been hedged for five minutes",
    action: "The dealer's account channel has the alert; the linked account may lack funds, or its venue is down.",
  },
  {
    alert: "ExchangeShortfall",
    expr: `${m("exchange_shortfalls_open")} > 0`,
    severity: "page",
    summary: "Linked accounts have an unexplained shortfall in {{ $value }} assets",
    action:
      "The dealer's account channel says which asset and how much; ask the venue for the account's transfers and withdrawals.",
  },
  {
    alert: "ExchangeMirrorsFrozen",
    expr: `${m("exchange_mirrors_frozen")} > 0`,
    for: "15m",
    severity: "ticket",
    summary: "Executions of {{ $value }} linked accounts have not been booked for fifteen minutes",
    action: "The dealer's account channel names the wallet of each: wallet/unfreeze books what is missing.",
  },
  {
    alert: "ServerErrors",
    // A series begins with its first error, at 1, where `increase` sees nothing: what was not there five minutes ago counts whole.
    expr: `sum by (route) (increase(${OWN_ERRORS}[5m])) > 0 or sum by (route) (${OWN_ERRORS} unless ${OWN_ERRORS} offset 5m) > 0`,
    for: "2m",
    severity: "page",
    summary: "{{ $labels.route }} fails with internal errors",
    action: "logs/access.log has the request ids, the process log the defects.",
  },
  {
    alert: "StorageSlow",
    expr: `${quantile(0.99, "db_query_duration_seconds", ["name"])} > 0.25`,
    for: "5m",
    severity: "ticket",
    summary: "Query {{ $labels.name }} takes {{ $value | humanizeDuration }} (99th percentile)",
    action: "See the database's disk and locks.",
  },
  {
    alert: "PoolExhausted",
    expr: `${m("db_pool_waiting")} > 0`,
    for: "1m",
    severity: "ticket",
    summary: "{{ $value }} queries are waiting for a connection",
    action: "See db_query_duration_seconds: a slow query is holding the others up.",
  },
  {
    alert: "WriterBehind",
    expr: `${m("order_units_waiting")} > 1000 or ${m("ledger_requests_waiting")} > 500 or ${m("order_oldest_unit_seconds")} > 1`,
    for: "30s",
    severity: "page",
    summary: "Orders or transfers are queueing for the database",
    action: "At 4096 orders or 2000 transfers the gateway refuses new ones. Check the database.",
  },
  {
    alert: "PasswordsQueueing",
    expr: `${m("auth_hash_queue")} > 32`,
    for: "1m",
    severity: "ticket",
    summary: "{{ $value }} passwords are waiting to be hashed",
    action: "A burst of logins: see auth_logins_total and logs/security.log.",
  },
  {
    alert: "DiskNearlyFull",
    expr: `${m("data_disk_free_bytes")} < 2e9`,
    for: "5m",
    severity: "page",
    summary: "{{ $value | humanize1024 }}B of free space left on the volume of DATA_DIR",
    action: "Free space before PostgreSQL has to stop: old logs first.",
  },
  {
    alert: "MemoryNearlyUsedUp",
    // MemoryMax of the unit and mem_limit of the compose file are 3 GiB.
    expr: `${m("process_resident_memory_bytes")} > 2.5e9`,
    for: "5m",
    severity: "page",
    summary: "The process uses {{ $value | humanize1024 }}B of the 3 GiB that its unit allows",
    action:
      "nodejs_heap_bytes and worker_heap_bytes show where it is used; restart at a quiet moment before the kernel kills the process.",
  },
  {
    alert: "FilesNearlyUsedUp",
    expr: `${m("process_open_fds")} > 50000`,
    for: "5m",
    severity: "ticket",
    summary: "The process has {{ $value }} files and sockets open",
    action: "See ws_connections and the file descriptor limit (LimitNOFILE).",
  },
  {
    alert: "SlowReaders",
    expr: `increase(${m("ws_slow_closed_total")}[10m]) > 100`,
    severity: "ticket",
    summary: "Many sockets were closed because they did not read",
    action: "One client with a problem, or the gateway's own uplink: see ws_bytes_sent_total.",
  },
  {
    alert: "GatewayGone",
    // `absent` alone is blind while another gateway is scraped.
    expr: `up${JOB} == 0 or absent(up${JOB})`,
    for: "1m",
    severity: "page",
    summary: "A gateway cannot be scraped",
    action: "It is down, or METRICS_PORT is unreachable: see /api/v3/health.",
  },
  {
    alert: "GatewayRestarting",
    expr: `changes(${m("process_start_time_seconds")}[15m]) > 2`,
    severity: "page",
    summary: "The gateway keeps restarting",
    action: "The last lines of the process log say why it exited.",
  },
]

const quoted = (text: string): string => JSON.stringify(text)

/** YAML, whose strings are JSON's. */
export const alertRulesText = (): string => {
  const rules = ALERT_RULES.map(
    (rule) =>
      `      - alert: ${rule.alert}\n        expr: ${quoted(rule.expr)}\n${rule.for === undefined ? "" : `        for: ${rule.for}\n`}` +
      `        labels:\n          severity: ${rule.severity}\n        annotations:\n          summary: ${quoted(rule.summary)}\n` +
      `          action: ${quoted(rule.action)}\n`,
  )
  return `# Written by \`npm run docs\` from scripts/alert-rules.ts and src/ports/metric-names.ts; \`npm run check\` fails when it is stale.
groups:
  - name: venue-gateway
    rules:
${rules.join("")}`
}

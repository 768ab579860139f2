/**
 * The Grafana dashboard of ops/grafana/dashboard.json: a row for each part of the gateway, the most important questions on top. Like the alerts
 * it names metrics only through the table.
 */
import { METRICS, type MetricName } from "../src/ports/metric-names.ts"
import { m, quantile } from "./alert-rules.ts"

interface Panel {
  readonly title: string
  readonly unit: "short" | "s" | "bytes" | "reqps" | "percentunit" | "ops"
  readonly targets: ReadonlyArray<readonly [expr: string, legend: string]>
  readonly type?: "stat" | "timeseries"
  /** Of a stat: red from here on. */
  readonly redFrom?: number
}

const rate = (name: MetricName, by: ReadonlyArray<string> = [], selector = ""): string => {
  if (METRICS[name].type !== "counter") throw new Error(`${name} is no counter`)
  return `sum by (${by.join(", ")}) (rate(${name}${selector}[5m]))`
}
const average = (sum: MetricName, count: MetricName): string => `rate(${m(sum)}[5m]) / rate(${m(count)}[5m])`
const stat = (title: string, expr: string, redFrom: number, unit: Panel["unit"] = "short"): Panel => ({
  title,
  unit,
  targets: [[expr, ""]],
  type: "stat",
  redFrom,
})
const p50and99 = (name: MetricName, by: ReadonlyArray<string> = []): Panel["targets"] => {
  const legend = by.map((label) => `{{${label}}} `).join("")
  return [
    [quantile(0.5, name, by), `${legend}p50`],
    [quantile(0.99, name, by), `${legend}p99`],
  ]
}

const ROWS: ReadonlyArray<readonly [title: string, panels: ReadonlyArray<Panel>]> = [
  [
    "Health",
    [
      stat("Health: 0 healthy, 1 degraded, 2 unhealthy", `max(${m("health_status")})`, 2),
      stat("Orders in doubt", m("orders_unknown"), 1),
      stat("Ledger violations", m("ledger_violations"), 1),
      stat("Event loop, p99", m("nodejs_eventloop_lag_seconds", '{q="0.99"}'), 0.1, "s"),
      stat("Oldest message", `max(${m("actor_oldest_message_seconds")})`, 5, "s"),
      stat("Refresh tokens reused, 1 h", `increase(${m("auth_refresh_reuse_total")}[1h])`, 1),
      stat("Venues down", `count(${m("venue_up")} == 0) or vector(0)`, 1),
    ],
  ],
  [
    "Requests",
    [
      {
        title: "Responses by status",
        unit: "reqps",
        targets: [[rate("http_requests_total", ["status"]), "{{status}}"]],
      },
      { title: "Response time", unit: "s", targets: p50and99("http_request_duration_seconds") },
      {
        title: "Slowest routes, p99",
        unit: "s",
        targets: [[`topk(8, ${quantile(0.99, "http_request_duration_seconds", ["route"])})`, "{{route}}"]],
      },
      {
        title: "Rejected before the operation",
        unit: "reqps",
        targets: [[rate("http_rejected_total", ["reason"]), "{{reason}}"]],
      },
      { title: "Rate limited", unit: "reqps", targets: [[rate("rate_limited_total", ["rule"]), "{{rule}}"]] },
      { title: "In flight", unit: "short", targets: [[m("http_inflight_requests"), "requests"]] },
    ],
  ],
  [
    "Orders",
    [
      { title: "Orders by status", unit: "ops", targets: [[rate("orders_total", ["status"]), "{{status}}"]] },
      {
        title: "Order stages, p50 and p99",
        unit: "s",
        targets: p50and99("order_stage_duration_seconds", ["stage"]),
      },
      {
        title: "Group commit time",
        unit: "s",
        targets: [
          [average("order_commit_seconds_total", "order_batches_total"), "orders"],
          [quantile(0.5, "ledger_commit_duration_seconds"), "ledger p50"],
          [quantile(0.99, "ledger_commit_duration_seconds"), "ledger p99"],
        ],
      },
      {
        title: "Waiting for the database",
        unit: "short",
        targets: [
          [m("order_units_waiting"), "order units"],
          [m("ledger_requests_waiting"), "ledger requests"],
        ],
      },
      {
        title: "Discrepancies with venues, and alerts",
        unit: "ops",
        targets: [[rate("reconcile_discrepancies_total", ["kind"]), "{{kind}}"]],
      },
      {
        title: "Hedging",
        unit: "short",
        targets: [
          [m("hedge_pairs_open"), "pairs open"],
          [rate("hedge_attempts_missed_total"), "missed /s"],
        ],
      },
    ],
  ],
  [
    "Sockets",
    [
      {
        title: "Sockets and subscriptions",
        unit: "short",
        targets: [
          [m("ws_connections"), "sockets"],
          [m("ws_subscriptions"), "subscriptions"],
          [m("ws_channels"), "channels"],
        ],
      },
      {
        title: "Messages sent",
        unit: "ops",
        targets: [
          [rate("ws_messages_sent_total"), "messages"],
          [rate("ws_publications_total"), "publications"],
        ],
      },
      { title: "Bytes sent", unit: "bytes", targets: [[rate("ws_bytes_sent_total"), "bytes /s"]] },
      { title: "Batching delay", unit: "s", targets: p50and99("ws_fanout_lag_seconds") },
      {
        title: "Commands, p99",
        unit: "s",
        targets: [[quantile(0.99, "ws_commands_duration_seconds", ["method"]), "{{method}}"]],
      },
      {
        title: "Disconnects by code, and slow readers",
        unit: "ops",
        targets: [
          [rate("ws_disconnects_total", ["code"]), "{{code}}"],
          [rate("ws_slow_closed_total", ["cause"]), "slow: {{cause}}"],
        ],
      },
      {
        title: "Recoveries",
        unit: "ops",
        targets: [[rate("ws_recoveries_total", ["result"]), "{{result}}"]],
      },
    ],
  ],
  [
    "Several machines",
    [
      {
        title: "Requests passed to the owner, by outcome",
        unit: "reqps",
        targets: [[rate("peer_asks_total", ["outcome"]), "{{outcome}}"]],
      },
      { title: "Until the owner's answer", unit: "s", targets: p50and99("peer_call_duration_seconds") },
      { title: "Requests held for an owner", unit: "short", targets: [[m("peer_calls_held"), "{{instance}}"]] },
      { title: "Channels read at edges", unit: "short", targets: [[m("mirrors_open"), "{{instance}}"]] },
      {
        title: "Publications of the owner at edges, and what was missed",
        unit: "ops",
        targets: [
          [rate("mirror_words_total"), "heard"],
          [rate("mirror_repairs_total"), "asked for again"],
          [rate("mirror_recalls_total"), "told to start over"],
        ],
      },
    ],
  ],
  [
    "Venues",
    [
      {
        title: "Requests by outcome",
        unit: "reqps",
        targets: [[rate("venue_requests_total", ["venue", "op", "outcome"]), "{{venue}} {{op}} {{outcome}}"]],
      },
      {
        title: "Venue response time, p99",
        unit: "s",
        targets: [[quantile(0.99, "venue_request_duration_seconds", ["venue", "op"]), "{{venue}} {{op}}"]],
      },
      {
        title: "Request budget in use",
        unit: "percentunit",
        targets: [[m("venue_budget_used_ratio"), "{{connector}}"]],
      },
      {
        title: "Stream gaps and interruptions",
        unit: "ops",
        targets: [
          [rate("venue_ws_gap_total", ["venue"]), "{{venue}} gaps"],
          [rate("venue_stream_losses_total", ["venue"]), "{{venue}} losses"],
        ],
      },
      { title: "Longest stale book", unit: "s", targets: [[m("book_staleness_seconds"), "{{venue}}"]] },
      {
        title: "Connectors: 0 connected, 2 backing off",
        unit: "short",
        targets: [[m("venue_circuit_state"), "{{connector}}"]],
      },
      { title: "Workers: busy", unit: "percentunit", targets: [[m("worker_busy_ratio"), "{{worker}}"]] },
      { title: "Workers: heap", unit: "bytes", targets: [[m("worker_heap_bytes"), "{{worker}}"]] },
    ],
  ],
  [
    "Users",
    [
      { title: "Logins by result", unit: "ops", targets: [[rate("auth_logins_total", ["result"]), "{{result}}"]] },
      { title: "Passwords queued for hashing", unit: "short", targets: [[m("auth_hash_queue"), "passwords"]] },
      { title: "Security events", unit: "ops", targets: [[rate("security_events_total", ["event"]), "{{event}}"]] },
    ],
  ],
  [
    "Process and database",
    [
      { title: "Event loop", unit: "s", targets: [[m("nodejs_eventloop_lag_seconds"), "q {{q}}"]] },
      { title: "CPU, cores", unit: "short", targets: [[rate("process_cpu_seconds_total"), "cores"]] },
      {
        title: "Memory",
        unit: "bytes",
        targets: [
          [m("process_resident_memory_bytes"), "resident"],
          [m("nodejs_heap_bytes"), "heap"],
        ],
      },
      { title: "Loops that failed", unit: "ops", targets: [[rate("loop_failures_total", ["loop"]), "{{loop}}"]] },
      { title: "Mailboxes", unit: "short", targets: [[m("actor_mailbox_depth"), "{{type}}"]] },
      {
        title: "Queries, p99",
        unit: "s",
        targets: [[`topk(8, ${quantile(0.99, "db_query_duration_seconds", ["name"])})`, "{{name}}"]],
      },
      {
        title: "Pool",
        unit: "short",
        targets: [
          [m("db_pool_size"), "size"],
          [m("db_pool_idle"), "idle"],
          [m("db_pool_waiting"), "waiting"],
        ],
      },
      { title: "Free disk", unit: "bytes", targets: [[m("data_disk_free_bytes"), "DATA_DIR"]] },
      { title: "Open files", unit: "short", targets: [[m("process_open_fds"), "files"]] },
    ],
  ],
]

const SOURCE = { type: "prometheus", uid: "$source" }

const panelOf = (panel: Panel, id: number, x: number, y: number, w: number, h: number) => ({
  id,
  type: panel.type ?? "timeseries",
  title: panel.title,
  datasource: SOURCE,
  gridPos: { x, y, w, h },
  fieldConfig: {
    defaults: {
      unit: panel.unit,
      min: 0,
      ...(panel.redFrom === undefined
        ? undefined
        : {
            thresholds: {
              mode: "absolute",
              steps: [
                { color: "green", value: null },
                { color: "red", value: panel.redFrom },
              ],
            },
          }),
    },
    overrides: [],
  },
  targets: panel.targets.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: SOURCE,
    expr,
    legendFormat,
  })),
})

/** Every expression of the dashboard, for its test. */
export const dashboardExpressions = (): ReadonlyArray<string> =>
  ROWS.flatMap(([, panels]) => panels.flatMap(({ targets }) => targets.map(([expr]) => expr)))

export const dashboardText = (): string => {
  const panels: Array<object> = []
  let id = 0
  let y = 0
  for (const [title, members] of ROWS) {
    panels.push({ id: ++id, type: "row", title, collapsed: false, gridPos: { x: 0, y: y++, w: 24, h: 1 }, panels: [] })
    const isStats = members.every(({ type }) => type === "stat")
    const [w, h] = isStats ? [4, 4] : [8, 8]
    members.forEach((panel, index) => {
      panels.push(panelOf(panel, ++id, (index * w) % 24, y + Math.floor((index * w) / 24) * h, w, h))
    })
    y += Math.ceil((members.length * w) / 24) * h
  }
  const dashboard = {
    uid: "venue-gateway",
    title: "Venue gateway",
    description: "Written by `npm run docs` from scripts/dashboard.ts and src/ports/metric-names.ts",
    schemaVersion: 39,
    version: 1,
    editable: true,
    refresh: "10s",
    time: { from: "now-1h", to: "now" },
    templating: { list: [{ name: "source", label: "Prometheus", type: "datasource", query: "prometheus" }] },
    panels,
  }
  return `${JSON.stringify(dashboard, null, 2)}\n`
}

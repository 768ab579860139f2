/** The table of names: what operators were promised is in it, by name, labels and buckets. */
import { describe, expect, it } from "vitest"
import { METRICS, type MetricName, type MetricRow } from "../../../src/ports/metric-names.ts"

/** What operators can count on (security E). */
const PROMISED = `http_requests_total{route,method,status} http_request_duration_seconds{route} http_inflight_requests
  http_rejected_total{reason} ws_connections ws_subscriptions ws_channels ws_messages_sent_total ws_bytes_sent_total
  ws_disconnects_total{code} ws_commands_duration_seconds{method} ws_fanout_lag_seconds ws_recoveries_total{result}
  orders_total{venue,status} order_stage_duration_seconds{stage} orders_unknown reconcile_discrepancies_total{kind}
  venue_requests_total{venue,op,outcome} venue_request_duration_seconds{venue,op} venue_circuit_state{connector,venue}
  venue_ws_gap_total{connector,venue} book_staleness_seconds{venue} ledger_batches_total ledger_batch_size
  ledger_commit_duration_seconds ledger_rejections_total{reason} ledger_violations actor_mailbox_depth{type}
  actor_restarts_total{type} actor_oldest_message_seconds{type} db_pool_size db_pool_idle db_pool_waiting
  db_query_duration_seconds{name} auth_logins_total{result} auth_refresh_reuse_total auth_hash_queue
  rate_limited_total{rule} nodejs_eventloop_lag_seconds{q} nodejs_heap_bytes process_resident_memory_bytes
  process_open_fds build_info{version,commit,node}`
  .split(/\s+/)
  .map((text) => /^([a-z_]+)(?:\{(.+)\})?$/.exec(text)!)
  .map(([, name = "", labels]) => ({ name, labels: labels?.split(",") ?? [] }))

const rows = Object.entries(METRICS) as ReadonlyArray<[MetricName, MetricRow]>

describe("the table of metrics", () => {
  it.each(PROMISED)("has $name", ({ name, labels }) => {
    const row: MetricRow | undefined = METRICS[name as MetricName]
    expect(row?.labels ?? []).toEqual(labels)
  })

  it("measures requests in the promised buckets", () => {
    expect(METRICS.http_request_duration_seconds.buckets).toEqual([
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
    ])
  })

  it.each(rows)("%s is named by Prometheus' rules, and names nobody", (name, { type, labels = [], buckets, help }) => {
    expect(name).toMatch(/^[a-z][a-z0-9_]*[a-z0-9]$/)
    expect(name.endsWith("_total")).toBe(type === "counter")
    expect(help.length).toBeGreaterThan(5)
    expect((buckets ?? []).toSorted((a, b) => a - b)).toEqual(buckets ?? [])
    expect(buckets === undefined).toBe(type !== "histogram")
    for (const label of labels) expect(label).not.toMatch(/user|account|order|session|email|ip|token/)
  })
})

/** The dashboard and the alert rules as they ship: made from the table of names, and asking for nothing that is not in it. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { ALERT_RULES, alertRulesText } from "../../../scripts/alert-rules.ts"
import { dashboardExpressions, dashboardText } from "../../../scripts/dashboard.ts"
import { logsPage, metricsPage } from "../../../scripts/observability-pages.ts"
import { METRICS, type MetricName, type MetricRow } from "../../../src/ports/metric-names.ts"

const file = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

/** Words of an expression that could be names of metrics, with the labels that are asked for or grouped by. */
const namesIn = (expr: string): ReadonlyArray<string> =>
  [
    ...expr
      .replace(/"[^"]*"/g, "")
      .replace(/\{[^}]*\}/g, "")
      .replace(/by \([^)]*\)/g, "")
      .matchAll(/[a-z]+(?:_[a-z]+)+/g),
  ]
    .map(([name]) => name)
    .filter((name) => name !== "histogram_quantile")
    .concat(/\bup\b/.test(expr) ? ["up"] : [])

/** Prometheus' own, of each target. */
const UP: MetricRow = { type: "gauge", labels: ["job"], help: "1: it was scraped" }

const rowOf = (name: string): MetricRow | undefined =>
  (name === "up" ? UP : undefined) ??
  METRICS[name as MetricName] ??
  METRICS[name.replace(/_(bucket|sum|count)$/, "") as MetricName]

const expressions = [...ALERT_RULES.map(({ expr }) => expr), ...dashboardExpressions()]

describe("what operators are given", () => {
  it.each([
    ["ops/prometheus/alerts.yml", alertRulesText],
    ["ops/grafana/dashboard.json", dashboardText],
    ["docs/operations/metrics.md", metricsPage],
    ["docs/operations/logs.md", logsPage],
  ] as const)("has %s as it is made from the table", (path, made) => {
    expect(file(path)).toBe(made())
  })

  it.each(expressions)("asks for what there is: %s", (expr) => {
    const names = namesIn(expr)
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect([name, rowOf(name)]).not.toEqual([name, undefined])
    const known = new Set(names.flatMap((name) => rowOf(name)?.labels ?? []).concat("le"))
    const asked = [...expr.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)].map(([, label]) => label)
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
      labels.split(/,\s*/).filter(Boolean),
    )
    for (const label of [...asked, ...grouped]) expect([...known]).toContain(label)
  })

  it("wakes somebody for what must not be", () => {
    const of = (alert: string) => ALERT_RULES.find((rule) => rule.alert === alert)
    expect(of("LedgerViolated")).toMatchObject({ expr: "ledger_violations > 0", severity: "page" })
    expect(of("OrdersUnknown")).toMatchObject({ expr: "orders_unknown > 0", for: "60s", severity: "page" })
    expect(of("EventLoopLate")?.expr).toContain('{q="0.99"} > 0.1')
    expect(of("MailboxStuck")?.expr).toContain("> 5")
    expect(of("GatewayUnhealthy")).toMatchObject({ expr: "health_status == 2", for: "30s", severity: "page" })
    expect(of("WriterBehind")?.expr).toContain("order_oldest_unit_seconds > 1")
    expect(new Set(ALERT_RULES.map(({ alert }) => alert)).size).toBe(ALERT_RULES.length)
  })

  it("misses a gateway by the job that Prometheus scrapes it as, also while another one answers", () => {
    const expr = ALERT_RULES.find(({ alert }) => alert === "GatewayGone")?.expr
    const [, job] = /job_name: (\S+)/.exec(file("deploy/prometheus.yml")) ?? []
    expect(expr).toBe(`up{job="${job}"} == 0 or absent(up{job="${job}"})`)
    expect(file("docs/operations/observability.md")).toContain(`job_name: ${job}`)
  })

  it("sees the first error of a route, and none that is a venue's", () => {
    const expr = ALERT_RULES.find(({ alert }) => alert === "ServerErrors")?.expr ?? ""
    const own = 'http_requests_total{status=~"5..",status!~"502|503|504"}'
    expect(expr.split(own)).toHaveLength(4)
    expect(expr).toContain(`${own} unless ${own} offset 5m`)
  })
})

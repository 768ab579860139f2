/** The generated pages for operators: docs/operations/metrics.md from the table of names, docs/operations/logs.md from the schema of lines. */
import { LOG_SCHEMA } from "../src/foundation/log-schema.ts"
import { METRICS, type MetricRow } from "../src/ports/metric-names.ts"
import { ALERT_RULES } from "./alert-rules.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

export const metricsPage = (): string => {
  const rows = Object.entries(METRICS).map(([name, row]) => {
    const { type, labels, help, isOfCluster }: MetricRow = row
    return `| \`${name}\`${isOfCluster === true ? " ¹" : ""} | ${type} | ${(labels ?? []).map((label) => `\`${label}\``).join(", ")} | ${cell(help)} |`
  })
  const alerts = ALERT_RULES.map(
    ({ alert, severity, for: lasting, summary, action }) =>
      `| ${alert} | ${severity} | ${lasting ?? "at once"} | ${cell(summary.replace(/\{\{ \$(?:value|labels\.(\w+))[^}]*\}\}/g, (_, label) => (label === undefined ? "n" : `*${label}*`)))} | ${cell(action)} |`,
  )
  return `# Metrics

Written by \`npm run docs\` from \`src/ports/metric-names.ts\`; \`npm run check\` fails when it is stale.

\`METRICS_PORT=9464\` serves \`http://127.0.0.1:9464/metrics\` in Prometheus' text format, on loopback only, because metrics reveal how an installation is used.
In a container, let Prometheus or a forwarding agent share the network of the gateway; never publish the port. With \`OTLP_URL\` the same
numbers are also sent to the collector (see [observability.md](observability.md)).

- \`ops/prometheus/alerts.yml\`: alert rules; list the file under \`rule_files\`.
- \`ops/grafana/dashboard.json\`: import it into Grafana; it asks for the Prometheus data source.

No label names a user, an account or an order. Routes are templates, methods a fixed list; beyond 500 series per metric, further ones are
counted together as \`other\`. Histograms have \`_bucket\`, \`_sum\` and \`_count\`. Between scrapes, metrics cost the gateway nothing to expose.

## Names

| name | type | labels | meaning |
|--|--|--|--|
${rows.join("\n")}

¹ Exposed only with \`NATS_URL\`, by each node of [several machines](cluster.md).

## Alerts

page: money or the service is at stake, act now. ticket: look at it today.

| alert | severity | for | summary | first action |
|--|--|--|--|--|
${alerts.join("\n")}
`
}

export const logsPage = (): string => {
  const rows = Object.entries(LOG_SCHEMA.properties).map(
    ([name, { description }]) =>
      `| \`${name}\` | ${(LOG_SCHEMA.required as ReadonlyArray<string>).includes(name) ? "always" : ""} | ${cell(description)} |`,
  )
  return `# Logs

Written by \`npm run docs\` from \`src/foundation/log-schema.ts\`; \`npm run check\` fails when it is stale.

Every line of every log is one JSON object of one schema. Times are UTC. Nothing a client sends can start a new line, inject terminal escapes or
pose as another field; request bodies, query strings, passwords, tokens and keys are never logged.

| stream | where | \`msg\` | contents |
|--|--|--|--|
| access | \`DATA_DIR/logs/access.log\` | \`access\` | one line per response; gateway errors (5xx) have level \`error\`; \`ACCESS_LOG=false\` turns it off |
| audit | \`DATA_DIR/logs/audit.log\` | \`audit\` | sign-ins, and operations on users, rights, tenants, keys, wallets, dealers and the trading mode, performed or refused; always complete. Orders are not in it: their requests are in the access log, by \`tradeOrderId\` |
| security | \`DATA_DIR/logs/security.log\` | \`security\` | attacks, and what looks like one; always complete |
| process | stderr | the message | startup, faults, defects |

Files rotate at 64 MiB (\`LOG_FILE_MB\`); four older ones are kept beside each (\`access.log.1\` is the newest; \`LOG_FILES\`). Ship them elsewhere
to keep them longer, or see [retention](retention.md).
The gateway rotates its own files and keeps them open: do not let logrotate rename, copy or truncate \`*.log\`, or lines are lost or
written to a renamed file. A shipper should follow the name (\`tail -F\`); \`*.log.1\` to \`*.log.4\` may be read, compressed elsewhere or removed at any time.
Audit and security lines are handed to the operating system at once, access lines within 250 ms; none is fsynced.
Operations from the command line are in \`audit.log\` and \`security.log\` too, with \`ip\` \`local\`.

## Level

\`LOG_LEVEL\` (\`info\`) is the minimum level of the access log and stderr. While the process runs, SIGUSR2 switches it to \`debug\` and back:
\`kill -USR2 PID\`, \`docker kill --signal USR2 CONTAINER\`, \`systemctl kill --signal USR2 UNIT\`. It works while the database is unavailable. Debug lines say why
each rejected request was rejected, and how each request to a venue ended.

## Security events

| event | when |
|--|--|
| \`login_succeeded\`, \`login_failed\`, \`signup_refused\`, \`proof_refused\`, \`recovery_asked\` | sign-in; \`what\` says why it was refused, \`subject\` is a keyed hash of the e-mail address |
| \`refresh_reused\`, \`refresh_refused\`, \`token_refused\`, \`socket_token_refused\` | a token was stolen or forged, or its session has ended |
| \`permission_refused\`, \`tenant_refused\`, \`not_owner\`, \`channel_refused\`, \`address_refused\` | an attempt to access something the user has no right to |
| \`rate_limited\` | a rate limit was exceeded |
| \`tls_missing\`, \`request_contradicted\` | a request without TLS, or with contradictory lengths |
| \`user_banned\`, \`user_unbanned\`, \`permissions_changed\`, \`session_revoked\`, \`user_updated\`, and each with \`_refused\` | changes to users; other audited operations appear under their own names, with \`_\` |
| \`certificate_taken\`, \`certificate_taken_refused\` | SIGHUP: the certificate files were reloaded; \`what\` has the serial number |
| \`backend_failed\` | a defect of the gateway, or the database is unavailable |

Beyond twenty identical events from one address in ten seconds, further ones are counted instead of written: a line with \`suppressed\` says how many.

## Fields

| field | | meaning |
|--|--|--|
${rows.join("\n")}

## JSON Schema

\`\`\`json
${JSON.stringify(LOG_SCHEMA, null, 2)}
\`\`\`
`
}

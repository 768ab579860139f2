/** The generated pages for operators: docs/operations/metrics.md from the table of names, docs/operations/logs.md from the schema of lines. */
import { LOG_SCHEMA } from "../src/domain/log-schema.ts"
import { METRICS, type MetricRow } from "../src/ports/metric-names.ts"
import { ALERT_RULES } from "./alert-rules.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

export const metricsPage = (): string => {
  const rows = Object.entries(METRICS).map(([name, row]) => {
    const { type, labels, help }: MetricRow = row
    return `| \`${name}\` | ${type} | ${(labels ?? []).map((label) => `\`${label}\``).join(", ")} | ${cell(help)} |`
  })
  const alerts = ALERT_RULES.map(
    ({ alert, severity, for: lasting, summary, action }) =>
      `| ${alert} | ${severity} | ${lasting ?? "at once"} | ${cell(summary.replace(/\{\{ \$(?:value|labels\.(\w+))[^}]*\}\}/g, (_, label) => (label === undefined ? "n" : `*${label}*`)))} | ${cell(action)} |`,
  )
  return `# Metrics

Written by \`npm run docs\` from \`src/ports/metric-names.ts\`; \`npm run check\` fails when it is stale.

\`METRICS_PORT=9464\` serves \`http://127.0.0.1:9464/metrics\` in Prometheus' text format, on loopback only: it tells how an installation is used.
In a container let Prometheus, or an agent that forwards, share the network of the gateway; never publish the port. With \`OTLP_URL\` the same
numbers are sent, too (see [observability.md](observability.md)).

- \`ops/prometheus/alerts.yml\`: alert rules; name the file in \`rule_files\`.
- \`ops/grafana/dashboard.json\`: import it; it asks for the Prometheus to read.

No label names a user, an account or an order. Routes are templates, methods a fixed list; beyond 500 series of a name further ones are
counted together as \`other\`. Histograms have \`_bucket\`, \`_sum\` and \`_count\`. Reading costs the gateway nothing between scrapes.

## Names

| name | type | labels | what it is |
|--|--|--|--|
${rows.join("\n")}

## Alerts

page: money or the service is at stake. ticket: look at it today.

| alert | severity | for | what it says | what to do first |
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

Written by \`npm run docs\` from \`src/domain/log-schema.ts\`; \`npm run check\` fails when it is stale.

Every line of every log is one JSON object of one schema. Times are UTC. Nothing that a client sends can begin a line, colour a terminal or
pass for another field; no body, query string, password, token or key is ever in a line.

| stream | where | \`msg\` | what is in it |
|--|--|--|--|
| access | \`DATA_DIR/logs/access.log\` | \`access\` | one line per answer; errors of our own (5xx) have level \`error\`; \`ACCESS_LOG=false\` turns it off |
| audit | \`DATA_DIR/logs/audit.log\` | \`audit\` | sign-ins, and acts on users, rights, tenants, keys, wallets, dealers and the trading mode, done or refused; always kept |
| security | \`DATA_DIR/logs/security.log\` | \`security\` | what attackers do, or what looks like it; always kept |
| process | stderr | its own words | starts, troubles, defects |

Files are turned over at 64 MiB; four older ones are kept beside each (\`access.log.1\` is the newest). Ship them away to keep them longer.
The gateway turns them over itself and keeps its files open: do not let logrotate rename, copy or truncate \`*.log\`, or lines go on into a file that
nobody looks at, or are lost. A shipper should follow the name (\`tail -F\`); \`*.log.1\` to \`*.log.4\` may be read, compressed elsewhere or removed at any time.
Audit and security lines are handed to the operating system at once, access lines within 250 ms; none is synced by itself.
What operators do from the command line is in \`audit.log\` and \`security.log\` too, with \`ip\` \`local\`.

## Level

\`LOG_LEVEL\` (\`info\`) is the least that the access log and stderr show. While the process runs SIGUSR2 turns it to \`debug\` and back:
\`kill -USR2 PID\`, \`docker kill --signal USR2 CONTAINER\`, \`systemctl kill --signal USR2 UNIT\`. It works while the database is away. Debug says why
each refused request was refused, and how each question to a venue ended.

## Security events

| event | when |
|--|--|
| \`login_succeeded\`, \`login_failed\`, \`signup_refused\`, \`proof_refused\`, \`recovery_asked\` | signing in; \`what\` says why it was refused, \`subject\` is a keyed hash of the address |
| \`refresh_reused\`, \`refresh_refused\`, \`token_refused\`, \`socket_token_refused\` | a token is stolen, forged, or of a session that is over |
| \`permission_refused\`, \`tenant_refused\`, \`not_owner\`, \`channel_refused\`, \`address_refused\` | somebody reaches for what is not theirs |
| \`rate_limited\` | a limit was met |
| \`tls_missing\`, \`request_contradicted\` | a request in the clear, or of two lengths |
| \`user_banned\`, \`user_unbanned\`, \`permissions_changed\`, \`session_revoked\`, \`user_updated\`, and each with \`_refused\` | changes of users; other acts of the audit have their own names with \`_\` |
| \`certificate_taken\`, \`certificate_taken_refused\` | SIGHUP: the certificate's files were read again; \`what\` has the serial number |
| \`backend_failed\` | a defect of ours, or the database is away |

Alike events of one address beyond twenty in ten seconds are counted, not written: a line with \`suppressed\` says how many.

## Fields

| field | | what it is |
|--|--|--|
${rows.join("\n")}

## JSON Schema

\`\`\`json
${JSON.stringify(LOG_SCHEMA, null, 2)}
\`\`\`
`
}

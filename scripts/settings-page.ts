/**
 * docs/operations/settings.md, generated from the table below: every environment variable of the gateway, by subject. The one thing to know:
 * test/unit/packaging.test.ts holds the table to the sources, so a setting that is read and not listed here, or listed with another default, fails.
 */

export interface SettingRow {
  readonly names: ReadonlyArray<string>
  /** One for each name, as it is written in the environment; empty: no default, the feature is off. */
  readonly defaults: ReadonlyArray<string>
  readonly meaning: string
}

const row = (names: string, defaults: string, meaning: string): SettingRow => ({
  names: names.split(" "),
  defaults: defaults === "" ? [] : defaults.split(" "),
  meaning,
})

export const SETTINGS: Readonly<Record<string, ReadonlyArray<SettingRow>>> = {
  "Process and network": [
    row("HOST PORT", "127.0.0.1 8080", "Listen address. `PORT=0` takes a free port"),
    row("DATA_DIR", "var", "Directory of the embedded database, keys, logs and undelivered mail"),
    row(
      "NODE_ENV",
      "",
      "`production` refuses plain HTTP, `RATE_LIMITS=off` and the test facilities, and defaults `SHUTDOWN_NOTICE_MS` to 2000",
    ),
    row("ENVIRONMENT", "PROD", "`UAT` offers test venues only, and issues tokens that are not valid in `PROD`"),
    row(
      "TLS_CERT_FILE TLS_KEY_FILE",
      "",
      "Serve HTTPS and WSS directly (TLS 1.2 and later). SIGHUP reloads both files ([TLS](proxy.md))",
    ),
    row(
      "PLAIN_HTTP_PORT",
      "",
      "With `TLS_CERT_FILE`: a second port that answers every plain HTTP request with 403 -102005. `0` takes a free port",
    ),
    row("TRUST_PROXY", "", "Comma-separated addresses or CIDRs of the TLS proxies in front ([proxies](proxy.md))"),
    row(
      "ALLOWED_ORIGINS",
      "",
      "Comma-separated browser origins that may open the WebSocket, besides the gateway's own, as browsers send them: `https://app.example.com`; `*`: any",
    ),
    row(
      "SHUTDOWN_NOTICE_MS",
      "0",
      "After SIGTERM, how long the gateway reports not ready and keeps serving, so that load balancers notice; at most `3000`. `2000` in production",
    ),
    row(
      "DISK_FREE_MIN_MB",
      "512",
      "Free space of `DATA_DIR` below which health is degraded; below an eighth of it the gateway is not ready",
    ),
  ],
  "Database and keys": [
    row(
      "DATABASE_URL",
      "",
      "Your own PostgreSQL instead of the embedded one (15 or later, tested on 18; [PostgreSQL](postgresql.md))",
    ),
    row("DATABASE_PASSWORD", "", "The database password on its own, when the URL carries none"),
    row(
      "NEW_DATABASE",
      "false",
      "`true`: start on an empty database although the keys in `DATA_DIR/keys` were used with another one ([backup](backup.md)). Without it such a start is refused, because the database may have been moved or `DATABASE_URL` may name the wrong one",
    ),
    row(
      "PG_RUN_AS",
      "",
      "The account the embedded PostgreSQL runs under when the gateway is root; otherwise `postgres` or `nobody`",
    ),
    row(
      "SIGNING_KEY ENCRYPTION_KEYS",
      "",
      "Ed25519 private key (PEM); encryption keys as comma-separated `kid:base64url` of 32 bytes, the first encrypts, all decrypt. Without them, generated once in `DATA_DIR/keys` ([keys](keys.md))",
    ),
    row(
      "CURSOR_KEY",
      "",
      "Keys of cursors, of fingerprints of idempotent requests and of audited addresses: comma-separated `kid:base64url` of 32 bytes, the first makes, all are recognised. Without it, generated once in `DATA_DIR/keys` ([keys](keys.md))",
    ),
    row(
      "SIGNING_KEYS_PREVIOUS",
      "",
      "Public keys (PEM) whose access tokens are still accepted, while `SIGNING_KEY` is being rotated",
    ),
  ],
  "Several machines": [
    row(
      "NODE_ID",
      "",
      "The name of this process among several on one database ([cluster](cluster.md)): one owns it, the others pass requests to it or wait to take over. No two have the same. Requires `DATABASE_URL`, `SIGNING_KEY`, `ENCRYPTION_KEYS` and `CURSOR_KEY`. Without it the gateway is alone on its database",
    ),
    row(
      "NATS_URL",
      "",
      "The NATS broker that nodes speak over: `nats://user:password@host:4222` or `tls://…`, several of one NATS cluster separated by commas. With it every node serves HTTP from its start and passes what is the owner's to it. Requires `NODE_ID`",
    ),
    row(
      "ROLES",
      "edge,core",
      "`edge,core`: the node waits to own the database, and passes requests on meanwhile; `edge`: it never owns it. Requires `NODE_ID`",
    ),
  ],
  "Users, sessions and mail": [
    row(
      "SIGNUP",
      "open",
      "`confirm`: a new address must be verified by mail before its first login; `closed`: no sign-up",
    ),
    row("UNCONFIRMED_DAYS", "7", "Days after which users who never verified their address are removed; `0`: never"),
    row(
      "SESSION_IDLE_HOURS SESSION_MAX_HOURS",
      "168 720",
      "A session ends this long after its last refresh, and this long after its login; the first is never above the second",
    ),
    row(
      "FRESH_SECONDS",
      "300",
      "Maximum age of the authentication that sensitive operations require (money, keys, rights, password): a sign-in or `auth/reauthenticate`",
    ),
    row(
      "ADMIN_SECOND_FACTOR",
      "optional",
      "`required`: admin rights apply only in a session that used the second factor",
    ),
    row(
      "ADMIN_IDLE_MINUTES",
      "30",
      "An admin's session ends after this long without a request; `0`: like any other session",
    ),
    row(
      "SMTP_URL MAIL_FROM",
      "",
      "`smtp(s)://user:password@host:port`, and the sender. Without a server, mail is written as `.eml` files to `DATA_DIR/outbox`",
    ),
    row(
      "CONSOLE",
      "on",
      "The console at `/console`. `read`: sessions opened there are read-only, whatever their user's permissions, but for how the user signs in; `off`: no console",
    ),
    row("APP_URL", "", "Your page that receives mailed tokens (`#type=…&token=…`) and POSTs them to `/auth/verify`"),
    row(
      "DEFAULT_TENANT_ID",
      "default",
      "The tenant that new users join, and whose INTERNAL markets have unqualified names. Do not change it: existing INTERNAL markets are assigned to it for good",
    ),
    row(
      "ACCOUNTS_MAX INTERNAL_ACCOUNTS_MAX",
      "50 10",
      "Connected trading accounts per user: in total, and at the internal venue",
    ),
    row("WALLETS_MAX", "1000", "Wallets per user, including closed ones and those of accounts at the internal venue"),
  ],
  Venues: [
    row(
      "VENUE_ROUTES",
      "",
      "JSON, `host:port` to URL: redirects connections to venues; connections to any other host are then refused",
    ),
    row("VENUES_INACTIVE", "", "Comma-separated venues to disable"),
    row(
      "EXPERIMENTAL_ORDERS",
      "",
      "Comma-separated venues whose orders are EXPERIMENTAL ([venues](../guide/venues.md): at present none) and should be sent nevertheless. Without it no account can be connected there; accounts already connected track their orders and take cancels, but no new orders",
    ),
    row(
      "SOCKET_ORDERS",
      "",
      "Comma-separated venues whose orders go over a socket of the venue instead of a request each, while it is open: `BINANCE`, `OKX`, `BYBIT` and their `_UAT`. The same promises, sooner ([venues](../guide/venues.md))",
    ),
    row(
      "WARM_FEEDS",
      "100",
      "Maximum number of order books and tickers kept open for an hour after a client read them over HTTP, at most a quarter of them at one venue; the least recently read close first. `0`: none, each closes 30 s after its last reader",
    ),
    row("VENUE_SESSIONS_MAX", "1000", "Maximum number of private venue sessions"),
    row(
      "VENUE_PROXIES",
      "",
      "JSON, venue to proxy URL (http, https, socks5), `*` for all others. No other setting makes a connection use a proxy",
    ),
    row(
      "VENUE_SHARDS VENUE_HEAP_MB",
      "auto 1024",
      "Placement of connectors on worker threads: `auto`, `apart` (one thread each), or JSON, venue to thread name; heap limit of each thread",
    ),
    row(
      "MOCK_BALANCES MOCK_SEED MOCK_TICK_MS",
      "… 1 250",
      "MOCK: starting balances (JSON), and the seed and tick interval of its market",
    ),
    row(
      "PAPER_SOURCE PAPER_BALANCES",
      "BINANCE …",
      "The venue whose live market PAPER trades on (`none`: no PAPER), and its starting balances (JSON)",
    ),
    row(
      "INTERNAL_MAKER_FEE_BPS INTERNAL_TAKER_FEE_BPS",
      "5 10",
      "Fees of the internal venue, in basis points of what each side of a trade receives",
    ),
  ],
  "Real time": [
    row(
      "WS_FLUSH_MS WS_DEFLATE",
      "10 false",
      "Longest time market data is batched on a busy server; permessage-deflate",
    ),
    row(
      "WS_CONFLATE_BYTES WS_SLOW_MS",
      "131072 15000",
      "Unread bytes above which books and tickers are conflated for a slow socket; time without reading after which it is closed",
    ),
    row(
      "CHANNELS",
      "",
      "Changes to the channel table: JSON, or `@file`. Kinds and cells are listed in `/docs/realtime`",
    ),
  ],
  "Limits and money": [
    row(
      "RATE_LIMITS",
      "",
      'JSON, any of the limits in [rate-limits.md](rate-limits.md), for example `{"http":{"perMinute":2400,"burst":400},"openOrders":1000}`. `off` (loopback only, not in production) lifts all but those on open quotes and second-factor codes',
    ),
    row("ASSET_DIGITS", "", 'JSON, decimal places that amounts of an asset may have; default 18: `{"USDT":6,"EUR":2}`'),
    row(
      "LEDGER_EXPIRY_MS LEDGER_AUDIT_MS",
      "1000 30000",
      "Intervals at which expired holds are released and the ledger is audited",
    ),
    row(
      "LEDGER_AUDIT_AGE_MAX_MS",
      "600000",
      "Maximum age of the last completed audit run; health is degraded beyond it",
    ),
    row(
      "LEDGER_AUDIT_WHOLE_AGE_MAX_MS",
      "172800000",
      "The same for the last pass over the whole journal, which may run for up to half of the time to finish before then",
    ),
    row(
      "EXCHANGE_MIRROR_MS",
      "5000",
      "Interval at which fills and balances of dealers' linked accounts are booked in their mirror wallets, and dealers' books are updated",
    ),
    row(
      "EXCHANGE_SHORTFALL_PERCENT",
      "1",
      "Unexplained shortfall of a linked account, as a percentage of its holding of the asset, from which an alert is raised",
    ),
    row(
      "EXCHANGE_SHORTFALL_DUST",
      "",
      'JSON, amounts of an asset too small to raise that alert: `{"BNB":"0.01"}`; for other assets the minimum order of the venue',
    ),
  ],
  Retention: [
    row(
      "EVENTS_KEPT_DAYS",
      "2",
      "Past UTC days of account events to keep, 2 to 365: how far back a channel can be read ([retention](retention.md))",
    ),
    row(
      "ORDERS_KEPT_DAYS",
      "0",
      "Orders that ended this many days ago are moved to the archive, hourly. `0`: only by `gateway-admin archive`",
    ),
    row(
      "QUOTES_KEPT_DAYS",
      "7",
      "Quotes that were not executed are deleted this many days after their end; at least 7",
    ),
    row(
      "ANSWERS_KEPT_DAYS",
      "7",
      "Days for which a repeated `Idempotency-Key` returns the first answer, 7 to 365; keys of orders are kept with their orders",
    ),
    row(
      "LOG_FILE_MB LOG_FILES",
      "64 5",
      "Size at which a file in `DATA_DIR/logs` is rotated, 1 to 4096 MiB, and files of each log, the current one included, 2 to 1000",
    ),
  ],
  "Logs, metrics and traces": [
    row(
      "LOG_LEVEL",
      "info",
      "Minimum level of `logs/access.log` and stderr: `debug`, `info`, `warn` or `error`. SIGUSR2 switches a running process to `debug` and back; `logs/audit.log` and `logs/security.log` are always complete",
    ),
    row("ACCESS_LOG", "true", "One JSON line per request in `DATA_DIR/logs/access.log`"),
    row(
      "METRICS_PORT",
      "",
      "Serves Prometheus metrics at `http://127.0.0.1:PORT/metrics`, and health at `/health` ([health](running.md#health)); `0` takes a free port",
    ),
    row(
      "OTLP_URL OTLP_HEADERS",
      "",
      "An OpenTelemetry collector (`http://127.0.0.1:4318`) that receives traces, metrics and logs as OTLP/JSON, and the headers to send (`name=value,…`). Nothing is sent without it ([observability](observability.md))",
    ),
    row("OTLP_SAMPLE", "0.01", "Share of requests whose trace is kept; errors and orders in doubt always are"),
  ],
}

const cell = (text: string): string => text.replaceAll("|", "\\|")
const code = (texts: ReadonlyArray<string>): string =>
  texts.map((text) => (text === "…" ? text : `\`${text}\``)).join(", ")

export const settingsPage = (): string => {
  const groups = Object.entries(SETTINGS).map(([title, rows]) => {
    const lines = rows.map(
      ({ names, defaults, meaning }) => `| ${code(names)} | ${code(defaults)} | ${cell(meaning)} |`,
    )
    return `## ${title}\n\n| variable | default | meaning |\n|--|--|--|\n${lines.join("\n")}\n`
  })
  return `# Settings

Written by \`npm run docs\` from \`scripts/settings-page.ts\`; \`npm run check\` fails when it is stale.

Every setting is an environment variable, read once at start. All have a default or may be left out. An invalid one refuses the start with one
line that names the variable and what it accepts. So does a variable that is nearly a setting (\`DATABASEURL\`, \`RATE_LIMIT\`) or what other
servers call one (\`HTTP_PORT\` for \`PORT\`), unless that setting is given beside it: a gateway that took no notice would start on another database or without its limits.

Secrets may be given as files: \`DATABASE_URL\`, \`DATABASE_PASSWORD\`, \`SMTP_URL\`, \`SIGNING_KEY\`, \`ENCRYPTION_KEYS\`, \`CURSOR_KEY\`, \`NATS_URL\` and \`OTLP_HEADERS\` are
read from the file that \`NAME_FILE\` names (Docker and systemd secrets).

Back up \`DATA_DIR/keys\`: without it stored exchange credentials cannot be read ([backup](backup.md)). PostgreSQL does not run as root: a gateway
started as root runs it under another account (\`PG_RUN_AS\`). If that account cannot enter \`DATA_DIR\`, the database is placed
in \`/var/lib/venue-gateway/postgres\`, and the log says so.

${groups.join("\n")}`
}

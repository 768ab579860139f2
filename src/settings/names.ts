/**
 * The names of all settings, and which other variables were probably meant as one: a gateway that ignored a misspelt setting would start with
 * another database, open sign-up or no limits, without a word. test/unit/packaging.test.ts holds the list to the sources.
 */

import { slips } from "../foundation/nearest-name.ts"
import { type Environment, InvalidSetting, SECRETS, text } from "./environment.ts"

// Settings of earlier versions that do nothing any more: given, they are named at the start, with what is there instead.

const INSTEAD: Readonly<Record<string, string>> = {
  BOOTSTRAP_ADMIN_EMAIL:
    "the first admin signs up with the setupToken of the ready line, or is granted the right with: gateway-admin grant EMAIL admin",
}

/** A sentence for each that is given. */
export const retired = (env: Environment): ReadonlyArray<string> =>
  Object.entries(INSTEAD).flatMap(([name, instead]) =>
    text(env, name) === null ? [] : [`${name} is no longer supported: ${instead}`],
  )

export const NAMES: ReadonlyArray<string> = [
  "ACCESS_LOG",
  "ACCOUNTS_MAX",
  "ADMIN_IDLE_MINUTES",
  "ADMIN_SECOND_FACTOR",
  "ALLOWED_ORIGINS",
  "ANSWERS_KEPT_DAYS",
  "APP_URL",
  "ASSET_DIGITS",
  "CHANNELS",
  "CONSOLE",
  "CURSOR_KEY",
  "DATABASE_PASSWORD",
  "DATABASE_URL",
  "DATA_DIR",
  "DEFAULT_TENANT_ID",
  "DISK_FREE_MIN_MB",
  "ENCRYPTION_KEYS",
  "ENVIRONMENT",
  "EVENTS_KEPT_DAYS",
  "EXCHANGE_MIRROR_MS",
  "EXCHANGE_SHORTFALL_DUST",
  "EXCHANGE_SHORTFALL_PERCENT",
  "EXPERIMENTAL_ORDERS",
  "FAILPOINT",
  "FRESH_SECONDS",
  "HOST",
  "INTERNAL_ACCOUNTS_MAX",
  "INTERNAL_MAKER_FEE_BPS",
  "INTERNAL_TAKER_FEE_BPS",
  "LEDGER_AUDIT_AGE_MAX_MS",
  "LEDGER_AUDIT_MS",
  "LEDGER_AUDIT_WHOLE_AGE_MAX_MS",
  "LEDGER_EXPIRY_MS",
  "LOG_FILES",
  "LOG_FILE_MB",
  "LOG_LEVEL",
  "MAIL_FROM",
  "METRICS_PORT",
  "MOCK_BALANCES",
  "MOCK_SEED",
  "MOCK_TICK_MS",
  "NATS_URL",
  "NEW_DATABASE",
  "NODE_ENV",
  "NODE_ID",
  "ORDERS_KEPT_DAYS",
  "OTLP_HEADERS",
  "OTLP_SAMPLE",
  "OTLP_URL",
  "PAPER_BALANCES",
  "PAPER_SOURCE",
  "PGSSLMODE",
  "PG_BIN_DIR",
  "PG_RUN_AS",
  "PLAIN_HTTP_PORT",
  "PORT",
  "QUOTES_KEPT_DAYS",
  "RATE_LIMITS",
  "ROLES",
  "SESSION_IDLE_HOURS",
  "SESSION_MAX_HOURS",
  "SHUTDOWN_NOTICE_MS",
  "SIGNING_KEY",
  "SIGNING_KEYS_PREVIOUS",
  "SIGNUP",
  "SMTP_URL",
  "SOCKET_ORDERS",
  "TLS_CERT_FILE",
  "TLS_KEY_FILE",
  "TRUST_PROXY",
  "UNCONFIRMED_DAYS",
  "VENUES_INACTIVE",
  "VENUE_HEAP_MB",
  "VENUE_PROXIES",
  "VENUE_ROUTES",
  "VENUE_SESSIONS_MAX",
  "VENUE_SHARDS",
  "WALLETS_MAX",
  "WARM_FEEDS",
  "WS_CONFLATE_BYTES",
  "WS_DEFLATE",
  "WS_FLUSH_MS",
  "WS_PROFILE",
  "WS_SLOW_MS",
  "WS_TEST_API_KEY",
  "WS_TEST_SECRET",
]

/** Of each name that is read, under which names its value may be given. */
const known: ReadonlyMap<string, ReadonlyArray<string>> = new Map<string, ReadonlyArray<string>>([
  ...NAMES.map((name) => [name, [name]] as const),
  ...SECRETS.flatMap((name) => {
    const forms = [name, `${name}_FILE`]
    return forms.map((form) => [form, forms] as const)
  }),
])

/** Of other programs, too (MAILFROM is cron's): these are told, and refuse nothing. */
const SHARED: ReadonlySet<string> = new Set([
  "CHANNEL",
  "DATABASE_SSL",
  "DATADIR",
  "FAILPOINTS",
  "GATEWAY_HOST",
  "LOGLEVEL",
  "LOG_FILE",
  "MAILFROM",
  "METRICS_HOST",
  "OTEL_HEADERS",
])

/** As other servers call it. A name is asked for by none of them where PORT or HOST stands beside it. */
const BY_OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["GATEWAY_HOST", "HOST"],
  ["GATEWAY_PORT", "PORT"],
  ["HTTP_HOST", "HOST"],
  ["HTTP_PORT", "PORT"],
  ["LISTEN_HOST", "HOST"],
  ["LISTEN_PORT", "PORT"],
])

/** Kubernetes sets GATEWAY_PORT to tcp://… beside a service of the name gateway: only a number was meant to be a port. */
const byOtherName = (env: Environment, given: string): string | undefined => {
  const name = BY_OTHER_NAMES.get(given)
  return name === "PORT" && !/^\s*\d+\s*$/.test(env[given] ?? "") ? undefined : name
}

/**
 * The environment belongs to every program of the machine, so little is taken for a slip: SSL_CERT_FILE, OpenSSL's, is two letters from
 * TLS_CERT_FILE, and DATABASE_USER three from DATABASE_URL. Short names are judged by separators alone.
 */
const isSlipOf = (given: string, name: string): boolean => {
  if (given[0] !== name[0] || name.length < 6 || Math.abs(given.length - name.length) > 4) return false
  const most = name.length >= 12 ? 2 : name.length >= 8 ? 1 : 0
  return slips(given, name) <= most
}

/** The setting that a variable was meant to be; undefined for one of another program. A setting that is given, as a file too, was not misspelt. */
const meantBy = (env: Environment, given: string): string | undefined => {
  if (known.has(given) || text(env, given) === null) return undefined
  const other = byOtherName(env, given)
  return [...known].find(
    ([name, forms]) => (name === other || isSlipOf(given, name)) && forms.every((form) => text(env, form) === null),
  )?.[0]
}

/** Throws InvalidSetting for the first that is misspelt; a sentence for each that another program may read. */
export const misspelt = (env: Environment): ReadonlyArray<string> =>
  Object.keys(env).flatMap((given) => {
    const meant = meantBy(env, given)
    if (meant === undefined) return []
    if (!SHARED.has(given)) throw new InvalidSetting(`${given} is not a setting: did you mean ${meant}?`)
    return [`${given} is not a setting: did you mean ${meant}?`]
  })

/** NODE_ENV has words of other programs, so only what was meant to be `production` is refused. */
export const isProduction = (env: Environment): boolean => {
  const word = text(env, "NODE_ENV")
  if (word === null || word === "production") return word !== null
  if (word.toLowerCase() === "prod" || slips(word, "production") <= 2)
    throw new InvalidSetting(`NODE_ENV is "${word}": did you mean "production"?`)
  return false
}

/**
 * Nothing that an operator writes wrong is dropped in silence: names that are nearly a setting, values that are nearly one, and settings that
 * do not go together. Each is refused with a line that names it, or told at the start.
 */
import { describe, expect, it } from "vitest"
import { optIns } from "../../src/composition/venues.ts"
import { readSettings } from "../../src/config.ts"
import { transportPolicy } from "../../src/http/edge/transport.ts"
import { NAMES } from "../../src/settings/names.ts"
import { PROFILES, venueOf } from "../../src/venues/adapters/registry.ts"
import { unproven } from "../kit/worlds/unproven-venue.ts"

type Env = Readonly<Record<string, string>>

/** What the operator hears; undefined: nothing. */
const heard = (env: Env): string | undefined => {
  try {
    const settings = readSettings(env)
    transportPolicy(settings)
    return settings.retired.join("\n") || undefined
  } catch (error) {
    return (error as Error).message
  }
}

/** Names that say nothing of the gateway (PORT, HOST, SIGNUP …) have neighbours that are other programs'. */
const LONG = NAMES.filter((name) => name.length >= 8)

describe("a name that is nearly a setting", () => {
  const slips: Readonly<Record<string, (name: string) => string>> = {
    "without its last separator": (name) => name.replace(/_([^_]*)$/, "$1"),
    "with its last letter twice": (name) => name + name.at(-1),
    "with two letters exchanged": (name) => name.replace(/(.)(.)(.)$/, "$1$3$2"),
    "without its last letter": (name) => name.slice(0, -1),
  }
  it.each(Object.entries(slips))("%s is told or refused", (_, slip) => {
    const given = LONG.map((name) => [name, slip(name)] as const).filter(
      ([name, wrong]) => wrong !== name && !NAMES.includes(wrong),
    )
    expect(given.length).toBeGreaterThan(40)
    expect(
      given.filter(([, wrong]) => heard({ [wrong]: "1" })?.includes(`${wrong} is not a setting`) !== true),
    ).toEqual([])
  })
})

const TLS = { TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" }
const REAL = { NODE_ENV: "production", TRUST_PROXY: "10.0.0.1" }
const CLUSTER = {
  NODE_ID: "a",
  DATABASE_URL: "postgresql://db/gateway",
  SIGNING_KEY: "s",
  ENCRYPTION_KEYS: "k:x",
  CURSOR_KEY: "k:x",
}

/** What is heard must have each of the words. */
const CONTRADICTIONS: ReadonlyArray<readonly [env: Env, ...words: ReadonlyArray<string>]> = [
  [{ NODE_ID: "a.b" }, "NODE_ID must be", "a.b"],
  [{ NODE_ID: "a", CURSOR_KEY: "k:x" }, "NODE_ID requires DATABASE_URL, SIGNING_KEY, ENCRYPTION_KEYS:"],
  [{ NATS_URL: "nats://localhost" }, "NATS_URL requires NODE_ID"],
  [{ ROLES: "edge" }, "ROLES requires NODE_ID"],
  [{ ...CLUSTER, ROLES: "edge" }, "ROLES=edge requires NATS_URL"],
  [{ ...CLUSTER, NATS_URL: "nats://localhost", ROLES: "core" }, 'ROLES must be "edge,core" or "edge", not "core"'],
  [{ ...CLUSTER, NATS_URL: "nats://user:secret@localhost,http://x" }, "NATS_URL must be nats://"],
  [{ ...CLUSTER, WS_PROFILE: "test" }, "WS_PROFILE=test and NODE_ID"],
  [{ SESSION_IDLE_HOURS: "800" }, "SESSION_IDLE_HOURS (800 hours)", "SESSION_MAX_HOURS (720 hours)"],
  [
    { SESSION_IDLE_HOURS: "48", SESSION_MAX_HOURS: "24" },
    "SESSION_IDLE_HOURS (48 hours)",
    "SESSION_MAX_HOURS (24 hours)",
  ],
  [{ ADMIN_IDLE_MINUTES: "120", SESSION_IDLE_HOURS: "1" }, "ADMIN_IDLE_MINUTES (120 minutes)", "SESSION_IDLE_HOURS"],
  [
    { LEDGER_AUDIT_MS: "60000", LEDGER_AUDIT_AGE_MAX_MS: "1000" },
    "LEDGER_AUDIT_MS",
    "LEDGER_AUDIT_AGE_MAX_MS (1000 ms)",
  ],
  [{ LEDGER_AUDIT_WHOLE_AGE_MAX_MS: "1000" }, "LEDGER_AUDIT_MS", "LEDGER_AUDIT_WHOLE_AGE_MAX_MS"],
  [{ ACCOUNTS_MAX: "5", INTERNAL_ACCOUNTS_MAX: "6" }, "INTERNAL_ACCOUNTS_MAX does nothing", "ACCOUNTS_MAX above it"],
  [{ RATE_LIMITS: '{"openQuotes":5,"openQuotesPerClient":6}' }, "openQuotesPerClient (6)", "openQuotes (5)"],
  [{ TLS_CERT_FILE: "cert.pem" }, "TLS_CERT_FILE", "TLS_KEY_FILE"],
  [{ TLS_KEY_FILE: "key.pem" }, "TLS_CERT_FILE", "TLS_KEY_FILE"],
  [{ PLAIN_HTTP_PORT: "8081" }, "PLAIN_HTTP_PORT", "TLS_CERT_FILE"],
  [{ ...TLS, PORT: "9000", PLAIN_HTTP_PORT: "9000" }, "PORT and PLAIN_HTTP_PORT are both 9000"],
  [{ ...TLS, METRICS_PORT: "9000", PLAIN_HTTP_PORT: "9000" }, "PLAIN_HTTP_PORT and METRICS_PORT are both 9000"],
  [{ METRICS_PORT: "8080" }, "PORT and METRICS_PORT are both 8080"],
  [{ ...REAL, HOST: "0.0.0.0", PORT: "9464", METRICS_PORT: "9464" }, "PORT and METRICS_PORT are both 9464"],
  [{ DATABASE_PASSWORD: "hunter2" }, "DATABASE_PASSWORD", "DATABASE_URL"],
  [{ DATABASE_PASSWORD: "hunter2", DATABASE_URL: "postgresql://a:b@c/d" }, "DATABASE_PASSWORD"],
  [{ DATABASE_URL: "postgresql://a@b/c", PG_RUN_AS: "postgres" }, "PG_RUN_AS does nothing", "DATABASE_URL"],
  [{ DATABASE_URL: "postgresql://a@b/c", PG_BIN_DIR: "/usr/bin" }, "PG_BIN_DIR does nothing", "DATABASE_URL"],
  [{ SIGNUP: "confirm" }, "SIGNUP=confirm", "SMTP_URL", "outbox"],
  [{ SMTP_URL: "smtp://ada@mail.example.com", MAIL_FROM: "a@example.com" }, "SMTP_URL", "no password"],
  [{ SMTP_URL: "smtp://:hunter2@mail.example.com", MAIL_FROM: "a@example.com" }, "SMTP_URL", "no user"],
  [{ SMTP_URL: "smtp://mail.example.com" }, "SMTP_URL", "MAIL_FROM"],
  [{ OTLP_HEADERS: "a=b" }, "OTLP_HEADERS does nothing", "OTLP_URL"],
  [{ OTLP_SAMPLE: "1" }, "OTLP_SAMPLE does nothing", "OTLP_URL"],
  [{ WS_TEST_SECRET: "s" }, "WS_TEST_SECRET does nothing", "WS_PROFILE=test"],
  [{ WS_TEST_API_KEY: "k" }, "WS_TEST_API_KEY does nothing", "WS_PROFILE=test"],
  [{ PAPER_SOURCE: "none", PAPER_BALANCES: '{"BTC":"1"}' }, "PAPER_BALANCES does nothing", "PAPER_SOURCE"],
  [{ PAPER_SOURCE: "OKX", VENUES_INACTIVE: "KRAKEN,OKX" }, "PAPER_SOURCE does nothing", "VENUES_INACTIVE"],
  [{ EXPERIMENTAL_ORDERS: "DERIBIT", VENUES_INACTIVE: "DERIBIT" }, "EXPERIMENTAL_ORDERS does nothing for DERIBIT"],
  [{ NODE_ENV: "production" }, "TLS_CERT_FILE", "TRUST_PROXY"],
  [{ HOST: "0.0.0.0" }, "TLS_CERT_FILE", "TRUST_PROXY"],
  [{ ...REAL, RATE_LIMITS: "off" }, "RATE_LIMITS=off"],
  [{ ...REAL, FAILPOINT: "submit.parsed" }, "FAILPOINT"],
  [{ ...REAL, WS_PROFILE: "test" }, "WS_PROFILE=test"],
  [{ ...TLS, WS_PROFILE: "test" }, "WS_PROFILE=test", "TLS_CERT_FILE"],
  [{ TRUST_PROXY: "proxy.example.com" }, "TRUST_PROXY", "proxy.example.com"],
  [{ TRUST_PROXY: "10.0.0.0/40" }, "TRUST_PROXY", "10.0.0.0/40"],
  [{ ALLOWED_ORIGINS: "app.example.com" }, "ALLOWED_ORIGINS", "app.example.com"],
  [{ ALLOWED_ORIGINS: "https://app.example.com/" }, "ALLOWED_ORIGINS", "no path"],
  [{ ALLOWED_ORIGINS: "https://*.example.com/x" }, "ALLOWED_ORIGINS"],
  [{ ASSET_DIGITS: '{"btc":8}' }, "ASSET_DIGITS", '"btc"'],
  [{ MOCK_BALANCES: '{"usdt":"1"}' }, "MOCK_BALANCES", '"usdt"'],
]

/** Of the settings that came last: what is meant is plain, and none of it is what is taken. */
const SLIPS: ReadonlyArray<readonly [env: Env, ...words: ReadonlyArray<string>]> = [
  [{ EXPERIMENTAL_ORDER: "ELSEWHERE" }, "EXPERIMENTAL_ORDERS"],
  [{ EXPERIMENTAL_ORDERS: "elsewhere" }, "elsewhere", "ELSEWHERE"],
  [{ EXPERIMENTAL_ORDERS: "ELSEWHERE GEMINI" }, "ELSEWHERE GEMINI"],
  [{ EXPERIMENTAL_ORDERS: "ELSEWHERE;GEMINI" }, "ELSEWHERE;GEMINI"],
  [{ EXPERIMENTAL_ORDERS: '["ELSEWHERE"]' }, '["ELSEWHERE"]'],
  [{ EXPERIMENTAL_ORDERS: "true" }, "true", "ELSEWHERE"],
  [{ EXPERIMENTAL_ORDERS: "*" }, "*", "ELSEWHERE"],
  [{ WARM_FEED: "50" }, "WARM_FEEDS"],
  [{ WARM_FEEDS: "MOCK:BTC/USDT" }, "WARM_FEEDS", "from 0 to 10000"],
  [{ WARM_FEEDS: "off" }, "WARM_FEEDS", '"off"'],
  [{ WARM_FEEDS: "1_000" }, "WARM_FEEDS", "1_000"],
  [{ WARM_FEEDS: "10001" }, "WARM_FEEDS", "10001"],
  [{ ORDER_KEPT_DAYS: "90" }, "ORDERS_KEPT_DAYS"],
  [{ ORDERS_KEPT_DAYS: "90d" }, "ORDERS_KEPT_DAYS", "90d"],
  [{ EVENTS_KEPT_DAYS: "1" }, "EVENTS_KEPT_DAYS", "from 2"],
  [{ EVENTS_KEEP_DAYS: "3" }, "EVENTS_KEPT_DAYS"],
  [{ ADMIN_SECOND_FACTOR: "true" }, "ADMIN_SECOND_FACTOR", "required"],
  [{ EXCHANGE_SHORTFALL_PERCENT: "1%" }, "EXCHANGE_SHORTFALL_PERCENT", "1%"],
]
const venues = [...PROFILES, unproven("ELSEWHERE", "deribit")].map((profile) => venueOf(profile, []))
/** With what only the venues know, as the start asks them. */
const heardAtStart = (env: Env): string | undefined =>
  heard(env) ?? optIns(venues, readSettings(env).experimentalOrders).refused ?? undefined

describe("a slip in one of the newest settings", () => {
  it.each(SLIPS.map(([env, ...words]) => ({ env, words })))("$env is told or refused", ({ env, words }) => {
    for (const word of words) expect(heardAtStart(env)).toContain(word)
  })
})

describe("settings that do not go together", () => {
  it.each(CONTRADICTIONS.map(([env, ...words]) => ({ env, words })))("$env is told or refused", ({ env, words }) => {
    for (const word of words) expect(heard(env)).toContain(word)
    expect(heard(env), "a password").not.toContain("hunter2")
  })

  it.each<Env>([
    {},
    { SESSION_MAX_HOURS: "24" },
    { ADMIN_IDLE_MINUTES: "0", SESSION_IDLE_HOURS: "1" },
    { ACCOUNTS_MAX: "5" },
    { RATE_LIMITS: '{"openQuotes":9}' },
    { ALLOWED_ORIGINS: "capacitor://localhost,chrome-extension://abcdefgh" },
    { PORT: "0", METRICS_PORT: "0" },
    { HOST: "127.0.0.1", PORT: "9000", METRICS_PORT: "9464" },
    { ...TLS, HOST: "10.1.2.3", PORT: "9464", METRICS_PORT: "9464" },
    { SMTP_URL: "smtp://mail.example.com", MAIL_FROM: "a@example.com", SIGNUP: "confirm" },
    { SMTP_URL: "smtp://127.0.0.1:25" },
    { ALLOWED_ORIGINS: "*, https://app.example.com, http://localhost:3000" },
    { VENUES_INACTIVE: "BINANCE" },
  ])("%j is taken", (env) => {
    expect(heard(env)).toBeUndefined()
  })
})

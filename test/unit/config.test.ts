/** Settings: defaults, and one clear refusal for each bad one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readSettings } from "../../src/config.ts"
import { RATE_LIMITS } from "../../src/domain/user/rate-limits.ts"
import { InvalidSetting } from "../../src/settings/environment.ts"

describe("the settings", () => {
  it("have a default for everything", () => {
    expect(readSettings({})).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      databaseUrl: null,
      tls: null,
      environment: "PROD",
    })
  })

  it("names what is given and does nothing any more, and what is there instead", () => {
    expect(readSettings({}).retired).toEqual([])
    expect(readSettings({ BOOTSTRAP_ADMIN_EMAIL: "me@example.com" }).retired).toEqual([
      expect.stringMatching(/^BOOTSTRAP_ADMIN_EMAIL .*setupToken.*gateway-admin grant/),
    ])
  })

  const MISSPELT: ReadonlyArray<readonly [given: string, meant: string]> = [
    ["DATABASEURL", "DATABASE_URL"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATABSE_URL", "DATABASE_URL"],
    ["DATABASE_URLFILE", "DATABASE_URL_FILE"],
    ["DATABASE_PASWORD", "DATABASE_PASSWORD"],
    ["DATA_DIRR", "DATA_DIR"],
    ["DATA_DRI", "DATA_DIR"],
    ["TLS_CERTFILE", "TLS_CERT_FILE"],
    ["TLS_KEYFILE", "TLS_KEY_FILE"],
    ["TLS_CERT_FLIE", "TLS_CERT_FILE"],
    ["SIGN_UP", "SIGNUP"],
    ["RATE_LIMIT", "RATE_LIMITS"],
    ["RATELIMITS", "RATE_LIMITS"],
    ["ENVIROMENT", "ENVIRONMENT"],
    ["TRUSTPROXY", "TRUST_PROXY"],
    ["TRUST_PROXYS", "TRUST_PROXY"],
    ["ALLOWED_ORIGIN", "ALLOWED_ORIGINS"],
    ["ENCRYPTION_KEY", "ENCRYPTION_KEYS"],
    ["SIGNING_KEYS", "SIGNING_KEY"],
    ["SMTPURL", "SMTP_URL"],
    ["ADMIN_SECONDFACTOR", "ADMIN_SECOND_FACTOR"],
    ["SESSION_MAX_HOUR", "SESSION_MAX_HOURS"],
    ["VENUES_INACTVE", "VENUES_INACTIVE"],
    ["FRESH_SECOND", "FRESH_SECONDS"],
    ["WALLET_MAX", "WALLETS_MAX"],
  ]
  it.each(MISSPELT)("refuse %s, which was meant to be %s", (given, meant) => {
    expect(() => readSettings({ [given]: "closed" })).toThrow(`${given} is not a setting: did you mean ${meant}?`)
  })

  it.each([
    ["HTTP_PORT", "18211", "PORT"],
    ["LISTEN_PORT", "18211", "PORT"],
    ["GATEWAY_PORT", "18211", "PORT"],
    ["HTTP_HOST", "0.0.0.0", "HOST"],
    ["LISTEN_HOST", "0.0.0.0", "HOST"],
  ])("refuse %s=%s, which other servers call so, and name %s", (given, value, meant) => {
    expect(() => readSettings({ [given]: value })).toThrow(`${given} is not a setting: did you mean ${meant}?`)
    expect(readSettings({ [given]: value, PORT: "8080", HOST: "127.0.0.1" }).retired).toEqual([])
  })

  it("take no port of Kubernetes for a port to listen at", () => {
    const ofService = { GATEWAY_PORT: "tcp://10.0.0.1:8080", GATEWAY_PORT_8080_TCP: "tcp://10.0.0.1:8080" }
    expect(
      readSettings({ ...ofService, GATEWAY_SERVICE_HOST: "10.0.0.1", GATEWAY_SERVICE_PORT: "8080" }).retired,
    ).toEqual([])
  })

  it("refuse nothing of other programs", () => {
    const others =
      "HOME HOSTNAME PATH USER LANG TERM SHELL PWD NODE_OPTIONS NODE_PATH NODE_VERSION SSL_CERT_FILE SSL_CERT_DIR PGHOST PGPORT PGDATA PGUSER PGPASSWORD DATABASE_HOST DATABASE_USER DATABASE_NAME DATABASE_PORT DB_URL API_URL BASE_URL REDIS_URL SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASSWORD EMAIL_FROM OTEL_EXPORTER_OTLP_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS KUBERNETES_SERVICE_HOST KUBERNETES_PORT METRICS_PORT_9090_TCP METRICS_SERVICE_HOST VENUE_GATEWAY_PORT HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy npm_config_loglevel SECRET_KEY SESSION_SECRET XDG_DATA_DIRS XDG_SESSION_ID LOGNAME MAIL HOSTS PORTS SIGNALS INVOCATION_ID NOTIFY_SOCKET CREDENTIALS_DIRECTORY"
    const env = Object.fromEntries(others.split(" ").map((name) => [name, "x"]))
    expect(readSettings(env).retired).toEqual([])
    // Empty, or beside the right one, it was not meant to be it.
    expect(readSettings({ RATE_LIMIT: "" }).retired).toEqual([])
    expect(readSettings({ DATABASE_URI: "x", DATABASE_URL: "postgresql://a@b/c" }).retired).toEqual([])
    expect(readSettings({ NODE_ENV: "development" }).production).toBe(false)
  })

  it.each([
    ["LOGLEVEL", "LOG_LEVEL"],
    ["DATABASE_SSL", "DATABASE_URL"],
    ["METRICS_HOST", "METRICS_PORT"],
    ["OTEL_HEADERS", "OTLP_HEADERS"],
    ["MAILFROM", "MAIL_FROM"],
    ["FAILPOINTS", "FAILPOINT"],
    ["GATEWAY_HOST", "HOST"],
  ])("tell of %s, which another program may read", (given, meant) => {
    expect(readSettings({ [given]: "debug" }).retired).toEqual([`${given} is not a setting: did you mean ${meant}?`])
  })

  it("take a secret for given in either form", () => {
    const folder = mkdtempSync(join(tmpdir(), "settings-"))
    try {
      const file = join(folder, "url")
      writeFileSync(file, "postgresql://a@b/c")
      expect(readSettings({ DATABASE_URI: "x", DATABASE_URL_FILE: file }).retired).toEqual([])
      expect(readSettings({ DATABASE_SSL: "x", DATABASE_URL_FILE: file }).retired).toEqual([])
      expect(readSettings({ DATABASE_URLFILE: "x", DATABASE_URL: "postgresql://a@b/c" }).retired).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it.each(["prodution", "Production", "prod", "productoin", "PRODUCTION"])("refuse NODE_ENV=%s", (word) => {
    expect(() => readSettings({ NODE_ENV: word })).toThrow(`NODE_ENV is "${word}": did you mean "production"?`)
  })

  it.each<[string, Record<string, string>]>([
    ["PORT", { PORT: "http" }],
    ["PORT", { PORT: "70000" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://x" }],
    ["TLS_CERT_FILE", { TLS_CERT_FILE: "cert.pem" }],
    ["PLAIN_HTTP_PORT", { PLAIN_HTTP_PORT: "8081" }],
    ["PLAIN_HTTP_PORT", { PLAIN_HTTP_PORT: "-1", TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" }],
    ["ENVIRONMENT", { ENVIRONMENT: "TEST" }],
    ["VENUE_ROUTES", { VENUE_ROUTES: "{" }],
    ["VENUE_ROUTES", { VENUE_ROUTES: '{"api.binance.com":"http://127.0.0.1:1"}' }],
    ["VENUE_ROUTES", { VENUE_ROUTES: '{"api.binance.com:443":"127.0.0.1"}' }],
    ["MOCK_BALANCES", { MOCK_BALANCES: '{"BTC":1}' }],
    ["MOCK_BALANCES", { MOCK_BALANCES: '{"BTC":"1e5"}' }],
    ["EXCHANGE_SHORTFALL_PERCENT", { EXCHANGE_SHORTFALL_PERCENT: "101" }],
    ["EXCHANGE_SHORTFALL_DUST", { EXCHANGE_SHORTFALL_DUST: '{"bnb":"1"}' }],
    ["EXCHANGE_SHORTFALL_DUST", { EXCHANGE_SHORTFALL_DUST: '{"BNB":"-1"}' }],
    ["ACCESS_LOG", { ACCESS_LOG: "maybe" }],
    ["RATE_LIMITS", { RATE_LIMITS: "on" }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"orderSubmits":{"perSecond":1,"burst":1}}' }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"orderSubmit":{"perSecond":0,"burst":1}}' }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"openOrders":1.5}' }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"login":{"perMinute":5}}' }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"login":{"perMinute":5,"perHour":5,"burst":5}}' }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"login":5}' }],
    ["RATE_LIMITS", { RATE_LIMITS: '{"socketsPerUser":{"perSecond":5,"burst":5}}' }],
    ["RATE_LIMITS", { RATE_LIMITS: "off", HOST: "0.0.0.0" }],
    ["FAILPOINT", { FAILPOINT: "submit.parsed", NODE_ENV: "production" }],
    ["SIGNUP", { SIGNUP: "yes" }],
    ["SESSION_IDLE_HOURS", { SESSION_IDLE_HOURS: "0" }],
    ["SESSION_MAX_HOURS", { SESSION_MAX_HOURS: "a month" }],
    ["UNCONFIRMED_DAYS", { UNCONFIRMED_DAYS: "-1" }],
    ["SMTP_URL", { SMTP_URL: "mail.example.com" }],
    ["SMTP_URL", { SMTP_URL: "https://mail.example.com" }],
    ["SMTP_URL", { SMTP_URL: "smtp://mail.example.com/?pool=true" }],
    ["SMTP_URL", { SMTP_URL: "smtp://user:%zz@mail.example.com" }],
    ["MAIL_FROM", { MAIL_FROM: "nobody" }],
    ["MAIL_FROM", { MAIL_FROM: "a@example.com>\r\nBcc: <b@example.com" }],
    ["APP_URL", { APP_URL: "app.example.com" }],
    ["APP_URL", { APP_URL: "https://app.example.com/#here" }],
    ["WS_PROFILE", { WS_PROFILE: "open" }],
    ["WS_PROFILE", { WS_PROFILE: "test", HOST: "0.0.0.0" }],
    ["WS_PROFILE", { WS_PROFILE: "test", HOST: "10.1.2.3", TRUST_PROXY: "10.0.0.0/8" }],
    ["WS_PROFILE", { WS_PROFILE: "test", TRUST_PROXY: "127.0.0.1" }],
    ["WS_PROFILE", { WS_PROFILE: "test", TLS_CERT_FILE: "cert.pem", TLS_KEY_FILE: "key.pem" }],
    ["WS_PROFILE", { WS_PROFILE: "test", NODE_ENV: "production" }],
    ["RATE_LIMITS", { RATE_LIMITS: "off", NODE_ENV: "production" }],
  ])("name %s when it is bad", (name, environment) => {
    expect(() => readSettings(environment)).toThrow(InvalidSetting)
    expect(() => readSettings(environment)).toThrow(name)
  })

  it("limit orders as the contract says, but for what is set, and not at all only on loopback", () => {
    const limits = {
      orderSubmit: { perSecond: 50, burst: 100 },
      orderCancel: { perSecond: 100, burst: 200 },
      quoteRequest: { perSecond: 10, burst: 20 },
      openQuotes: 1_000,
      openQuotesPerClient: 100,
    }
    expect(readSettings({}).rateLimits).toEqual({ ...RATE_LIMITS, ...limits, openOrders: 500 })
    expect(readSettings({ HOST: "0.0.0.0", RATE_LIMITS: '{"openOrders":7}' }).rateLimits).toEqual({
      ...RATE_LIMITS,
      openOrders: 7,
    })
    const slow = '{"http":{"perMinute":600,"burst":9},"signup":{"perHour":36,"burst":2},"socketsPerUser":3}'
    expect(readSettings({ RATE_LIMITS: slow }).rateLimits).toEqual({
      ...RATE_LIMITS,
      http: { perSecond: 10, burst: 9 },
      signup: { perSecond: 0.01, burst: 2 },
      socketsPerUser: 3,
    })
    expect(readSettings({ RATE_LIMITS: '{"orderSubmit":{"perSecond":0.5,"burst":2}}' }).rateLimits).toMatchObject({
      orderSubmit: { perSecond: 0.5, burst: 2 },
      orderCancel: limits.orderCancel,
    })
    const raised = { perSecond: 900, burst: 1800 }
    expect(readSettings({ RATE_LIMITS: JSON.stringify({ orderSubmit: raised }) }).rateLimits).toMatchObject({
      orderSubmitUser: raised,
      orderCalls: raised,
      cancelCalls: RATE_LIMITS.cancelCalls,
    })
    const held = { orderSubmit: raised, orderSubmitUser: RATE_LIMITS.orderSubmitUser }
    expect(readSettings({ RATE_LIMITS: JSON.stringify(held) }).rateLimits).toMatchObject({
      ...held,
      orderCalls: RATE_LIMITS.orderCalls,
    })
    expect(readSettings({ RATE_LIMITS: JSON.stringify({ signup: raised }) }).rateLimits).toMatchObject({
      signupLocal: raised,
    })
    const ofQuotes = { quoteRequest: { perSecond: 1, burst: 3 }, openQuotes: 9 }
    expect(readSettings({ RATE_LIMITS: JSON.stringify(ofQuotes) }).rateLimits).toMatchObject(ofQuotes)
    expect(() => readSettings({ RATE_LIMITS: '{"openQuotes":0}' })).toThrow('"openQuotes" must be an integer above 0')
    expect(readSettings({ RATE_LIMITS: "off" }).rateLimits).toBeNull()
  })

  it("take an SMTP server by its URL, and never repeat its password", () => {
    expect(readSettings({ SMTP_URL: "smtps://ada%40example.com:p%40ss@mail.example.com" }).smtp).toEqual({
      host: "mail.example.com",
      port: 465,
      secure: true,
      user: "ada@example.com",
      password: "p@ss",
    })
    expect(readSettings({ SMTP_URL: "smtp://[::1]:2525" }).smtp).toMatchObject({ host: "::1", port: 2525, user: null })
    expect(() => readSettings({ SMTP_URL: "smtp://ada:hunter2@mail.example.com/x" })).not.toThrow("hunter2")
  })

  it("keep the test profile off unless it is asked for on loopback", () => {
    expect(readSettings({ WS_TEST_SECRET: "s", WS_TEST_API_KEY: "k" }).wsTest).toBeNull()
    for (const HOST of ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
      expect(readSettings({ WS_PROFILE: "test", HOST }).wsTest).toEqual({
        secret: "secret",
        apiKeys: ["api_key", "test-api-key"],
      })
    expect(readSettings({ WS_PROFILE: "test", WS_TEST_SECRET: "s", WS_TEST_API_KEY: "a, b" }).wsTest).toEqual({
      secret: "s",
      apiKeys: ["a", "b"],
    })
  })

  it.each([
    ["EVENTS_KEPT_DAYS", "1", "from 2 to 365"],
    ["ORDERS_KEPT_DAYS", "-1", "from 0 to 36500"],
    ["QUOTES_KEPT_DAYS", "6", "from 7 to 36500"],
    ["ANSWERS_KEPT_DAYS", "6", "from 7 to 365"],
    ["LOG_FILE_MB", "0", "from 1 to 4096"],
    ["LOG_FILES", "1", "from 2 to 1000"],
  ])("refuses %s=%s, and keeps what was kept before there was a setting", (name, value, range) => {
    expect(() => readSettings({ [name]: value })).toThrow(`${name} must be an integer ${range}, not "${value}"`)
    expect(readSettings({}).retention).toEqual({
      eventDays: 2,
      orderDays: null,
      quoteDays: 7,
      answerDays: 7,
      logBytes: 64 * 1024 * 1024,
      logFiles: 5,
    })
  })
})

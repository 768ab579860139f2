/** Settings: every environment variable of the gateway, read once, typed. A bad one ends the start with one clear line. */
import { readFileSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { isLoopback } from "./domain/loopback.ts"
import { ORDER_LIMITS, type OrderLimits } from "./domain/order-limits.ts"
import type { Rate } from "./domain/token-bucket.ts"

/** A setting that cannot be used; the message names the variable and what it takes. */
export class InvalidSetting extends Error {
  override readonly name = "InvalidSetting"
}

export interface Settings {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Everything the gateway keeps on disk. */
  readonly dataDir: string
  /** A PostgreSQL server of the user's instead of the embedded one. */
  readonly databaseUrl: string | null
  readonly production: boolean
  readonly environment: "PROD" | "UAT"
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** Addresses (IP or CIDR) of proxies in front, whose X-Forwarded-Proto and X-Forwarded-For count. */
  readonly trustProxy: ReadonlyArray<string>
  /** Browser origins allowed to open the socket besides our own; `*` allows all. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Ed25519 private key (PKCS #8 PEM) that signs access tokens; null: generated once into `dataDir`. */
  readonly signingKey: string | null
  /** `kid:base64url` of 32 bytes, comma separated, the first encrypts; null: generated once into `dataDir`. */
  readonly encryptionKeys: string | null
  readonly defaultTenantId: string
  readonly bootstrapAdminEmail: string | null
  /** Who may sign up: everybody at once, whoever proves the address first, nobody. */
  readonly signup: "open" | "confirm" | "closed"
  /** Null: mails become files in `dataDir/outbox`. */
  readonly smtp: SmtpServer | null
  /** From whom mails come, an address alone or `Name <address>`. */
  readonly mailFrom: string
  /** The operator's page that takes the tokens of mails; null: mails name the token itself. */
  readonly appUrl: string | null
  /** `host:port` → URL: re-routes the connections of connectors; every other host is refused. Null: no re-routing. */
  readonly venueRoutes: Readonly<Record<string, string>> | null
  /** Venues disabled by configuration. */
  readonly venuesInactive: ReadonlyArray<string>
  readonly venueSessionsMax: number
  /** Venue → URL of its proxy (http, https, socks5), `*` for the others, null for none. Only this setting leads to a proxy. */
  readonly venueProxies: Readonly<Record<string, string | null>>
  /** Which venues share a worker thread: see venues/placement. */
  readonly venueShards: "auto" | "apart" | Readonly<Record<string, VenueThreads>>
  /** Heap limit of a worker thread, in MB. */
  readonly venueHeapMegabytes: number
  /** Starting balances of a MOCK account: asset → decimal text. */
  readonly mockBalances: Readonly<Record<string, string>>
  /** The venue on whose market PAPER trades; null: there is no PAPER. */
  readonly paperSource: string | null
  /** Starting balances of a PAPER account. */
  readonly paperBalances: Readonly<Record<string, string>>
  /** Seed of MOCK's synthetic market. */
  readonly mockSeed: number
  /** MOCK's synthetic prices move this often, in ms; 0 keeps them still. */
  readonly mockTickMillis: number
  /** How long publications may be gathered when the loop is busy, in ms; 0 flushes each at once. */
  readonly wsFlushMillis: number
  readonly wsDeflate: boolean
  /** Bytes that wait for a socket before it is spared what can be conflated. */
  readonly wsConflateBytes: number
  /** A socket for which bytes have been waiting without a pause for so long is closed (3008), in ms. */
  readonly wsSlowMillis: number
  /** Changes of the channel table: kind → cells (ws/channel-kinds), under the test profile namespace → cells. Checked where it is made. */
  readonly channels: Readonly<Record<string, unknown>> | null
  /** Null: off. The socket serves open channels to everybody instead of the gateway's own, for suites of client libraries. */
  readonly wsTest: TestProfileSettings | null
  /** Limits per trading account; null: none, on loopback only. */
  readonly rateLimits: OrderLimits | null
  /** Digits behind the point that clients may give amounts of an asset: asset → number; all others 18. */
  readonly assetDigits: Readonly<Record<string, number>>
  /** Holds that are due are looked for this often, in ms. */
  readonly ledgerExpiryMillis: number
  /** The ledger's balances are audited this often, in ms. */
  readonly ledgerAuditMillis: number
  /** How often fills and balances of linked accounts are carried over to their mirrors in the ledger, in ms. */
  readonly exchangeMirrorMillis: number
  /** What the internal venue keeps of what a side of a trade receives, in basis points, decimal text. */
  readonly internalMakerFeeBps: string
  readonly internalTakerFeeBps: string
  /** Live accounts of one user at the internal venue. */
  readonly internalAccountsMax: number
  /** CLIENT wallets of one user, closed ones too. */
  readonly walletsMax: number
  readonly accessLog: boolean
  /** Prometheus metrics on this loopback port; null: none are served. */
  readonly metricsPort: number | null
  /** `NAME` or `NAME:N`: for torture tests, the process kills itself at that failpoint. Refused in production. */
  readonly failpoint: string | null
}

export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, which must succeed unless the server is on this machine. */
  readonly secure: boolean
  readonly user: string | null
  readonly password: string | null
}

/** The worker threads of one venue, by name. */
export interface VenueThreads {
  readonly public: string
  readonly private: string
}

export interface TestProfileSettings {
  /** Signs the tokens of connections and subscriptions (HS256). */
  readonly secret: string
  /** Any of them opens the server API; `*`: no key is asked for. */
  readonly apiKeys: ReadonlyArray<string>
}

type Environment = Readonly<Record<string, string | undefined>>

const text = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? null : value
}

const integer = (env: Environment, name: string, fallback: number, min: number, max: number): number => {
  const value = text(env, name)
  if (value === null) return fallback
  const n = Number(value)
  if (!Number.isInteger(n) || n < min || n > max)
    throw new InvalidSetting(`${name} must be an integer from ${min} to ${max}, not "${value}"`)
  return n
}

const flag = (env: Environment, name: string, fallback: boolean): boolean => {
  const value = text(env, name)
  if (value === null) return fallback
  if (value === "true" || value === "1") return true
  if (value === "false" || value === "0") return false
  throw new InvalidSetting(`${name} must be true or false, not "${value}"`)
}

const choice = <const A extends string>(env: Environment, name: string, choices: ReadonlyArray<A>, fallback: A): A => {
  const value = text(env, name)
  if (value === null) return fallback
  const found = choices.find((c) => c === value)
  if (found === undefined) throw new InvalidSetting(`${name} must be one of ${choices.join(", ")}, not "${value}"`)
  return found
}

const list = (env: Environment, name: string): ReadonlyArray<string> =>
  (text(env, name) ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** A JSON object, or the name of a file that holds one after an `@`. */
const object = (env: Environment, name: string): Readonly<Record<string, unknown>> | null => {
  const value = text(env, name)
  if (value === null) return null
  let parsed: unknown
  try {
    parsed = JSON.parse(value.startsWith("@") ? readFileSync(value.slice(1), "utf8") : value)
  } catch {
    throw new InvalidSetting(`${name} must be a JSON object`)
  }
  if (parsed === null || typeof parsed !== "object" || Array.isArray(parsed))
    throw new InvalidSetting(`${name} must be a JSON object`)
  return parsed as Readonly<Record<string, unknown>>
}

/** A JSON object of strings. */
const record = (env: Environment, name: string): Readonly<Record<string, string>> | null => {
  const parsed = object(env, name)
  for (const [key, item] of Object.entries(parsed ?? {}))
    if (typeof item !== "string") throw new InvalidSetting(`${name}: "${key}" must be a string`)
  return parsed as Readonly<Record<string, string>> | null
}

const routes = (env: Environment): Readonly<Record<string, string>> | null => {
  const given = record(env, "VENUE_ROUTES")
  if (given === null) return null
  for (const [from, to] of Object.entries(given)) {
    if (!/^[a-z0-9.-]+:\d+$/.test(from))
      throw new InvalidSetting(`VENUE_ROUTES: "${from}" must be host:port, for example api.binance.com:443`)
    if (!/^https?:\/\/[^/]+:\d+\/?$/.test(to))
      throw new InvalidSetting(`VENUE_ROUTES: "${to}" must be a URL with a port, for example http://127.0.0.1:9001`)
  }
  return given
}

const PROXY_PROTOCOLS = ["http:", "https:", "socks5:", "socks5h:"]

/** No error repeats a URL: it may have a password in it. */
const proxies = (env: Environment): Readonly<Record<string, string | null>> => {
  const given = object(env, "VENUE_PROXIES") ?? {}
  for (const [venue, to] of Object.entries(given)) {
    if (to === null) continue
    const url = typeof to === "string" && URL.canParse(to) ? new URL(to) : undefined
    if (url === undefined || !PROXY_PROTOCOLS.includes(url.protocol) || url.hostname === "")
      throw new InvalidSetting(
        `VENUE_PROXIES: the proxy of "${venue}" must be null or a URL like http://user:password@10.0.0.1:3128 (http, https, socks5)`,
      )
  }
  return given as Readonly<Record<string, string | null>>
}

/** No error repeats the URL: it may have a password in it. */
const smtpServer = (env: Environment): SmtpServer | null => {
  const given = text(env, "SMTP_URL")
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (
    url === undefined ||
    !/^smtps?:$/.test(url.protocol) ||
    url.hostname === "" ||
    !/^\/?$/.test(url.pathname) ||
    url.search !== ""
  )
    throw new InvalidSetting("SMTP_URL must be like smtp://user:password@mail.example.com:587 (smtp, smtps)")
  const secure = url.protocol === "smtps:"
  const part = (text: string): string | null => {
    try {
      return text === "" ? null : decodeURIComponent(text)
    } catch {
      throw new InvalidSetting("SMTP_URL: a % in its user or password is written %25")
    }
  }
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
    secure,
    user: part(url.username),
    password: part(url.password),
  }
}

const mailFrom = (env: Environment): string => {
  const given = text(env, "MAIL_FROM") ?? "Venue gateway <no-reply@localhost>"
  if (!/^([^<>"\r\n]{0,100}<[^<>\s@"]+@[A-Za-z0-9.-]+>|[^<>\s@"]+@[A-Za-z0-9.-]+)$/.test(given))
    throw new InvalidSetting('MAIL_FROM must be an address, or like "Gateway <no-reply@example.com>"')
  return given
}

const appUrl = (env: Environment): string | null => {
  const given = text(env, "APP_URL")
  if (given === null) return null
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hash !== "")
    throw new InvalidSetting("APP_URL must be a page's URL without a #, for example https://app.example.com/confirm")
  return given
}

const isThreadName = (value: unknown): value is string =>
  typeof value === "string" && /^[A-Za-z0-9_-]{1,40}$/.test(value)

const shards = (env: Environment): Settings["venueShards"] => {
  const value = text(env, "VENUE_SHARDS")
  if (value === null || value === "auto" || value === "apart") return value ?? "auto"
  const threads: Record<string, VenueThreads> = {}
  for (const [venue, given] of Object.entries(object(env, "VENUE_SHARDS") ?? {})) {
    const of: Readonly<Record<string, unknown>> =
      typeof given === "object" && given !== null ? { ...given } : { public: given, private: given }
    if (!isThreadName(of["public"]) || !isThreadName(of["private"]))
      throw new InvalidSetting(
        `VENUE_SHARDS: "${venue}" must name a thread, or two as {"public":"a","private":"b"} (letters, digits, - and _)`,
      )
    threads[venue] = { public: of["public"], private: of["private"] }
  }
  return threads
}

const balances = (env: Environment, name: string): Readonly<Record<string, string>> => {
  const given = record(env, name)
  if (given === null) return { USDT: "1000000", BTC: "100", ETH: "1000", SOL: "10000", EUR: "1000000" }
  for (const [asset, quantity] of Object.entries(given))
    if (!/^(0|[1-9]\d{0,35})(\.\d{1,18})?$/.test(quantity))
      throw new InvalidSetting(`${name}: "${asset}" must be a decimal string`)
  return given
}

/** The test profile lets everybody in: only where nobody but this machine can knock. */
const testProfile = (env: Environment, transport: Pick<Settings, "host" | "production" | "tls" | "trustProxy">) => {
  if (choice(env, "WS_PROFILE", ["gateway", "test"], "gateway") === "gateway") return null
  if (!isLoopback(transport.host))
    throw new InvalidSetting(
      `WS_PROFILE=test lets everybody in: it is served on loopback only, not on ${transport.host}`,
    )
  if (transport.tls !== null || transport.trustProxy.length > 0)
    throw new InvalidSetting("WS_PROFILE=test lets everybody in: it is not served with TLS_CERT_FILE or TRUST_PROXY")
  if (transport.production) throw new InvalidSetting("WS_PROFILE=test lets everybody in: it is not for production")
  const apiKeys = list(env, "WS_TEST_API_KEY")
  return {
    secret: text(env, "WS_TEST_SECRET") ?? "secret",
    // What the public suites of clients and of server libraries send.
    apiKeys: apiKeys.length > 0 ? apiKeys : ["api_key", "test-api-key"],
  }
}

const isAbove0 = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value > 0

const rate = (name: "orderSubmit" | "orderCancel" | "quoteRequest", given: unknown, fallback: Rate): Rate => {
  if (given === undefined) return fallback
  const { perSecond, burst } = { ...(given as Partial<Record<keyof Rate, unknown>> | null) }
  if (!isAbove0(perSecond) || !isAbove0(burst) || !Number.isInteger(burst))
    throw new InvalidSetting(`RATE_LIMITS: "${name}" must be like {"perSecond":50,"burst":100}, both above 0`)
  return { perSecond, burst }
}

/** `off`, or a JSON object of the limits that differ from the defaults. */
const rateLimits = (env: Environment, host: string): OrderLimits | null => {
  if (text(env, "RATE_LIMITS") === "off") {
    if (isLoopback(host)) return null
    throw new InvalidSetting(`RATE_LIMITS=off is for loopback only, not for ${host}`)
  }
  const given = object(env, "RATE_LIMITS") ?? {}
  for (const name of Object.keys(given))
    if (!Object.hasOwn(ORDER_LIMITS, name))
      throw new InvalidSetting(`RATE_LIMITS: "${name}" is none of ${Object.keys(ORDER_LIMITS).join(", ")}`)
  const count = (name: "openOrders" | "openQuotes" | "openQuotesPerClient"): number => {
    const value = given[name] ?? ORDER_LIMITS[name]
    if (!isAbove0(value) || !Number.isInteger(value))
      throw new InvalidSetting(`RATE_LIMITS: "${name}" must be an integer above 0`)
    return value
  }
  return {
    orderSubmit: rate("orderSubmit", given["orderSubmit"], ORDER_LIMITS.orderSubmit),
    orderCancel: rate("orderCancel", given["orderCancel"], ORDER_LIMITS.orderCancel),
    openOrders: count("openOrders"),
    quoteRequest: rate("quoteRequest", given["quoteRequest"], ORDER_LIMITS.quoteRequest),
    openQuotes: count("openQuotes"),
    openQuotesPerClient: count("openQuotesPerClient"),
  }
}

const assetDigits = (env: Environment): Readonly<Record<string, number>> => {
  const given = object(env, "ASSET_DIGITS") ?? {}
  for (const [asset, digits] of Object.entries(given))
    if (typeof digits !== "number" || !Number.isInteger(digits) || digits < 0 || digits > 18)
      throw new InvalidSetting(`ASSET_DIGITS: "${asset}" must be an integer from 0 to 18`)
  return given as Readonly<Record<string, number>>
}

/** Basis points, at most 1,000. */
const feeBps = (env: Environment, name: string, fallback: string): string => {
  const value = text(env, name) ?? fallback
  if (!/^(0|[1-9]\d{0,3})(\.\d{1,4})?$/.test(value) || Number(value) > 1_000)
    throw new InvalidSetting(`${name} must be a decimal from 0 to 1000, not "${value}"`)
  return value
}

/** `none` switches PAPER off. */
const paperSource = (env: Environment): string | null => {
  const given = text(env, "PAPER_SOURCE") ?? "BINANCE"
  return given === "none" ? null : given
}

/** Reads the settings; throws InvalidSetting. */
export const readSettings = (env: Environment): Settings => {
  const certFile = text(env, "TLS_CERT_FILE")
  const keyFile = text(env, "TLS_KEY_FILE")
  if ((certFile === null) !== (keyFile === null))
    throw new InvalidSetting("TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither")
  const databaseUrl = text(env, "DATABASE_URL")
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new InvalidSetting("DATABASE_URL must start with postgresql://")
  const dataDir = text(env, "DATA_DIR") ?? "var"
  const production = text(env, "NODE_ENV") === "production"
  const failpoint = text(env, "FAILPOINT")
  if (failpoint !== null && production) throw new InvalidSetting("FAILPOINT is not for production")
  const host = text(env, "HOST") ?? "127.0.0.1"
  const tls = certFile === null || keyFile === null ? null : { certFile, keyFile }
  const trustProxy = list(env, "TRUST_PROXY")
  return {
    host,
    port: integer(env, "PORT", 8080, 0, 65_535),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    databaseUrl,
    production,
    environment: choice(env, "ENVIRONMENT", ["PROD", "UAT"], "PROD"),
    tls,
    trustProxy,
    allowedOrigins: list(env, "ALLOWED_ORIGINS"),
    signingKey: text(env, "SIGNING_KEY"),
    encryptionKeys: text(env, "ENCRYPTION_KEYS"),
    defaultTenantId: text(env, "DEFAULT_TENANT_ID") ?? "default",
    bootstrapAdminEmail: text(env, "BOOTSTRAP_ADMIN_EMAIL"),
    signup: choice(env, "SIGNUP", ["open", "confirm", "closed"], "open"),
    smtp: smtpServer(env),
    mailFrom: mailFrom(env),
    appUrl: appUrl(env),
    venueRoutes: routes(env),
    venuesInactive: list(env, "VENUES_INACTIVE"),
    venueSessionsMax: integer(env, "VENUE_SESSIONS_MAX", 1000, 1, 100_000),
    venueProxies: proxies(env),
    venueShards: shards(env),
    venueHeapMegabytes: integer(env, "VENUE_HEAP_MB", 1024, 128, 16_384),
    mockBalances: balances(env, "MOCK_BALANCES"),
    paperSource: paperSource(env),
    paperBalances: balances(env, "PAPER_BALANCES"),
    mockSeed: integer(env, "MOCK_SEED", 1, 0, 2_147_483_647),
    mockTickMillis: integer(env, "MOCK_TICK_MS", 250, 0, 60_000),
    wsFlushMillis: integer(env, "WS_FLUSH_MS", 10, 0, 1000),
    wsDeflate: flag(env, "WS_DEFLATE", false),
    wsConflateBytes: integer(env, "WS_CONFLATE_BYTES", 131_072, 4096, 1_048_576),
    wsSlowMillis: integer(env, "WS_SLOW_MS", 15_000, 1000, 600_000),
    channels: object(env, "CHANNELS"),
    wsTest: testProfile(env, { host, production, tls, trustProxy }),
    rateLimits: rateLimits(env, host),
    assetDigits: assetDigits(env),
    ledgerExpiryMillis: integer(env, "LEDGER_EXPIRY_MS", 1000, 10, 60_000),
    internalMakerFeeBps: feeBps(env, "INTERNAL_MAKER_FEE_BPS", "5"),
    internalTakerFeeBps: feeBps(env, "INTERNAL_TAKER_FEE_BPS", "10"),
    internalAccountsMax: integer(env, "INTERNAL_ACCOUNTS_MAX", 10, 1, 10_000),
    walletsMax: integer(env, "WALLETS_MAX", 1000, 1, 1_000_000),
    ledgerAuditMillis: integer(env, "LEDGER_AUDIT_MS", 30_000, 100, 3_600_000),
    exchangeMirrorMillis: integer(env, "EXCHANGE_MIRROR_MS", 5000, 100, 3_600_000),
    accessLog: flag(env, "ACCESS_LOG", true),
    metricsPort: text(env, "METRICS_PORT") === null ? null : integer(env, "METRICS_PORT", 0, 0, 65_535),
    failpoint,
  }
}

/** Settings: every environment variable of the gateway, read once, typed. An invalid one ends the start with one clear line. */
import { isAbsolute, resolve } from "node:path"
import type { ShortfallTerms } from "./domain/dealer/shortfall.ts"
import type { RateLimits } from "./domain/user/rate-limits.ts"
import { LOG_LEVELS, type LogLevel } from "./foundation/log-line.ts"
import { type ClusterSettings, cluster } from "./settings/cluster.ts"
import { idle, refuseContradictions } from "./settings/contradictions.ts"
import {
  choice,
  databaseUrl,
  type Environment,
  flag,
  InvalidSetting,
  integer,
  list,
  object,
  tenantName,
  text,
  withSecretFiles,
} from "./settings/environment.ts"
import { isProduction, misspelt, retired } from "./settings/names.ts"
import {
  type OperationSettings,
  type OtlpSettings,
  operation,
  origins,
  otlp,
  type RetentionSettings,
  retention,
  type TestProfileSettings,
  type TlsSettings,
  testProfile,
  tls,
} from "./settings/process.ts"
import {
  assetDigits,
  balances,
  feeBps,
  paperSource,
  proxies,
  routes,
  shards,
  shortfalls,
  type VenueThreads,
} from "./settings/trading.ts"
import {
  appUrl,
  mailFrom,
  rateLimits,
  type SessionTerms,
  type SmtpServer,
  sessionTerms,
  smtpServer,
  unconfirmedMillis,
} from "./settings/users.ts"

export interface Settings {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** Everything the gateway keeps on disk. */
  readonly dataDir: string
  /** A PostgreSQL server of the user's instead of the embedded one. */
  readonly databaseUrl: string | null
  /** Several gateways on one database; null: this process is alone on its own. */
  readonly cluster: ClusterSettings | null
  readonly production: boolean
  readonly environment: "PROD" | "UAT"
  readonly tls: TlsSettings | null
  /** Addresses (IP or CIDR) of proxies in front, whose X-Forwarded-Proto and X-Forwarded-For count. */
  readonly trustProxy: ReadonlyArray<string>
  /** Browser origins allowed to open the socket besides our own; `*` allows all. */
  readonly allowedOrigins: ReadonlyArray<string>
  /** Ed25519 private key (PKCS #8 PEM) that signs access tokens; null: generated once into `dataDir`. */
  readonly signingKey: string | null
  /** Public keys (PEM) that signed before it and are still believed; null: none but those in `dataDir`. */
  readonly signingKeysPrevious: string | null
  /** `kid:base64url` of 32 bytes, comma separated, the first encrypts; null: generated once into `dataDir`. */
  readonly encryptionKeys: string | null
  /** `kid:base64url` of 32 bytes, comma separated, the first makes; null: generated once into `dataDir`. */
  readonly cursorKey: string | null
  readonly defaultTenantId: string
  /** What to say of variables that are given and do nothing: settings of before, what may be a misspelt one, and what needs another. */
  readonly retired: ReadonlyArray<string>
  /** Who may sign up: any client at once, any client after verifying the address, or none. */
  readonly signup: "open" | "confirm" | "closed"
  readonly sessions: SessionTerms
  /** Users whose address was never proven are removed after so long, in ms; null: they stay. */
  readonly unconfirmedMillis: number | null
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
  /** Venues whose orders are sent although what the venue does with them is not proven. */
  readonly experimentalOrders: ReadonlyArray<string>
  /** Venues whose orders go over their socket. */
  readonly socketOrders: ReadonlyArray<string>
  /** Feeds that stay open for an hour after a client read them, at most. */
  readonly warmFeeds: number
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
  /** Null: off. The socket serves open channels to any client instead of the gateway's own, for suites of client libraries. */
  readonly wsTest: TestProfileSettings | null
  /** How often and how much of everything (contract C15); null: no limits, on loopback only. */
  readonly rateLimits: RateLimits | null
  /** Digits behind the point that clients may give amounts of an asset: asset → number; all others 18. */
  readonly assetDigits: Readonly<Record<string, number>>
  /** Holds that are due are looked for this often, in ms. */
  readonly ledgerExpiryMillis: number
  /** The ledger is audited this often, in ms. */
  readonly ledgerAuditMillis: number
  /** A last look, and a last pass over the whole journal, that is older, in ms, is told by health. */
  readonly ledgerAuditMaxAgeMillis: number
  readonly ledgerAuditWholeMaxAgeMillis: number
  /** How often fills and balances of linked accounts are carried over to their mirrors in the ledger, in ms. */
  readonly exchangeMirrorMillis: number
  /** When what a linked account has less than anything explains is for people. */
  readonly exchangeShortfalls: ShortfallTerms
  /** What the internal venue keeps of what a side of a trade receives, in basis points, decimal text. */
  readonly internalMakerFeeBps: string
  readonly internalTakerFeeBps: string
  /** Live accounts of one user, at all venues. */
  readonly accountsMax: number
  /** Live accounts of one user at the internal venue. */
  readonly internalAccountsMax: number
  /** CLIENT wallets of one user, closed ones too. */
  readonly walletsMax: number
  readonly accessLog: boolean
  /** The least that the access log and the process's own log show; audit and security are always kept. */
  readonly logLevel: LogLevel
  /** The collector of traces, metrics and logs; null: none. */
  readonly otlp: OtlpSettings | null
  /** Prometheus metrics on this loopback port; null: none are served. */
  readonly metricsPort: number | null
  readonly operation: OperationSettings
  readonly retention: RetentionSettings
  /** `NAME`, `NAME:N`, `NAME:N:kill|stall|throw` or `NAME:N:FAULT:armed`: for tests, what the process does there (src/live.ts). Refused in production. */
  readonly failpoint: string | null
}

/** Reads the settings; throws InvalidSetting. */
export const readSettings = (given: Environment): Settings => {
  const doubtful = misspelt(given)
  const env = withSecretFiles(given)
  const dataDir = text(env, "DATA_DIR") ?? "var"
  const production = isProduction(env)
  const failpoint = text(env, "FAILPOINT")
  if (failpoint !== null && production) throw new InvalidSetting("FAILPOINT is not allowed in production")
  const host = text(env, "HOST") ?? "127.0.0.1"
  const ownTls = tls(env)
  const trustProxy = list(env, "TRUST_PROXY")
  const settings: Settings = {
    host,
    port: integer(env, "PORT", 8080, 0, 65_535),
    dataDir: isAbsolute(dataDir) ? dataDir : resolve(dataDir),
    databaseUrl: databaseUrl(env),
    cluster: cluster(env),
    production,
    environment: choice(env, "ENVIRONMENT", ["PROD", "UAT"], "PROD"),
    tls: ownTls,
    trustProxy,
    allowedOrigins: origins(env),
    signingKey: text(env, "SIGNING_KEY"),
    signingKeysPrevious: text(env, "SIGNING_KEYS_PREVIOUS"),
    encryptionKeys: text(env, "ENCRYPTION_KEYS"),
    cursorKey: text(env, "CURSOR_KEY"),
    defaultTenantId: tenantName(env, "DEFAULT_TENANT_ID", "default"),
    retired: [...retired(env), ...doubtful],
    signup: choice(env, "SIGNUP", ["open", "confirm", "closed"], "open"),
    sessions: sessionTerms(env),
    unconfirmedMillis: unconfirmedMillis(env),
    smtp: smtpServer(env),
    mailFrom: mailFrom(env),
    appUrl: appUrl(env),
    venueRoutes: routes(env),
    venuesInactive: list(env, "VENUES_INACTIVE"),
    experimentalOrders: list(env, "EXPERIMENTAL_ORDERS"),
    socketOrders: list(env, "SOCKET_ORDERS"),
    warmFeeds: integer(env, "WARM_FEEDS", 100, 0, 10_000),
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
    wsTest: testProfile(env, { host, production, tls: ownTls, trustProxy }),
    rateLimits: rateLimits(env, host, production),
    assetDigits: assetDigits(env),
    ledgerExpiryMillis: integer(env, "LEDGER_EXPIRY_MS", 1000, 10, 60_000),
    internalMakerFeeBps: feeBps(env, "INTERNAL_MAKER_FEE_BPS", "5"),
    internalTakerFeeBps: feeBps(env, "INTERNAL_TAKER_FEE_BPS", "10"),
    accountsMax: integer(env, "ACCOUNTS_MAX", 50, 1, 100_000),
    internalAccountsMax: integer(env, "INTERNAL_ACCOUNTS_MAX", 10, 1, 10_000),
    walletsMax: integer(env, "WALLETS_MAX", 1000, 1, 1_000_000),
    ledgerAuditMillis: integer(env, "LEDGER_AUDIT_MS", 30_000, 100, 3_600_000),
    ledgerAuditMaxAgeMillis: integer(env, "LEDGER_AUDIT_AGE_MAX_MS", 600_000, 1000, 86_400_000),
    ledgerAuditWholeMaxAgeMillis: integer(env, "LEDGER_AUDIT_WHOLE_AGE_MAX_MS", 172_800_000, 1000, 2_592_000_000),
    exchangeMirrorMillis: integer(env, "EXCHANGE_MIRROR_MS", 5000, 100, 3_600_000),
    exchangeShortfalls: shortfalls(env),
    accessLog: flag(env, "ACCESS_LOG", true),
    otlp: otlp(env),
    logLevel: choice(env, "LOG_LEVEL", LOG_LEVELS, "info"),
    metricsPort: text(env, "METRICS_PORT") === null ? null : integer(env, "METRICS_PORT", 0, 0, 65_535),
    operation: operation(env, production),
    retention: retention(env),
    failpoint,
  }
  refuseContradictions(settings)
  return { ...settings, retired: [...settings.retired, ...idle(env, settings)] }
}

/** Settings of the process: its own TLS, allowed origins, retention, the collector, the test profile, the shutdown. */

import { isLoopback } from "../foundation/network.ts"
import { choice, type Environment, flag, InvalidSetting, integer, list, text } from "./environment.ts"

export interface OperationSettings {
  /** Free space of the data directory below which the service calls itself degraded, in MB. */
  readonly diskFreeMinMegabytes: number
  /** After SIGTERM: not ready, and otherwise as before, for so long, in ms, until load balancers have seen it. */
  readonly shutdownNoticeMillis: number
  /** An empty database is taken although the keys in the data directory belong to another one. */
  readonly newDatabase: boolean
}

export const operation = (env: Environment, production: boolean): OperationSettings => ({
  diskFreeMinMegabytes: integer(env, "DISK_FREE_MIN_MB", 512, 0, 1_048_576),
  shutdownNoticeMillis: integer(env, "SHUTDOWN_NOTICE_MS", production ? 2000 : 0, 0, 3000),
  newDatabase: flag(env, "NEW_DATABASE", false),
})

// `ALLOWED_ORIGINS`: compared letter by letter with what browsers send, so an entry that no browser sends would never match.

/** Apps in a web view and extensions send one of their own scheme: capacitor://localhost, chrome-extension://ID. */
const OTHER_SCHEME = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$/

const isOrigin = (entry: string): boolean => {
  const url = URL.canParse(entry) ? new URL(entry) : undefined
  return OTHER_SCHEME.test(entry) || (url !== undefined && /^https?:$/.test(url.protocol) && url.origin === entry)
}

export const origins = (env: Environment): ReadonlyArray<string> => {
  const given = list(env, "ALLOWED_ORIGINS")
  for (const entry of given)
    if (entry !== "*" && !isOrigin(entry))
      throw new InvalidSetting(
        `ALLOWED_ORIGINS: "${entry}" must be an origin as browsers send it, like https://app.example.com (no path, lower case), or *`,
      )
  return given
}

// Settings of the gateway's own TLS: the certificate files, and the port that refuses plain HTTP.

export interface TlsSettings {
  readonly certFile: string
  readonly keyFile: string
  /** Every request on this port is refused with TlsRequired; 0 takes a free port, null: there is none. */
  readonly plainHttpPort: number | null
}

/** Null: TLS is terminated by a proxy, or not used. */
export const tls = (env: Environment): TlsSettings | null => {
  const certFile = text(env, "TLS_CERT_FILE")
  const keyFile = text(env, "TLS_KEY_FILE")
  if ((certFile === null) !== (keyFile === null))
    throw new InvalidSetting("TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither")
  const plainHttpPort = text(env, "PLAIN_HTTP_PORT") === null ? null : integer(env, "PLAIN_HTTP_PORT", 0, 0, 65_535)
  if (certFile !== null && keyFile !== null) return { certFile, keyFile, plainHttpPort }
  if (plainHttpPort !== null)
    throw new InvalidSetting("PLAIN_HTTP_PORT refuses plain HTTP beside HTTPS: it requires TLS_CERT_FILE")
  return null
}

// Settings of what is kept for how long: the journal of events, ended orders, quotes, answers, and the files of the logs.

export interface RetentionSettings {
  /** Whole UTC days of account events that are kept besides the present one. */
  readonly eventDays: number
  /** Orders that ended so many days ago are moved to the archive; null: by an operator's command only. */
  readonly orderDays: number | null
  /** Quotes that were not executed are deleted so many days after their end. */
  readonly quoteDays: number
  /** For so many days an Idempotency-Key is answered with the first answer. */
  readonly answerDays: number
  /** A log is turned over when its file has so many bytes. */
  readonly logBytes: number
  /** Files of one log, the current one included. */
  readonly logFiles: number
}

const MEBIBYTE = 1_048_576

export const retention = (env: Environment): RetentionSettings => ({
  eventDays: integer(env, "EVENTS_KEPT_DAYS", 2, 2, 365),
  orderDays: integer(env, "ORDERS_KEPT_DAYS", 0, 0, 36_500) || null,
  quoteDays: integer(env, "QUOTES_KEPT_DAYS", 7, 7, 36_500),
  answerDays: integer(env, "ANSWERS_KEPT_DAYS", 7, 7, 365),
  logBytes: integer(env, "LOG_FILE_MB", 64, 1, 4096) * MEBIBYTE,
  logFiles: integer(env, "LOG_FILES", 5, 2, 1000),
})

// `OTLP_*`: the collector that traces, metrics and logs are sent to.

export interface OtlpSettings {
  readonly url: string
  /** May open the collector's door: never shown. */
  readonly headers: Readonly<Record<string, string>>
  /** Share of the traces that are kept, 0 to 1. */
  readonly sample: number
}

const headersOf = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    list(env, "OTLP_HEADERS").map((pair) => {
      const at = pair.indexOf("=")
      const name = pair.slice(0, at).trim()
      const value = pair.slice(at + 1).trim()
      // The value is a secret: only its place is told.
      if (at < 1 || !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value))
        throw new InvalidSetting("OTLP_HEADERS must be like name=value,name=value")
      return [name, value]
    }),
  )

/** Null: nothing is sent. */
export const otlp = (env: Environment): OtlpSettings | null => {
  const url = text(env, "OTLP_URL")
  const headers = headersOf(env)
  const given = text(env, "OTLP_SAMPLE")
  const sample = given === null ? 0.01 : Number(given)
  if (!(sample >= 0 && sample <= 1)) throw new InvalidSetting(`OTLP_SAMPLE must be from 0 to 1, not "${given}"`)
  if (url === null) return null
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (
    parsed === null ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.search !== "" ||
    parsed.username + parsed.password !== ""
  )
    throw new InvalidSetting(
      "OTLP_URL must be like http://127.0.0.1:4318, without /v1/…, a query or a password: those go into OTLP_HEADERS",
    )
  return { url, headers, sample }
}

// Settings of the WebSocket's test profile, which accepts every client.

interface Transport {
  readonly host: string
  readonly production: boolean
  readonly tls: object | null
  readonly trustProxy: ReadonlyArray<string>
}

export interface TestProfileSettings {
  /** Signs the tokens of connections and subscriptions (HS256). */
  readonly secret: string
  /** Any of them opens the server API; `*`: no key is asked for. */
  readonly apiKeys: ReadonlyArray<string>
}

/** Allowed on loopback without TLS, proxy or production only, because the profile accepts every client. */
export const testProfile = (env: Environment, transport: Transport): TestProfileSettings | null => {
  if (choice(env, "WS_PROFILE", ["gateway", "test"], "gateway") === "gateway") return null
  if (!isLoopback(transport.host))
    throw new InvalidSetting(
      `WS_PROFILE=test accepts every client: it is allowed on loopback only, not on ${transport.host}`,
    )
  if (transport.tls !== null || transport.trustProxy.length > 0)
    throw new InvalidSetting(
      "WS_PROFILE=test accepts every client: it is not allowed with TLS_CERT_FILE or TRUST_PROXY",
    )
  if (transport.production)
    throw new InvalidSetting("WS_PROFILE=test accepts every client: it is not allowed in production")
  const apiKeys = list(env, "WS_TEST_API_KEY")
  return {
    secret: text(env, "WS_TEST_SECRET") ?? "secret",
    // What the public suites of clients and of server libraries send.
    apiKeys: apiKeys.length > 0 ? apiKeys : ["api_key", "test-api-key"],
  }
}

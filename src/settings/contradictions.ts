/**
 * Settings that are each valid but contradict each other. The one thing to know: an impossible combination is refused, and a setting without
 * effect is reported, so that no setting is ignored silently.
 */
import { isLoopback } from "../foundation/network.ts"
import { type Environment, InvalidSetting, text } from "./environment.ts"
import type { TlsSettings } from "./process.ts"
import type { SessionTerms, SmtpServer } from "./users.ts"

/** What is looked at of all that was read. */
interface Settings {
  readonly host: string
  readonly port: number
  readonly metricsPort: number | null
  readonly tls: TlsSettings | null
  readonly dataDir: string
  readonly databaseUrl: string | null
  readonly cluster: object | null
  readonly sessions: SessionTerms
  readonly ledgerAuditMillis: number
  readonly ledgerAuditMaxAgeMillis: number
  readonly ledgerAuditWholeMaxAgeMillis: number
  readonly accountsMax: number
  readonly internalAccountsMax: number
  readonly signup: string
  readonly smtp: SmtpServer | null
  readonly paperSource: string | null
  readonly venuesInactive: ReadonlyArray<string>
  readonly experimentalOrders: ReadonlyArray<string>
  readonly otlp: object | null
  readonly wsTest: object | null
}

/** `lesser` says more than `greater` in the same unit. Defaults are compared, too: the message names the value in force. */
const ordered = (lesser: string, less: number, greater: string, more: number, unit: string, why: string): void => {
  if (less > more) throw new InvalidSetting(`${lesser} (${less} ${unit}) is above ${greater} (${more} ${unit}): ${why}`)
}

/** On one address each port is one setting's; 0 takes a free one. */
const separatePorts = ({ host, port, metricsPort, tls }: Settings): void => {
  const plainPort = tls?.plainHttpPort ?? null
  const refuse = (one: string, other: string, both: number): never => {
    throw new InvalidSetting(`${one} and ${other} are both ${both}: each needs a port of its own`)
  }
  if (plainPort !== null && plainPort !== 0 && plainPort === port) refuse("PORT", "PLAIN_HTTP_PORT", port)
  // The metrics are on 127.0.0.1 whatever HOST is.
  const isShared = ["127.0.0.1", "localhost", "0.0.0.0", "::"].includes(host)
  if (metricsPort === null || metricsPort === 0 || !isShared) return
  if (metricsPort === port) refuse("PORT", "METRICS_PORT", port)
  if (metricsPort === plainPort) refuse("PLAIN_HTTP_PORT", "METRICS_PORT", metricsPort)
}

const HOUR = 3_600_000
const MINUTE = 60_000

/** Throws InvalidSetting for the first two that cannot both be meant. */
export const refuseContradictions = (settings: Settings): void => {
  const { sessions } = settings
  ordered(
    "SESSION_IDLE_HOURS",
    sessions.idleMillis / HOUR,
    "SESSION_MAX_HOURS",
    sessions.maxMillis / HOUR,
    "hours",
    "a session has ended by then, however active it is",
  )
  if (sessions.admins.idleMillis !== null)
    ordered(
      "ADMIN_IDLE_MINUTES",
      sessions.admins.idleMillis / MINUTE,
      "SESSION_IDLE_HOURS",
      sessions.idleMillis / MINUTE,
      "minutes",
      "an admin's session must end sooner than others, or at the same time with 0",
    )
  const { ledgerAuditMillis, ledgerAuditMaxAgeMillis, ledgerAuditWholeMaxAgeMillis } = settings
  const never = "health would always be degraded"
  ordered("LEDGER_AUDIT_MS", ledgerAuditMillis, "LEDGER_AUDIT_AGE_MAX_MS", ledgerAuditMaxAgeMillis, "ms", never)
  ordered(
    "LEDGER_AUDIT_MS",
    ledgerAuditMillis,
    "LEDGER_AUDIT_WHOLE_AGE_MAX_MS",
    ledgerAuditWholeMaxAgeMillis,
    "ms",
    never,
  )
  const { smtp } = settings
  if (smtp !== null && (smtp.user === null) !== (smtp.password === null))
    throw new InvalidSetting(
      `SMTP_URL has a ${smtp.user === null ? "password and no user" : "user and no password"}: give both (smtp://user:password@host:587) or neither`,
    )
  if (settings.cluster !== null && settings.wsTest !== null)
    throw new InvalidSetting("WS_PROFILE=test and NODE_ID: the channels of the test profile are one process's own")
  separatePorts(settings)
}

/** Each of the first does nothing without the second. */
const NEEDS: ReadonlyArray<readonly [names: ReadonlyArray<string>, needs: string, isThere: (s: Settings) => boolean]> =
  [
    [["OTLP_HEADERS", "OTLP_SAMPLE"], "OTLP_URL", ({ otlp }) => otlp !== null],
    [["WS_TEST_SECRET", "WS_TEST_API_KEY"], "WS_PROFILE=test", ({ wsTest }) => wsTest !== null],
    [
      ["PAPER_SOURCE"],
      "its venue, which is in VENUES_INACTIVE",
      (s) => !s.venuesInactive.some((it) => it === s.paperSource),
    ],
    [["INTERNAL_ACCOUNTS_MAX"], "an ACCOUNTS_MAX above it", (s) => s.internalAccountsMax <= s.accountsMax],
    [["PAPER_BALANCES"], "a PAPER_SOURCE", ({ paperSource }) => paperSource !== null],
    [["PG_RUN_AS", "PG_BIN_DIR"], "the embedded database, and DATABASE_URL is set", (s) => s.databaseUrl === null],
  ]

/** A sentence for each setting that does nothing as things are, or not what its name says. */
export const idle = (env: Environment, settings: Settings): ReadonlyArray<string> => {
  const said = NEEDS.flatMap(([names, needs, isThere]) =>
    isThere(settings)
      ? []
      : names.flatMap((name) => (text(env, name) === null ? [] : [`${name} does nothing without ${needs}`])),
  )
  const { smtp, signup, dataDir, experimentalOrders, venuesInactive } = settings
  for (const venue of experimentalOrders.filter((it) => venuesInactive.includes(it)))
    said.push(`EXPERIMENTAL_ORDERS does nothing for ${venue}: VENUES_INACTIVE names it`)
  if (signup === "confirm" && smtp === null)
    said.push(
      `SIGNUP=confirm without SMTP_URL: confirmation mails are not sent, only written as files to ${dataDir}/outbox`,
    )
  if (smtp !== null && !isLoopback(smtp.host) && text(env, "MAIL_FROM") === null)
    said.push("SMTP_URL without MAIL_FROM: mails are sent from no-reply@localhost, which other servers reject")
  return said
}

/**
 * The commands of `gateway admin` as tasks: what each does to the database, what it answers with, and what the audit keeps of it. A new
 * family of commands is one more entry in `FAMILIES`.
 */
import { Effect, Layer } from "effect"
import type { AuditRow, AuthAction } from "../auth/audit.ts"
import type { Settings } from "../config.ts"
import { modeWords } from "../domain/trading-mode.ts"
import { AllowedNetworks } from "../store/allowed-networks.ts"
import { OneTimeTokens } from "../store/one-time-tokens.ts"
import { SealedRows } from "../store/sealed-rows.ts"
import { SessionRows } from "../store/sessions.ts"
import { sqlLayer } from "../store/sql.ts"
import { Tenants } from "../store/tenants.ts"
import { TradingModes } from "../store/trading-modes.ts"
import { Transactions } from "../store/transactions.ts"
import { UserChanges } from "../store/user-changes.ts"
import { UserNews } from "../store/user-news.ts"
import { Users } from "../store/users.ts"
import { runCommand } from "./commands.ts"
import { KEYS_ACTIONS, KEYS_USAGE, parseKeysCommand, runKeysCommand } from "./keys.ts"
import { MIGRATE_USAGE, parseMigrate, runMigrate } from "./migrate.ts"
import { parseTradingMode, runTradingMode, TRADING_MODE_USAGE } from "./trading-mode.ts"
import { type Command, parseCommand, USERS_USAGE } from "./words.ts"

export interface Done {
  /** What is as it was asked for, or was asked about: one record a line. */
  readonly records: ReadonlyArray<unknown>
  /** Null: it only looked. */
  readonly audit: Pick<AuditRow, "action" | "targetUserId" | "what"> | null
}

export interface Task {
  /** False: it only looks, or leaves its traces elsewhere. */
  readonly isAudited: boolean
  /** `url`: of the gateway's database. */
  readonly run: (settings: Settings, url: string, now: number) => Effect.Effect<Done, unknown>
}

/** Undefined: the words are a command of another family, or none. */
type Family = (words: ReadonlyArray<string>) => Task | undefined

export const USAGE = `usage: npm run admin -- COMMAND

${[USERS_USAGE, KEYS_USAGE, TRADING_MODE_USAGE, MIGRATE_USAGE].join("\n")}
Works on the database of DATABASE_URL, or on the embedded one in DATA_DIR, whether the gateway runs or not. A running gateway follows
within a second, sockets included.
`

const repositories = Layer.mergeAll(
  AllowedNetworks.Default,
  OneTimeTokens.Default,
  SealedRows.Default,
  SessionRows.Default,
  Tenants.Default,
  TradingModes.Default,
  Transactions.Default,
  UserChanges.Default,
  UserNews.Default,
  Users.Default,
)

const stores = (url: string) =>
  repositories.pipe(Layer.provide(sqlLayer(url, { applicationName: "venue-gateway admin" })))

/** Null: only looks. */
const ACTIONS = {
  Show: null,
  Users: null,
  Tenants: null,
  Networks: null,
  Grant: "user.permissions",
  Revoke: "user.permissions",
  Ban: "user.ban",
  Unban: "user.unban",
  SignOut: "session.revoke",
  Environments: "user.environments",
  Move: "user.tenant",
  CreateTenant: "tenant.create",
  AllowNetwork: "ip.allow",
  ForgetNetwork: "ip.forget",
} as const satisfies { readonly [T in Command["_tag"]]: AuthAction | null }

/** What the audit says of it beside the user. */
const wordsOf = (command: Command): string | undefined => {
  switch (command._tag) {
    case "Grant":
    case "Revoke":
      return `${command._tag.toLowerCase()} ${command.permission}`
    case "Ban":
      return command.reason ?? undefined
    case "Environments":
      return command.environments.join(",")
    case "Move":
    case "CreateTenant":
      return command.tenantId
    case "AllowNetwork":
    case "ForgetNetwork":
      return "tenantId" in command.owner ? `${command.owner.tenantId} ${command.network}` : command.network
    default:
      return undefined
  }
}

const users: Family = (words) => {
  const command = parseCommand(words)
  return command === undefined
    ? undefined
    : {
        isAudited: ACTIONS[command._tag] !== null,
        run: (_settings, url, now) =>
          Effect.map(runCommand(command, now), ({ records, targetUserId }) => {
            const action = ACTIONS[command._tag]
            return { records, audit: action === null ? null : { action, targetUserId, what: wordsOf(command) } }
          }).pipe(Effect.provide(stores(url))),
      }
}

const keys: Family = (words) => {
  const command = parseKeysCommand(words)
  return command === undefined
    ? undefined
    : {
        isAudited: command._tag !== "KeysStatus",
        run: (settings, url, now) =>
          Effect.map(runKeysCommand(command, settings, now), (report) => ({
            records: [report],
            audit:
              command._tag === "KeysStatus"
                ? null
                : {
                    action: KEYS_ACTIONS[command._tag],
                    what:
                      "kid" in command
                        ? command.kid
                        : `encryption ${report.encryption.active}, signing ${report.signing.active}`,
                  },
          })).pipe(Effect.provide(stores(url))),
      }
}

const tradingMode: Family = (words) => {
  const command = parseTradingMode(words)
  return command === undefined
    ? undefined
    : {
        isAudited: command.tradingMode !== null,
        run: (_settings, url, now) =>
          Effect.map(runTradingMode(command, now), (record) => ({
            records: [record],
            audit:
              command.tradingMode === null
                ? null
                : { action: "tradingMode.set" as const, what: modeWords(command.tradingMode, command.reason) },
          })).pipe(Effect.provide(stores(url))),
      }
}

const migration: Family = (words) => {
  const command = parseMigrate(words)
  return command === undefined
    ? undefined
    : {
        isAudited: false,
        run: (_settings, url, now) =>
          Effect.map(runMigrate(command, url, now), (report) => ({ records: [report], audit: null })),
      }
}

const FAMILIES: ReadonlyArray<Family> = [users, keys, tradingMode, migration]

export const taskOf = (words: ReadonlyArray<string>): Task | undefined => {
  for (const family of FAMILIES) {
    const task = family(words)
    if (task !== undefined) return task
  }
  return undefined
}

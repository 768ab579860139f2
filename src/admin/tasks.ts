/**
 * The commands of `gateway admin` as tasks: what each does to the database, and its output. A new family of commands is one more entry in
 * `FAMILIES`.
 */
import { randomUUID } from "node:crypto"
import { Effect, Layer } from "effect"
import type { Audit } from "../auth/audit-log.ts"
import type { Settings } from "../config.ts"
import { storyPage } from "../domain/order/story.ts"
import type { Actor } from "../domain/user/act.ts"
import { actsLayer } from "../store/audit/acts.ts"
import { AuditChain } from "../store/audit/chain.ts"
import { readerUrl } from "../store/embedded/running.ts"
import { TradingModes } from "../store/market/trading-modes.ts"
import { OrderStories } from "../store/orders/order-story.ts"
import { sqlLayer } from "../store/postgres/sql.ts"
import { Transactions } from "../store/postgres/transactions.ts"
import { AllowedNetworks } from "../store/users/allowed-networks.ts"
import { ApiKeyRows } from "../store/users/api-keys.ts"
import { OneTimeTokens } from "../store/users/one-time-tokens.ts"
import { SealedRows } from "../store/users/sealed-rows.ts"
import { SecondFactors } from "../store/users/second-factors.ts"
import { SessionRows } from "../store/users/sessions.ts"
import { Tenants } from "../store/users/tenants.ts"
import { UserChanges, UserNews } from "../store/users/user-changes.ts"
import { Users } from "../store/users/users.ts"
import { ARCHIVE_USAGE, parseArchive, runArchive } from "./archive.ts"
import { ACTIONS, runCommand } from "./commands.ts"
import { KEYS_USAGE, parseKeysCommand, runKeysCommand } from "./keys.ts"
import { MIGRATE_USAGE, parseMigrate, runMigrate } from "./migrate.ts"
import { ORDER_USAGE, parseOrder, runOrder } from "./order.ts"
import { noteWriting, PSQL_USAGE, parsePsql, readerIsYours, runPsql } from "./psql.ts"
import { parseTradingMode, runTradingMode, TRADING_MODE_USAGE } from "./trading-mode.ts"
import { AUDIT_USAGE, LEDGER_USAGE, parseAudit, parseLedger, runVerifyLedger, verifyAudit } from "./verify.ts"
import { parseCommand, USERS_USAGE } from "./words.ts"

export interface Done {
  /** What is as it was asked for, or was asked about: one record a line. */
  readonly records: ReadonlyArray<unknown>
  /** For reading, in place of the records. */
  readonly page?: string
  /** What was looked at is not as it must be: exit 1. */
  readonly isBroken?: boolean
}

/** Who runs the command, and where it is written down. */
export interface Operator {
  readonly actor: Actor
  /** Null: the command only looks. */
  readonly trail: Audit | null
}

export interface Task {
  /** False: it only looks, or leaves its traces elsewhere. */
  readonly isAudited: boolean
  /** `url`: of the gateway's database. */
  readonly run: (settings: Settings, url: string, now: number, operator: Operator) => Effect.Effect<Done, unknown>
}

/** Undefined: the words are a command of another family, or none. */
type Family = (words: ReadonlyArray<string>) => Task | undefined

export const USAGE = `usage: npm run admin -- COMMAND

${[ORDER_USAGE, USERS_USAGE, KEYS_USAGE, TRADING_MODE_USAGE, AUDIT_USAGE, LEDGER_USAGE, ARCHIVE_USAGE, MIGRATE_USAGE, PSQL_USAGE].join("\n")}
Works on the database of DATABASE_URL, or on the embedded one in DATA_DIR, whether or not the gateway is running. A running gateway applies
the change within a second, open sockets included.
`

const repositories = Layer.mergeAll(
  AllowedNetworks.Default,
  ApiKeyRows.Default,
  AuditChain.Default,
  OneTimeTokens.Default,
  SealedRows.Default,
  SecondFactors.Default,
  SessionRows.Default,
  Tenants.Default,
  TradingModes.Default,
  Transactions.Default,
  UserChanges.Default,
  UserNews.Default,
  Users.Default,
)

const reading = (url: string) => sqlLayer(url, { applicationName: "venue-gateway admin" })

const stores = (url: string, { trail }: Operator) => {
  const acts = actsLayer({ told: (act, result) => trail?.told(act, result), now: Date.now, uuid: randomUUID })
  return Layer.merge(repositories, acts).pipe(Layer.provideMerge(reading(url)))
}

const users: Family = (words) => {
  const command = parseCommand(words)
  return command === undefined
    ? undefined
    : {
        isAudited: ACTIONS[command._tag] !== null,
        run: (_settings, url, now, operator) =>
          Effect.map(runCommand(command, now, operator.actor), ({ records }) => ({ records })).pipe(
            Effect.provide(stores(url, operator)),
          ),
      }
}

const keys: Family = (words) => {
  const command = parseKeysCommand(words)
  return command === undefined
    ? undefined
    : {
        isAudited: command._tag !== "KeysStatus",
        run: (settings, url, now, operator) =>
          Effect.map(runKeysCommand(command, settings, now, operator.actor), (report) => ({ records: [report] })).pipe(
            Effect.provide(stores(url, operator)),
          ),
      }
}

const tradingMode: Family = (words) => {
  const command = parseTradingMode(words)
  return command === undefined
    ? undefined
    : {
        isAudited: command.tradingMode !== null,
        run: (_settings, url, now, operator) =>
          Effect.map(runTradingMode(command, now, operator.actor), (record) => ({ records: [record] })).pipe(
            Effect.provide(stores(url, operator)),
          ),
      }
}

const audit: Family = (words) =>
  parseAudit(words) === undefined
    ? undefined
    : {
        isAudited: false,
        run: (_settings, url, _now, operator) =>
          Effect.map(verifyAudit, (lanes) => ({
            records: lanes,
            isBroken: lanes.some(({ broken }) => broken !== null),
          })).pipe(Effect.provide(stores(url, operator))),
      }

const ledger: Family = (words) =>
  parseLedger(words) === undefined
    ? undefined
    : {
        isAudited: false,
        run: (_settings, url) =>
          Effect.map(runVerifyLedger(url, Date.now), ({ violations, transfers }) => ({
            records: [...violations.map((what) => ({ what })), { transfers, violations: violations.length }],
            isBroken: violations.length > 0,
          })),
      }

const archive: Family = (words) => {
  const command = parseArchive(words)
  return command === undefined
    ? undefined
    : {
        isAudited: true,
        run: (_settings, url, now, operator) =>
          Effect.map(runArchive(command, now, operator.actor), (report) => ({ records: [report] })).pipe(
            Effect.provide(stores(url, operator)),
          ),
      }
}

const migration: Family = (words) => {
  const command = parseMigrate(words)
  return command === undefined
    ? undefined
    : {
        isAudited: false,
        run: ({ retention }, url, now) =>
          Effect.map(runMigrate(command, url, now, undefined, retention.eventDays), (report) => ({
            records: [report],
          })),
      }
}

const order: Family = (words) => {
  const command = parseOrder(words)
  return command === undefined
    ? undefined
    : {
        isAudited: false,
        run: (_settings, url) =>
          Effect.map(runOrder(command), (story) =>
            command.asRecord ? { records: [story] } : { records: [], page: storyPage(story) },
          ).pipe(Effect.provide(OrderStories.Default.pipe(Layer.provide(reading(url))))),
      }
}

const psql: Family = (words) => {
  const command = parsePsql(words)
  return command === undefined
    ? undefined
    : {
        isAudited: command.mayWrite,
        run: (settings, url, _now, operator) =>
          Effect.gen(function* () {
            if (command.mayWrite) {
              yield* noteWriting(command, operator.actor).pipe(Effect.provide(stores(url, operator)))
              return yield* runPsql(command, url)
            }
            if (settings.databaseUrl !== null) return yield* readerIsYours
            return yield* runPsql(command, yield* Effect.promise(() => readerUrl(settings.dataDir)))
          }).pipe(Effect.map((page) => ({ records: [], page }))),
      }
}

const FAMILIES: ReadonlyArray<Family> = [order, users, keys, tradingMode, audit, ledger, archive, migration, psql]

export const taskOf = (words: ReadonlyArray<string>): Task | undefined => {
  for (const family of FAMILIES) {
    const task = family(words)
    if (task !== undefined) return task
  }
  return undefined
}

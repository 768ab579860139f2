/**
 * `gateway admin`: users, rights, bans and the trading mode from the command line. One JSON line of what it is about on stdout; exit 0 when it is done, 1 when it
 * could not be, 2 for words that are no command.
 */
import { appendFileSync, mkdirSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit, Layer } from "effect"
import { makeAudit } from "../auth/audit.ts"
import { readSettings, type Settings } from "../config.ts"
import { adminUserRecord } from "../domain/user.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { startEmbeddedPostgres } from "../store/embedded.ts"
import { findEmbedded } from "../store/embedded-running.ts"
import { OneTimeTokens } from "../store/one-time-tokens.ts"
import { SessionRows } from "../store/sessions.ts"
import { sqlLayer } from "../store/sql.ts"
import { TradingModes } from "../store/trading-modes.ts"
import { Transactions } from "../store/transactions.ts"
import { UserChanges } from "../store/user-changes.ts"
import { UserNews } from "../store/user-news.ts"
import { Users } from "../store/users.ts"
import { type Command, parseCommand, runCommand, USAGE } from "./commands.ts"
import { type MigrateCommand, parseMigrate, runMigrate } from "./migrate.ts"
import { parseTradingMode, runTradingMode, type TradingModeCommand } from "./trading-mode.ts"

const end = (code: number, message: string): never => {
  process.stderr.write(message)
  process.exit(code)
}

/** The gateway's own database: yours, the embedded one under a running gateway, or that one started for the moment. */
const database = (settings: Settings) =>
  Effect.gen(function* () {
    if (settings.databaseUrl !== null) return settings.databaseUrl
    const found = yield* Effect.promise(() => findEmbedded(settings.dataDir))
    if (found._tag === "Running") return found.url
    if (found._tag === "Absent")
      throw new InvalidSetting(
        `there is no database in ${settings.dataDir} yet: start the gateway once, or set DATA_DIR`,
      )
    const server = yield* Effect.acquireRelease(
      Effect.promise(() => startEmbeddedPostgres({ dataDir: settings.dataDir })),
      (running) => Effect.promise(() => running.stop()),
    )
    return server.url()
  })

const repositories = Layer.mergeAll(
  OneTimeTokens.Default,
  SessionRows.Default,
  Transactions.Default,
  UserChanges.Default,
  UserNews.Default,
  TradingModes.Default,
  Users.Default,
)

/** Beside the gateway's own rows: a line is written whole. */
const auditTo = (dataDir: string) => (line: string) => {
  const folder = join(dataDir, "logs")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  appendFileSync(join(folder, "audit.log"), `${line}\n`, { mode: 0o600 })
}

const ACTIONS = {
  Grant: "user.permissions",
  Revoke: "user.permissions",
  Ban: "user.ban",
  Unban: "user.unban",
  SignOut: "session.revoke",
} as const satisfies { readonly [T in Exclude<Command["_tag"], "Show">]: string }

const program = (settings: Settings, command: Command | TradingModeCommand | MigrateCommand) =>
  Effect.gen(function* () {
    const url = yield* database(settings)
    if (command._tag === "Migrate") return yield* runMigrate(command, url, Date.now())
    const stores = repositories.pipe(Layer.provide(sqlLayer(url, { applicationName: "venue-gateway admin" })))
    const audit = makeAudit({ line: auditTo(settings.dataDir), secret: Buffer.alloc(0), now: Date.now })
    const origin = { ip: "local", userAgent: `gateway admin, ${userInfo().username}`, requestId: "" }
    if (command._tag === "TradingMode") {
      const record = yield* runTradingMode(command, Date.now()).pipe(Effect.provide(stores))
      const { tradingMode: what } = command
      if (what !== null) audit.write({ action: "tradingMode.set", outcome: "ok", what, origin })
      return record
    }
    const user = yield* runCommand(command, Date.now()).pipe(Effect.provide(stores))
    if (command._tag !== "Show") {
      const words = "permission" in command ? `${command._tag.toLowerCase()} ${command.permission}` : undefined
      audit.write({ action: ACTIONS[command._tag], outcome: "ok", targetUserId: user.userId, what: words, origin })
    }
    return adminUserRecord(user)
  }).pipe(Effect.scoped)

const words = process.argv.slice(2)
const command = parseTradingMode(words) ?? parseMigrate(words) ?? parseCommand(words) ?? end(2, USAGE)
const settings = ((): Settings => {
  try {
    return readSettings(process.env)
  } catch (error) {
    return end(1, `gateway admin: ${error instanceof Error ? error.message : error}\n`)
  }
})()

// tidy: the one place where this program starts
const exit = await Effect.runPromiseExit(program(settings, command))
if (Exit.isSuccess(exit)) process.stdout.write(`${JSON.stringify(exit.value)}\n`)
else {
  const failure = Cause.squash(exit.cause)
  const reason = failure !== null && typeof failure === "object" && "reason" in failure ? `: ${failure.reason}` : ""
  end(1, `gateway admin: ${failure instanceof Error ? failure.message.split("\n")[0] : failure}${reason}\n`)
}

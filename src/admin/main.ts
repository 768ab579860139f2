/**
 * `gateway admin`: users, tenants and addresses from the command line. One JSON line for each record on stdout; exit 0 when it is done,
 * 1 when it could not be, 2 for words that are no command.
 */
import { appendFileSync, mkdirSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit, Layer } from "effect"
import { type AuthAction, makeAudit } from "../auth/audit.ts"
import { readSettings, type Settings } from "../config.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { AllowedNetworks } from "../store/allowed-networks.ts"
import { startEmbeddedPostgres } from "../store/embedded.ts"
import { findEmbedded } from "../store/embedded-running.ts"
import { OneTimeTokens } from "../store/one-time-tokens.ts"
import { SealedRows } from "../store/sealed-rows.ts"
import { SessionRows } from "../store/sessions.ts"
import { sqlLayer } from "../store/sql.ts"
import { Tenants } from "../store/tenants.ts"
import { Transactions } from "../store/transactions.ts"
import { UserChanges } from "../store/user-changes.ts"
import { UserNews } from "../store/user-news.ts"
import { Users } from "../store/users.ts"
import { runCommand } from "./commands.ts"
import { KEYS_ACTIONS, KEYS_USAGE, type KeysCommand, parseKeysCommand, runKeysCommand } from "./keys.ts"
import { type Command, parseCommand, USAGE } from "./words.ts"

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
  AllowedNetworks.Default,
  OneTimeTokens.Default,
  SealedRows.Default,
  SessionRows.Default,
  Tenants.Default,
  Transactions.Default,
  UserChanges.Default,
  UserNews.Default,
  Users.Default,
)

/** Beside the gateway's own rows: a line is written whole. */
const auditTo = (dataDir: string) => (line: string) => {
  const folder = join(dataDir, "logs")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  appendFileSync(join(folder, "audit.log"), `${line}\n`, { mode: 0o600 })
}

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

const localOrigin = () => ({ ip: "local", userAgent: `gateway admin, ${userInfo().username}`, requestId: "" })

const keysProgram = (settings: Settings, command: KeysCommand) =>
  Effect.gen(function* () {
    const url = yield* database(settings)
    const report = yield* runKeysCommand(command, settings, Date.now()).pipe(
      Effect.provide(repositories.pipe(Layer.provide(sqlLayer(url, { applicationName: "venue-gateway admin" })))),
    )
    if (command._tag !== "KeysStatus")
      makeAudit({ line: auditTo(settings.dataDir), secret: Buffer.alloc(0), now: Date.now }).write({
        action: KEYS_ACTIONS[command._tag],
        outcome: "ok",
        what:
          "kid" in command ? command.kid : `encryption ${report.encryption.active}, signing ${report.signing.active}`,
        origin: localOrigin(),
      })
    return report
  }).pipe(Effect.scoped)

const program = (settings: Settings, command: Command) =>
  Effect.gen(function* () {
    const url = yield* database(settings)
    const { records, targetUserId } = yield* runCommand(command, Date.now()).pipe(
      Effect.provide(repositories.pipe(Layer.provide(sqlLayer(url, { applicationName: "venue-gateway admin" })))),
    )
    const action = ACTIONS[command._tag]
    if (action !== null) {
      makeAudit({ line: auditTo(settings.dataDir), secret: Buffer.alloc(0), now: Date.now }).write({
        action,
        outcome: "ok",
        targetUserId,
        what: wordsOf(command),
        origin: localOrigin(),
      })
    }
    return records
  }).pipe(Effect.scoped)

const words = process.argv.slice(2)
const keysCommand = parseKeysCommand(words)
const command = keysCommand ?? parseCommand(words) ?? end(2, `${USAGE}${KEYS_USAGE}`)
const settings = ((): Settings => {
  try {
    return readSettings(process.env)
  } catch (error) {
    return end(1, `gateway admin: ${error instanceof Error ? error.message : error}\n`)
  }
})()

const work: Effect.Effect<ReadonlyArray<unknown>, unknown> = keysCommand === undefined
  ? program(settings, command as Command)
  : Effect.map(keysProgram(settings, keysCommand), (report) => [report])
// tidy: the one place where this program starts
const exit = await Effect.runPromiseExit(work)
if (Exit.isSuccess(exit)) process.stdout.write(exit.value.map((record) => `${JSON.stringify(record)}\n`).join(""))
else {
  const failure = Cause.squash(exit.cause)
  const reason = failure !== null && typeof failure === "object" && "reason" in failure ? `: ${failure.reason}` : ""
  end(1, `gateway admin: ${failure instanceof Error ? failure.message.split("\n")[0] : failure}${reason}\n`)
}

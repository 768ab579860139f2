/**
 * `gateway admin`: what operators do from the command line. One JSON line for each record on stdout; exit 0 when it is done, 1 when it
 * could not be, 2 for words that are no command.
 */
import { mkdirSync, openSync, writeSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import { Cause, Effect, Exit } from "effect"
import { makeAudit } from "../auth/audit.ts"
import { readSettings, type Settings } from "../config.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { startEmbeddedPostgres } from "../store/embedded.ts"
import { findEmbedded } from "../store/embedded-running.ts"
import { type Task, taskOf, USAGE } from "./tasks.ts"

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

/** Beside the gateway's own rows: a line is written whole. Opened before anything is done: what cannot be written down is not done. */
const openAudit = (dataDir: string): ((line: string) => void) => {
  const folder = join(dataDir, "logs")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = openSync(join(folder, "audit.log"), "a", 0o600)
  return (line) => {
    try {
      writeSync(file, `${line}\n`)
    } catch (error) {
      // It is done by now: to call it a failure would be a lie.
      process.stderr.write(
        `gateway admin: done, but not in the audit log: ${error instanceof Error ? error.message : error}\n`,
      )
    }
  }
}

const program = (settings: Settings, task: Task) =>
  Effect.gen(function* () {
    const url = yield* database(settings)
    const line = task.isAudited ? openAudit(settings.dataDir) : null
    const { records, audit } = yield* task.run(settings, url, Date.now())
    if (audit !== null) {
      const origin = { ip: "local", userAgent: `gateway admin, ${userInfo().username}`, requestId: "" }
      const trail = makeAudit({ line, secret: Buffer.alloc(0), now: Date.now })
      trail.write({ ...audit, outcome: "ok", origin })
    }
    return records
  }).pipe(Effect.scoped)

const task = taskOf(process.argv.slice(2)) ?? end(2, USAGE)
const settings = ((): Settings => {
  try {
    return readSettings(process.env)
  } catch (error) {
    return end(1, `gateway admin: ${error instanceof Error ? error.message : error}\n`)
  }
})()

// tidy: the one place where this program starts
const exit = await Effect.runPromiseExit(program(settings, task))
if (Exit.isSuccess(exit)) process.stdout.write(exit.value.map((record) => `${JSON.stringify(record)}\n`).join(""))
else {
  const failure = Cause.squash(exit.cause)
  const reason = failure !== null && typeof failure === "object" && "reason" in failure ? `: ${failure.reason}` : ""
  end(1, `gateway admin: ${failure instanceof Error ? failure.message.split("\n")[0] : failure}${reason}\n`)
}

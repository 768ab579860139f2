/**
 * `gateway admin`: the operators' command line. One JSON line per record on stdout, or a page of text; exit 0 on success, 1 if the command failed
 * or a check found a fault, 2 for invalid arguments.
 */

import "../foundation/runtime.ts"

import { userInfo } from "node:os"
import { Cause, Effect, Exit } from "effect"
import { readSettings, type Settings } from "../config.ts"
import type { Actor } from "../domain/user/act.ts"
import { BUILD, buildWords } from "../foundation/build.ts"
import { InvalidSetting } from "../settings/environment.ts"
import { startEmbeddedPostgres } from "../store/embedded/embedded.ts"
import { findEmbedded } from "../store/embedded/running.ts"
import { openTrail } from "./log-lines.ts"
import { type Task, taskOf, USAGE } from "./tasks.ts"
import { apiKeyCommandOf } from "./words.ts"

const end = (code: number, message: string): never => {
  process.stderr.write(message)
  process.exit(code)
}

/** What is wrong about words that are no command, as a line; undefined: the usage says it. */
const faultOfWords = ([family, ...rest]: ReadonlyArray<string>): string | undefined => {
  const fault = family === "api-key" ? apiKeyCommandOf(rest) : undefined
  return typeof fault === "string" ? `gateway admin: api-key: ${fault}\n\n` : undefined
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

const program = (settings: Settings, task: Task) =>
  Effect.gen(function* () {
    const url = yield* database(settings)
    // Opened before anything is done: what cannot be written down is not done.
    const trail = task.isAudited ? openTrail(settings.dataDir, Date.now) : null
    const actor: Actor = {
      kind: "OPERATOR",
      userId: null,
      sessionId: null,
      keyId: null,
      tenantId: null,
      ip: null,
      userAgent: `gateway admin, ${userInfo().username}`,
      requestId: null,
      clientRequestId: null,
    }
    return yield* task.run(settings, url, Date.now(), { actor, trail })
  }).pipe(Effect.scoped)

if (process.argv[2] === "--version") {
  process.stdout.write(`venue-gateway ${buildWords(BUILD)}\n`)
  process.exit(0)
}
const words = process.argv.slice(2)
const task = taskOf(words) ?? end(2, `${faultOfWords(words) ?? ""}${USAGE}`)
const settings = ((): Settings => {
  try {
    return readSettings(process.env)
  } catch (error) {
    return end(1, `gateway admin: ${error instanceof Error ? error.message : error}\n`)
  }
})()

// tidy: the one place where this program starts
const exit = await Effect.runPromiseExit(program(settings, task))
if (Exit.isSuccess(exit)) {
  if (exit.value.page !== undefined) process.stdout.write(exit.value.page)
  process.stdout.write(exit.value.records.map((record) => `${JSON.stringify(record)}\n`).join(""))
  if (exit.value.isBroken === true) process.exitCode = 1
} else {
  const failure = Cause.squash(exit.cause)
  const told = failure !== null && typeof failure === "object" ? failure : {}
  const which = "parameter" in told ? ` ${told.parameter}` : ""
  const reason = "reason" in told ? `: ${told.reason}` : ""
  end(1, `gateway admin: ${failure instanceof Error ? failure.message.split("\n")[0] : failure}${which}${reason}\n`)
}

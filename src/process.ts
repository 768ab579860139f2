/**
 * The program: settings in, one `ready` line out (of several machines one more when it becomes the core), signals, exit codes. 0 after SIGTERM or SIGINT; 1 after a failed start, a drain that took
 * longer than 10 s, a second signal, the loss of the database, or an uncaught defect: the supervisor restarts it, and the next process queries
 * every venue before it relies on its stored state.
 */
import { Cause, Effect, Exit, Fiber, Logger, LogLevel, Scope } from "effect"
import { describe, effectLogger, followLevelSignal, openProcessLog } from "./composition/options.ts"
import { readSettings, type Settings } from "./config.ts"
import { BUILD, buildWords } from "./foundation/build.ts"
import { followSignal } from "./foundation/early-signals.ts"
import "./foundation/fibers.ts"
import { startGateway } from "./gateway.ts"
import { SERVICE } from "./http/api.ts"
import { CONSOLE_PATH } from "./http/console/pages.ts"

const DRAIN_MILLIS = 9_500

/** One line on stderr that an operator can act on, and the end. */
const end = (message: string): never => {
  process.stderr.write(`venue-gateway: ${message.split("\n")[0]}\n`)
  process.exit(1)
}

if (process.argv.includes("--version")) {
  process.stdout.write(`venue-gateway ${buildWords(BUILD)}, interface ${SERVICE.version}\n`)
  process.exit(0)
}

const settings = ((): Settings => {
  try {
    return readSettings(process.env)
  } catch (error) {
    return end(error instanceof Error ? error.message : String(error))
  }
})()

const log = openProcessLog(settings.logLevel)
followLevelSignal(log)

/** Better to end than to go on with something wrong in memory. */
const endOnDefect = (kind: string) => (error: unknown) => {
  log.write("error", "a defect ends the process", { kind, error: describe(error) })
  end("uncaught defect")
}
process.on("uncaughtException", endOnDefect("exception"))
process.on("unhandledRejection", endOnDefect("rejection"))

/** What waited when the end came is stored. */
let isWhole = true

const told = (word: string, facts: object): void => void process.stdout.write(`${word} ${JSON.stringify(facts)}\n`)

const program = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const started = yield* startGateway({ settings, log, notice: log.notice, told, fatal: end }).pipe(
    Scope.extend(scope),
    // Told to end while it starts, or waits to: what it has begun is given up in order.
    Effect.onInterrupt(() => Scope.close(scope, Exit.void)),
    Effect.exit,
  )
  if (Exit.isFailure(started)) {
    yield* Scope.close(scope, started)
    return yield* started
  }
  const { listening, hasConsole, setupToken, renewCertificate, drain } = started.value
  followSignal("SIGHUP", renewCertificate)
  const { http, ws } = listening
  const setup = setupToken === null ? {} : { setupToken }
  const console = hasConsole ? { console: http + CONSOLE_PATH } : {}
  told("ready", { http, ws, version: SERVICE.version, build: BUILD, ...console, ...setup })
  const leave = Effect.gen(function* () {
    isWhole = yield* drain
    yield* Scope.close(scope, Exit.void)
  })
  return yield* Effect.never.pipe(Effect.onInterrupt(() => leave))
}).pipe(
  // stdout carries what is told and nothing else.
  Effect.provide(Logger.replace(Logger.defaultLogger, effectLogger(log))),
  Logger.withMinimumLogLevel(LogLevel.All),
)

// tidy: the one place where the program starts
const fiber = Effect.runFork(program)
let isStopping = false
const stop = (): void => {
  if (isStopping) end("second signal: exiting at once")
  isStopping = true
  setTimeout(() => end("the shutdown took longer than 10 s"), DRAIN_MILLIS).unref()
  // tidy: signals arrive outside of any Effect
  Effect.runFork(Fiber.interrupt(fiber))
}
process.on("SIGTERM", stop)
process.on("SIGINT", stop)

fiber.addObserver((exit) => {
  if (isStopping && !isWhole) end("some pending changes could not be stored: the next start reconciles with the venues")
  if (Exit.isSuccess(exit) || isStopping) process.exit(0)
  const failure = Cause.squash(exit.cause)
  end(failure instanceof Error ? failure.message : String(failure))
})

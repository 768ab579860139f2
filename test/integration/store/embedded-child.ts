// A process with the embedded database in its scope, to be killed by embedded.test.ts: prints `ready {"pid","url"}` or fails with code 1.
import { Cause, Effect, Exit, Fiber } from "effect"
import { embeddedPostgres } from "../../../src/store/embedded/embedded.ts"

const program = Effect.gen(function* () {
  const server = yield* embeddedPostgres({ dataDir: process.argv[2] ?? "" })
  process.stdout.write(`ready ${JSON.stringify({ pid: server.pid, url: server.url() })}\n`)
  const waiting = setInterval(() => undefined, 60_000)
  yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(waiting)))
  yield* Effect.never
}).pipe(Effect.scoped)

const fiber = Effect.runFork(program)
process.once("SIGTERM", () => {
  Effect.runFork(Fiber.interrupt(fiber))
})
fiber.addObserver((exit) => {
  if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) {
    process.stderr.write(`${Cause.pretty(exit.cause)}\n`)
    process.exitCode = 1
  }
})

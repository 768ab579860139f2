/** The security stream: `logs/security.log`, written at once, never at the cost of a request. */
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { eventLine, type LogLevel } from "../foundation/log-line.ts"
import { openRequestLog } from "../http/watch/request-log.ts"
import { Clock } from "../ports/clock.ts"
import { Meters } from "../ports/meters.ts"
import { type SecurityFacts, SecurityLog, type SecurityLogService } from "../ports/security-log.ts"
import { Telemetry } from "../ports/telemetry.ts"
import type { GatewayOptions } from "./options.ts"

const WINDOW_MILLIS = 10_000
const LINES_OF_ONE = 20
/** Beyond so many pairs of event and address in one window, further ones are counted as one. */
const PAIRS_MAX = 10_000

interface Alike {
  lines: number
  suppressed: number
  readonly event: string
  readonly level: LogLevel
  readonly ip: string
}

/** `endWindow` is to be called every ten seconds. */
export const makeSecurityLog = (options: {
  readonly line: (line: string, level: LogLevel) => void
  readonly now: () => number
  readonly counted: (event: string) => void
}): SecurityLogService & { readonly endWindow: () => void } => {
  const alike = new Map<string, Alike>()
  const write = (event: string, level: LogLevel, facts: SecurityFacts, suppressed?: number): void =>
    options.line(eventLine(options.now(), level, "security", { event, ...facts, suppressed }), level)
  return {
    tell: (event, level, facts) => {
      options.counted(event)
      const key = alike.size < PAIRS_MAX ? `${event} ${facts.ip}` : event
      let known = alike.get(key)
      if (known === undefined) {
        known = { lines: 0, suppressed: 0, event, level, ip: alike.size < PAIRS_MAX ? facts.ip : "" }
        alike.set(key, known)
      }
      if (known.lines >= LINES_OF_ONE) known.suppressed++
      else {
        known.lines++
        write(event, level, { ...facts, ua: facts.ua?.slice(0, 200) })
      }
    },
    endWindow: () => {
      for (const { event, level, ip, suppressed } of alike.values())
        if (suppressed > 0) write(event, level, { ip }, suppressed)
      alike.clear()
    },
  }
}

export const securityLog = ({ settings, notice }: GatewayOptions) =>
  Layer.scoped(
    SecurityLog,
    Effect.gen(function* () {
      const { now } = yield* Clock
      const board = yield* Meters
      const telemetry = yield* Telemetry
      const events = board.counter("security_events_total")
      const lines = board.counter("log_lines_total")
      const file = yield* Effect.acquireRelease(
        Effect.sync(() =>
          openRequestLog({
            directory: join(settings.dataDir, "logs"),
            name: "security",
            gatherMillis: 0,
            bytesMax: settings.retention.logBytes,
            keep: settings.retention.logFiles - 1,
            onTrouble: (error) => notice("the security log cannot be written", { error: error.message }),
          }),
        ),
        (log) => Effect.promise(() => log.close()),
      )
      const log = makeSecurityLog({
        line: (line, level) => {
          lines.add("security", level)
          file.write(line)
          telemetry.logged("security", level, line)
        },
        now,
        counted: (event) => events.add(event),
      })
      const timer = setInterval(log.endWindow, WINDOW_MILLIS)
      timer.unref()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          clearInterval(timer)
          log.endWindow()
        }),
      )
      return log
    }),
  )

/**
 * The logs besides the process's own, under DATA_DIR: access, the audit of what users do, and the security stream. The one audit trail of the
 * process: each row is a line of the audit log, a count, and, for attacks, an event; acts stored through the pool have their rows in the database
 * first.
 */
import { join } from "node:path"
import { Context, Effect, Layer, type Scope } from "effect"
import { type Audit, countAudited, makeAudit, tellAudited } from "../auth/audit-log.ts"
import type { Keys } from "../auth/keys/keys.ts"
import { eventLine, type LogLevel } from "../foundation/log-line.ts"
import { type AccessLog, openRequestLog, type RequestLog } from "../http/watch/request-log.ts"
import { watchRequests } from "../http/watch/request-watch.ts"
import { requestIds } from "../live.ts"
import { Clock } from "../ports/clock.ts"
import { Ids } from "../ports/ids.ts"
import { Meters } from "../ports/meters.ts"
import { type SecurityFacts, SecurityLog, type SecurityLogService } from "../ports/security-log.ts"
import { Telemetry } from "../ports/telemetry.ts"
import { actsLayer } from "../store/audit/acts.ts"
import type { GatewayOptions } from "./options.ts"

const fileOf = (
  { settings, notice }: GatewayOptions,
  name: "access" | "audit",
  gatherMillis?: number,
): Effect.Effect<RequestLog, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      openRequestLog({
        directory: join(settings.dataDir, "logs"),
        name,
        bytesMax: settings.retention.logBytes,
        keep: settings.retention.logFiles - 1,
        ...(gatherMillis === undefined ? undefined : { gatherMillis }),
        onTrouble: (error) => notice(`the ${name} log cannot be written`, { error: error.message }),
      }),
    ),
    (log) => Effect.promise(() => log.close()),
  )

/** Always kept, whatever the level; each line is on its way to the disk when the act is answered. */
const auditLog = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const lines = (yield* Meters).counter("log_lines_total").of("audit", "info")
    const telemetry = yield* Telemetry
    const file = yield* fileOf(options, "audit", 0)
    return (line: string): void => {
      lines.value++
      file.write(line)
      telemetry.logged("audit", "info", line)
    }
  })

/** Null: none is kept. */
const accessLog = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const { settings, log } = options
    if (!settings.accessLog) return null
    const lines = (yield* Meters).counter("log_lines_total")
    const counted = { info: lines.of("access", "info"), error: lines.of("access", "error") }
    const telemetry = yield* Telemetry
    const file = yield* fileOf(options, "access")
    const write: AccessLog = (line, level) => {
      if (!log.threshold.isOn(level)) return
      counted[level === "error" ? "error" : "info"].value++
      file.write(line)
      telemetry.logged("access", level, line)
    }
    return write
  })

export const auditTrail = (options: GatewayOptions, keys: Keys) =>
  Effect.gen(function* () {
    const count = countAudited(yield* Meters)
    const tell = tellAudited(yield* SecurityLog)
    return makeAudit({
      line: yield* auditLog(options),
      secret: () => keys.addresses[0],
      now: (yield* Clock).now,
      observe: (row) => {
        count(row)
        tell(row)
      },
    })
  })

export const auditedActs = ({ told }: Audit) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      return actsLayer({ told, now: (yield* Clock).now, uuid: (yield* Ids).uuid })
    }),
  )

/** What hears of every request: the access log, its counts, the security stream. One of a process, which does the operations itself or passes them on. */
export const watching = (options: GatewayOptions) =>
  Effect.gen(function* () {
    const security = yield* Layer.build(securityLog(options))
    const log = yield* accessLog(options)
    const meters = yield* Meters
    const telemetry = yield* Telemetry
    const watch = watchRequests(meters, Context.get(security, SecurityLog), telemetry, options.log.debug)
    return { security, log, watch, requestId: requestIds() }
  })

export type Watching = Effect.Effect.Success<ReturnType<typeof watching>>

// The security stream: `logs/security.log`, written at once, never at the cost of a request.

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

const securityLog = ({ settings, notice }: GatewayOptions) =>
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

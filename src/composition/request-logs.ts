/** The logs of what is asked of the gateway, as files of lines under DATA_DIR: access, and the audit of what users do. */
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type AccessLog, openRequestLog, type RequestLog } from "../http/watch/request-log.ts"
import { Meters } from "../ports/meters.ts"
import { Telemetry } from "../ports/telemetry.ts"
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
export const auditLog = (options: GatewayOptions) =>
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
export const accessLog = (options: GatewayOptions) =>
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

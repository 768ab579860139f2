/**
 * What a start needs before anything begins: a writable data directory with free space, and the ports; and whether DATA_DIR's permissions are
 * wider than the gateway set them. The one thing to know: all of it is checked before the database is touched, so that a failed start leaves
 * nothing behind.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { type Context, Data, Effect, type Scope } from "effect"
import type { KeyRing } from "../auth/keys/keys.ts"
import { type HttpServer, PortTaken } from "../http/edge/server.ts"
import { MetricsPortTaken } from "../metrics/metrics-server.ts"
import type { Clock } from "../ports/clock.ts"
import type { Failpoint } from "../ports/failpoint.ts"
import type { Ids } from "../ports/ids.ts"
import type { Meters } from "../ports/meters.ts"
import type { Placement } from "../ports/placement.ts"
import type { Telemetry } from "../ports/telemetry.ts"
import type { GatewayOptions } from "./options.ts"

/** What every process has, whatever it does. */
export interface Beginning {
  readonly server: HttpServer
  readonly keys: KeyRing
  readonly base: Context.Context<Base>
}

type Base = Clock | Ids | Placement | Failpoint | Meters | Telemetry

const GROUP_AND_OTHERS = 0o077
const WRITE_OF_OTHERS = 0o002

const modeOf = (path: string): number => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777

const octal = (mode: number): string => `0${mode.toString(8).padStart(3, "0")}`

/** A sentence for each. */
export const looseModes = (dataDir: string): ReadonlyArray<string> => {
  const keys = join(dataDir, "keys")
  // Those of the gateway: a volume may have other folders, which it may not read.
  const files = [keys, join(keys, "signing")].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [],
  )
  const shown = [keys, ...files].flatMap((path) => {
    const mode = modeOf(path)
    return (mode & GROUP_AND_OTHERS) === 0
      ? []
      : [`${path} has mode ${octal(mode)}: users other than its owner can read the keys`]
  })
  const mode = modeOf(dataDir)
  return (mode & WRITE_OF_OTHERS) === 0
    ? shown
    : [`${dataDir} has mode ${octal(mode)}: every user may write there`, ...shown]
}

/** The data directory cannot be used. One line, for the operator. */
class DataDirectoryUnusable extends Data.TaggedError("DataDirectoryUnusable")<{ readonly message: string }> {}

/** Whatever the umask: no other user may write there, and the account of the embedded server may enter. */
const DATA_DIR_MODE = 0o755

const MEGABYTE = 1_048_576

const unusable = (directory: string, reason: string): DataDirectoryUnusable =>
  new DataDirectoryUnusable({ message: `DATA_DIR ${directory} cannot be used: ${reason}` })

const reasonOf = (error: unknown): string => {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EACCES":
    case "EPERM":
      return "this user may not write there"
    case "EROFS":
      return "its file system is read-only"
    case "ENOSPC":
    case "EDQUOT":
      return "its disk is full"
    case "ENOTDIR":
    case "EEXIST":
      return "it is not a directory"
    default:
      return (error as NodeJS.ErrnoException).code ?? "it cannot be written"
  }
}

/** Below an eighth of what health calls enough the gateway would never be ready. */
const checkDataDirectory = (directory: string, minMegabytes: number) =>
  Effect.try({
    try: () => {
      mkdirSync(directory, { recursive: true, mode: DATA_DIR_MODE })
      const probe = join(directory, `.write-probe-${process.pid}`)
      writeFileSync(probe, "x")
      rmSync(probe)
      const { bavail, bsize } = statfsSync(directory)
      const megabytes = Math.floor((bavail * bsize) / MEGABYTE)
      if (megabytes < minMegabytes / 8) throw unusable(directory, `its disk has ${megabytes} MB left`)
    },
    catch: (error) => (error instanceof DataDirectoryUnusable ? error : unusable(directory, reasonOf(error))),
  })

const FORBIDDEN = "may not be opened by this user: a port below 1024 needs CAP_NET_BIND_SERVICE"

/**
 * A port taken between this check and ours is detected by `listen`. Held until all are checked: two settings may name the same port.
 * `refusal` is told why where the port is not taken.
 */
const checkPort = <E>(
  host: string,
  port: number,
  refusal: (why: string | undefined) => E,
): Effect.Effect<void, E, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.async<Server, E>((resume) => {
        const probe = createServer()
        probe.once("error", ({ code }: NodeJS.ErrnoException) =>
          resume(Effect.fail(refusal(code === "EACCES" ? FORBIDDEN : undefined))),
        )
        probe.listen({ host, port, exclusive: true }, () => resume(Effect.succeed(probe)))
      }),
      (probe) => Effect.async<void>((resume) => void probe.close(() => resume(Effect.void))),
    ),
  )

export const startChecks = ({ settings }: Pick<GatewayOptions, "settings">) =>
  Effect.gen(function* () {
    const { dataDir, operation, host, port, metricsPort, tls } = settings
    const plainPort = tls?.plainHttpPort ?? 0
    yield* checkDataDirectory(dataDir, operation.diskFreeMinMegabytes)
    const isNoAddress = "is in use, or is not an address of this machine: set HOST and PORT"
    const isTaken = "is in use"
    if (port !== 0) yield* checkPort(host, port, (why) => new PortTaken(`${host}:${port} ${why ?? isNoAddress}`))
    if (plainPort !== 0)
      yield* checkPort(host, plainPort, (why) => new PortTaken(`PLAIN_HTTP_PORT ${plainPort} ${why ?? isTaken}`))
    if (metricsPort !== null && metricsPort !== 0)
      yield* checkPort(
        "127.0.0.1",
        metricsPort,
        (why) => new MetricsPortTaken(`METRICS_PORT ${metricsPort} ${why ?? isTaken}`),
      )
  }).pipe(Effect.scoped)

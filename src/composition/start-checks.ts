/**
 * What must be there before anything is begun: a data directory to write in, with room, and the port. The one thing to know: all of it is
 * looked at before the database is touched, so that a start that cannot be leaves no trace and no half of itself.
 */
import { mkdirSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Data, Effect } from "effect"
import { PortTaken } from "../http/server.ts"
import type { GatewayOptions } from "./options.ts"

/** The data directory cannot be used. One line, for the operator. */
export class DataDirectoryUnusable extends Data.TaggedError("DataDirectoryUnusable")<{ readonly message: string }> {}

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
      return "it is no directory"
    default:
      return (error as NodeJS.ErrnoException).code ?? "it cannot be written"
  }
}

/** Below an eighth of what health calls enough the gateway would never be ready. */
const checkDataDirectory = (directory: string, minMegabytes: number) =>
  Effect.try({
    try: () => {
      mkdirSync(directory, { recursive: true })
      const probe = join(directory, `.write-probe-${process.pid}`)
      writeFileSync(probe, "x")
      rmSync(probe)
      const { bavail, bsize } = statfsSync(directory)
      const megabytes = Math.floor((bavail * bsize) / MEGABYTE)
      if (megabytes < minMegabytes / 8) throw unusable(directory, `its disk has ${megabytes} MB left`)
    },
    catch: (error) => (error instanceof DataDirectoryUnusable ? error : unusable(directory, reasonOf(error))),
  })

/** Whoever takes it between this look and ours is found by `listen`. */
const checkPort = (host: string, port: number) =>
  Effect.async<void, PortTaken>((resume) => {
    if (port === 0) return resume(Effect.void)
    const probe = createServer()
    probe.once("error", () =>
      resume(
        Effect.fail(new PortTaken(`${host}:${port} is taken, or is no address of this machine: set HOST and PORT`)),
      ),
    )
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resume(Effect.void)))
  })

export const startChecks = ({ settings }: GatewayOptions) =>
  Effect.zipRight(
    checkDataDirectory(settings.dataDir, settings.operation.diskFreeMinMegabytes),
    checkPort(settings.host, settings.port),
  )

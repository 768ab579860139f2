/** The PostgreSQL of a cluster that is broken on purpose: one server that comes back, or a primary with a synchronous standby that takes its place. */
import { rmSync } from "node:fs"
import type { NetConnectOpts } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { openPair } from "../nemesis/standby.ts"

/** Until the monitor of the primary has given it up. */
const WATCH_MILLIS = 1_000

export interface ClusterDatabase {
  /** The application's, with its password. */
  readonly url: string
  /** Where it is dialled. */
  readonly target: NetConnectOpts
  /** It ends with all its sessions, and is there again after so long. */
  readonly restart: (signal: "SIGKILL" | "SIGINT", awayMillis: number) => Promise<void>
  /** The primary is killed, and the standby takes its place; once. */
  readonly failOver: () => Promise<void>
  readonly close: () => Promise<void>
}

const socketFile = (url: string): string => `${new URL(url).searchParams.get("host") ?? ""}/.s.PGSQL.5432`

export const openServer = async (): Promise<ClusterDatabase> => {
  const directory = scratchDirectory("cluster")
  let server = await startEmbeddedPostgres({ dataDir: directory })
  return {
    url: server.url(),
    target: { path: socketFile(server.url()) },
    restart: async (signal, awayMillis) => {
      // SIGINT is PostgreSQL's fast way: sessions end, a checkpoint is written.
      process.kill(server.pid, signal)
      await server.exited
      await sleep(awayMillis)
      server = await startEmbeddedPostgres({ dataDir: directory })
    },
    failOver: () => Promise.reject(new Error("there is no standby")),
    close: async () => {
      await server.stop().catch(() => undefined)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

export const openServerPair = async (): Promise<ClusterDatabase> => {
  const pair = await openPair()
  return {
    url: pair.url,
    target: { host: "127.0.0.1", port: Number(new URL(pair.url).port) },
    restart: () => Promise.reject(new Error("of a pair one takes the other's place")),
    failOver: async () => {
      process.kill(pair.primary.pid, "SIGKILL")
      await sleep(WATCH_MILLIS)
      pair.cutOff()
      await pair.promote()
    },
    close: pair.close,
  }
}

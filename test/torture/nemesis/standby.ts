/**
 * A primary PostgreSQL, its synchronous standby, and the one address in front of them. The one thing to know: the standby begins as a copy
 * of the primary's folder at rest, which is what pg_basebackup would make: the package has none, and a distribution's is often older than
 * the server and refuses it.
 */
import { execFileSync } from "node:child_process"
import { appendFileSync, chownSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, connect as dial, type Socket } from "node:net"
import { join } from "node:path"
import pg from "pg"
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../src/store/embedded/embedded.ts"
import { scratchDirectory } from "../../kit/postgres.ts"
import { until } from "../../kit/servers/gateway.ts"

export interface Pair {
  /** The application's database, by the address in front. */
  readonly url: string
  readonly primary: EmbeddedPostgres
  readonly standby: EmbeddedPostgres
  /** Nobody gets through any more: what the lost primary may still be doing reaches nobody. */
  readonly cutOff: () => void
  /** Resolves when the standby takes writes and the address leads to it. */
  readonly promote: () => Promise<void>
  readonly close: () => Promise<void>
}

const STANDBY = "standby"
const PROMOTE_SECONDS = 10

/** One question, on a connection of its own that is given `millis`. */
export const askOnce = async (
  url: string,
  question: string,
  millis = 5_000,
): Promise<ReadonlyArray<pg.QueryResultRow>> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: millis, query_timeout: millis })
  // The question rejects with the same reason.
  client.on("error", () => undefined)
  try {
    await client.connect()
    return (await client.query(question)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

interface Front {
  readonly port: number
  /** Ends all connections; `to` is a server's socket file, null: new ones end at once. */
  readonly turn: (to: string | null) => void
  readonly close: () => Promise<void>
}

/** TCP in front of a server's unix socket, as HAProxy would be. */
const openFront = (to: string): Promise<Front> =>
  new Promise((resolve, reject) => {
    const open = new Set<Socket>()
    let target: string | null = to
    const server = createServer((client) => {
      if (target === null) return void client.destroy()
      const upstream = dial(target)
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        open.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => {
          open.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
      client.setNoDelay(true)
    })
    const turn = (next: string | null): void => {
      target = next
      for (const socket of open) socket.destroy()
    }
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      const close = (): Promise<void> => {
        turn(null)
        return new Promise((done) => server.close(() => done()))
      }
      resolve({ port: address.port, turn, close })
    })
  })

const socketFile = (server: EmbeddedPostgres): string =>
  join(new URL(server.url()).searchParams.get("host") ?? "", ".s.PGSQL.5432")

/** Makes the folder's cluster follow the primary from its next start on. */
const follow = (directory: string, primary: EmbeddedPostgres): void => {
  const cluster = join(directory, "postgres/cluster")
  const { uid, gid } = statSync(cluster)
  const signal = join(cluster, "standby.signal")
  writeFileSync(signal, "")
  chownSync(signal, uid, gid)
  const line = `primary_conninfo = '${primary.adminUrl("postgres")}&application_name=${STANDBY}'\n`
  appendFileSync(join(cluster, "postgresql.auto.conf"), line)
}

export const openPair = async (): Promise<Pair> => {
  const directories = [scratchDirectory("primary"), scratchDirectory("standby")] as const
  const [own, other] = directories
  const ends: Array<() => Promise<unknown>> = []
  const close = async (): Promise<void> => {
    for (const end of ends.reverse()) await end()
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  }
  try {
    const first = await startEmbeddedPostgres({ dataDir: own })
    await first.stop()
    execFileSync("cp", ["-a", join(own, "postgres"), join(other, "postgres")])
    // From here on no COMMIT returns before the standby has it on its disk.
    const primary = await startEmbeddedPostgres({ dataDir: own, settings: { synchronous_standby_names: STANDBY } })
    ends.push(primary.stop)
    follow(other, primary)
    const standby = await startEmbeddedPostgres({ dataDir: other })
    ends.push(standby.stop)
    await until("a synchronous standby", async () => {
      const rows = await askOnce(primary.adminUrl("postgres"), "SELECT sync_state FROM pg_stat_replication")
      return rows.some((row) => row["sync_state"] === "sync")
    })
    const front = await openFront(socketFile(primary))
    ends.push(front.close)
    const url = new URL(primary.url())
    url.searchParams.delete("host")
    url.host = `127.0.0.1:${front.port}`
    return {
      url: url.href,
      primary,
      standby,
      cutOff: () => front.turn(null),
      promote: async () => {
        const question = `SELECT pg_promote(true, ${PROMOTE_SECONDS}) AS done`
        const [row] = await askOnce(standby.adminUrl("postgres"), question, PROMOTE_SECONDS * 1000)
        if (row?.["done"] !== true) throw new Error("the standby was not promoted")
        front.turn(socketFile(standby))
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

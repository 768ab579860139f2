/** Between a gateway and its PostgreSQL: passes every byte on, and counts what is sent and how many statements are executed. */
import { createServer, connect as dial, type Socket } from "node:net"
import pg from "pg"

export interface Counts {
  /** To PostgreSQL. */
  readonly bytes: number
  readonly statements: number
}

export interface CountedDatabase {
  readonly url: string
  /** Since the beginning. */
  readonly counts: () => Counts
  readonly close: () => void
}

const EXECUTE = "E".charCodeAt(0)
const QUERY = "Q".charCodeAt(0)
/** Of a message after the first ones of a connection: its type and its length, which counts itself. */
const HEAD = 5
/** The protocol's version 3.0: what begins so is the startup message, the last one without a type. */
const VERSION = 196_608

/** Told each type of message, however the bytes are cut. */
const messagesOf = (found: (type: number) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0)
  let isStarted = false
  let skip = 0
  return (chunk) => {
    let at = Math.min(skip, chunk.length)
    skip -= at
    let bytes = chunk
    if (rest.length > 0) {
      bytes = Buffer.concat([rest, chunk])
      rest = Buffer.alloc(0)
    }
    while (at < bytes.length) {
      if (bytes.length - at < (isStarted ? HEAD : HEAD + 3)) {
        rest = bytes.subarray(at)
        return
      }
      const length = bytes.readUInt32BE(isStarted ? at + 1 : at) + (isStarted ? 1 : 0)
      if (isStarted) found(bytes[at]!)
      else isStarted = bytes.readUInt32BE(at + 4) === VERSION
      skip = Math.max(0, at + length - bytes.length)
      at += length
    }
  }
}

export const countedDatabase = (url: string): Promise<CountedDatabase> => {
  const { host, port } = new pg.Client({ connectionString: url })
  const target = host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const open = new Set<Socket>()
  let bytes = 0
  let statements = 0
  const server = createServer((client) => {
    const upstream = dial(target)
    const read = messagesOf((type) => {
      if (type === EXECUTE || type === QUERY) statements++
    })
    client.on("data", (chunk) => {
      bytes += chunk.length
      read(chunk)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const through = new URL(url)
      through.searchParams.delete("host")
      through.hostname = "127.0.0.1"
      through.port = String((server.address() as { readonly port: number }).port)
      resolve({
        url: through.toString(),
        counts: () => ({ bytes, statements }),
        close: () => {
          server.close()
          for (const socket of open) socket.destroy()
        },
      })
    })
  })
}

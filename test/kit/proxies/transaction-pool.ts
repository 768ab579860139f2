/**
 * A pooler in transaction mode, like PgBouncer, on PostgreSQL's own wire protocol: a session belongs to a connection during a transaction, and to
 * the next client afterwards. Each connection signs in to the server itself; from then on its session is shared.
 */
import { createServer, connect as dial, type NetConnectOpts, type Socket } from "node:net"

export interface TransactionPool {
  readonly port: number
  readonly close: () => Promise<void>
}

export interface PoolOptions {
  readonly target: NetConnectOpts
  /** `transaction`: as above; `session`: each connection keeps the session it signed in with. */
  readonly mode: "transaction" | "session"
  /** Done to what the server says. */
  readonly says?: (bytes: Buffer) => Buffer
}

interface Session {
  readonly socket: Socket
  client: Socket | null
  rest: Buffer
}

const READY = "Z".charCodeAt(0)
const TERMINATE = "X".charCodeAt(0)
const IDLE = "I".charCodeAt(0)

/** Whole messages of the server: a type, a length with itself in it, a body. Answers what is left, and whether the last of all was "ready, in no transaction". */
const isIdleAfter = (session: Session, chunk: Buffer): boolean => {
  let bytes = Buffer.concat([session.rest, chunk])
  let isIdle = false
  while (bytes.length >= 5 && bytes.length >= 1 + bytes.readUInt32BE(1)) {
    isIdle = bytes[0] === READY && bytes[5] === IDLE
    bytes = bytes.subarray(1 + bytes.readUInt32BE(1))
  }
  session.rest = bytes
  return isIdle && bytes.length === 0
}

export const transactionPool = ({ target, mode, says = (bytes) => bytes }: PoolOptions): Promise<TransactionPool> =>
  new Promise((resolve, reject) => {
    const sessions = new Set<Session>()
    const clients = new Set<Socket>()
    const free: Array<Session> = []
    const waiting: Array<{ readonly client: Socket; readonly chunk: Buffer }> = []
    const held = new Map<Socket, Session>()

    const give = (client: Socket, session: Session): void => {
      session.client = client
      held.set(client, session)
    }
    const release = (session: Session): void => {
      if (session.client !== null) held.delete(session.client)
      session.client = null
      const next = waiting.shift()
      if (next === undefined) return void free.push(session)
      give(next.client, session)
      session.socket.write(next.chunk)
    }
    const open = (client: Socket): void => {
      const session: Session = { socket: dial(target), client, rest: Buffer.alloc(0) }
      session.socket.setNoDelay(true)
      sessions.add(session)
      give(client, session)
      session.socket.on("error", () => session.socket.destroy())
      session.socket.on("close", () => {
        sessions.delete(session)
        session.client?.destroy()
      })
      session.socket.on("data", (chunk) => {
        session.client?.write(says(chunk))
        if (isIdleAfter(session, chunk) && mode === "transaction") release(session)
      })
    }
    const ask = (client: Socket, chunk: Buffer): void => {
      const session = held.get(client)
      if (session !== undefined) return void session.socket.write(chunk)
      // The end of a connection ends no session.
      if (chunk[0] === TERMINATE) return void client.end()
      const next = free.pop()
      if (next === undefined) return void waiting.push({ client, chunk })
      give(client, next)
      next.socket.write(chunk)
    }

    const server = createServer((client) => {
      clients.add(client)
      client.setNoDelay(true)
      client.on("error", () => client.destroy())
      client.on("close", () => {
        clients.delete(client)
        held.get(client)?.socket.destroy()
        held.delete(client)
      })
      open(client)
      client.on("data", (chunk) => ask(client, chunk))
    })
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (address === null || typeof address === "string") return reject(new Error("no port"))
      const close = (): Promise<void> => {
        for (const socket of [...clients, ...[...sessions].map((session) => session.socket)]) socket.destroy()
        return new Promise((done) => server.close(() => done()))
      }
      resolve({ port: address.port, close })
    })
  })

/** What the tests of the protocol's rules share: one server per suite, its clients of both formats, and their first commands. */
import { afterAll, afterEach, beforeAll } from "vitest"
import { type Format, type RawSocket, type RawSocketOptions, type Reply, rawSocket } from "../readers/raw-socket.ts"
import { startSockets, type TestSocketOptions, type TestSockets } from "./socket-server.ts"

export const FORMATS: ReadonlyArray<Format> = ["json", "protobuf"]

export const TRADES = "market:trade:MOCK:BTC/USDT"
export const TICKER = "market:ticker:MOCK:BTC/USDT"
export const VENUE_TICKER = "market:ticker:MOCK"

export interface Room {
  /** Only within tests and hooks. */
  readonly sockets: TestSockets
  readonly raw: (options?: RawSocketOptions) => Promise<RawSocket>
  /** After its connect reply. */
  readonly connected: (format?: Format, token?: string) => Promise<RawSocket>
  /** After its reply to a subscribe with id 2, which is answered too. */
  readonly subscribed: (
    channel: string,
    format?: Format,
    more?: Readonly<Record<string, unknown>>,
    token?: string,
  ) => Promise<readonly [RawSocket, Reply]>
  /** Lets seconds pass while these sockets answer their pings, as long as they are open; what else they get in the meantime is thrown away. */
  readonly pass: (seconds: number, ...sockets: ReadonlyArray<RawSocket>) => Promise<void>
}

/** Two of them are less than a pong may take. */
const STEP_SECONDS = 3

/** For what a test polls: the machine may be busy. */
export const SOON = { timeout: 60_000 }

/** Starts a server for the suite it is called in, and ends it; its clients end with each test. */
export const useRoom = (options: TestSocketOptions = {}): Room => {
  let running: TestSockets | undefined
  const open: Array<RawSocket> = []
  const sockets = (): TestSockets => {
    if (running === undefined) throw new Error("the server starts before the first test")
    return running
  }
  const raw: Room["raw"] = async (more) => {
    const socket = await rawSocket(sockets().url, more)
    open.push(socket)
    return socket
  }
  const connected: Room["connected"] = async (format = "json", token = "alice") => {
    const socket = await raw({ format })
    socket.send({ id: 1, connect: { token } })
    await socket.next()
    return socket
  }
  beforeAll(async () => {
    running = await startSockets(options)
    for (const channel of [TRADES, TICKER, VENUE_TICKER]) running.stream(channel)
  })
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate()
  })
  afterAll(async () => {
    await running?.stop()
  })
  return {
    get sockets() {
      return sockets()
    },
    raw,
    connected,
    subscribed: async (channel, format = "json", more = {}, token = "alice") => {
      const socket = await connected(format, token)
      socket.send({ id: 2, subscribe: { channel, ...more } })
      return [socket, await socket.next()]
    },
    pass: async (seconds, ...alive) => {
      for (let left = seconds; left > 0; left -= STEP_SECONDS) {
        sockets().turn(Math.min(STEP_SECONDS, left))
        for (const socket of alive) {
          const replies = await Promise.race([socket.rest(), socket.closed.then(() => [])])
          for (const reply of replies) if (Object.keys(reply).length === 0) socket.send({})
        }
      }
    },
  }
}

/** An `error` as it stands in a reply. */
export const refusal = (id: number, code: number): object => ({ id, error: { code } })

/**
 * Who listens to what: subscriptions of one kind of socket each, by channel and argument. A subscription that is there already is
 * acknowledged again and nothing more, the least a client may hope for; who wants a snapshot again unsubscribes first.
 */
import type { WebSocket } from "ws"
import type { OkxAccount } from "./model.ts"

export interface Arg {
  readonly channel: string
  readonly instId?: string
  readonly instType?: string
}

/** One connection of `/ws/v5/…`. */
export interface Connection {
  readonly socket: WebSocket
  /** Closes the connection unless something is said in time. */
  readonly idle: NodeJS.Timeout
  readonly kind: SocketKind
  readonly connId: string
  /** The socket of the demo host. */
  readonly isSimulated: boolean
  readonly subscriptions: Map<string, Arg>
  account: OkxAccount | undefined
  /** Requests of this hour: subscribe, unsubscribe and login count. */
  requests: Array<number>
}

export type SocketKind = "public" | "private" | "business"

export const PRIVATE_CHANNELS: ReadonlyArray<string> = ["orders", "account", "balance_and_position"]
const PUBLIC_CHANNELS: ReadonlyArray<string> = ["books", "trades", "tickers"]

const isCandle = (channel: string): boolean => /^candle[1-9]/.test(channel)

/** Where a channel lives: any other socket says that it does not exist. */
export const kindOf = (channel: string): SocketKind | undefined => {
  if (PRIVATE_CHANNELS.includes(channel)) return "private"
  if (PUBLIC_CHANNELS.includes(channel)) return "public"
  return channel === "trades-all" || isCandle(channel) ? "business" : undefined
}

const keyOf = ({ channel, instId, instType }: Arg): string => [channel, instId ?? "", instType ?? ""].join(" ")

export class Channels {
  readonly connections = new Set<Connection>()

  /** False when the connection has it already. */
  subscribe(connection: Connection, arg: Arg): boolean {
    const key = keyOf(arg)
    const isNew = !connection.subscriptions.has(key)
    connection.subscriptions.set(key, arg)
    return isNew
  }

  unsubscribe(connection: Connection, arg: Arg): void {
    connection.subscriptions.delete(keyOf(arg))
  }

  /** `text` leaves as it is, once per connection that listens. */
  publish(channel: string, instId: string, text: string): void {
    const key = keyOf({ channel, instId })
    for (const connection of this.connections) if (connection.subscriptions.has(key)) send(connection, text)
  }

  /** To the account's connections that have the private channel; each argument gets its own message, as at the venue. */
  push(account: OkxAccount, channel: string, instType: string | undefined, data: (arg: Arg) => unknown): void {
    for (const connection of this.connections) {
      if (connection.account !== account) continue
      for (const arg of connection.subscriptions.values()) {
        if (arg.channel !== channel) continue
        if (instType !== undefined && arg.instType !== undefined && arg.instType !== "ANY" && arg.instType !== instType)
          continue
        send(connection, JSON.stringify(data(arg)))
      }
    }
  }

  /** Instruments of a channel that somebody listens to. */
  listened(matches: (channel: string) => boolean): ReadonlyArray<Arg> {
    const found = new Map<string, Arg>()
    for (const { subscriptions } of this.connections) {
      for (const [key, arg] of subscriptions) if (matches(arg.channel)) found.set(key, arg)
    }
    return [...found.values()]
  }
}

export const send = ({ socket, idle }: Connection, text: string): void => {
  if (socket.readyState !== socket.OPEN) return
  idle.refresh()
  socket.send(text)
}

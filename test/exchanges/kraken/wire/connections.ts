/**
 * The connections of WebSocket v2 and what each listens to: one subscription per channel and symbol. Public and private channels
 * live on hosts of their own; the private ones number their messages per subscription.
 */
import type { WebSocket } from "ws"
import type { KrakenAccount } from "../model.ts"

/** In the words of the Binance exchange: public data, or an account's. */
export type SocketKind = "market" | "user"

export interface Subscription {
  readonly channel: string
  /** Of a public channel. */
  readonly symbol: string | undefined
  /** Of `book`. */
  readonly depth: number
  /** Of `ohlc`, in minutes. */
  readonly interval: number
  /** Of `ticker`. */
  readonly trigger: "trades" | "bbo"
  /** Of a private channel. */
  readonly account: KrakenAccount | undefined
  sequence: number
}

export interface Connection {
  readonly socket: WebSocket
  readonly kind: SocketKind
  readonly subscriptions: Map<string, Subscription>
}

export interface Listener {
  readonly connection: Connection
  readonly subscription: Subscription
}

export const subscriptionKey = (channel: string, symbol: string | undefined): string => `${channel} ${symbol ?? ""}`

export const send = ({ socket }: Connection, text: string): void => {
  if (socket.readyState === socket.OPEN) socket.send(text)
}

export class Connections {
  readonly all = new Set<Connection>()

  /** Who listens to a public channel of a symbol. */
  listeners(channel: string, symbol: string): ReadonlyArray<Listener> {
    const key = subscriptionKey(channel, symbol)
    return [...this.all].flatMap((connection) => {
      const subscription = connection.subscriptions.get(key)
      return subscription === undefined ? [] : [{ connection, subscription }]
    })
  }

  /** Who listens to a private channel of an account. */
  ofAccount(channel: string, account: KrakenAccount): ReadonlyArray<Listener> {
    return this.listeners(channel, "").filter(({ subscription }) => subscription.account === account)
  }
}

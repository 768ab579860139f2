/**
 * `subscribe` and `unsubscribe` of WebSocket v2: one acknowledgement per symbol, then its snapshot; a symbol that is refused is told
 * alone. A channel of a symbol can be had once per connection, in one depth or interval.
 */

import type { Core } from "../core.ts"
import { intervalName } from "../intervals.ts"
import { type Connection, type Subscription, send, subscriptionKey } from "./connections.ts"
import type { MarketStreams } from "./market-streams.ts"
import type { PrivateStreams } from "./private-streams.ts"
import { KrakenRefusal } from "./refusal.ts"
import { acknowledge, type Fields, refuse, type SocketRequest } from "./socket-answers.ts"

const PUBLIC: ReadonlyArray<string> = ["book", "trade", "ticker", "ohlc"]
const PRIVATE: ReadonlyArray<string> = ["executions", "balances"]
const DEPTHS: ReadonlyArray<number> = [10, 25, 100, 500, 1000]

export interface Streams {
  readonly market: MarketStreams
  readonly private: PrivateStreams
}

/** Which channels have a snapshot unless told otherwise. */
const hasSnapshot = (channel: string, params: Fields): boolean =>
  params["snapshot"] === undefined ? channel !== "trade" : params["snapshot"] === true

const symbolsOf = (params: Fields): ReadonlyArray<string> =>
  Array.isArray(params["symbol"]) ? params["symbol"].filter((symbol) => typeof symbol === "string") : []

/** What this channel's subscription to a symbol looks like; throws what the venue refuses. */
const read = (core: Core, channel: string, symbol: string, params: Fields): Subscription => {
  if (!core.pairs.some((pair) => pair.symbol === symbol)) {
    throw new KrakenRefusal(`Currency pair not supported ${symbol}`)
  }
  const depth = Number(params["depth"] ?? 10)
  if (channel === "book" && !DEPTHS.includes(depth)) throw new KrakenRefusal("Subscription depth not supported")
  const interval = Number(params["interval"] ?? 1)
  if (channel === "ohlc" && intervalName(interval) === undefined) {
    throw new KrakenRefusal("Subscription ohlc interval not supported")
  }
  const trigger = params["event_trigger"] === "bbo" ? "bbo" : "trades"
  return { channel, symbol, depth, interval, trigger, account: undefined, sequence: 0 }
}

/** The words of a subscription that its acknowledgement repeats. */
const wordsOf = ({ channel, symbol, depth, interval, trigger }: Subscription): Fields => ({
  channel,
  ...(channel === "book" ? { depth } : {}),
  ...(channel === "ohlc" ? { interval } : {}),
  ...(channel === "ticker" ? { event_trigger: trigger } : {}),
  symbol,
})

export const subscribe = (core: Core, streams: Streams, connection: Connection, request: SocketRequest): void => {
  const { params } = request
  const channel = String(params["channel"])
  core.count(`WS subscribe ${channel}`)
  const fault = core.faults.subscribes.take(channel)
  if (fault?.kind === "lose") return
  if (fault?.kind === "refuse") {
    refuse(core, connection, request, fault.text, symbolsOf(params)[0])
    return
  }
  const isPrivate = PRIVATE.includes(channel)
  if (!isPrivate && !PUBLIC.includes(channel)) refuse(core, connection, request, "Channel not found")
  else if (isPrivate) subscribePrivate(core, streams, connection, request, channel)
  else for (const symbol of symbolsOf(params)) subscribePublic(core, streams, connection, request, channel, symbol)
}

const subscribePublic = (
  core: Core,
  streams: Streams,
  connection: Connection,
  request: SocketRequest,
  channel: string,
  symbol: string,
): void => {
  try {
    if (connection.kind !== "market") throw new KrakenRefusal("Public market data subscriptions are not supported here")
    const subscription = read(core, channel, symbol, request.params)
    const key = subscriptionKey(channel, symbol)
    if (connection.subscriptions.has(key)) {
      throw new KrakenRefusal(
        channel === "ohlc" ? "Already subscribed to one ohlc interval on this symbol" : "Already subscribed",
      )
    }
    const snapshot = hasSnapshot(channel, request.params)
    streams.market.flush()
    acknowledge(core, connection, request, { ...wordsOf(subscription), snapshot })
    connection.subscriptions.set(key, subscription)
    if (snapshot) streams.market.snapshot(connection, subscription)
  } catch (cause) {
    if (!(cause instanceof KrakenRefusal)) throw cause
    refuse(core, connection, request, cause.message, symbol)
  }
}

const subscribePrivate = (
  core: Core,
  streams: Streams,
  connection: Connection,
  request: SocketRequest,
  channel: string,
): void => {
  const { params } = request
  try {
    if (connection.kind !== "user") throw new KrakenRefusal("Private data subscriptions are not supported here")
    const account = core.tokens.accountOf(params["token"])
    const key = subscriptionKey(channel, undefined)
    if (connection.subscriptions.has(key)) throw new KrakenRefusal("Already subscribed")
    const none = { symbol: undefined, depth: 0, interval: 0, trigger: "trades" } as const
    const subscription: Subscription = { channel, account, sequence: 0, ...none }
    const wants = { orders: params["snap_orders"] !== false, trades: params["snap_trades"] === true }
    const words =
      channel === "executions"
        ? { channel, maxratecount: 125, snap_orders: wants.orders, snap_trades: wants.trades }
        : { channel, snapshot: true }
    acknowledge(core, connection, request, words)
    connection.subscriptions.set(key, subscription)
    streams.private.snapshot(connection, subscription, wants)
  } catch (cause) {
    if (!(cause instanceof KrakenRefusal)) throw cause
    refuse(core, connection, request, cause.message)
  }
}

export const unsubscribe = (core: Core, connection: Connection, request: SocketRequest): void => {
  const { params } = request
  const channel = String(params["channel"])
  core.count(`WS unsubscribe ${channel}`)
  const symbols = PRIVATE.includes(channel) ? [undefined] : symbolsOf(params)
  for (const symbol of symbols) {
    const key = subscriptionKey(channel, symbol)
    const known = connection.subscriptions.get(key)
    const isAnother =
      (channel === "book" && known?.depth !== Number(params["depth"] ?? 10)) ||
      (channel === "ohlc" && known?.interval !== Number(params["interval"] ?? 1))
    if (known === undefined || isAnother) refuse(core, connection, request, "Subscription Not Found", symbol)
    else {
      connection.subscriptions.delete(key)
      acknowledge(core, connection, request, wordsOf(known))
    }
  }
}

/** Once a second to everybody who listens to anything. */
export const beat = (connections: Iterable<Connection>): void => {
  for (const connection of connections) {
    if (connection.subscriptions.size > 0) send(connection, '{"channel":"heartbeat"}')
  }
}

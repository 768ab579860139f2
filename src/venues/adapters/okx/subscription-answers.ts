/**
 * A venue's answers to public subscriptions that ccxt 4.5.84 mishandles (OKX). An error event would reject every stream of the socket, while ccxt
 * considers each one still subscribed and never sends it again: here only the stream concerned fails and is subscribed again. So is one that is
 * never answered.
 */
import type { CcxtExchange, CcxtSocket } from "../../worker/exchange/ccxt.ts"
import { endSocket } from "../../worker/exchange/sockets.ts"
import type { StreamNews } from "../adapter.ts"

export class SubscriptionAnswers {
  readonly #exchange: CcxtExchange
  readonly #read: (message: unknown) => StreamNews | null
  readonly #withinMillis: number
  /** What each socket has of acknowledged subscriptions, by ccxt's key. */
  readonly #taken = new WeakMap<CcxtSocket, Set<string>>()
  /** Since when the others wait. */
  readonly #waiting = new WeakMap<CcxtSocket, Map<string, number>>()
  readonly #sweeps: NodeJS.Timeout

  /** A subscription that has waited for longer than `withinMillis` is lost. */
  constructor(exchange: CcxtExchange, read: (message: unknown) => StreamNews | null, withinMillis: number) {
    this.#exchange = exchange
    this.#read = read
    this.#withinMillis = withinMillis
    this.#sweeps = setInterval(() => this.#sweep(), withinMillis / 2).unref()
  }

  stop(): void {
    clearInterval(this.#sweeps)
  }

  /** True when ccxt must not see the message. */
  take(socket: CcxtSocket, message: unknown): boolean {
    const news = this.#read(message)
    switch (news?._tag) {
      case "Taken":
        for (const key of this.#keysOf(socket, news.channel, news.marketId)) this.#takenOf(socket).add(key)
        return false
      case "Left":
        for (const key of this.#keysOf(socket, news.channel, news.marketId)) this.#takenOf(socket).delete(key)
        return false
      case "Ending":
        endSocket(socket, "the venue is about to close the connection")
        return true
      case "Refused":
        this.#refused(socket, news, message)
        return true
      default:
        return false
    }
  }

  #refused(
    socket: CcxtSocket,
    { channel, marketId }: StreamNews & { readonly _tag: "Refused" },
    message: unknown,
  ): void {
    const isNamed = channel !== null && marketId !== null
    const keys = isNamed ? this.#keysOf(socket, channel, marketId) : this.#unanswered(socket)
    const words = `${this.#exchange.id} ${JSON.stringify(message)}`
    // About nothing that is known: every stream of the socket may be meant.
    if (keys.length === 0) endSocket(socket, words)
    else for (const key of keys) this.#fail(socket, key, words)
  }

  /** Subscriptions unanswered for long. Kept by key: one that was answered meanwhile starts over. */
  #sweep(): void {
    const now = performance.now()
    for (const socket of Object.values(this.#exchange.clients)) {
      const before = this.#waiting.get(socket)
      const waiting = new Map(this.#unanswered(socket).map((key) => [key, before?.get(key) ?? now]))
      this.#waiting.set(socket, waiting)
      for (const [key, since] of waiting) {
        if (now - since > this.#withinMillis) this.#fail(socket, key, `${key} was not acknowledged`)
      }
    }
  }

  #fail(socket: CcxtSocket, key: string, words: string): void {
    delete socket.subscriptions[key]
    socket.reject(new Error(words), key)
  }

  #unanswered(socket: CcxtSocket): ReadonlyArray<string> {
    const taken = this.#takenOf(socket)
    return Object.keys(socket.subscriptions).filter((key) => !key.startsWith("unsubscribe:") && !taken.has(key))
  }

  /** `books:BTC/USDT` and `tickers::BTC/USDT` are ccxt's keys. */
  #keysOf(socket: CcxtSocket, channel: string, marketId: string): ReadonlyArray<string> {
    const market = Object.values(this.#exchange.markets ?? {}).find(({ id }) => id === marketId)
    const symbol = market?.symbol ?? marketId
    return [`${channel}:${symbol}`, `${channel}::${symbol}`].filter(
      (key) => key in socket.subscriptions || this.#takenOf(socket).has(key),
    )
  }

  #takenOf(socket: CcxtSocket): Set<string> {
    const known = this.#taken.get(socket)
    if (known !== undefined) return known
    const taken = new Set<string>()
    this.#taken.set(socket, taken)
    return taken
  }
}

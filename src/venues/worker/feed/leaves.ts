/**
 * Unsubscribes of public streams, one by one, without effect on other streams of their socket. An unsubscribe lasts until the venue has
 * acknowledged it; a stream requested again meanwhile is subscribed after it. Through ccxt where it can, otherwise by the venue's adapter.
 */
import { intervalOf, type MarketStream } from "../../../ports/market-source.ts"
import type { ExchangeAdapter, LeavableStream, Leave } from "../../adapters/adapter.ts"
import type { VenueProfile } from "../../adapters/profile.ts"
import type { CcxtExchange, CcxtSocket } from "../exchange/ccxt.ts"
import { classify } from "../exchange/errors.ts"
import { socketsOf } from "../exchange/sockets.ts"
import { waitsOf } from "../waits.ts"
import type { KlineStreams } from "./kline-streams.ts"
import type { SequenceGuard } from "./sequence-guard.ts"

/** Of ccxt's name, by which it is classified. */
class UnsubscribeError extends Error {
  override readonly name = "UnsubscribeError"
}

/** An end that the venue has not heard of. */
interface Asked {
  readonly socket: CcxtSocket
  readonly leave: Leave
  readonly heard: () => void
}

export interface LeavesParts {
  readonly profile: VenueProfile
  readonly adapter: ExchangeAdapter
  readonly exchange: CcxtExchange
  readonly klines: KlineStreams
  readonly guard: SequenceGuard
  /** For the operator: an end that failed. */
  readonly notice: (what: string) => void
}

export class Leaves {
  readonly #parts: LeavesParts
  /** By stream and ccxt's symbol. */
  readonly #pending = new Map<string, Promise<boolean>>()
  /** In the adapter's words. */
  readonly #asked = new Set<Asked>()
  /** Ends that the venue has to say something before: tried with each message of theirs. */
  readonly #later = new Map<CcxtSocket, Set<() => void>>()

  constructor(parts: LeavesParts) {
    this.#parts = parts
  }

  /** The end of a stream, while the venue has not acknowledged it. */
  pending(stream: MarketStream, symbol: string): Promise<boolean> | undefined {
    return this.#pending.get(this.#keyOf(stream, symbol))
  }

  /** Whether the end of one is the end of the other. */
  areJoint(one: MarketStream, other: MarketStream): boolean {
    return this.#streamOf(one) === this.#streamOf(other)
  }

  /**
   * Resolves when the venue has acknowledged it, or its socket is gone; false: it cannot, or did not within its time. Never rejects.
   * `isForgotten`: ccxt has given the subscription up, as at a hole, and the venue still has it.
   */
  leave(stream: MarketStream, symbol: string, { isForgotten = false } = {}): Promise<boolean> {
    const key = this.#keyOf(stream, symbol)
    const pending = this.#pending.get(key)
    if (pending !== undefined) return pending
    const left = this.#left(stream, symbol, isForgotten).finally(() => this.#pending.delete(key))
    this.#pending.set(key, left)
    return left
  }

  /** Sees every message, before ccxt does. */
  hear(socket: CcxtSocket, message: unknown): void {
    if (this.#asked.size > 0)
      for (const asked of this.#asked)
        if (asked.socket === socket && asked.leave.isHeard?.(message) === true) asked.heard()
    this.#parts.adapter.leaving?.hear?.(socket, message)
    const later = this.#later.size === 0 ? undefined : this.#later.get(socket)
    // What it waits for is in what ccxt makes of the message.
    if (later === undefined) return
    setImmediate(() => {
      for (const attempt of later) attempt()
    })
  }

  #streamOf(stream: MarketStream): string {
    return this.#parts.adapter.leaving?.isJoint === true && stream === "trade" ? "book" : stream
  }

  #keyOf(stream: MarketStream, symbol: string): string {
    return `${this.#streamOf(stream)} ${symbol}`
  }

  async #left(stream: MarketStream, symbol: string, isForgotten: boolean): Promise<boolean> {
    const { exchange, guard, profile, notice } = this.#parts
    const carriers = socketsOf(exchange, symbol)
    const sockets = carriers.length === 0 && isForgotten ? Object.values(exchange.clients) : carriers
    // Nothing was subscribed: to say so would take a new socket.
    if (sockets.length === 0) return true
    const marketId = exchange.markets?.[symbol]?.id ?? symbol
    const isBook = this.#streamOf(stream) === "book"
    if (isBook) for (const socket of sockets) guard.leave(socket, marketId)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), waitsOf(profile).acknowledgedMillis).unref()
    })
    try {
      const isLeft = await Promise.race([this.#ended(stream, symbol, sockets), late])
      if (!isLeft && isBook) notice(`the unsubscribe of the ${stream} of ${symbol} was not acknowledged`)
      return isLeft
    } catch (error) {
      // The socket is gone or going: then there is nothing left to end.
      const { category, text } = classify(error)
      if (category === "NOT_SUPPORTED") return false
      notice(`unwatch ${stream} ${symbol}: ${text}`)
      return true
    } finally {
      clearTimeout(timer)
      if (isBook) for (const socket of sockets) guard.hasLeft(socket, marketId)
    }
  }

  async #ended(stream: MarketStream, symbol: string, sockets: ReadonlyArray<CcxtSocket>): Promise<boolean> {
    const { exchange, klines, profile, adapter } = this.#parts
    const interval = intervalOf(stream)
    if (interval !== undefined) {
      await klines.unwatch(symbol, interval)
      return true
    }
    const ours = adapter.leaving
    const kind = stream as LeavableStream
    const market = exchange.markets?.[symbol]
    if (ours !== undefined && market !== undefined) {
      const carrier = sockets.find((socket) => this.#wordsOn(socket, kind, symbol) !== null)
      if (carrier !== undefined) return this.#endedInWords(carrier, kind, symbol)
    }
    if (kind === "book") await exchange.unWatchOrderBook(symbol)
    else if (kind === "trade") await exchange.unWatchTrades(symbol)
    else await exchange.unWatchTicker(symbol, { ...profile.tickerParams })
    return true
  }

  #wordsOn(socket: CcxtSocket, stream: LeavableStream, symbol: string): Leave | "LATER" | null {
    const { exchange, adapter } = this.#parts
    const market = exchange.markets?.[symbol]
    if (market === undefined) return null
    return adapter.leaving?.leave({ stream, market, socket, request: () => exchange.requestId() }) ?? null
  }

  /** ccxt sends it behind the subscription, which may wait for its turn, and fails it with the socket. */
  async #endedInWords(socket: CcxtSocket, stream: LeavableStream, symbol: string): Promise<boolean> {
    const { exchange } = this.#parts
    const leave = await this.#wordsInTime(socket, stream, symbol)
    if (leave === null) return true
    const key = `unsubscribe:${leave.keys[0] ?? ""}`
    const answered = exchange.watch(socket.url, key, leave.message, key)
    const heard = (): void => {
      this.#asked.delete(asked)
      for (const one of leave.keys) delete socket.subscriptions[one]
      delete socket.subscriptions[key]
      if (this.#streamOf(stream) === "book") delete exchange.orderbooks[symbol]
      for (const one of leave.waiting) {
        // Of before: it would fail the next subscription.
        delete socket.rejections[one]
        if (one in socket.futures) socket.reject(new UnsubscribeError(`${stream} of ${symbol} ended`), one)
      }
      socket.resolve(true, key)
    }
    const asked: Asked = { socket, leave, heard }
    if (leave.isHeard === null) heard()
    else this.#asked.add(asked)
    try {
      await answered
    } finally {
      this.#asked.delete(asked)
    }
    return true
  }

  /** Null: its socket is gone. */
  async #wordsInTime(socket: CcxtSocket, stream: LeavableStream, symbol: string): Promise<Leave | null> {
    const { exchange, profile } = this.#parts
    const words = this.#wordsOn(socket, stream, symbol)
    if (words !== "LATER") return words
    return new Promise((resolve) => {
      const attempts = this.#later.get(socket) ?? new Set()
      this.#later.set(socket, attempts)
      const done = (found: Leave | null): void => {
        clearTimeout(timer)
        attempts.delete(attempt)
        if (attempts.size === 0) this.#later.delete(socket)
        resolve(found)
      }
      const attempt = (): void => {
        const found = exchange.clients[socket.url] === socket ? this.#wordsOn(socket, stream, symbol) : null
        if (found !== "LATER") done(found)
      }
      const timer = setTimeout(() => done(null), waitsOf(profile).acknowledgedMillis).unref()
      attempts.add(attempt)
    })
  }
}

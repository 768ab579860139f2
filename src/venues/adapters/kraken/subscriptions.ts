/**
 * Kraken's public subscriptions. ccxt sends them and never checks the response: a refused or lost one would be awaited for ever. It cannot
 * unsubscribe either: that is added here, so that one stream ends without the others on its socket.
 */

import type { Raw } from "../../worker/exchange/ccxt.ts"
import { LOST_PLACE } from "../../worker/exchange/errors.ts"
import { record } from "../adapter.ts"
import { type KrakenExchange, type KrakenSocket, PUBLIC_URL } from "./exchange.ts"

/** Of ccxt's names, by which they are classified. */
class UnsubscribeError extends Error {}
class BadSymbol extends Error {}

/** What ccxt waits for, by channel. */
const HASHES: Readonly<Record<string, string>> = { book: "orderbook" }

export const hashOf = (channel: string, symbol: string): string => `${HASHES[channel] ?? channel}@${symbol}`

interface Subscription {
  readonly channel: string
  readonly symbol: string
  readonly params: Raw
  /** Of its request. */
  readonly id: string
}

interface Asked extends Subscription {
  readonly socket: KrakenSocket
  readonly timer: NodeJS.Timeout
}

export class KrakenSubscriptions {
  readonly #exchange: KrakenExchange
  readonly #withinMillis: number
  /** What has left on a socket and was not ended, by ccxt's hash. */
  readonly #sent = new WeakMap<KrakenSocket, Map<string, Subscription>>()
  /** What has no answer yet, by the number of the request. */
  readonly #asked = new Map<string, Asked>()
  readonly #onEnd: Array<(channel: string, symbol: string) => void> = []

  /** A subscription that is not answered `withinMillis` after it left is taken for lost. */
  constructor(exchange: KrakenExchange, withinMillis: number) {
    this.#exchange = exchange
    this.#withinMillis = withinMillis
    this.#watchRequests()
    this.#watchAnswers()
    exchange.unWatchOrderBook = (symbol) => this.end("book", symbol)
    exchange.unWatchTrades = (symbol) => this.end("trade", symbol)
    exchange.unWatchTicker = (symbol) => this.end("ticker", symbol)
  }

  /** `run` is called when a stream is ended, and may begin anew. */
  onEnd(run: (channel: string, symbol: string) => void): void {
    this.#onEnd.push(run)
  }

  /** Ends one stream. The venue reads in order: a subscription that follows on the same socket is a new one. */
  async end(channel: string, symbol: string): Promise<void> {
    for (const run of this.#onEnd) run(channel, symbol)
    const socket = this.#exchange.clients[PUBLIC_URL]
    if (socket === undefined) return
    const hash = hashOf(channel, symbol)
    delete socket.subscriptions[hash]
    // Of before: it would fail the next subscription.
    delete socket.rejections[hash]
    if (hash in socket.futures) socket.reject(new UnsubscribeError(`${channel} of ${symbol} ended`), hash)
    await this.#leave(socket, hash)
  }

  /** Has a live stream sent from its beginning, its snapshot first; nothing that waits on it hears of that. */
  async repeat(socket: KrakenSocket, channel: string, symbol: string): Promise<void> {
    const words = await this.#leave(socket, hashOf(channel, symbol))
    if (words !== undefined) await socket.send(this.#request("subscribe", words))
  }

  /** The stream differs from what the venue sent: its watch loops start over. */
  lost(socket: KrakenSocket, channel: string, symbol: string, reason: string): void {
    socket.reject(new Error(`${LOST_PLACE} ${reason}`), hashOf(channel, symbol))
  }

  #request(method: "subscribe" | "unsubscribe", { snapshot, ...params }: Raw): Raw {
    const isAsked = method === "subscribe" && snapshot !== undefined
    return { method, params: { ...params, ...(isAsked ? { snapshot } : {}) }, req_id: this.#exchange.requestId() }
  }

  /** Answers what the stream had been asked for with; undefined where it had not been. */
  async #leave(socket: KrakenSocket, hash: string): Promise<Raw | undefined> {
    const sent = this.#sentOn(socket)
    const subscription = sent.get(hash)
    if (subscription === undefined) return undefined
    sent.delete(hash)
    this.#answered(subscription.id)
    const { params } = subscription
    // The socket is gone or going: then there is nothing left to unsubscribe from.
    await socket.send(this.#request("unsubscribe", params)).catch(() => undefined)
    return params
  }

  #sentOn(socket: KrakenSocket): Map<string, Subscription> {
    const known = this.#sent.get(socket)
    if (known !== undefined) return known
    const sent = new Map<string, Subscription>()
    this.#sent.set(socket, sent)
    return sent
  }

  /** ccxt spaces what it sends: a stream may have ended, and begun anew, before its subscription leaves. */
  #watchRequests(): void {
    const exchange = this.#exchange
    const client = exchange.client.bind(exchange) as (url: string) => KrakenSocket
    exchange.client = (url) => {
      const socket = client(url)
      if (this.#sent.has(socket)) return socket
      const sent = this.#sentOn(socket)
      const send: KrakenSocket["send"] = socket.send.bind(socket)
      socket.send = (message) => {
        const request = record(message)
        if (request["method"] !== "subscribe") return send(message)
        const params = record(request["params"])
        const channel = String(params["channel"])
        const [symbol = ""] = Array.isArray(params["symbol"]) ? params["symbol"].map(String) : []
        const hash = hashOf(channel, symbol)
        if (socket.subscriptions[hash] === undefined || sent.has(hash)) return Promise.resolve()
        const subscription = { channel, symbol, params, id: String(request["req_id"]) }
        sent.set(hash, subscription)
        this.#expect(socket, subscription)
        return send(message)
      }
      return socket
    }
  }

  #expect(socket: KrakenSocket, subscription: Subscription): void {
    const { channel, symbol, id } = subscription
    const timer = setTimeout(() => {
      const asked = this.#answered(id)
      if (asked !== undefined) this.#failed(asked, new Error(`${channel} of ${symbol} was not acknowledged`))
    }, this.#withinMillis).unref()
    this.#asked.set(id, { ...subscription, socket, timer })
  }

  #answered(id: string): Asked | undefined {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    clearTimeout(asked?.timer)
    return asked
  }

  #watchAnswers(): void {
    const exchange = this.#exchange
    const handle = exchange.handleMessage.bind(exchange)
    exchange.handleMessage = (socket, message) => {
      const answer = record(message)
      if (answer["method"] === "unsubscribe") return undefined
      if (answer["method"] !== "subscribe") return handle(socket, message)
      const asked = this.#answered(String(answer["req_id"]))
      if (asked !== undefined && answer["success"] === false) this.#failed(asked, refusal(String(answer["error"])))
      return undefined
    }
  }

  /** Its state at the venue is unknown: it is unsubscribed there too. */
  #failed({ socket, channel, symbol }: Asked, error: Error): void {
    if (this.#exchange.clients[socket.url] !== socket) return
    const hash = hashOf(channel, symbol)
    delete socket.subscriptions[hash]
    void this.#leave(socket, hash)
    socket.reject(error, hash)
  }
}

const refusal = (text: string): Error =>
  /^Currency pair/.test(text) ? new BadSymbol(text) : new Error(`subscription refused: ${text}`)

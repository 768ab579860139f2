/**
 * Continuity of order books that ccxt does not check itself: 30 of its 66 book connectors apply whatever arrives (venues.md 4.8).
 * The raw message is looked at before ccxt sees it; a hole tears the socket down, and the venue sends a fresh book.
 */
import type { CcxtSocket } from "./ccxt.ts"

/** Where a message stands in its venue's sequence. */
export interface Position {
  /** What is counted: one book, or the whole connection. */
  readonly key: string
  /** A snapshot starts the count anew. */
  readonly restarts: boolean
  readonly sequence: number
}

type Rule = (message: Readonly<Record<string, unknown>>) => Position | undefined

/** By ccxt exchange id; a venue that is not here is checked by ccxt (binance, okx) or not at all. */
const RULES: Readonly<Record<string, Rule>> = {
  bybit: (message) => {
    const { topic, data: body } = message
    if (typeof topic !== "string" || !topic.startsWith("orderbook.") || typeof body !== "object" || body === null)
      return undefined
    return {
      key: topic,
      restarts: message["type"] === "snapshot",
      sequence: Number((body as Readonly<Record<string, unknown>>)["u"]),
    }
  },
  coinbase: (message) =>
    message["sequence_num"] === undefined
      ? undefined
      : { key: "connection", restarts: false, sequence: Number(message["sequence_num"]) },
}

export class SequenceGuard {
  readonly #rule: Rule | undefined
  readonly #seen = new WeakMap<CcxtSocket, Map<string, number>>()

  constructor(exchange: string) {
    this.#rule = RULES[exchange]
  }

  /** The hole before this message, in words; undefined when there is none. Call it once per message, in order. */
  holeBefore(socket: CcxtSocket, message: unknown): string | undefined {
    if (this.#rule === undefined || typeof message !== "object" || message === null) return undefined
    const position = this.#rule(message as Readonly<Record<string, unknown>>)
    if (position === undefined) return undefined
    let seen = this.#seen.get(socket)
    if (seen === undefined) {
      seen = new Map()
      this.#seen.set(socket, seen)
    }
    const previous = seen.get(position.key)
    seen.set(position.key, position.sequence)
    if (position.restarts || previous === undefined || position.sequence === previous + 1) return undefined
    return `${position.key} jumped from ${previous} to ${position.sequence}`
  }
}

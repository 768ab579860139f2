/**
 * Continuity of order books that ccxt does not check itself: 30 of its 66 book connectors apply whatever arrives (venues 4.8). The raw message is
 * inspected before ccxt sees it; a gap closes the socket, and the venue sends a fresh book. So does a change of a book without a snapshot, which
 * ccxt would take for a whole one. After an unsubscribe nothing is a gap: what the venue still sends until it has acknowledged, or until its next
 * snapshot, is ignored.
 */
import type { CcxtSocket } from "../exchange/ccxt.ts"

/** Where a message stands in its venue's sequence. */
export interface Position {
  /** What is counted: one book, or the whole connection. */
  readonly key: string
  /** The venue's id of the market; null: of all of the connection. */
  readonly market: string | null
  /** A snapshot starts the count anew. */
  readonly restarts: boolean
  /** Null where the venue does not count. */
  readonly sequence: number | null
  /** The sequence that must have come before; one less when absent. */
  readonly after?: number
  /** Whose book it is, where that begins with a snapshot by REST. */
  readonly marketId?: string
  /** Nothing of it means anything before a snapshot; only where the snapshot comes on the socket, too. */
  readonly needsSnapshot: boolean
}

type Message = Readonly<Record<string, unknown>>
type Rule = (message: Message) => Position | undefined

/** How holes are found in the books of an exchange. `none`: only a crossed book, silence or a comparison with REST can tell. */
export type Continuity = "sequence" | "checked by ccxt" | "none"

const inner = (value: unknown): Message => (typeof value === "object" && value !== null ? (value as Message) : {})

/** By ccxt exchange id. */
const RULES: Readonly<Record<string, Rule>> = {
  bybit: ({ topic, type, data }) =>
    typeof topic === "string" && topic.startsWith("orderbook.")
      ? {
          key: topic,
          market: topic.split(".")[2] ?? null,
          restarts: type === "snapshot",
          sequence: Number(inner(data)["u"]),
          needsSnapshot: true,
        }
      : undefined,
  // Counts every message of the connection, whatever it is about.
  coinbase: ({ sequence_num }) =>
    sequence_num === undefined
      ? undefined
      : { key: "connection", market: null, restarts: false, sequence: Number(sequence_num), needsSnapshot: false },
  deribit: ({ params }) => {
    const { channel, data } = inner(params)
    if (typeof channel !== "string" || !channel.startsWith("book.")) return undefined
    const { type, change_id, prev_change_id } = inner(data)
    const restarts = type === "snapshot"
    return {
      key: channel,
      market: channel.split(".")[1] ?? null,
      restarts,
      sequence: Number(change_id),
      after: Number(prev_change_id),
      needsSnapshot: true,
    }
  },
  // `full` is a snapshot; changes name the range of updates that they hold.
  gate: ({ channel, event, result }) => {
    if (channel !== "spot.obu" || event !== "update") return undefined
    const { s, full, U, u } = inner(result)
    return {
      key: String(s),
      // `ob.BTC_USDT.50`
      market: String(s).split(".")[1] ?? null,
      restarts: full === true,
      sequence: Number(u),
      after: Number(U) - 1,
      needsSnapshot: true,
    }
  },
  // The venue does not count; its first message of a market has the trades and auctions so far, and is the whole book.
  gemini: (message) =>
    message["type"] === "l2_updates"
      ? {
          key: String(message["symbol"]),
          market: String(message["symbol"]),
          restarts: message["auction_events"] !== undefined && message["trades"] !== undefined,
          sequence: null,
          needsSnapshot: true,
        }
      : undefined,
  krakenfutures: ({ feed, product_id, seq }) =>
    seq !== undefined && (feed === "book" || feed === "book_snapshot")
      ? {
          key: String(product_id),
          market: String(product_id),
          restarts: feed === "book_snapshot",
          sequence: Number(seq),
          needsSnapshot: true,
        }
      : undefined,
  // The snapshot comes by REST; ccxt joins it to the changes, which must follow each other.
  kucoin: ({ topic, data }) => {
    const { sequenceStart, sequenceEnd } = inner(data)
    return typeof topic === "string" && topic.includes("/level2:") && sequenceEnd !== undefined
      ? {
          key: topic,
          market: topic.slice(topic.indexOf(":") + 1),
          restarts: false,
          sequence: Number(sequenceEnd),
          after: Number(sequenceStart) - 1,
          marketId: topic.slice(topic.indexOf(":") + 1),
          needsSnapshot: false,
        }
      : undefined
  },
}

/** Connectors that compare sequences or checksums themselves, with the options that every instance gets. */
const CHECKED_BY_CCXT: ReadonlySet<string> = new Set([
  "binance",
  "binancecoinm",
  "binanceus",
  "binanceusdm",
  "bitfinex",
  "okx",
])

export const continuityOf = (exchange: string): Continuity =>
  RULES[exchange] !== undefined && exchange !== "gemini"
    ? "sequence"
    : CHECKED_BY_CCXT.has(exchange)
      ? "checked by ccxt"
      : "none"

/** What is known of the books of one socket. Markets by the venue's id, in lower case: some are spelled both ways. */
interface Heard {
  /** The newest message, by key. */
  readonly seen: Map<string, number>
  readonly keys: Map<string, Set<string>>
  /** Markets that were left; true: the venue has heard so. */
  readonly left: Map<string, boolean>
}

/** What there is to say against a message. STALE: it is of a book that was left. */
export type Finding = { readonly hole: string } | "STALE" | undefined

export class SequenceGuard {
  readonly #rule: Rule | undefined
  readonly #bookAt: (marketId: string) => number | undefined
  readonly #heard = new WeakMap<CcxtSocket, Heard>()

  /** `bookAt`: where the book of a market stands that no change has come for yet; undefined while there is none. */
  constructor(exchange: string, bookAt: (marketId: string) => number | undefined = () => undefined) {
    this.#rule = RULES[exchange]
    this.#bookAt = bookAt
  }

  /** A book is left, and may begin again on its socket: what came before says nothing of what will come. */
  leave(socket: CcxtSocket, marketId: string): void {
    if (this.#rule === undefined) return
    const market = marketId.toLowerCase()
    const { seen, keys, left } = this.#of(socket)
    left.set(market, false)
    for (const key of keys.get(market) ?? []) seen.delete(key)
    keys.delete(market)
  }

  /** The venue has heard of it: what comes now is of a new subscription. A book that begins with a snapshot still waits for it. */
  hasLeft(socket: CcxtSocket, marketId: string): void {
    const left = this.#heard.get(socket)?.left
    const market = marketId.toLowerCase()
    if (left?.has(market) === true) left.set(market, true)
  }

  /** Call it once per message, in order. */
  look(socket: CcxtSocket, message: unknown): Finding {
    if (this.#rule === undefined || typeof message !== "object" || message === null) return undefined
    const position = this.#rule(message as Message)
    if (position === undefined) return undefined
    const heard = this.#of(socket)
    if (heard.left.size > 0 && this.#isStale(heard, position)) return "STALE"
    const { key, sequence, restarts, needsSnapshot } = position
    const previous = heard.seen.get(key)
    heard.seen.set(key, sequence ?? 0)
    if (previous === undefined) this.#remember(heard, position)
    if (restarts) return undefined
    if (previous === undefined) {
      const began = position.marketId === undefined ? undefined : this.#bookAt(position.marketId)
      if (began !== undefined && (position.after ?? began) > began)
        return { hole: `${key} started with ${began} but continues from ${position.after}` }
      return needsSnapshot ? { hole: `${key} changed before its snapshot` } : undefined
    }
    const { after = sequence === null ? previous : sequence - 1 } = position
    return sequence === null || previous === after
      ? undefined
      : { hole: `${key} jumped from ${previous} to ${sequence}` }
  }

  #isStale({ left }: Heard, { market: of, restarts, needsSnapshot }: Position): boolean {
    const market = of?.toLowerCase()
    const isTold = market === undefined ? undefined : left.get(market)
    if (market === undefined || isTold === undefined) return false
    if (!restarts && (needsSnapshot || !isTold)) return true
    left.delete(market)
    return false
  }

  #remember({ keys }: Heard, { key, market: of }: Position): void {
    const market = of?.toLowerCase()
    if (market === undefined) return
    const known = keys.get(market)
    if (known === undefined) keys.set(market, new Set([key]))
    else known.add(key)
  }

  #of(socket: CcxtSocket): Heard {
    const known = this.#heard.get(socket)
    if (known !== undefined) return known
    const heard: Heard = { seen: new Map(), keys: new Map(), left: new Map() }
    this.#heard.set(socket, heard)
    return heard
  }
}

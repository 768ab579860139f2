/**
 * Parts of this process that follow an instrument's public market trade by trade, mainly triggers: each trade is one plain call with the venue's
 * own text. A follower is notified when the feed stops, and when trades may have been missed.
 */
import type { InstrumentId } from "../../domain/ids.ts"
import type { MarketTrade } from "../../ports/market-source.ts"
import type { MarketListener } from "./messages.ts"

/** Trades silent for so long: the book is held as a witness. Neither trades nor a whole book for so long: nothing comes any more. */
const SILENCE_MILLIS = 5_000
const HOLDER = "followers"

export interface FollowedMarket {
  readonly monotonic: () => number
  /** Wall ms. */
  readonly now: () => number
  readonly hold: (stream: "trade" | "book", instrumentId: InstrumentId, holder: string) => void
  readonly release: (stream: "trade" | "book", instrumentId: InstrumentId, holder: string) => void
  /** The newest trade of a stream that is not interrupted. */
  readonly lastTrade: (instrumentId: InstrumentId) => MarketTrade | null
  /** Best prices of a SYNCED book; undefined: there is none. */
  readonly best: (instrumentId: InstrumentId) => Best | undefined
}

interface Best {
  readonly bid: string | null
  readonly ask: string | null
}

interface Followed {
  readonly listeners: Set<MarketListener>
  best: Best | undefined
  /** Monotonic ms: the newest trade; the newest sign of life, the book's included. */
  tradedAt: number
  heardAt: number
  /** The book is held as a witness since. */
  witnessAt: number | null
  /** Wall ms since when trades may be missing; null while they come. */
  gapSince: number | null
  isLive: boolean
}

export class MarketFollowers {
  readonly #market: FollowedMarket
  readonly #followed = new Map<InstrumentId, Followed>()
  #count = 0

  constructor(market: FollowedMarket) {
    this.#market = market
  }

  /** What is known now is told at once; the answer ends it. */
  follow(instrumentId: InstrumentId, listener: MarketListener): () => void {
    const { hold, release } = this.#market
    const followed = this.#followed.get(instrumentId) ?? this.#begin(instrumentId)
    const holder = `${HOLDER} ${++this.#count}`
    followed.listeners.add(listener)
    hold("trade", instrumentId, holder)
    if (listener.onQuote !== undefined) hold("book", instrumentId, holder)
    const last = this.#market.lastTrade(instrumentId)
    if (last !== null) listener.onTrade?.(last.price, last.at)
    const best = this.#market.best(instrumentId)
    if (best !== undefined) listener.onQuote?.(best.bid, best.ask)
    if (!followed.isLive) listener.onHealth?.(false)
    return () => {
      if (!followed.listeners.delete(listener)) return
      release("trade", instrumentId, holder)
      release("book", instrumentId, holder)
      if (followed.listeners.size > 0) return
      release("book", instrumentId, HOLDER)
      this.#followed.delete(instrumentId)
    }
  }

  onTrade({ instrumentId, price, at }: MarketTrade): void {
    const followed = this.#followed.get(instrumentId)
    if (followed === undefined) return
    followed.tradedAt = this.#market.monotonic()
    if (followed.witnessAt !== null) {
      followed.witnessAt = null
      this.#market.release("book", instrumentId, HOLDER)
    }
    this.#heard(followed, followed.tradedAt)
    const { gapSince } = followed
    followed.gapSince = null
    for (const listener of [...followed.listeners]) {
      if (gapSince !== null) listener.onGap?.(gapSince)
      listener.onTrade?.(price, at)
    }
  }

  onTradesDown(instrumentId: InstrumentId): void {
    const followed = this.#followed.get(instrumentId)
    if (followed === undefined) return
    followed.gapSince ??= this.#market.now()
    for (const listener of [...followed.listeners]) listener.onDown?.()
  }

  /** The book was changed, and is SYNCED. */
  onBook(instrumentId: InstrumentId): void {
    const followed = this.#followed.get(instrumentId)
    if (followed === undefined) return
    this.#heard(followed, this.#market.monotonic())
    const best = this.#market.best(instrumentId)
    if (best === undefined || (best.bid === followed.best?.bid && best.ask === followed.best?.ask)) return
    followed.best = best
    for (const listener of [...followed.listeners]) listener.onQuote?.(best.bid, best.ask)
  }

  /** Looks at the time. */
  watch(now: number): void {
    for (const [instrumentId, followed] of this.#followed) {
      if (now - followed.tradedAt < SILENCE_MILLIS) continue
      if (followed.witnessAt === null) {
        followed.witnessAt = now
        this.#market.hold("book", instrumentId, HOLDER)
      }
      if (this.#market.best(instrumentId) !== undefined) this.#heard(followed, now)
      else if (now - followed.heardAt >= SILENCE_MILLIS && now - followed.witnessAt >= SILENCE_MILLIS)
        this.#turn(followed, false)
    }
  }

  #begin(instrumentId: InstrumentId): Followed {
    const now = this.#market.monotonic()
    const followed: Followed = {
      listeners: new Set(),
      best: undefined,
      tradedAt: now,
      heardAt: now,
      witnessAt: null,
      gapSince: this.#market.lastTrade(instrumentId) === null ? this.#market.now() : null,
      isLive: true,
    }
    this.#followed.set(instrumentId, followed)
    return followed
  }

  #heard(followed: Followed, now: number): void {
    followed.heardAt = now
    this.#turn(followed, true)
  }

  #turn(followed: Followed, isLive: boolean): void {
    if (followed.isLive === isLive) return
    followed.isLive = isLive
    for (const listener of [...followed.listeners]) listener.onHealth?.(isLive)
  }
}
